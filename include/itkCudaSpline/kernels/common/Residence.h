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
#ifndef itkCudaSpline_kernels_common_Residence_h
#define itkCudaSpline_kernels_common_Residence_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

/** \file
 * \brief Arrays that stay in the memory of a backend, and the order in which steps change them: for algorithms that
 * iterate. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Where the steps of an iteration run, one after the other: the host's threads, or one stream of a device.
 *
 * A step on a device is enqueued in the stream, and does not wait; Download() and Wait() do. A step on the host is done
 * when its function returns. Results are the same bits on any number of threads. */
class Residence
{
public:
  /** \param[in] context backend, device and threads; its progress is not called by steps
   * \exception DeviceError no such device, or it cannot make a stream */
  explicit Residence(const ExecutionContext & context);

  /** Cuda or Cpu. */
  Backend
  GetBackend() const
  {
    return m_Context.backend;
  }
  /** Whether arrays are memory of a device. */
  bool
  IsOnDevice() const
  {
    return m_Context.backend == Backend::Cuda;
  }
  /** What it was made of. */
  const ExecutionContext &
  GetContext() const
  {
    return m_Context;
  }
  /** The stream, of a device alone. */
  const Stream &
  GetStream() const
  {
    return *m_Stream;
  }
  /** Lets the next steps begin after all work in a stream of the caller, on a device; does nothing on the host.
   *
   * \param[in] stream of the same device; null: the default stream
   * \exception DeviceError a lost device */
  void
  Follow(StreamHandle stream) const;
  /** Waits until every step is done: of a device.
   *
   * \exception DeviceError a step failed, or a lost device */
  void
  Wait() const;

private:
  ExecutionContext              m_Context;
  std::shared_ptr<const Stream> m_Stream; ///< null on the host
};

/** \brief Bytes in the memory of a backend. Move-only. */
class ResidentArray
{
public:
  /** No memory. */
  ResidentArray() = default;
  ResidentArray(const ResidentArray &) = delete;
  ResidentArray &
  operator=(const ResidentArray &) = delete;
  /** Takes the memory; \p other is empty afterwards. */
  ResidentArray(ResidentArray && other) noexcept
    : m_Data(std::move(other.m_Data))
    , m_Bytes(std::exchange(other.m_Bytes, 0))
  {}
  /** Swaps the memory of the two. */
  ResidentArray &
  operator=(ResidentArray && other) noexcept
  {
    m_Data.swap(other.m_Data);
    std::swap(m_Bytes, other.m_Bytes);
    return *this;
  }
  ~ResidentArray() = default;

  /** Allocates, in the order of the steps; what it holds is undefined.
   *
   * \param[in] bytes length
   * \param[in] residence where
   * \exception DeviceError out of memory, or a lost device
   * \exception std::bad_alloc the host has not so much */
  ResidentArray(std::size_t bytes, const Residence & residence);

  /** First byte, in the memory of the backend. */
  void *
  Data() const
  {
    return m_Data.get();
  }
  /** The numbers, in the memory of the backend. */
  template <typename T>
  T *
  As() const
  {
    return static_cast<T *>(this->Data());
  }
  /** Length in bytes. */
  std::size_t
  Bytes() const
  {
    return m_Bytes;
  }

private:
  std::unique_ptr<void, std::function<void(void *)>> m_Data; ///< with who frees it
  std::size_t                                        m_Bytes{ 0 };
};

/** \brief Copies host memory to memory of the backend; the host memory may change when it returns.
 *
 * \exception DeviceError a lost device */
void
Upload(void * to, const void * fromHost, std::size_t bytes, const Residence & residence);

/** \brief Copies memory of the backend to host memory, after the steps before; it is there when the function returns.
 *
 * \exception DeviceError a step before failed, or a lost device */
void
Download(void * toHost, const void * from, std::size_t bytes, const Residence & residence);

/** \brief Copies within the memory of the backend. The two do not overlap. */
void
CopyResident(void * to, const void * from, std::size_t bytes, const Residence & residence);

/** \brief Sets bytes in the memory of the backend to zero. */
void
ClearResident(void * to, std::size_t bytes, const Residence & residence);

/** \brief Steps that are done again and again with the same arguments.
 *
 * On a device they are recorded as a CUDA graph at the second time: a launch of all of them then costs about as much as
 * of one. So what is enqueued depends on nothing that changes, and neither allocates nor waits. */
class RepeatedSteps
{
public:
  /** No steps. */
  RepeatedSteps() = default;
  /** \param[in] enqueue does the steps, on the residence of Run() */
  explicit RepeatedSteps(std::function<void()> enqueue)
    : m_Enqueue(std::move(enqueue))
  {}

  /** Does the steps once.
   *
   * \param[in] residence the same one always
   * \exception DeviceError a step cannot be enqueued */
  void
  Run(const Residence & residence);

  /** Whether the last Run() executed any step: false if it failed before, so that nothing has changed. */
  bool
  HasBegun() const
  {
    return m_HasBegun;
  }

private:
  std::function<void()>       m_Enqueue;
  bool                        m_HasRun{ false };
  bool                        m_HasBegun{ false };
  std::shared_ptr<const void> m_Graph; ///< what was recorded, of a device
};

/** @} */
} // namespace itk::CudaSpline

#endif
