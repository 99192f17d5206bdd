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
#ifndef itkCudaSpline_device_Stream_h
#define itkCudaSpline_device_Stream_h

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief The CUDA runtime's handle of a stream: cudaStream_t, without a CUDA header. */
using StreamHandle = CUstream_st *;

/** \brief Makes a device current in the calling thread. Its destructor restores the previous state, which may be no
 * device.
 *
 * The device's primary context is started if it does not exist; that of no other device is. Scopes in a thread can be
 * nested. */
class DeviceScope
{
public:
  /** \param[in] device device number
   * \exception DeviceError the device does not exist */
  explicit DeviceScope(int device);
  /** For destructors: if the device cannot be made current, the current one is kept.
   *
   * \param[in] device device number of a resource that is to be released */
  DeviceScope(int device, std::nothrow_t) noexcept;
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &
  operator=(const DeviceScope &) = delete;
  ~DeviceScope();

private:
  int        m_Device;
  CUctx_st * m_Previous{ nullptr }; ///< previous context
  bool       m_IsCurrent{ false };
};

/** \brief Owns a stream of the current device, and shares it with the buffers that were allocated in it. Move-only. */
class Stream
{
public:
  /** Creates a stream of the current device.
   *
   * \exception DeviceError the stream cannot be created */
  Stream();
  Stream(const Stream &) = delete;
  Stream &
  operator=(const Stream &) = delete;
  /** A stream of the caller, which is not owned: it is neither synchronised nor destroyed. Buffers that are allocated
   * in it are freed in it.
   *
   * \param[in] stream stream of the current device; it must outlive this object and those buffers. Null: the default
   * stream */
  static Stream
  Of(StreamHandle stream);
  /** Takes the stream; \p other has no stream afterwards. */
  Stream(Stream && other) noexcept = default;
  /** Takes the stream; \p other has no stream afterwards. */
  Stream &
  operator=(Stream && other) noexcept = default;
  /** Waits for the work in the stream: memory that it uses may then be freed. */
  ~Stream();

  /** The handle, for CUDA calls and launches. */
  StreamHandle
  Get() const
  {
    return m_Handle.get();
  }

  /** The handle, which exists until its last owner is destroyed. */
  const std::shared_ptr<CUstream_st> &
  Share() const
  {
    return m_Handle;
  }

  /** Waits for all work in the stream.
   *
   * \exception DeviceError an error of that work */
  void
  Synchronize() const;

  /** The same, only for the default stream (null): a caller without a stream cannot order later work after it.
   *
   * \exception DeviceError an error of that work */
  void
  SynchronizeIfDefault() const
  {
    if (this->Get() == nullptr)
    {
      this->Synchronize();
    }
  }

private:
  explicit Stream(std::shared_ptr<CUstream_st> handle)
    : m_Handle(std::move(handle))
  {}

  std::shared_ptr<CUstream_st> m_Handle;
};

/** \brief Waits for the work of a stream in its destructor.
 *
 * Declare it after a buffer that the stream uses without owning it: the buffer is then freed after that work. */
class StreamJoin
{
public:
  /** \param[in] stream the stream, which must outlive this object */
  explicit StreamJoin(const Stream & stream)
    : m_Stream(stream)
  {}
  StreamJoin(const StreamJoin &) = delete;
  StreamJoin &
  operator=(const StreamJoin &) = delete;
  ~StreamJoin();

private:
  const Stream & m_Stream;
};

/** \brief Owns an event of the current device, without timing. Move-only. */
class Event
{
public:
  /** Creates an event of the current device.
   *
   * \exception DeviceError the event cannot be created */
  Event();
  Event(const Event &) = delete;
  Event &
  operator=(const Event &) = delete;
  /** Takes the event; \p other has no event afterwards. */
  Event(Event && other) noexcept;
  /** Swaps the events of both objects. */
  Event &
  operator=(Event && other) noexcept;
  ~Event();

  /** Records the current end of the stream's work.
   *
   * \param[in] stream stream of the same device
   * \exception DeviceError the device is lost */
  void
  Record(const Stream & stream);

  /** Records the current end of the work in another owner's stream, after the previous record of this event: the new
   * one is reached only after both.
   *
   * \param[in] stream stream of the same device
   * \exception DeviceError the device is lost */
  void
  RecordBehind(StreamHandle stream);

  /** Waits on the host until the record is reached; returns immediately if there is none. */
  void
  Synchronize() const;

private:
  int          m_Device{ 0 };
  CUevent_st * m_Handle{ nullptr };
};

/** \brief Events in streams of other owners. The destructor waits for all of them.
 *
 * Code that enqueues work in a caller's stream records an event after it, and keeps the events together with the memory
 * that the work reads: the memory is then freed after that work. Several threads may record events at the same time. */
class StreamMarks
{
public:
  StreamMarks() = default;
  StreamMarks(const StreamMarks &) = delete;
  StreamMarks &
  operator=(const StreamMarks &) = delete;
  /** Waits until every event is reached. */
  ~StreamMarks();

  /** Creates what Set() needs: afterwards Set() fails only if the device is lost.
   *
   * \param[in] stream stream of the current device; null: the default stream
   * \exception DeviceError the event cannot be created
   * \exception std::invalid_argument the stream's work is captured */
  void
  Prepare(StreamHandle stream);

  /** Records the current end of the stream's work.
   *
   * \param[in] stream stream that was prepared
   * \exception DeviceError the device is lost */
  void
  Set(StreamHandle stream);

private:
  std::mutex                    m_Mutex;
  std::map<StreamHandle, Event> m_Events;
};

/** @} */
} // namespace itk::CudaSpline

#endif
