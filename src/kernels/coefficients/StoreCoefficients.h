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
 * \brief From coefficients as they were computed to coefficients as a source stores them, by backend. */

namespace itk::CudaSpline
{

class DeviceBuffer;
class Stream;

/** \brief The scale of packed coefficients.
 *
 * \param[in] descriptor a source of packed storage
 * \param[in] coefficients their extremes
 * \exception std::invalid_argument integers are asked for, and there are NaN or infinite coefficients */
StorageScale
ScaleOf(const SourceDescriptor & descriptor, const CoefficientStatistics<float> & coefficients);

/** \brief What is known of the coefficients in a texture.
 *
 * \param[in] object the texture, on a device
 * \param[in] table of weights, in the memory of the backend, or null */
TextureContents
ContentsOf(const CoefficientStatistics<float> & coefficients, unsigned long long object, const void * table);

/** \brief Fills a lookup table of weights of descriptor.TableBytes(), in host memory. */
void
FillTable(const SourceDescriptor & descriptor, void * table);

/** \brief Extremes, and differences of neighbours where they are asked for (up to 3 dimensions, one component). */
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

/** \brief The source of coefficients in host memory, stored as its descriptor says (not Element). */
std::shared_ptr<const SampleSource>
StoreOnCpu(const SourceDescriptor & descriptor, const float * elements, const ExecutionContext & context);

/** \brief The source of coefficients in memory of the current device, stored as its descriptor says (not Element);
 * complete when the function returns.
 *
 * \param[in] elements Elements() floats, freed when it returns */
std::shared_ptr<const SampleSource>
StoreOnCuda(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream);

/** \brief StoreOnCuda() of storage Texture. The margins are added as the texture is written, through a surface: the
 * coefficients are read once and written once.
 *
 * \exception DeviceError also where the texture is larger than a device can have */
std::shared_ptr<const SampleSource>
StoreInTexture(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream);

} // namespace itk::CudaSpline

#endif
