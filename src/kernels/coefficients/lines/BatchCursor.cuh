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

/** \brief Rows of a batch: as many as a segment of the columns has samples, and as a warp has lanes. */
constexpr int RowsOfBatch = LineSegmentLength;

/** \brief Number of batches that a segment of the columns needs: its own batch and those that its filter reaches. */
__host__ __device__ constexpr int
BatchesOfSegment(int reach)
{
  return 1 + (2 * reach + RowsOfBatch - 1) / RowsOfBatch;
}

/** \brief Number of blocks whose shared memory fits into the 228 KB of a multiprocessor, at least one and at most \p
 * most. Each block needs another 1 KB. */
__host__ __device__ constexpr int
BlocksThatFit(std::size_t bytes, int most)
{
  const auto fit = static_cast<int>((std::size_t{ 228 } << 10) / (bytes + (std::size_t{ 1 } << 10)));
  return fit < 1 ? 1 : (fit < most ? fit : most);
}

/** \brief The planes that a kernel filters along their first two axes. They are divided into adjacent strips of
 * columns, and the strips into parts along the second axis. The blocks of a strip take turns with its parts. */
struct PlaneView
{
  std::int64_t width;        ///< samples of a plane along the first axis
  std::int64_t height;       ///< samples of a plane along the second axis
  Extension    alongX;       ///< extension of the first axis
  Extension    alongY;       ///< extension of the second axis
  int          partSegments; ///< segments of the columns in a part
  unsigned int parts;        ///< number of parts of a strip
  unsigned int items;        ///< number of parts of a strip in all planes
  unsigned int tilesX;       ///< number of adjacent strips; the number of blocks is a multiple of it
};

/** \brief Iterates over the batches of the parts that a block filters, one part after the other.
 *
 * \tparam VNeeded number of batches that a segment of the columns needs */
template <int VNeeded>
class BatchCursor
{
public:
  /** Begins at the first batch of the first part of the block. */
  __device__ __forceinline__ explicit BatchCursor(const PlaneView & view)
    : m_Item(blockIdx.x / view.tilesX)
    , m_Step(gridDim.x / view.tilesX)
  {
    this->Enter(view);
  }

  /** Whether there is a batch. */
  __device__ __forceinline__ bool
  IsValid(const PlaneView & view) const
  {
    return m_Item < view.items;
  }

  /** Moves to the next batch. */
  __device__ __forceinline__ void
  Advance(const PlaneView & view)
  {
    if (++m_Batch == m_Batches)
    {
      m_Item += m_Step;
      this->Enter(view);
    }
  }

  /** Index of the batch in its part. */
  __device__ __forceinline__ int
  Batch() const
  {
    return m_Batch;
  }

  /** Offset of the first element of the plane. */
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
