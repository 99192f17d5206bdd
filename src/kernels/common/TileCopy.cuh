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
 * \brief Copies from global to shared memory that need no registers and do not wait (cp.async; plain copies before
 * compute capability 8.0). */

namespace itk::CudaSpline
{

constexpr int WarpSize = 32;

/** \brief Bytes of the widest copy. */
constexpr int WideCopyBytes = 16;

/** \brief Elements of the widest copy. */
template <typename TReal>
constexpr int WideCopy = WideCopyBytes / static_cast<int>(sizeof(TReal));

/** \brief The value, in a register: the compiler would compute it anew wherever it is needed, in several instructions.
 */
__device__ __forceinline__ unsigned int
Kept(unsigned int value)
{
  unsigned int kept = 0;
  asm volatile("mov.b32 %0, %1;" : "=r"(kept) : "r"(value));
  return kept;
}

/** \brief The same of an address. */
template <typename TValue>
__device__ __forceinline__ const TValue *
Kept(const TValue * value)
{
  const TValue * kept = nullptr;
  asm volatile("mov.b64 %0, %1;" : "=l"(kept) : "l"(value));
  return kept;
}

/** \brief An address in shared memory as copies take it, in bytes. */
using SharedAddress = unsigned int;

/** \brief The address of shared memory. */
template <typename TReal>
__device__ __forceinline__ SharedAddress
SharedAddressOf(TReal * shared)
{
  return Kept(static_cast<SharedAddress>(__cvta_generic_to_shared(shared)));
}

/** \brief Starts to copy some elements that are neighbours.
 *
 * \tparam VBytes 4, 8 or 16, of which both addresses are multiples
 * \param[in] shared where to
 * \param[in] global where from */
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

/** \brief Starts to copy an element, where nothing is gained by a kept address. */
template <typename TReal>
__device__ __forceinline__ void
CopyElement(TReal * shared, const TReal * global)
{
  __pipeline_memcpy_async(shared, global, sizeof(TReal));
}

/** \brief Starts to copy WideCopy elements likewise; both addresses are multiples of WideCopyBytes. */
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

/** \brief Copies of whole rows by the copy engine of compute capability 9.0 (cp.async.bulk), one instruction a row;
 * where there is none IsThere is false and the others do nothing.
 *
 * One group of copies is under way at a time. */
class BulkCopies
{
public:
  static constexpr bool IsThere = CUDASPLINE_HAS_BULK_COPIES == 1; ///< the device has them

  /** Every thread of the block constructs one; a barrier of the block is to follow.
   *
   * \param[in] barrier 8 bytes of shared memory, a multiple of 8 */
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

  /** One thread announces the bytes of a group of copies, be it before they are started or after. */
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

  /** Every thread waits for the copies of a group. */
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

  /** Every thread, before the barrier of the block after which its memory is overwritten again. */
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

/** \brief Bytes of shared memory of BulkCopies. */
constexpr std::size_t BulkBarrierBytes = WideCopyBytes;

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
