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
#ifndef DeviceArrayBackends_h
#define DeviceArrayBackends_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

/** \file
 * \brief Sources and coefficients of arrays on a device (DeviceArrays.h). The arguments have been checked. */

namespace itk::CudaSpline
{

class DeviceWork;

/** \brief Creates work in its own stream on a device. The device is the current one of the calling thread during the
 * lifetime of the object. Used for results that outlive the caller's streams. */
std::shared_ptr<DeviceWork>
MakeDeviceWork(int device);

/** \brief The same in a stream of the caller. */
std::shared_ptr<DeviceWork>
MakeDeviceWorkIn(int device, StreamHandle caller);

/** \brief Waits for the enqueued work.
 *
 * \exception DeviceError the work failed */
void
WaitFor(const DeviceWork & work);

/** \brief Enqueues the work that makes a source.
 *
 * \return the source, which may be read in the same work; the work also keeps it until it is complete */
std::shared_ptr<const SampleSource>
SourceOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             bool                     borrow,
             StreamHandle             caller,
             DeviceWork &             work,
             const ExecutionContext & context);

/** \brief Makes a source that uses the given pixels in place. Nothing is enqueued, but the function waits for pending
 * writes of the caller.
 *
 * \pre the descriptor needs no preparation */
std::shared_ptr<const SampleSource>
BorrowOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             StreamHandle             caller,
             const ExecutionContext & context);

/** \param[in] axis axis to filter; MaximumDimension for all axes */
void
PrefilterArrayOnCuda(const SourceDescriptor & descriptor,
                     unsigned int             axis,
                     const void *             pixels,
                     void *                   coefficients,
                     StreamHandle             caller,
                     const ExecutionContext & context);

/** \brief The result of MakeDeviceWork(), for the files that call CUDA. */
class DeviceWork
{
public:
  explicit DeviceWork(int device)
    : m_Scope(device)
    , m_Join(std::in_place, m_Stream)
  {}

  DeviceWork(int device, StreamHandle caller)
    : m_Scope(device)
    , m_Stream(Stream::Of(caller))
    , m_IsCallers(true)
    , m_Callers{ caller }
  {}

  /** Returns the stream. On the first call with a stream of the caller, the returned stream waits for the work that was
   * enqueued there. */
  const Stream &
  StreamAfter(StreamHandle caller);

  const Stream &
  GetStream() const
  {
    return m_Stream;
  }

  /** Keeps a source during the lifetime of this object. If the memory of the source is not freed in stream order, it is
   * kept until the enqueued work is complete. */
  void
  Keep(const std::shared_ptr<const SampleSource> & source)
  {
    m_Sources.push_back(source);
    if (source->GetDescriptor().storage != CoefficientStorage::Element && !m_Join)
    {
      m_Join.emplace(m_Stream);
    }
  }

  /** The caller's stream if the work is in one, otherwise null. */
  StreamHandle
  CallersStream() const
  {
    return m_IsCallers ? m_Stream.Get() : nullptr;
  }

private:
  const DeviceScope                                m_Scope;
  const Stream                                     m_Stream;
  const bool                                       m_IsCallers{ false };
  std::vector<StreamHandle>                        m_Callers;
  std::vector<std::shared_ptr<const SampleSource>> m_Sources;
  std::optional<StreamJoin>                        m_Join; ///< waits before the memory of the sources is freed
};

/** \brief Enqueues work that reads a source in a stream and marks its end, so that the source is only freed after that.
 *
 * For the default stream, the caller waits for the work. Everything that may fail is done before the work is enqueued.
 *
 * \exception std::invalid_argument the work of the stream is being captured, and the source is not freed in the order
 * of the stream */
template <typename TEnqueue>
void
EnqueueReading(const SampleSource & source, const Stream & stream, const TEnqueue & enqueue)
{
  if (stream.Get() == nullptr || source.IsFreedInOrderOf(stream.Get()))
  {
    enqueue();
    return;
  }
  auto & marks = source.GetPendingWork<StreamMarks>();
  marks.Prepare(stream.Get());
  enqueue();
  marks.Set(stream.Get());
}

} // namespace itk::CudaSpline

#endif
