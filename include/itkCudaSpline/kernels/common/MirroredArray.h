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
#ifndef itkCudaSpline_kernels_common_MirroredArray_h
#define itkCudaSpline_kernels_common_MirroredArray_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

/** \file
 * \brief A host array whose current content may be in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Memory of a backend, with its backend and device. */
class BackendMemory
{
public:
  /** Allocates memory, which can be used in any stream.
   *
   * \param[in] bytes length
   * \param[in] context backend and device
   * \exception DeviceError out of memory, or a lost device */
  BackendMemory(std::size_t bytes, const ExecutionContext & context);

  /** First byte, in the memory of the backend. */
  void *
  Data() const
  {
    return m_Array.Data();
  }
  /** Length in bytes. */
  std::size_t
  Bytes() const
  {
    return m_Array.Bytes();
  }
  /** Cuda or Cpu. */
  Backend
  GetBackend() const
  {
    return m_Backend;
  }
  /** Device number. */
  int
  GetDevice() const
  {
    return m_Device;
  }
  /** Whether operations of a context can use the memory. */
  bool
  IsUsableBy(const ExecutionContext & context) const
  {
    return context.backend == m_Backend && context.device == m_Device;
  }

private:
  Backend       m_Backend;
  int           m_Device;
  ResidentArray m_Array;
};

/** \brief Records whether the current content of a host array is in the memory of a backend, and owns that memory.
 *
 * The content is either there or on the host: a copy to the host releases the memory of the backend, because writes to
 * host memory cannot be observed. The host array belongs to the caller. All functions are thread-safe. */
class MirroredArray
{
public:
  MirroredArray() = default;
  MirroredArray(const MirroredArray &) = delete;
  MirroredArray &
  operator=(const MirroredArray &) = delete;
  ~MirroredArray() = default;

  /** True if the current content is in the memory of a backend. */
  bool
  IsOnBackend() const
  {
    return m_IsOnBackend.load(std::memory_order_acquire);
  }

  /** The memory with the current content; null if that is on the host. It exists as long as the result. */
  std::shared_ptr<const BackendMemory>
  Get() const;

  /** Makes memory of a backend the current content.
   *
   * \param[in] memory the memory; null: the current content is on the host */
  void
  Set(std::shared_ptr<const BackendMemory> memory);

  /** Copies the current content to the host if it is not there. Afterwards it is on the host, also if this throws: then
   * the content is lost.
   *
   * \param[out] host the host array, at least as long as the memory
   * \param[in] threads threads that copy; null: the calling thread
   * \return whether it was copied
   * \exception DeviceError the device has failed */
  bool
  MoveToHost(void * host, const HostExecutor * threads);

private:
  void
  Replace(std::shared_ptr<const BackendMemory> memory);

  mutable std::mutex                   m_Mutex;
  std::shared_ptr<const BackendMemory> m_Memory;
  std::atomic<bool>                    m_IsOnBackend{ false };
};

/** @} */
} // namespace itk::CudaSpline

#endif
