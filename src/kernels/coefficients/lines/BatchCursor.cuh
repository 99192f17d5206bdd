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
#ifndef BatchCursor_cuh
#define BatchCursor_cuh

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief The order in which a block of the kernels for two axes filters batches of rows. */

namespace itk::CudaSpline
{

/** \brief Rows of a batch: those of a segment of the columns, and as many as a warp has lanes. */
constexpr int RowsOfBatch = LineSegmentLength;

/** \brief Batches that a segment of the columns needs: its own and those that its filter reaches. */
__host__ __device__ constexpr int
BatchesOfSegment(int reach)
{
  return 1 + (2 * reach + RowsOfBatch - 1) / RowsOfBatch;
}

/** \brief Blocks whose shared memory fits the 228 KB of a multiprocessor, of which a block costs 1 KB more; at least
 * one, at most \p most. */
__host__ __device__ constexpr int
BlocksThatFit(std::size_t bytes, int most)
{
  const auto fit = static_cast<int>((std::size_t{ 228 } << 10) / (bytes + (std::size_t{ 1 } << 10)));
  return fit < 1 ? 1 : (fit < most ? fit : most);
}

/** \brief The planes that a kernel filters along their first two axes, and how they are divided: into strips of columns
 * side by side, and these into parts one upon the other. Blocks of one column of strips take turns with their parts. */
struct PlaneView
{
  std::int64_t width;        ///< samples of a plane along the first axis
  std::int64_t height;       ///< and along the second
  Extension    alongX;       ///< extension of the first axis
  Extension    alongY;       ///< and of the second
  int          partSegments; ///< segments of the columns that a part has
  unsigned int parts;        ///< parts one upon the other
  unsigned int items;        ///< parts of all planes, without those side by side
  unsigned int tilesX;       ///< strips side by side; a grid has a multiple of them
};

/** \brief Goes through the batches of the parts that a block filters, one part after the other.
 *
 * \tparam VNeeded batches that a segment of the columns needs */
template <int VNeeded>
class BatchCursor
{
public:
  /** Begins at the first batch of the block's first part. */
  __device__ __forceinline__ explicit BatchCursor(const PlaneView & view)
    : m_Item(blockIdx.x / view.tilesX)
    , m_Step(gridDim.x / view.tilesX)
  {
    this->Enter(view);
  }

  /** There is a batch. */
  __device__ __forceinline__ bool
  IsValid(const PlaneView & view) const
  {
    return m_Item < view.items;
  }

  /** Goes to the next batch. */
  __device__ __forceinline__ void
  Advance(const PlaneView & view)
  {
    if (++m_Batch == m_Batches)
    {
      m_Item += m_Step;
      this->Enter(view);
    }
  }

  /** Number of the batch in its part. */
  __device__ __forceinline__ int
  Batch() const
  {
    return m_Batch;
  }

  /** First element of the plane. */
  __device__ __forceinline__ std::int64_t
                             Plane() const
  {
    return m_Plane;
  }

  /** First row of the part. */
  __device__ __forceinline__ std::int64_t
                             BeginY() const
  {
    return m_BeginY;
  }

private:
  __device__ __forceinline__ void
  Enter(const PlaneView & view)
  {
    m_Batch = 0;
    m_BeginY = std::int64_t{ m_Item % view.parts } * view.partSegments * LineSegmentLength;
    m_Plane = std::int64_t{ m_Item / view.parts } * view.width * view.height;
    const std::int64_t segments = (view.height - m_BeginY + LineSegmentLength - 1) / LineSegmentLength;
    m_Batches = (segments < view.partSegments ? static_cast<int>(segments) : view.partSegments) + VNeeded - 1;
  }

  unsigned int m_Item;
  unsigned int m_Step;
  int          m_Batch;
  int          m_Batches;
  std::int64_t m_BeginY;
  std::int64_t m_Plane;
};

} // namespace itk::CudaSpline

#endif
