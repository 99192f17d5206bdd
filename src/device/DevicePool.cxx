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
#include "device/DevicePool.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"
#include "device/StreamPool.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace itk::CudaSpline
{

namespace
{
struct Pools
{
  std::mutex                   mutex;
  std::map<int, cudaMemPool_t> ofDevice;
};

/** Never destroyed: at exit the CUDA runtime may be destroyed first. */
Pools &
GetPools()
{
  static Pools * const pools = new Pools;
  return *pools;
}

cudaMemPool_t
Find(int device)
{
  Pools &                           pools = GetPools();
  const std::lock_guard<std::mutex> lock(pools.mutex);
  const auto                        found = pools.ofDevice.find(device);
  return found != pools.ofDevice.end() ? found->second : nullptr;
}

cudaMemPool_t
Make(int device)
{
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  std::size_t free = 0;
  std::size_t total = 0;
  CheckCuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  cudaMemPool_t pool = nullptr;
  CheckCuda(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
  std::uint64_t kept = total / 8;
  IgnoreCuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept)); // without it the pool is slower
  return pool;
}
} // namespace

CUmemPoolHandle_st *
DevicePool(int device)
{
  Pools &                           pools = GetPools();
  const std::lock_guard<std::mutex> lock(pools.mutex);
  const auto                        found = pools.ofDevice.find(device);
  return found != pools.ofDevice.end() ? found->second : pools.ofDevice.emplace(device, Make(device)).first->second;
}

PoolBytes
BytesOfPool(int device)
{
  auto * const pool = Find(device);
  if (pool == nullptr)
  {
    return {};
  }
  const auto get = [pool](cudaMemPoolAttr attribute, std::uint64_t & bytes) {
    const cudaError_t error = cudaMemPoolGetAttribute(pool, attribute, &bytes);
    IgnoreCuda(error);
    return error == cudaSuccess;
  };
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  if (!get(cudaMemPoolAttrReservedMemCurrent, reserved) || !get(cudaMemPoolAttrUsedMemCurrent, used))
  {
    return {};
  }
  return { static_cast<std::size_t>(std::max(reserved, used)), static_cast<std::size_t>(used) };
}

void
ReleaseDeviceMemory()
{
  if (IsForkedChild())
  {
    return; // the memory belongs to the parent
  }
  ReleaseStreams(); // makes memory that is freed in them available
  Pools &                           pools = GetPools();
  const std::lock_guard<std::mutex> lock(pools.mutex);
  for (const auto & pool : pools.ofDevice)
  {
    CheckCuda(cudaMemPoolTrimTo(pool.second, 0), "cudaMemPoolTrimTo");
  }
}

} // namespace itk::CudaSpline
