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
#include <vector>

/** \file
 * \brief Arrays that stay in the memory of a backend, and the order in which steps change them, for iterative
 * algorithms. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

class DeviceGroup;

/** \brief Whether several devices can share the arrays of a Residence: they are alike, and each one can use the memory
 * of the others.
 *
 * \param[in] devices their numbers; one device always can
 * \exception DeviceError a device does not exist, or is lost */
bool
CanShareMemory(const std::vector<int> & devices);

/** \brief The backend on which the steps of an iteration run in their order: the host's threads, or one stream of a
 * device.
 *
 * A step on a device is enqueued in the stream, and does not wait; Download() and Wait() do. A step on the host is
 * complete when its function returns. Results are bitwise equal for any number of threads.
 *
 * Several devices can share large arrays and the steps on them. The stream of the first one orders all steps. Results
 * are bitwise equal to those of the first device alone. */
class Residence
{
public:
  /** \param[in] context backend, device and threads; steps do not call its progress callback
   * \param[in] others devices that share large arrays and steps with that of the context; CanShareMemory() is true for
   * all of them
   * \exception DeviceError the device does not exist, or cannot create a stream */
  explicit Residence(const ExecutionContext & context, const std::vector<int> & others = {});

  /** Cuda or Cpu. */
  Backend
  GetBackend() const
  {
    return m_Context.backend;
  }
  /** Whether arrays are in device memory. */
  bool
  IsOnDevice() const
  {
    return m_Context.backend == Backend::Cuda;
  }
  /** The context of the constructor. */
  const ExecutionContext &
  GetContext() const
  {
    return m_Context;
  }
  /** The stream; only for a device. */
  const Stream &
  GetStream() const
  {
    return *m_Stream;
  }
  /** The devices that share arrays and steps; null: there is only one, or the backend is the host. */
  const std::shared_ptr<const DeviceGroup> &
  GetGroup() const
  {
    return m_Group;
  }
  /** Lets the next steps begin after all work in a stream of the caller, on a device. Has no effect on the host.
   *
   * \param[in] stream of the same device; null: the default stream
   * \exception DeviceError a lost device */
  void
  Follow(StreamHandle stream) const;
  /** Waits until every step on a device is complete.
   *
   * \exception DeviceError a step failed, or a lost device */
  void
  Wait() const;

private:
  ExecutionContext                   m_Context;
  std::shared_ptr<const Stream>      m_Stream; ///< null on the host
  std::shared_ptr<const DeviceGroup> m_Group;  ///< null: one device, or the host
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
  /** Swaps the memory of both arrays. */
  ResidentArray &
  operator=(ResidentArray && other) noexcept
  {
    m_Data.swap(other.m_Data);
    std::swap(m_Bytes, other.m_Bytes);
    return *this;
  }
  ~ResidentArray() = default;

  /** Allocates memory with undefined content, in the order of the steps.
   *
   * \param[in] bytes length
   * \param[in] residence the backend
   * \param[in] starts where other arrays begin in this one, ascending (bytes); several devices divide each of them
   * \exception DeviceError out of memory, or a lost device
   * \exception std::bad_alloc the host is out of memory */
  ResidentArray(std::size_t bytes, const Residence & residence, const std::vector<std::size_t> & starts = {});

  /** First byte, in the memory of the backend. */
  void *
  Data() const
  {
    return m_Data.get();
  }
  /** The elements, in the memory of the backend. */
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
  std::unique_ptr<void, std::function<void(void *)>> m_Data; ///< with its deleter
  std::size_t                                        m_Bytes{ 0 };
};

/** \brief Copies host memory to memory of the backend. The host memory may change after the function returns.
 *
 * \exception DeviceError a lost device */
void
Upload(void * to, const void * fromHost, std::size_t bytes, const Residence & residence);

/** \brief Copies memory of the backend to host memory, after all previous steps. The call waits.
 *
 * \exception DeviceError a previous step failed, or a lost device */
void
Download(void * toHost, const void * from, std::size_t bytes, const Residence & residence);

/** \brief Copies within the memory of the backend. Both ranges must not overlap. */
void
CopyResident(void * to, const void * from, std::size_t bytes, const Residence & residence);

/** \brief Sets bytes in the memory of the backend to zero. */
void
ClearResident(void * to, std::size_t bytes, const Residence & residence);

/** \brief Whether kernels on all devices of a residence can use memory of the backend: if there is only one device, or
 * for the arrays of a residence with the same devices. */
bool
IsForAllDevices(const void * memory, const Residence & residence);

/** \brief Steps that are repeated with the same arguments.
 *
 * On a device they are recorded as a CUDA graph the second time: a launch of all of them then costs about as much as
 * one kernel launch. The enqueued work must therefore not depend on values that change, and must neither allocate nor
 * wait. */
class RepeatedSteps
{
public:
  /** No steps. */
  RepeatedSteps() = default;
  /** \param[in] enqueue enqueues the steps, on the backend of Run() */
  explicit RepeatedSteps(std::function<void()> enqueue)
    : m_Enqueue(std::move(enqueue))
  {}

  /** Runs the steps once.
   *
   * \param[in] residence always the same one
   * \exception DeviceError a step cannot be enqueued */
  void
  Run(const Residence & residence);

  /** Whether the last Run() executed any step. False if it failed before the first one, so that no memory has
   * changed. */
  bool
  HasBegun() const
  {
    return m_HasBegun;
  }

private:
  std::function<void()>       m_Enqueue;
  bool                        m_HasRun{ false };
  bool                        m_HasBegun{ false };
  std::shared_ptr<const void> m_Graph; ///< the recorded graph of a device
};

/** @} */
} // namespace itk::CudaSpline

#endif
