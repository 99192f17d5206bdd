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
#include "kernels/common/PagedArrays.h"
#include "kernels/common/ResidenceBackends.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceHealth.h"
#include "device/LargePages.h"
#include "device/StreamPool.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
// Of a copy: a slot is filled after the chunk that is saved.
constexpr std::size_t      ChunkBytes = std::size_t{ 64 } << 20;
constexpr std::align_val_t PageAlignment{ std::size_t{ 2 } << 20 };

/** \brief Owns page-locked memory for the content of an array.
 *
 * Several threads touch its pages before they are locked, which is three times as fast as to allocate locked memory. */
class LockedMemory
{
public:
  LockedMemory(std::size_t bytes, const ExecutionContext & context)
    : m_Data(::operator new(bytes, PageAlignment))
  {
    AdviseLargePages(m_Data.get(), bytes);
    const auto blocks = static_cast<std::int64_t>((bytes + ChunkBytes - 1) / ChunkBytes);
    context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
      const std::size_t first = static_cast<std::size_t>(begin) * ChunkBytes;
      const std::size_t last = std::min(static_cast<std::size_t>(end) * ChunkBytes, bytes);
      std::memset(static_cast<char *>(m_Data.get()) + first, 0, last - first);
    });
    CheckCuda(cudaHostRegister(m_Data.get(), bytes, cudaHostRegisterPortable), "cudaHostRegister");
    m_IsLocked = true;
  }
  LockedMemory(const LockedMemory &) = delete;
  LockedMemory &
  operator=(const LockedMemory &) = delete;
  ~LockedMemory()
  {
    if (m_IsLocked && !IsForkedChild())
    {
      IgnoreCuda(cudaHostUnregister(m_Data.get()));
    }
  }

  char *
  Data() const
  {
    return static_cast<char *>(m_Data.get());
  }

private:
  struct Delete
  {
    void
    operator()(void * memory) const
    {
      ::operator delete(memory, PageAlignment);
    }
  };

  std::unique_ptr<void, Delete> m_Data;
  bool                          m_IsLocked{ false };
};

/** \brief The content of the arrays that have no slot, and the copies to and from the slots. */
class PageCopies
{
public:
  PageCopies(std::size_t count, std::size_t bytes, const Residence & residence)
    : m_Bytes(bytes)
    , m_Residence(residence)
    , m_Homes(count)
  {}

  /** Enqueues the copies of a move. Later steps begin after them.
   *
   * \param[in] move the move
   * \param[in] slot memory of its slot */
  void
  Enqueue(const PageTable::Move & move, void * slot)
  {
    const DeviceScope  scope(m_Residence.GetContext().device);
    const StreamHandle steps = m_Residence.GetStream().Get();
    const StreamHandle save = m_Save.Get();
    const StreamHandle load = m_Load.Get();
    if (move.saves)
    {
      this->Prepare(move.evicted);
      WaitInStream(save, steps); // the steps that changed the array
    }
    if (move.loads)
    {
      WaitInStream(load, steps); // the steps that used the slot
      CheckCuda(cudaStreamWaitEvent(load, m_Homes[move.which].saved->handle, 0), "cudaStreamWaitEvent");
    }
    for (std::size_t from = 0; from < m_Bytes; from += ChunkBytes)
    {
      const std::size_t length = std::min(ChunkBytes, m_Bytes - from);
      char * const      at = static_cast<char *>(slot) + from;
      if (move.saves)
      {
        Copy(m_Homes[move.evicted].memory->Data() + from, at, length, cudaMemcpyDeviceToHost, save);
      }
      if (move.saves && move.loads)
      {
        WaitInStream(load, save); // this chunk of the slot
      }
      if (move.loads)
      {
        Copy(at, m_Homes[move.which].memory->Data() + from, length, cudaMemcpyHostToDevice, load);
      }
    }
    if (move.saves)
    {
      CheckCuda(cudaEventRecord(m_Homes[move.evicted].saved->handle, save), "cudaEventRecord");
    }
    if (move.loads || move.saves)
    {
      WaitInStream(steps, move.loads ? load : save);
    }
  }

private:
  /** An event without timing. */
  struct Saved
  {
    cudaEvent_t handle{ nullptr };

    Saved() { CheckCuda(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
    Saved(const Saved &) = delete;
    Saved &
    operator=(const Saved &) = delete;
    ~Saved()
    {
      if (!IsForkedChild())
      {
        IgnoreCuda(cudaEventDestroy(handle));
      }
    }
  };
  /** Content of an array on the host. */
  struct Home
  {
    std::unique_ptr<LockedMemory> memory;
    std::unique_ptr<Saved>        saved; ///< the end of the last copy to it
  };

  static void
  Copy(void * to, const void * from, std::size_t bytes, cudaMemcpyKind kind, StreamHandle stream)
  {
    CheckCuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
  }

  void
  Prepare(std::size_t which)
  {
    Home & home = m_Homes[which];
    if (home.memory == nullptr)
    {
      home.saved = std::make_unique<Saved>();
      home.memory = std::make_unique<LockedMemory>(m_Bytes, m_Residence.GetContext());
    }
  }

  std::size_t       m_Bytes;
  Residence         m_Residence;
  std::vector<Home> m_Homes;
  Stream            m_Save; // waits for its copies before the memory is freed, as does the next one
  Stream            m_Load;
};
} // namespace

std::function<void(const PageTable::Move &, void *)>
MakePageCopies(std::size_t count, std::size_t bytes, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  auto              copies = std::make_shared<PageCopies>(count, bytes, residence);
  return [copies = std::move(copies)](const PageTable::Move & move, void * slot) { copies->Enqueue(move, slot); };
}

} // namespace itk::CudaSpline
