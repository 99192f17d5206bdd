/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef StoreCoefficients_h
#define StoreCoefficients_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/math/CoefficientStatistics.h"

#include <memory>

/** \file
 * \brief Conversion of computed coefficients to the storage of a source, for each backend. */

namespace itk::CudaSpline
{

class DeviceBuffer;
class Stream;

/** \brief The scale of packed coefficients.
 *
 * \param[in] descriptor a source with packed storage
 * \param[in] coefficients statistics that contain the minimum and maximum
 * \exception std::invalid_argument integers are requested, but there are NaN or infinite coefficients */
StorageScale
ScaleOf(const SourceDescriptor & descriptor, const CoefficientStatistics<float> & coefficients);

/** \brief Information about the coefficients in a texture.
 *
 * \param[in] coefficients statistics of the coefficients
 * \param[in] object the texture, on a device
 * \param[in] table table of weights in the memory of the backend, or null */
TextureContents
ContentsOf(const CoefficientStatistics<float> & coefficients, unsigned long long object, const void * table);

/** \brief Fills a lookup table of weights in host memory, descriptor.TableBytes() bytes. */
void
FillTable(const SourceDescriptor & descriptor, void * table);

/** \brief Computes the minimum and maximum, and optionally the differences of neighbours (up to 3 dimensions, one
 * component). */
///@{
template <typename TReal>
CoefficientStatistics<TReal>
MeasureOnCpu(const SourceDescriptor & descriptor,
             const TReal *            elements,
             bool                     neighbours,
             const ExecutionContext & context);

template <typename TReal>
CoefficientStatistics<TReal>
MeasureOnCuda(const SourceDescriptor & descriptor, const TReal * elements, bool neighbours, const Stream & stream);
///@}

/** \brief Makes a source from coefficients in host memory, with the storage of the descriptor (not Element). */
std::shared_ptr<const SampleSource>
StoreOnCpu(const SourceDescriptor & descriptor, const float * elements, const ExecutionContext & context);

/** \brief Makes a source from coefficients in memory of the current device, with the storage of the descriptor (not
 * Element). The source is complete when the function returns.
 *
 * \param[in] elements Elements() floats, freed when the function returns */
std::shared_ptr<const SampleSource>
StoreOnCuda(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream);

/** \brief Same as StoreOnCuda() for the storage Texture. The margins are added while the texture is written through a
 * surface, so the coefficients are read once and written once.
 *
 * \exception DeviceError a launch failed, or the texture is larger than the device supports */
std::shared_ptr<const SampleSource>
StoreInTexture(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream);

} // namespace itk::CudaSpline

#endif
