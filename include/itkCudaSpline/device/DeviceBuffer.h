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
#ifndef itkCudaSpline_device_DeviceBuffer_h
#define itkCudaSpline_device_DeviceBuffer_h

#include <cstddef>
#include <memory>

struct CUstream_st;

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

class Stream;

/** \brief Owns device memory. Move-only.
 *
 * It is allocated and freed in the order of a stream, from a memory pool of the library. The pool keeps freed memory
 * for later allocations, up to an eighth of the device's memory (ReleaseDeviceMemory()). Work in the same stream may
 * use the memory immediately. Other streams may use it only after the stream was synchronised, and must finish before
 * it is freed. It may outlive the Stream object. */
class DeviceBuffer
{
public:
  /** No memory. */
  DeviceBuffer() = default;

  /** Allocates memory on the current device.
   *
   * \param[in] bytes length; 0: no memory
   * \param[in] stream the stream, of the current device
   * \exception DeviceError out of memory, or a lost device */
  DeviceBuffer(std::size_t bytes, const Stream & stream);
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &
  operator=(const DeviceBuffer &) = delete;
  /** Takes the memory; \p other is empty afterwards. */
  DeviceBuffer(DeviceBuffer && other) noexcept;
  /** Frees the current memory and takes that of \p other, which is empty afterwards. */
  DeviceBuffer &
  operator=(DeviceBuffer && other) noexcept;
  /** Frees the memory in the order of its stream. */
  ~DeviceBuffer();

  /** First byte, device memory; null: no memory. */
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
  void
  Free() noexcept;

  void *                       m_Data{ nullptr };
  std::size_t                  m_Bytes{ 0 };
  std::shared_ptr<CUstream_st> m_Stream;
};

/** \brief Releases the unused memory of the pools to the devices.
 *
 * \exception DeviceError a lost device */
void
ReleaseDeviceMemory();

/** @} */
} // namespace itk::CudaSpline

#endif
