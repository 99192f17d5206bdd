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
#ifndef itkCudaSpline_device_MemorySnapshot_h
#define itkCudaSpline_device_MemorySnapshot_h

#include <cstddef>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief Lets AvailableDeviceMemory() ask the driver once, for the life of this object and its thread: an operation
 * plans its memory several times, and the driver takes as long for an answer as the kernel of a small image.
 *
 * What this library allocates and frees meanwhile is counted; what others do is not. */
class MemorySnapshot
{
public:
  MemorySnapshot();
  MemorySnapshot(const MemorySnapshot &) = delete;
  MemorySnapshot &
  operator=(const MemorySnapshot &) = delete;
  ~MemorySnapshot();

  /** \brief Lets the driver be asked again: others have taken memory. */
  static void
  Forget() noexcept;

private:
  friend std::size_t
  AvailableDeviceMemory(int device, std::size_t resident);

  MemorySnapshot * m_Outer;
  int              m_Device{ -1 }; ///< -1: the driver has not been asked
  std::size_t      m_Bytes{ 0 };   ///< that the pool of the device has or can get, in use or not
};

/** @} */
} // namespace itk::CudaSpline

#endif
