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
#ifndef DevicePool_h
#define DevicePool_h

#include <cstddef>

struct CUmemPoolHandle_st;

/** \file
 * \brief The stream-ordered memory pool of a device from which this library allocates.
 *
 * The device's default pool releases free memory whenever a stream is synchronized: an operation would map its memory
 * again each time (a millisecond for half a gigabyte). This pool keeps up to an eighth of the device's memory. It is
 * not the default pool, because other libraries rely on that pool's settings. */

namespace itk::CudaSpline
{

/** \brief The pool of a device, created on first use. It exists as long as the process.
 *
 * \exception DeviceError it cannot be created */
CUmemPoolHandle_st *
DevicePool(int device);

/** \brief Bytes of a pool. */
struct PoolBytes
{
  std::size_t reserved{ 0 }; ///< that it holds, in use or not
  std::size_t used{ 0 };     ///< that are in use
};

/** \brief Bytes of the pool of a device; 0 if there is no pool yet. */
PoolBytes
BytesOfPool(int device);

} // namespace itk::CudaSpline

#endif
