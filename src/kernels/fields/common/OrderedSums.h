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
#ifndef OrderedSums_h
#define OrderedSums_h

#include "kernels/fields/common/FieldGeometry.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Sums over the samples of a grid in a fixed order, on host and device: along rows, then over the rows of
 * planes, then over the planes. */

namespace itk::CudaSpline
{

/** \brief Sums consecutive terms, a fixed number for each sum.
 *
 * \tparam TTerm zero by default; has Add(const TTerm &) */
template <typename TTerm>
struct OrderedSums
{
  const TTerm * terms;
  TTerm *       sums;
  std::int64_t  length; ///< terms of a sum
  FieldWalk     walk;   ///< sums, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    TTerm sum;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      sum.Add(terms[i]);
    }
    sums[at[0]] = sum;
  }
};

/** \brief Number of sums of rows and of planes, which are one after the other in memory. */
inline std::size_t
CountOrderedSums(const FieldGrid & grid)
{
  const FieldWalk walk = WalkOf(grid);
  return static_cast<std::size_t>(walk.size[1] * walk.size[2] + walk.size[2]);
}

/** \brief Calls \p enqueue with the bodies that sum the sums of rows.
 *
 * \param[in] grid grid whose samples were summed along its rows
 * \param[in,out] sums CountOrderedSums(): of the rows, then of the planes
 * \param[out] total the total */
template <typename TTerm, typename TEnqueue>
void
WalkSumsOfRows(const FieldGrid & grid, TTerm * sums, TTerm * total, const TEnqueue & enqueue)
{
  const FieldWalk    walk = WalkOf(grid);
  const std::int64_t rows = walk.size[1] * walk.size[2];
  enqueue(OrderedSums<TTerm>{ sums, sums + rows, walk.size[1], { { walk.size[2], 1, 1 } } });
  enqueue(OrderedSums<TTerm>{ sums + rows, total, walk.size[2], { { 1, 1, 1 } } });
}

} // namespace itk::CudaSpline

#endif
