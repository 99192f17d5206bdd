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
#ifndef TileCopy_cuh
#define TileCopy_cuh

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Copies from global to shared memory that need no registers and do not wait (cp.async; plain copies before
 * compute capability 8.0). */

namespace itk::CudaSpline
{

/** \brief Bytes of the widest copy. */
constexpr int WideCopyBytes = 16;

/** \brief Elements of the widest copy. */
template <typename TReal>
constexpr int WideCopy = WideCopyBytes / static_cast<int>(sizeof(TReal));

/** \brief Starts to copy an element. */
template <typename TReal>
__device__ __forceinline__ void
CopyElement(TReal * shared, const TReal * global)
{
  __pipeline_memcpy_async(shared, global, sizeof(TReal));
}

/** \brief Starts to copy WideCopy elements; both addresses are multiples of WideCopyBytes. */
template <typename TReal>
__device__ __forceinline__ void
CopyWide(TReal * shared, const TReal * global)
{
  __pipeline_memcpy_async(shared, global, WideCopyBytes);
}

/** \brief Waits for the copies of this thread, then for the block. */
__device__ __forceinline__ void
WaitForTile()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/** \brief True where wide copies are aligned: the memory's begin, and rows of this many elements. */
template <typename TReal>
__device__ __forceinline__ bool
IsWide(const TReal * memory, std::int64_t row)
{
  return reinterpret_cast<std::uintptr_t>(memory) % WideCopyBytes == 0 && row % WideCopy<TReal> == 0;
}

/** \brief Reads consecutive elements of shared memory by wide loads, one load for WideCopy elements.
 *
 * For loops that the compiler unrolls: which element of the last load it is, is then known to it. */
template <typename TReal>
class WideReader
{
public:
  /** \param[in] line address whose index 0 is a multiple of WideCopyBytes */
  __device__ __forceinline__ explicit WideReader(const TReal * line)
    : m_Line(line)
  {}

  __device__ __forceinline__ TReal
  operator()(std::int64_t n)
  {
    constexpr int wide = WideCopy<TReal>;
    const int     index = static_cast<int>(n);
    const int     lane = index & (wide - 1);
    if (lane == 0 || !m_Loaded)
    {
      const int4 bits = *reinterpret_cast<const int4 *>(m_Line + (index - lane));
      memcpy(m_Values, &bits, WideCopyBytes);
      m_Loaded = true;
    }
    return m_Values[lane];
  }

private:
  const TReal * m_Line;
  TReal         m_Values[WideCopy<TReal>];
  bool          m_Loaded{ false };
};

} // namespace itk::CudaSpline

#endif
