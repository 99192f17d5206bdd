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
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/registration/optimizers/LbfgsVectors.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{
constexpr unsigned int Threads = 256;
constexpr unsigned int Warps = Threads / 32;
constexpr std::int64_t MostBlocks = 512; // some for each place of a large device, few enough to add up

std::int64_t
BlocksOfPlaces(std::int64_t places)
{
  return std::clamp<std::int64_t>((places + Threads - 1) / Threads, 1, MostBlocks);
}

/** Over a warp by a fixed tree; lane 0 has it. */
__device__ __forceinline__ double
JoinWarp(double number, bool isSum)
{
  for (int distance = 16; distance > 0; distance /= 2)
  {
    number = LbfgsProducts::Join(number, __shfl_down_sync(0xFFFFFFFFU, number, distance), isSum);
  }
  return number;
}

/** The products of a block's places, to a row of blocks for each number. */
__global__ void
__launch_bounds__(Threads) LbfgsProductsKernel(const __grid_constant__ LbfgsVectors vectors, double * partial)
{
  LbfgsProducts own;
  for (std::int64_t place = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; place < vectors.places;
       place += std::int64_t{ gridDim.x } * Threads)
  {
    own.AddPlace(vectors, place);
  }
  __shared__ double ofWarps[LbfgsProducts::Numbers][Warps];
#pragma unroll
  for (int n = 0; n < LbfgsProducts::Numbers; ++n)
  {
    const double number = JoinWarp(own.numbers[n], n < LbfgsProducts::Sums);
    if (threadIdx.x % 32 == 0)
    {
      ofWarps[n][threadIdx.x / 32] = number;
    }
  }
  __syncthreads();
  const int n = static_cast<int>(threadIdx.x);
  if (n < LbfgsProducts::Numbers)
  {
    double number = ofWarps[n][0];
    for (unsigned int warp = 1; warp < Warps; ++warp)
    {
      number = LbfgsProducts::Join(number, ofWarps[n][warp], n < LbfgsProducts::Sums);
    }
    partial[std::int64_t{ n } * gridDim.x + blockIdx.x] = number;
  }
}

/** A warp a number: over the blocks. No number is below 0 that is not a sum. */
__global__ void __launch_bounds__(32) LbfgsTotalKernel(const double * partial, int blocks, double * total)
{
  const bool isSum = blockIdx.x < LbfgsProducts::Sums;
  double     number = 0.0;
  for (int block = static_cast<int>(threadIdx.x); block < blocks; block += 32)
  {
    number = LbfgsProducts::Join(number, partial[std::int64_t{ blockIdx.x } * blocks + block], isSum);
  }
  number = JoinWarp(number, isSum);
  if (threadIdx.x == 0)
  {
    total[blockIdx.x] = number;
  }
}

/** Calls a body with each number. */
template <typename TBody>
__global__ void
__launch_bounds__(Threads) LbfgsKernel(const __grid_constant__ TBody body, std::int64_t numbers)
{
  for (std::int64_t i = std::int64_t{ blockIdx.x } * Threads + threadIdx.x; i < numbers;
       i += std::int64_t{ gridDim.x } * Threads)
  {
    body(i);
  }
}

template <typename TBody>
void
Launch(const TBody & body, const Residence & residence)
{
  constexpr std::int64_t most = 65535;
  const DeviceScope      scope(residence.GetContext().device);
  const std::int64_t     numbers = body.Count();
  const auto             blocks = std::clamp<std::int64_t>((numbers + Threads - 1) / Threads, 1, most);
  LbfgsKernel<<<static_cast<unsigned int>(blocks), Threads, 0, residence.GetStream().Get()>>>(body, numbers);
  CheckCuda(cudaGetLastError(), "LbfgsKernel");
}
} // namespace

std::size_t
CountLbfgsScratchOnCuda(std::int64_t places)
{
  return static_cast<std::size_t>(BlocksOfPlaces(places) + 1) * sizeof(LbfgsProducts);
}

LbfgsProducts
SumLbfgsProductsOnCuda(const LbfgsVectors & vectors, void * scratch, const Residence & residence)
{
  const DeviceScope  scope(residence.GetContext().device);
  const std::int64_t blocks = BlocksOfPlaces(vectors.places);
  auto * const       total = static_cast<double *>(scratch);
  auto * const       partial = total + LbfgsProducts::Numbers;
  const cudaStream_t stream = residence.GetStream().Get();
  LbfgsProductsKernel<<<static_cast<unsigned int>(blocks), Threads, 0, stream>>>(vectors, partial);
  CheckCuda(cudaGetLastError(), "LbfgsProductsKernel");
  LbfgsTotalKernel<<<LbfgsProducts::Numbers, 32, 0, stream>>>(partial, static_cast<int>(blocks), total);
  CheckCuda(cudaGetLastError(), "LbfgsTotalKernel");
  LbfgsProducts products;
  Download(&products, total, sizeof(products), residence);
  return products;
}

void
WalkLbfgsOnCuda(const LbfgsMove & body, const Residence & residence)
{
  Launch(body, residence);
}

void
WalkLbfgsOnCuda(const LbfgsTurn & body, const Residence & residence)
{
  Launch(body, residence);
}

void
WalkLbfgsOnCuda(const LbfgsGradient & body, const Residence & residence)
{
  Launch(body, residence);
}

} // namespace itk::CudaSpline
