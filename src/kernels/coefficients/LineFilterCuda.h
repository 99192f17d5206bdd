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
#ifndef LineFilterCuda_h
#define LineFilterCuda_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include "kernels/coefficients/PrefilterBackends.h"

namespace itk::CudaSpline
{

/** \brief Filters all components of a source along all axes on the current device.
 *
 * \tparam TReal type of the elements, float or double
 * \param[in] descriptor sizes, order, method and extensions
 * \param[in,out] samples samples in device memory, descriptor.Elements() elements; overwritten
 * \param[out] other device memory of the same size
 * \param[in] stream stream in which the work is enqueued
 * \param[in] part part of the slowest axis that has more than one sample, if only a part is needed
 * \return the buffer that contains the coefficients, either \p samples or \p other
 * \exception std::invalid_argument the number of taps is invalid
 * \exception DeviceError a launch failed */
template <typename TReal>
TReal *
LaunchPrefilter(const SourceDescriptor & descriptor,
                TReal *                  samples,
                TReal *                  other,
                const Stream &           stream,
                const AxisPart &         part = {});

/** \brief Same as LaunchPrefilter(), but does not modify the samples.
 *
 * \param[in] samples device memory, descriptor.Elements() elements
 * \param[out] first buffer of the same size, written by the first, third, ... pass
 * \param[out] second buffer of the same size, written by the other passes; may be the samples
 * \return \p first after an odd number of passes (PrefilterPasses()), \p second after an even number, \p samples
 * without any pass */
template <typename TReal>
const TReal *
LaunchPrefilterFrom(const SourceDescriptor & descriptor,
                    const TReal *            samples,
                    TReal *                  first,
                    TReal *                  second,
                    const Stream &           stream,
                    const AxisPart &         part = {});

/** \brief Number of passes over the memory that LaunchPrefilter() makes for whole axes on the current device. */
template <typename TReal>
int
PrefilterPasses(const SourceDescriptor & descriptor);

/** \brief Same as LaunchPrefilterFrom(), but writes the coefficients to a given buffer. Needs at least one pass.
 *
 * \param[in] samples same as in LaunchPrefilterFrom()
 * \param[out] coefficients buffer of the same size; may be the samples if the number of passes is even
 * \param[out] between buffer of the same size for every other pass; not needed for a single pass */
template <typename TReal>
void
LaunchPrefilterTo(const SourceDescriptor & descriptor,
                  const TReal *            samples,
                  TReal *                  coefficients,
                  TReal *                  between,
                  const Stream &           stream)
{
  const bool endsInFirst = PrefilterPasses<TReal>(descriptor) % 2 == 1;
  LaunchPrefilterFrom(
    descriptor, samples, endsInFirst ? coefficients : between, endsInFirst ? between : coefficients, stream);
}

/** \brief Filters all components of a source along one axis with the kernel for rows or the one for columns. Used for
 * measurements.
 *
 * \tparam TReal type of the elements, float or double
 * \param[in] descriptor sizes, order, method and extensions
 * \param[in] axis axis with more than one sample
 * \param[in] samples device memory, descriptor.Elements() elements
 * \param[out] coefficients device memory of the same size; must not overlap with the samples
 * \param[in] stream stream in which the work is enqueued
 * \exception std::invalid_argument the number of taps is invalid
 * \exception DeviceError a launch failed */
template <typename TReal>
void
LaunchAxisPrefilter(const SourceDescriptor & descriptor,
                    unsigned int             axis,
                    const TReal *            samples,
                    TReal *                  coefficients,
                    const Stream &           stream);

extern template float *
LaunchPrefilter<float>(const SourceDescriptor &, float *, float *, const Stream &, const AxisPart &);
extern template double *
LaunchPrefilter<double>(const SourceDescriptor &, double *, double *, const Stream &, const AxisPart &);
extern template const float *
LaunchPrefilterFrom<float>(const SourceDescriptor &, const float *, float *, float *, const Stream &, const AxisPart &);
extern template const double *
LaunchPrefilterFrom<double>(const SourceDescriptor &,
                            const double *,
                            double *,
                            double *,
                            const Stream &,
                            const AxisPart &);
extern template int
PrefilterPasses<float>(const SourceDescriptor &);
extern template int
PrefilterPasses<double>(const SourceDescriptor &);
extern template void
LaunchAxisPrefilter<float>(const SourceDescriptor &, unsigned int, const float *, float *, const Stream &);
extern template void
LaunchAxisPrefilter<double>(const SourceDescriptor &, unsigned int, const double *, double *, const Stream &);

} // namespace itk::CudaSpline

#endif
