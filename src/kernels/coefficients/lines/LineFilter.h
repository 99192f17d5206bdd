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
#ifndef LineFilter_h
#define LineFilter_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include "kernels/coefficients/lines/LinePack.h"

#include <memory>

namespace itk::CudaSpline
{

/** \brief Number of lines that the host filters together: 64 bytes, a cache line, of each sample. */
template <typename TReal>
inline constexpr int PackedLines = static_cast<int>(64 / sizeof(TReal));

/** \brief One sample of each line that is filtered together. */
template <typename TReal>
using PackOf = LinePack<TReal, PackedLines<TReal>>;

/** \brief A prefilter for lines on the host. The order and the method of the descriptor are selected once.
 *
 * \tparam TReal float or double */
template <typename TReal>
class LineFilter
{
public:
  using Pack = PackOf<TReal>;

  LineFilter() = default;
  LineFilter(const LineFilter &) = delete;
  LineFilter &
  operator=(const LineFilter &) = delete;
  virtual ~LineFilter() = default;

  /** Number of samples that a segment needs beyond its own on each side. */
  virtual int
  GetReach() const = 0;

  /** \brief Filters a segment of LineSegmentLength samples.
   * \param[in] samples first sample of the segment, with GetReach() more before it and after the last one
   * \param[out] coefficients LineSegmentLength coefficients; must not overlap with the samples */
  virtual void
  Filter(const Pack * samples, Pack * coefficients) const = 0;
};

/** \brief Creates the filter of a descriptor with order 2 or more. */
template <typename TReal>
std::unique_ptr<const LineFilter<TReal>>
MakeLineFilter(const SourceDescriptor & descriptor);

extern template std::unique_ptr<const LineFilter<float>>
MakeLineFilter<float>(const SourceDescriptor &);
extern template std::unique_ptr<const LineFilter<double>>
MakeLineFilter<double>(const SourceDescriptor &);

} // namespace itk::CudaSpline

#endif
