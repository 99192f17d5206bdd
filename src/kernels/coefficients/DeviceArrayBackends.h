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
 * \brief Sources and coefficients of arrays on a device (DeviceArrays.h), arguments checked. */

namespace itk::CudaSpline
{

class DeviceWork;

/** \brief Work in a stream of its own on a device, which is the current one as long as this lives, in the thread that
 * made it; for what outlives the caller's streams. */
std::shared_ptr<DeviceWork>
MakeDeviceWork(int device);

/** \brief The same in a stream of the caller's. */
std::shared_ptr<DeviceWork>
MakeDeviceWorkIn(int device, StreamHandle caller);

/** \brief Waits for what was enqueued.
 *
 * \exception DeviceError an error of that work */
void
WaitFor(const DeviceWork & work);

/** \brief Enqueues what makes a source.
 *
 * \return the source, which may be read in the same work; that keeps it, too, until it is complete */
std::shared_ptr<const SampleSource>
SourceOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             bool                     borrow,
             StreamHandle             caller,
             DeviceWork &             work,
             const ExecutionContext & context);

/** \brief A source of pixels that are taken as they are, where they are: nothing is enqueued, and what the caller has
 * still to write is waited for.
 *
 * \pre the descriptor needs no preparation */
std::shared_ptr<const SampleSource>
BorrowOnCuda(const SourceDescriptor & descriptor,
             const void *             pixels,
             StreamHandle             caller,
             const ExecutionContext & context);

/** \param[in] axis MaximumDimension: all */
void
PrefilterArrayOnCuda(const SourceDescriptor & descriptor,
                     unsigned int             axis,
                     const void *             pixels,
                     void *                   coefficients,
                     StreamHandle             caller,
                     const ExecutionContext & context);

/** \brief What MakeDeviceWork() makes: for the files that call CUDA. */
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

  /** The stream, which continues only after the work that was in the caller's when this was first called with it. */
  const Stream &
  StreamAfter(StreamHandle caller);

  const Stream &
  GetStream() const
  {
    return m_Stream;
  }

  /** Keeps a source as long as this lives, until what was enqueued is complete where its memory is not freed in the
   * order of the stream. */
  void
  Keep(const std::shared_ptr<const SampleSource> & source)
  {
    m_Sources.push_back(source);
    if (source->GetDescriptor().storage != CoefficientStorage::Element && !m_Join)
    {
      m_Join.emplace(m_Stream);
    }
  }

  /** The caller's stream, where the work is in one; else null. */
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
  std::optional<StreamJoin>                        m_Join; ///< before the memory of the sources goes
};

/** \brief Enqueues work that reads a source in a stream, and marks where it ends, so that the source is freed only
 * then.
 *
 * The default stream's work is waited for by who enqueues it. What may fail does so before the work.
 *
 * \exception std::invalid_argument the stream's work is captured, and the source is not freed in its order */
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
