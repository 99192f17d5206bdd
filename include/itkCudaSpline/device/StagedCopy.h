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

/** \brief Lanes at most: threads that copy at one time. The memory of a host has no more to give. */
inline constexpr unsigned int MaximumCopyLanes = 16;

/** \brief The threads of the host that copy. The caller brings them; this layer has none of its own. */
struct CopyThreads
{
  unsigned int count{ 1 }; ///< that run at one time
  /** Calls \p body for each lane of [0, lanes), together or one after the other, and returns when all are done; what it
   * throws is thrown again. Empty for the calling thread. */
  std::function<void(unsigned int lanes, const std::function<void(unsigned int lane)> & body)> run;
};

/** \brief Page-locked buffers, two for each thread that copies. */
class StagingLanes
{
public:
  /** \brief What a thread copies through, one buffer while the other travels. */
  struct Lane
  {
    std::array<PinnedBuffer, 2> buffers;   ///< of StagingBytes
    std::array<Event, 2>        passed;    ///< a buffer's content has left, or is there
    std::size_t                 next{ 0 }; ///< buffer whose turn it is
  };

  /** \param[in] threads who copies */
  explicit StagingLanes(CopyThreads threads);
  StagingLanes(const StagingLanes &) = delete;
  StagingLanes &
  operator=(const StagingLanes &) = delete;
  /** Waits until nothing travels any more. */
  ~StagingLanes();

  /** Makes lanes for a copy, one at least.
   *
   * \param[in] bytes length of the copy
   * \return lanes: as many as there are threads, and pieces
   * \exception DeviceError the staging buffers are not available */
  unsigned int
  Prepare(std::size_t bytes);

  /** A lane that Prepare() made. */
  Lane &
  GetLane(unsigned int number)
  {
    return m_Lanes[number];
  }
  /** Who copies. */
  const CopyThreads &
  GetThreads() const
  {
    return m_Threads;
  }

private:
  CopyThreads       m_Threads;
  std::vector<Lane> m_Lanes;
};

/** \brief Whether memory is of a device only. Uploader and Downloader take such memory instead of the host's, too, if
 * it is of the current device: they copy it there, without staging.
 *
 * \param[in] memory any address
 * \exception DeviceError the device is lost */
bool
IsInDeviceMemory(const void * memory);

/** \brief Copies pageable host memory to a device: each thread fills a page-locked buffer while its other one travels.
 *
 * The current device must be that of the stream. */
class Uploader
{
public:
  /** \brief Enqueues what brings a piece to the device.
   *
   * Called by the threads, at one time: \p staged is page-locked and stays as it is until the stream has passed what
   * was enqueued; \p at and \p bytes are the piece of the copy, \p lane is the lane. */
  using Enqueue = std::function<void(const void * staged, std::size_t at, std::size_t bytes, unsigned int lane)>;

  /** \brief The stream that a lane enqueues in, the same one always. */
  using StreamOfLane = std::function<const Stream &(unsigned int lane)>;

  /** \param[in] threads who copies into the staging buffers; by default the calling thread */
  explicit Uploader(CopyThreads threads = {})
    : m_Staging(std::move(threads))
  {}

  /** \brief Enqueues the copy in pieces; returns when the host memory has been read, not when the device has it.
   *
   * \param[out] device first byte, device memory
   * \param[in] host first byte, host memory; or device memory, which must not change before the stream has passed the
   *   copy
   * \param[in] bytes length
   * \param[in] stream the copies are enqueued there
   * \exception DeviceError the staging buffers are not available, or the device is lost */
  void
  Copy(void * device, const void * host, std::size_t bytes, const Stream & stream);

  /** \brief The same with work of the caller's for each piece of StagingBytes, in no order.
   *
   * \param[in] host first byte, host memory
   * \param[in] bytes length
   * \param[in] streamOf \p enqueue enqueues there; the streams outlive the copy
   * \param[in] enqueue brings a piece to the device
   * \exception DeviceError the staging buffers are not available, or the device is lost */
  void
  Copy(const void * host, std::size_t bytes, const StreamOfLane & streamOf, const Enqueue & enqueue);

private:
  StagingLanes m_Staging;
};

/** \brief Copies device memory to pageable host memory, like Uploader the other way. */
class Downloader
{
public:
  /** \param[in] threads who copies out of the staging buffers; by default the calling thread */
  explicit Downloader(CopyThreads threads = {})
    : m_Staging(std::move(threads))
  {}

  /** \brief Copies; returns when all of it is there.
   *
   * \param[out] host first byte, host memory; or device memory, also the same: then the stream is only waited for
   * \param[in] device first byte, device memory
   * \param[in] bytes length
   * \param[in] stream whose work before this is waited for
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
 * \param[in] stream whose work before this is waited for
 * \param[in] threads who copies
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
