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
#ifndef SharedMemory_cuh
#define SharedMemory_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

/** \brief Allows the blocks of a kernel to use the given amount of shared memory on the current device. The limit is
 * never lowered, because another thread may be about to launch the kernel.
 *
 * \param[in] kernel the kernel
 * \param[in] bytes dynamic shared memory of a block */
template <typename TKernel>
void
AllowSharedMemory(TKernel * kernel, std::size_t bytes)
{
  constexpr std::size_t always = std::size_t(32) << 10; // 48 KB are available by default, including static memory
  if (bytes > always)
  {
    // For each device and each kernel of a type. It is never destroyed, because a start in the background may outlive
    // static objects.
    using Sizes = std::map<std::pair<int, const void *>, std::size_t>;
    static std::mutex  mutex;
    static Sizes &     allowed = *new Sizes;
    const auto * const function = reinterpret_cast<const void *>(kernel);
    int                device = 0;
    CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
    const std::lock_guard<std::mutex> lock(mutex);
    std::size_t &                     largest = allowed[{ device, function }];
    const std::size_t                 wanted = std::max(largest, bytes);
    CheckCuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(wanted)),
              "cudaFuncSetAttribute");
    largest = wanted; // only after the device has accepted it
  }
}

} // namespace itk::CudaSpline

#endif
