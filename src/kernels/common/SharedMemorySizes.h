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
#ifndef SharedMemorySizes_h
#define SharedMemorySizes_h

namespace itk::CudaSpline
{

/** \brief Shared memory of a device (bytes), for planning kernels. */
struct SharedMemorySizes
{
  int block{ 0 };          ///< maximum for a block
  int multiprocessor{ 0 }; ///< of a multiprocessor
};

/** \brief The sizes of the current device. \exception DeviceError a lost device */
SharedMemorySizes
GetSharedMemorySizes();

} // namespace itk::CudaSpline

#endif
