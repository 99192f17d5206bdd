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
 * \brief Which devices there are and which one is used. Compiles with and without the CUDA Toolkit; without it there
 * are none. */

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

/** \brief Properties of a device that messages and plans need. */
struct DeviceInfo
{
  std::string name;                 ///< as the driver names it
  int         major{ 0 };           ///< compute capability, before the point
  int         minor{ 0 };           ///< compute capability, after the point
  int         multiprocessors{ 0 }; ///< how many
  std::size_t totalMemory{ 0 };     ///< bytes
  int         blockMemory{ 0 };     ///< shared memory that a block may have (bytes)
  int         sharedMemory{ 0 };    ///< shared memory of a multiprocessor (bytes)
};

/** \brief Number of usable devices; 0 without the toolkit, without a driver, in a forked child, or after a device was
 * lost. */
int
DeviceCount();

/** \brief Properties of a device.
 *
 * \param[in] device device number, from 0
 * \exception DeviceError no such device, or none that can be used (Kind::Unavailable, with the reason of
 * SelectDevice()) */
DeviceInfo
QueryDevice(int device);

/** \brief Bytes that an operation may allocate on a device: nine tenths of the free memory, and at most
 * CUDASPLINE_MEMORY_LIMIT (bytes; suffixes K, M and G) where that environment variable is set.
 *
 * \param[in] device device number
 * \param[in] resident bytes that the operation has there already and counts again
 * \exception DeviceError no such device, or a limit that is not a number */
std::size_t
AvailableDeviceMemory(int device, std::size_t resident = 0);

/** \brief The device in whose memory a pointer points, or -1 for memory of the host, page-locked or not.
 *
 * Managed memory is its device's. Starts nothing: where the process has not used CUDA, no pointer is a device's.
 *
 * \param[in] pointer any address, null too */
int
DeviceOfPointer(const void * pointer);

/** \brief What a user's word for a device asks for. */
struct DeviceWish
{
  /** What is asked for. */
  enum class Kind : unsigned char
  {
    Fastest, ///< "" or "auto": whatever is done first, a device or the host
    Host,    ///< "cpu"
    Device,  ///< "gpu": the first device
    Number   ///< "0", "1", ...: that device; "0,1": these, which share the work
  };

  Kind             kind{ Kind::Fastest }; ///< what is asked for
  int              device{ 0 };           ///< its number, whether there is such a device or not
  std::vector<int> more;                  ///< of several, those after the first
};

/** \brief Reads a word; where it is empty, the one of CUDASPLINE_DEVICE. Touches no CUDA.
 *
 * \param[in] word "", "auto", "cpu", "gpu", the number of a device, or several numbers with commas between them
 * \exception DeviceError another word, or a number that occurs twice */
DeviceWish
ParseDeviceWish(const std::string & word = {});

/** \brief The device that operations use, or why there is none. */
struct DeviceChoice
{
  int              device{ -1 };      ///< -1: none, use the Cpu backend
  std::vector<int> more;              ///< others that share the work
  bool             demanded{ false }; ///< named by the user, not found by us
  std::string      reason;            ///< why there is none; empty otherwise

  /** True where there is a device. */
  explicit operator bool() const { return device >= 0; }
};

/** \brief Chooses the device that a word asks for; the first one for "", "auto" and "gpu".
 *
 * No device is chosen, with the reason, when the word is cpu, there is no toolkit, driver or device, the process is a
 * forked child of one that used CUDA, or a device was lost before. Asks the CUDA runtime, which starts the driver.
 *
 * \param[in] word as for ParseDeviceWish(), CUDASPLINE_DEVICE included
 * \exception DeviceError an unknown device; the message lists the allowed ones */
DeviceChoice
SelectDevice(const std::string & word = {});

/** @} */
} // namespace itk::CudaSpline

#endif
