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
#ifndef PixelsCuda_h
#define PixelsCuda_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief Whether the samples need to be converted to become the elements of a source. */
inline bool
IsConverted(const SourceDescriptor & descriptor)
{
  return descriptor.element != descriptor.pixel || descriptor.components > 1;
}

/** \brief Enqueues the conversion of numbers of any type to real elements with one plane per component.
 *
 * \tparam TReal type of the elements, float or double
 * \param[in] numbers numbers of a piece in device memory
 * \param[in] descriptor type of the numbers and number of components; its number of samples is the distance between
 * planes
 * \param[in] first, count index of the first number of the piece, and how many numbers it has
 * \param[out] elements device memory, where the first of all numbers is stored in the first plane
 * \param[in] stream stream in which the work is enqueued
 * \exception DeviceError the launch failed */
template <typename TReal>
void
LaunchConvert(const void *             numbers,
              const SourceDescriptor & descriptor,
              std::int64_t             first,
              std::int64_t             count,
              TReal *                  elements,
              const Stream &           stream);

/** \brief Enqueues the inverse conversion from planes of components to pixels.
 *
 * \param[in] planes device memory, descriptor.Elements() elements
 * \param[in] descriptor sizes and components
 * \param[out] pixels device memory of the same size; must not overlap with the planes
 * \param[in] stream stream in which the work is enqueued
 * \exception DeviceError the launch failed */
template <typename TReal>
void
LaunchInterleave(const TReal * planes, const SourceDescriptor & descriptor, TReal * pixels, const Stream & stream);

extern template void
LaunchConvert<float>(const void *, const SourceDescriptor &, std::int64_t, std::int64_t, float *, const Stream &);
extern template void
LaunchConvert<double>(const void *, const SourceDescriptor &, std::int64_t, std::int64_t, double *, const Stream &);
extern template void
LaunchInterleave<float>(const float *, const SourceDescriptor &, float *, const Stream &);
extern template void
LaunchInterleave<double>(const double *, const SourceDescriptor &, double *, const Stream &);

} // namespace itk::CudaSpline

#endif
