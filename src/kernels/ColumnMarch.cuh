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
#ifndef ColumnMarch_cuh
#define ColumnMarch_cuh

#include "kernels/LineTiles.cuh"

#include <type_traits>

/** \file
 * \brief A kernel that filters the lines of a slower axis without shared memory: a thread marches along a column. */

namespace itk::CudaSpline
{

/** \brief Columns of a block of ColumnMarchKernel. */
constexpr int MarchColumns = 128;

/** \brief True for filters whose window of samples fits the registers of ColumnMarchKernel. */
template <typename TReal, typename TFilter>
constexpr bool IsMarched = TFilter::IsUnrolled && sizeof(TReal) == 4 && TFilter::Reach <= LineSegmentLength / 2;

/** \brief Lines along a slower axis: a thread marches along a column and keeps the samples that a segment needs in
 * registers.
 *
 * Samples are read once, and those of the next segment while one is filtered. Neighbouring columns are neighbours in
 * memory.
 *
 * \param[in] partSegments segments of a line that a thread marches over */
template <typename TReal, typename TFilter>
__global__ void
__launch_bounds__(MarchColumns, 4) ColumnMarchKernel(const TReal * input,
                                                     TReal *       output,
                                                     AxisView      view,
                                                     int           partSegments,
                                                     Extension     extension,
                                                     TFilter       filter)
{
  constexpr int      reach = TFilter::Reach;
  const std::int64_t groups = (view.inner + MarchColumns - 1) / MarchColumns;
  const std::int64_t partLength = std::int64_t{ partSegments } * LineSegmentLength;
  const std::int64_t parts = (view.wanted + partLength - 1) / partLength;
  const std::int64_t block = blockIdx.x;
  const std::int64_t column = block % groups * MarchColumns + threadIdx.x;
  const std::int64_t partBegin = block / groups % parts * partLength;
  const std::int64_t plane = block / groups / parts;
  if (column >= view.inner)
  {
    return;
  }
  const std::int64_t left = view.wanted - partBegin;
  const int          segments =
    static_cast<int>(((left < partLength ? left : partLength) + LineSegmentLength - 1) / LineSegmentLength);
  const TReal * const from = input + plane * view.length * view.inner + column;
  TReal *             to = output + (plane * view.wanted + partBegin) * view.inner + column;
  std::int64_t        next = view.offset + partBegin - reach; // sample that is read next
  const auto          read = [&](auto & values, auto count) {
    constexpr int number = decltype(count)::value;
    if (next >= 0 && next + number <= view.length)
    {
      const TReal * const first = from + next * view.inner;
#pragma unroll
      for (int i = 0; i < number; ++i)
      {
        values[i] = first[i * view.inner];
      }
    }
    else
    {
#pragma unroll
      for (int i = 0; i < number; ++i)
      {
        values[i] = from[FoldIndex(next + i, view.length, extension) * view.inner];
      }
    }
    next += number;
  };
  TReal kept[2 * reach];
  TReal fresh[LineSegmentLength];
  read(kept, std::integral_constant<int, 2 * reach>());
  read(fresh, std::integral_constant<int, LineSegmentLength>());
  for (int segment = 0; segment < segments; ++segment)
  {
    TReal window[2 * reach + LineSegmentLength];
#pragma unroll
    for (int i = 0; i < 2 * reach + LineSegmentLength; ++i)
    {
      window[i] = i < 2 * reach ? kept[i] : fresh[i - 2 * reach];
    }
#pragma unroll
    for (int i = 0; i < 2 * reach; ++i)
    {
      kept[i] = window[i + LineSegmentLength];
    }
    if (segment + 1 < segments)
    {
      read(fresh, std::integral_constant<int, LineSegmentLength>());
    }
    const std::int64_t rest = left - std::int64_t{ segment } * LineSegmentLength;
    const std::int64_t stride = view.inner;
    const auto         load = [&window](std::int64_t n) { return window[n + reach]; };
    if (rest >= LineSegmentLength)
    {
      filter.template Run<TReal>(0, load, [to, stride](int k, TReal coefficient) { to[k * stride] = coefficient; });
    }
    else
    {
      filter.template Run<TReal>(0, load, [to, stride, rest](int k, TReal coefficient) {
        if (k < rest)
        {
          to[k * stride] = coefficient;
        }
      });
    }
    to += LineSegmentLength * stride;
  }
}

} // namespace itk::CudaSpline

#endif
