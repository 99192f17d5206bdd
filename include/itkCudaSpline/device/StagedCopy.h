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

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief Copies bytes between host arrays; the caller brings the threads. */
using HostCopy = std::function<void(void * to, const void * from, std::size_t bytes)>;

/** \brief Bytes of a page-locked staging buffer; there are two a direction. */
inline constexpr std::size_t StagingBytes = std::size_t(8) << 20;

/** \brief Copies pageable host memory to a device through two page-locked buffers: the host fills one while the other
 * travels.
 *
 * An uploader serves one stream. */
class Uploader
{
public:
  /** \param[in] copy copies into the staging buffers */
  explicit Uploader(HostCopy copy);
  Uploader(const Uploader &) = delete;
  Uploader &
  operator=(const Uploader &) = delete;
  /** Waits until the staging buffers have left. */
  ~Uploader();

  /** \brief Enqueues the copy in pieces; returns when the host memory has been read, not when the device has it.
   *
   * \param[out] device first byte, device memory
   * \param[in] host first byte, host memory
   * \param[in] bytes length
   * \param[in] stream the copies are enqueued there
   * \exception DeviceError the staging buffers cannot be had, or the device is lost */
  void
  Copy(void * device, const void * host, std::size_t bytes, const Stream & stream);

private:
  HostCopy                    m_Copy;
  std::array<PinnedBuffer, 2> m_Staging;
  std::array<Event, 2>        m_Sent;
  std::size_t                 m_Next{ 0 };
};

/** \brief Copies device memory to pageable host memory through two page-locked buffers, like Uploader.
 *
 * \param[out] host first byte, host memory
 * \param[in] device first byte, device memory
 * \param[in] bytes length
 * \param[in] stream the copy waits for the stream's work; all of it is done when the function returns
 * \param[in] copy copies out of the staging buffers
 * \exception DeviceError the staging buffers cannot be had, or the device is lost */
void
DownloadThroughStaging(void *           host,
                       const void *     device,
                       std::size_t      bytes,
                       const Stream &   stream,
                       const HostCopy & copy);

/** @} */
} // namespace itk::CudaSpline

#endif
