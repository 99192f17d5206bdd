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
#ifndef itkCudaSpline_device_StagedCopy_h
#define itkCudaSpline_device_StagedCopy_h

#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSpline/device/Stream.h"

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief Bytes of a page-locked staging buffer; a lane has two. */
inline constexpr std::size_t StagingBytes = std::size_t(1) << 20;

/** \brief Maximum number of lanes: threads that copy at the same time. More threads do not increase the bandwidth of a
 * host's memory. */
inline constexpr unsigned int MaximumCopyLanes = 16;

/** \brief The threads of the host that copy. The caller provides them; this layer has no threads of its own. */
struct CopyThreads
{
  unsigned int count{ 1 }; ///< number of threads that run at the same time
  /** Calls \p body for each lane of [0, lanes), in parallel or one after the other, and returns when all are done.
   * Exceptions of \p body are passed on. Empty: the calling thread. */
  std::function<void(unsigned int lanes, const std::function<void(unsigned int lane)> & body)> run;
};

/** \brief Page-locked buffers, two for each thread that copies. */
class StagingLanes
{
public:
  /** \brief The buffers of a thread: it fills one while the other is transferred. */
  struct Lane
  {
    std::array<PinnedBuffer, 2> buffers;   ///< buffers of StagingBytes
    std::array<Event, 2>        passed;    ///< a buffer's transfer is complete
    std::size_t                 next{ 0 }; ///< next buffer to use
  };

  /** \param[in] threads threads that copy */
  explicit StagingLanes(CopyThreads threads);
  StagingLanes(const StagingLanes &) = delete;
  StagingLanes &
  operator=(const StagingLanes &) = delete;
  /** Waits until all transfers are complete. */
  ~StagingLanes();

  /** Creates lanes for a copy, at least one.
   *
   * \param[in] bytes length of the copy
   * \return number of lanes: the smaller number of threads and chunks
   * \exception DeviceError the staging buffers are not available */
  unsigned int
  Prepare(std::size_t bytes);

  /** A lane that Prepare() created. */
  Lane &
  GetLane(unsigned int number)
  {
    return m_Lanes[number];
  }
  /** The threads that copy. */
  const CopyThreads &
  GetThreads() const
  {
    return m_Threads;
  }

private:
  CopyThreads       m_Threads;
  std::vector<Lane> m_Lanes;
};

/** \brief Whether memory is device memory. Uploader and Downloader also accept memory of the current device instead of
 * host memory: they copy it on the device, without staging.
 *
 * \param[in] memory any address
 * \exception DeviceError the device is lost */
bool
IsInDeviceMemory(const void * memory);

/** \brief Copies pageable host memory to a device: each thread fills a page-locked buffer while its other one is
 * transferred.
 *
 * The current device must be that of the stream. */
class Uploader
{
public:
  /** \brief Enqueues the transfer of a chunk to the device.
   *
   * Several threads call it at the same time. \p staged is page-locked and does not change until the stream has
   * completed the enqueued work; \p at and \p bytes are the chunk of the copy, \p lane is the lane. */
  using Enqueue = std::function<void(const void * staged, std::size_t at, std::size_t bytes, unsigned int lane)>;

  /** \brief The stream of a lane, always the same one. */
  using StreamOfLane = std::function<const Stream &(unsigned int lane)>;

  /** \param[in] threads threads that copy into the staging buffers; by default the calling thread */
  explicit Uploader(CopyThreads threads = {})
    : m_Staging(std::move(threads))
  {}

  /** \brief Enqueues the copy in chunks. Returns when the host memory has been read, before the device has all of it.
   *
   * \param[out] device first byte, device memory
   * \param[in] host first byte, host memory; or device memory, which must not change until the stream has completed the
   * copy
   * \param[in] bytes length
   * \param[in] stream stream in which the copies are enqueued
   * \exception DeviceError the staging buffers are not available, or the device is lost */
  void
  Copy(void * device, const void * host, std::size_t bytes, const Stream & stream);

  /** \brief The same with the caller's own work for each chunk of StagingBytes, in any order.
   *
   * \param[in] host first byte, host memory
   * \param[in] bytes length
   * \param[in] streamOf streams in which \p enqueue enqueues its work; they must outlive the copy
   * \param[in] enqueue transfers a chunk to the device
   * \exception DeviceError the staging buffers are not available, or the device is lost */
  void
  Copy(const void * host, std::size_t bytes, const StreamOfLane & streamOf, const Enqueue & enqueue);

private:
  StagingLanes m_Staging;
};

/** \brief Copies device memory to pageable host memory; the counterpart of Uploader. */
class Downloader
{
public:
  /** \param[in] threads threads that copy from the staging buffers; by default the calling thread */
  explicit Downloader(CopyThreads threads = {})
    : m_Staging(std::move(threads))
  {}

  /** \brief Copies, and waits for the end of the copy.
   *
   * \param[out] host first byte, host memory; or device memory, which may be the same memory: then the call only waits
   * for the stream
   * \param[in] device first byte, device memory
   * \param[in] bytes length
   * \param[in] stream stream whose previous work the copy waits for
   * \exception DeviceError the staging buffers are not available, or the device is lost */
  void
  Copy(void * host, const void * device, std::size_t bytes, const Stream & stream);

private:
  StagingLanes m_Staging;
};

/** \brief One copy by a Downloader.
 *
 * \param[out] host first byte, host memory
 * \param[in] device first byte, device memory
 * \param[in] bytes length
 * \param[in] stream stream whose previous work the copy waits for
 * \param[in] threads threads that copy
 * \exception DeviceError the staging buffers are not available, or the device is lost */
void
DownloadThroughStaging(void *              host,
                       const void *        device,
                       std::size_t         bytes,
                       const Stream &      stream,
                       const CopyThreads & threads = {});

/** @} */
} // namespace itk::CudaSpline

#endif
