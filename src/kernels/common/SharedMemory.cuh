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

/** \brief Lets the blocks of a kernel have so much shared memory on the current device; never less than it was let have
 * before, as another thread may be about to launch it.
 *
 * \param[in] kernel the kernel
 * \param[in] bytes of a block, dynamic */
template <typename TKernel>
void
AllowSharedMemory(TKernel * kernel, std::size_t bytes)
{
  constexpr std::size_t always = std::size_t(32) << 10; // 48 KB without being asked for, with what is static
  if (bytes > always)
  {
    // By device, of the kernels of a type; never destroyed, as a start in the background may outlive static objects.
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
    largest = wanted; // now that the device has agreed
  }
}

} // namespace itk::CudaSpline

#endif
