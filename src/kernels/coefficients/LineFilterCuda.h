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

/** \brief Filters all components of a source along all of its axes, on the current device.
 *
 * \tparam TReal type of the elements, float or double
 * \param[in] descriptor sizes, order, method, extensions
 * \param[in,out] samples device memory for descriptor.Elements() elements: the samples; overwritten
 * \param[out] other device memory of the same size
 * \param[in] stream where it is enqueued
 * \param[in] part a part of the slowest axis of more than one sample, if not all of it is wanted
 * \return which of the two has the coefficients
 * \exception std::invalid_argument the number of taps
 * \exception DeviceError a launch failed */
template <typename TReal>
TReal *
LaunchPrefilter(const SourceDescriptor & descriptor,
                TReal *                  samples,
                TReal *                  other,
                const Stream &           stream,
                const AxisPart &         part = {});

/** \brief LaunchPrefilter() of samples that stay as they are.
 *
 * \param[in] samples device memory for descriptor.Elements() elements
 * \param[out] first as many, written by the first pass, the third, and so on
 * \param[out] second as many, written by the others; may be the samples
 * \return \p first after an odd number of passes (PrefilterPasses()), \p second after an even one, the samples after
 * none */
template <typename TReal>
const TReal *
LaunchPrefilterFrom(const SourceDescriptor & descriptor,
                    const TReal *            samples,
                    TReal *                  first,
                    TReal *                  second,
                    const Stream &           stream,
                    const AxisPart &         part = {});

/** \brief Passes over the memory that LaunchPrefilter() of whole axes makes on the current device. */
template <typename TReal>
int
PrefilterPasses(const SourceDescriptor & descriptor);

/** \brief LaunchPrefilterFrom() to where the coefficients are wanted, after one pass at least.
 *
 * \param[in] samples as there
 * \param[out] coefficients as many; may be the samples after an even number of passes
 * \param[out] between as many, for every other pass; not needed for one */
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

/** \brief Filters all components of a source along one axis by the kernel of rows or of columns: for measurements.
 *
 * \tparam TReal type of the elements, float or double
 * \param[in] descriptor sizes, order, method, extensions
 * \param[in] axis the axis, of more than one sample
 * \param[in] samples device memory, descriptor.Elements() elements
 * \param[out] coefficients device memory of the same size, apart from the samples
 * \param[in] stream where it is enqueued
 * \exception std::invalid_argument the number of taps
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
