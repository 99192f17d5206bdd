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
#ifndef MetricOrder_h
#define MetricOrder_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

/** \file
 * \brief The order in which a device takes the samples of a metric: by the cells of a grid of B-splines. */

namespace itk::CudaSpline
{

/** \brief Samples by cell, and cells cut into chunks. A cell is numbered by the first node of its support; the last of
 * them is not one: there are samples that no node moves. */
struct SplineOrder
{
  const std::uint32_t * samples;     ///< numbers of samples, cell by cell, those of a cell rising
  const std::uint32_t * starts;      ///< by cell: its first place in \c samples; one more
  const std::uint32_t * chunkStarts; ///< by cell: its first chunk; one more, the number of chunks
  std::uint32_t         cells;       ///< nodes of the grid, and the one of samples that none moves
  std::uint32_t         mostOfChunk; ///< samples of a chunk, at most
};

/** \brief First place of sorted keys that is not below a key. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint32_t
                                         LowerBound(const std::uint32_t * keys, std::uint32_t count, std::uint32_t key)
{
  std::uint32_t first = 0;
  while (count > 0)
  {
    const std::uint32_t half = count / 2;
    const bool          isBelow = keys[first + half] < key;
    first += isBelow ? half + 1 : 0;
    count = isBelow ? count - half - 1 : half;
  }
  return first;
}

} // namespace itk::CudaSpline

#endif
