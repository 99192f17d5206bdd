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
#ifndef LineScratch_h
#define LineScratch_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include "kernels/coefficients/lines/LineFilter.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk::CudaSpline
{

/** \brief Buffers that a thread needs to filter lines: the samples, extended on both sides, and the coefficients of one
 * segment of each line.
 *
 * \tparam TReal float or double */
template <typename TReal>
class LineScratch
{
public:
  using Pack = PackOf<TReal>;

  /** Allocates \p count lines of packs with \p reach additional samples on each side, and the outputs of the
   * segments. */
  LineScratch(std::int64_t length, int reach, int count)
    : m_Length(length)
    , m_Reach(reach)
    , m_Pitch((length + LineSegmentLength - 1) / LineSegmentLength * LineSegmentLength + std::int64_t{ 2 } * reach)
    , m_Samples(static_cast<std::size_t>(m_Pitch * count))
    , m_Coefficients(static_cast<std::size_t>(LineSegmentLength * count))
  {}

  /** First sample of a line of packs. */
  Pack *
  Line(int number)
  {
    return m_Samples.data() + m_Pitch * number + m_Reach;
  }

  /** Output buffer for the coefficients of a segment. */
  Pack *
  Segment(int number)
  {
    return m_Coefficients.data() + LineSegmentLength * number;
  }

  /** Extends a line on both sides as far as its segments need it. */
  void
  Extend(int number, Extension extension)
  {
    Pack * const line = this->Line(number);
    for (std::int64_t n = -m_Reach; n < 0; ++n)
    {
      line[n] = line[FoldIndex(n, m_Length, extension)];
    }
    for (std::int64_t n = m_Length; n < m_Pitch - m_Reach; ++n)
    {
      line[n] = line[FoldIndex(n, m_Length, extension)];
    }
  }

private:
  std::int64_t      m_Length;
  std::int64_t      m_Reach;
  std::int64_t      m_Pitch;
  std::vector<Pack> m_Samples;
  std::vector<Pack> m_Coefficients;
};

} // namespace itk::CudaSpline

#endif
