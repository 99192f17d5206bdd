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
#ifndef itkCudaSpline_device_Device_h
#define itkCudaSpline_device_Device_h

#include <cstddef>
#include <string>
#include <vector>

/** \file
 * \brief Finds the available devices and selects the one to use. Compiles with and without the CUDA Toolkit; without it
 * there are no devices. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief True where the library was built with the CUDA Toolkit. */
bool
BuiltWithCuda();

/** \brief Version of the CUDA Toolkit of the build, as "13.0"; empty without it. */
std::string
CudaToolkitVersion();

/** \brief Properties of a device for messages and plans. */
struct DeviceInfo
{
  std::string name;                 ///< the driver's name of the device
  int         major{ 0 };           ///< major compute capability
  int         minor{ 0 };           ///< minor compute capability
  int         multiprocessors{ 0 }; ///< number of multiprocessors
  std::size_t totalMemory{ 0 };     ///< bytes
  int         blockMemory{ 0 };     ///< maximum shared memory of a block (bytes)
  int         sharedMemory{ 0 };    ///< shared memory of a multiprocessor (bytes)
};

/** \brief Number of usable devices; 0 without the toolkit, without a driver, in a forked child, or after a device was
 * lost. */
int
DeviceCount();

/** \brief Properties of a device.
 *
 * \param[in] device device number, from 0
 * \exception DeviceError the device does not exist, or no device can be used (Kind::Unavailable, with the reason of
 * SelectDevice()) */
DeviceInfo
QueryDevice(int device);

/** \brief Bytes that an operation may allocate on a device: nine tenths of the free memory, and at most the value of
 * the environment variable CUDASPLINE_MEMORY_LIMIT (bytes; suffixes K, M and G) if it is set.
 *
 * \param[in] device device number
 * \param[in] resident bytes that the operation has already allocated there and counts again
 * \exception DeviceError the device does not exist, or the limit is not a number */
std::size_t
AvailableDeviceMemory(int device, std::size_t resident = 0);

/** \brief The device of the memory that a pointer refers to, or -1 for host memory, page-locked or not.
 *
 * Managed memory belongs to its device. Starts no device: if the process has not used CUDA, no pointer refers to device
 * memory.
 *
 * \param[in] pointer any address, also null */
int
DeviceOfPointer(const void * pointer);

/** \brief A user's request for a device. */
struct DeviceRequest
{
  /** The kinds of requests. */
  enum class Kind : unsigned char
  {
    Fastest, ///< "" or "auto": the backend that is expected to finish first, a device or the host
    Host,    ///< "cpu"
    Device,  ///< "gpu": the first device
    Number   ///< "0", "1", ...: that device; "0,1": these devices, which share the work
  };

  Kind             kind{ Kind::Fastest }; ///< kind of the request
  int              device{ 0 };           ///< number of the device, which need not exist
  std::vector<int> more;                  ///< for several devices, those after the first
};

/** \brief Parses a device option; if it is empty, that of CUDASPLINE_DEVICE. Does not call CUDA.
 *
 * \param[in] word "", "auto", "cpu", "gpu", the number of a device, or several numbers separated by commas
 * \exception DeviceError another word, or a number that occurs twice */
DeviceRequest
ParseDeviceWish(const std::string & word = {});

/** \brief The device that operations use, or why there is none. */
struct DeviceChoice
{
  int              device{ -1 };      ///< -1: no device, use the Cpu backend
  std::vector<int> more;              ///< additional devices that share the work
  bool             demanded{ false }; ///< the user named the device
  std::string      reason;            ///< why there is no device; else empty

  /** True if there is a device. */
  explicit operator bool() const { return device >= 0; }
};

/** \brief Selects the device of an option; the first one for "", "auto" and "gpu".
 *
 * No device is selected, with a reason, if the option is cpu, if there is no toolkit, driver or device, if the process
 * is a forked child of one that used CUDA, or if a device was lost before. Calls the CUDA runtime, which starts the
 * driver.
 *
 * \param[in] word as for ParseDeviceWish(), including CUDASPLINE_DEVICE
 * \exception DeviceError an unknown device; the message lists the allowed ones */
DeviceChoice
SelectDevice(const std::string & word = {});

/** @} */
} // namespace itk::CudaSpline

#endif
