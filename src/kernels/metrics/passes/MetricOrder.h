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
 * \brief The order in which a device visits the samples of a metric: by the cells of a B-spline's grid. */

namespace itk::CudaSpline
{

/** \brief Samples sorted by cell, and cells divided into chunks. A cell has the number of the first node of its
 * support. The last number is not that of a cell: it is for samples that no node affects. */
struct SplineOrder
{
  const std::uint32_t * samples;     ///< numbers of samples, cell by cell, in ascending order within a cell
  const std::uint32_t * starts;      ///< for each cell: its first position in \c samples; one more at the end
  const std::uint32_t * chunkStarts; ///< for each cell: its first chunk; at the end the number of chunks
  std::uint32_t         cells;       ///< nodes of the grid, plus one for samples that no node affects
  std::uint32_t         mostOfChunk; ///< maximum number of samples of a chunk
};

/** \brief First position of sorted keys that is not below a key. */
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
