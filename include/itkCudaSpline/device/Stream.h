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

/** \brief The runtime's handle of a stream: cudaStream_t, without a CUDA header. */
using StreamHandle = CUstream_st *;

/** \brief Makes a device current in the calling thread, and what was current before, be it no device, when it goes.
 *
 * The device's primary context is started where it has none; no other device's ever is. Scopes nest in their thread. */
class DeviceScope
{
public:
  /** \param[in] device device number
   * \exception DeviceError no such device */
  explicit DeviceScope(int device);
  /** For destructors: where the device cannot be made current, what is current stays.
   *
   * \param[in] device device number, of a resource that is to be released */
  DeviceScope(int device, std::nothrow_t) noexcept;
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &
  operator=(const DeviceScope &) = delete;
  ~DeviceScope();

private:
  int        m_Device;
  CUctx_st * m_Previous{ nullptr }; ///< context that was current
  bool       m_IsCurrent{ false };
};

/** \brief Owns a stream of the current device, together with the buffers that were allocated in it. Move-only. */
class Stream
{
public:
  /** Makes a stream of the current device.
   *
   * \exception DeviceError the stream cannot be made */
  Stream();
  Stream(const Stream &) = delete;
  Stream &
  operator=(const Stream &) = delete;
  /** A stream of the caller's, which is not owned: it is neither waited for nor destroyed, and buffers that are made in
   * it are freed in it.
   *
   * \param[in] stream of the current device; outlives this object and those buffers. Null: the default stream */
  static Stream
  Of(StreamHandle stream);
  /** Takes the stream; \p other has none afterwards. */
  Stream(Stream && other) noexcept = default;
  /** Takes the stream; \p other has none afterwards. */
  Stream &
  operator=(Stream && other) noexcept = default;
  /** Waits for the work in the stream, so that memory that it uses may be freed next. */
  ~Stream();

  /** The handle, as CUDA calls and launches take it. */
  StreamHandle
  Get() const
  {
    return m_Handle.get();
  }

  /** The handle, which lives until its last owner is gone. */
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

/** \brief Waits for the work of a stream when it goes.
 *
 * Declared after a buffer that the stream uses without owning it: the buffer is then freed after that work. */
class StreamJoin
{
public:
  /** \param[in] stream waited for; must outlive this object */
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
  /** Makes an event of the current device.
   *
   * \exception DeviceError the event cannot be made */
  Event();
  Event(const Event &) = delete;
  Event &
  operator=(const Event &) = delete;
  /** Takes the event; \p other has none afterwards. */
  Event(Event && other) noexcept;
  /** Swaps the events of the two. */
  Event &
  operator=(Event && other) noexcept;
  ~Event();

  /** Marks the place in the stream's work.
   *
   * \param[in] stream of the same device
   * \exception DeviceError the device is lost */
  void
  Record(const Stream & stream);

  /** Marks a point in the work of another owner's stream, after the mark that the event had before: the new one is
   * reached only after both.
   *
   * \param[in] stream of the same device
   * \exception DeviceError the device is lost */
  void
  RecordBehind(StreamHandle stream);

  /** Waits on the host until the mark is reached; returns at once where there is none. */
  void
  Synchronize() const;

private:
  int          m_Device{ 0 };
  CUevent_st * m_Handle{ nullptr };
};

/** \brief Marks in streams of others: waits for all of them when it goes.
 *
 * Code that enqueues work in a caller's stream sets a mark after it, and keeps the marks together with the memory that
 * the work reads, so that it is freed only then. Threads may set marks at once. */
class StreamMarks
{
public:
  StreamMarks() = default;
  StreamMarks(const StreamMarks &) = delete;
  StreamMarks &
  operator=(const StreamMarks &) = delete;
  /** Waits until every mark is reached. */
  ~StreamMarks();

  /** Makes what Set() needs: after it that fails only where the device is lost.
   *
   * \param[in] stream of the current device; null: the default stream
   * \exception DeviceError the mark cannot be made
   * \exception std::invalid_argument the stream's work is captured */
  void
  Prepare(StreamHandle stream);

  /** Marks the current end of the stream.
   *
   * \param[in] stream that was prepared
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
