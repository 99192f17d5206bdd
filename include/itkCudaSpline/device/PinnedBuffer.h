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
#ifndef itkCudaSpline_device_PinnedBuffer_h
#define itkCudaSpline_device_PinnedBuffer_h

#include <cstddef>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief Owns page-locked host memory, from and to which devices copy at full speed. Move-only.
 *
 * Pinning is slow (0.6 ms per MB): a few freed buffers are kept for later buffers of the same size. */
class PinnedBuffer
{
public:
  /** No memory. */
  PinnedBuffer() = default;

  /** Allocates page-locked host memory with the current device, or reuses a kept buffer of any device.
   *
   * \param[in] bytes length; 0: no memory
   * \exception DeviceError the memory cannot be locked */
  explicit PinnedBuffer(std::size_t bytes);
  PinnedBuffer(const PinnedBuffer &) = delete;
  PinnedBuffer &
  operator=(const PinnedBuffer &) = delete;
  /** Takes the memory; \p other is empty afterwards. */
  PinnedBuffer(PinnedBuffer && other) noexcept;
  /** Swaps the memory of the two. */
  PinnedBuffer &
  operator=(PinnedBuffer && other) noexcept;
  /** Frees the memory, or keeps it for the next buffer of its size. */
  ~PinnedBuffer();

  /** First byte, host memory; null where there is none. */
  void *
  Data() const
  {
    return m_Data;
  }
  /** Length in bytes. */
  std::size_t
  Bytes() const
  {
    return m_Bytes;
  }

private:
  void *      m_Data{ nullptr };
  std::size_t m_Bytes{ 0 };
  int         m_Device{ 0 }; ///< device in whose context it was allocated
};

/** \brief Frees the page-locked memory that is kept for later. */
void
ReleasePinnedMemory();

/** @} */
} // namespace itk::CudaSpline

#endif
