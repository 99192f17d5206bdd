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
#include <type_traits>

/** \file
 * \brief Asynchronous copies from global to shared memory that need no registers (cp.async; plain copies for compute
 * capabilities below 8.0). */

namespace itk::CudaSpline
{

constexpr int WarpSize = 32;

/** \brief Bytes of the widest copy. */
constexpr int WideCopyBytes = 16;

/** \brief Elements of the widest copy. */
template <typename TReal>
constexpr int WideCopy = WideCopyBytes / static_cast<int>(sizeof(TReal));

/** \brief Keeps the value in a register. Otherwise, the compiler would recompute it with several instructions wherever
 * it is needed.
 */
__device__ __forceinline__ unsigned int
Kept(unsigned int value)
{
  unsigned int kept = 0;
  asm volatile("mov.b32 %0, %1;" : "=r"(kept) : "r"(value));
  return kept;
}

/** \brief Keeps an address in a register. */
template <typename TValue>
__device__ __forceinline__ const TValue *
Kept(const TValue * value)
{
  const TValue * kept = nullptr;
  asm volatile("mov.b64 %0, %1;" : "=l"(kept) : "l"(value));
  return kept;
}

/** \brief An address in shared memory in bytes, in the form that copies need. */
using SharedAddress = unsigned int;

/** \brief Converts a pointer to shared memory to an address. */
template <typename TReal>
__device__ __forceinline__ SharedAddress
SharedAddressOf(TReal * shared)
{
  return Kept(static_cast<SharedAddress>(__cvta_generic_to_shared(shared)));
}

/** \brief Starts the copy of adjacent elements.
 *
 * \tparam VBytes 4, 8 or 16; both addresses are multiples of it
 * \param[in] shared destination
 * \param[in] global source */
template <int VBytes>
__device__ __forceinline__ void
CopyBytes(SharedAddress shared, const void * global)
{
#if __CUDA_ARCH__ >= 800
  if constexpr (VBytes == WideCopyBytes)
  {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  }
  else
  {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(VBytes) : "memory");
  }
#else
  using Piece = std::conditional_t<VBytes == WideCopyBytes, int4, std::conditional_t<VBytes == 8, long long, int>>;
  *static_cast<Piece *>(__cvta_shared_to_generic(shared)) = *static_cast<const Piece *>(global);
#endif
}

/** \brief Starts the copy of an element, if there is no advantage in keeping an address. */
template <typename TReal>
__device__ __forceinline__ void
CopyElement(TReal * shared, const TReal * global)
{
  __pipeline_memcpy_async(shared, global, sizeof(TReal));
}

/** \brief Starts the copy of WideCopy elements. Both addresses are multiples of WideCopyBytes. */
template <typename TReal>
__device__ __forceinline__ void
CopyWide(TReal * shared, const TReal * global)
{
  __pipeline_memcpy_async(shared, global, WideCopyBytes);
}

#if __CUDA_ARCH__ >= 900
#  define CUDASPLINE_HAS_BULK_COPIES 1
#else
#  define CUDASPLINE_HAS_BULK_COPIES 0
#endif

/** \brief Copies whole rows with the copy engine of compute capability 9.0 (cp.async.bulk), one instruction per row. On
 * other devices, IsThere is false and the functions do nothing.
 *
 * Only one group of copies is in flight at a time. */
class BulkCopies
{
public:
  static constexpr bool IsThere = CUDASPLINE_HAS_BULK_COPIES == 1; ///< whether the device supports bulk copies

  /** Every thread of the block constructs an object, and a barrier of the block has to follow.
   *
   * \param[in] barrier 8 bytes of shared memory at a multiple of 8 */
  __device__ __forceinline__ explicit BulkCopies(SharedAddress barrier)
    : m_Barrier(barrier)
  {
#if CUDASPLINE_HAS_BULK_COPIES
    if (threadIdx.x == 0 && threadIdx.y == 0)
    {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(m_Barrier) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
#endif
  }

  /** Announces the bytes of a group of copies, before or after they are started. Called by one thread. */
  __device__ __forceinline__ void
  Expect([[maybe_unused]] unsigned int bytes) const
  {
#if CUDASPLINE_HAS_BULK_COPIES
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(m_Barrier), "r"(bytes) : "memory");
#endif
  }

  /** Starts a copy of a group. Addresses and \p bytes are multiples of WideCopyBytes. */
  __device__ __forceinline__ void
  Copy([[maybe_unused]] SharedAddress to, [[maybe_unused]] const void * from, [[maybe_unused]] unsigned int bytes) const
  {
#if CUDASPLINE_HAS_BULK_COPIES
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from),
                 "r"(bytes),
                 "r"(m_Barrier)
                 : "memory");
#endif
  }

  /** Waits for the copies of a group. Called by every thread. */
  __device__ __forceinline__ void
  Wait()
  {
#if CUDASPLINE_HAS_BULK_COPIES
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "WAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT;\n"
                 "}" ::"r"(m_Barrier),
                 "r"(m_Parity)
                 : "memory");
    m_Parity ^= 1U;
#endif
  }

  /** Called by every thread before the barrier of the block after which the memory is overwritten again. */
  __device__ __forceinline__ static void
  Release()
  {
#if CUDASPLINE_HAS_BULK_COPIES
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

private:
  SharedAddress m_Barrier;
  unsigned int  m_Parity{ 0 };
};

/** \brief Bytes of shared memory for BulkCopies. */
constexpr std::size_t BulkBarrierBytes = WideCopyBytes;

/** \brief Waits for the copies of this thread and then for the block. */
__device__ __forceinline__ void
WaitForTile()
{
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
}

/** \brief True if wide copies are aligned, both at the begin of the memory and for rows with this number of elements.
 */
template <typename TReal>
__device__ __forceinline__ bool
IsWide(const TReal * memory, std::int64_t row)
{
  return reinterpret_cast<std::uintptr_t>(memory) % WideCopyBytes == 0 && row % WideCopy<TReal> == 0;
}

/** \brief Reads consecutive elements of shared memory with one wide load for WideCopy elements.
 *
 * It is used in loops that the compiler unrolls, so that the element within the last load is known at compile time. */
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
