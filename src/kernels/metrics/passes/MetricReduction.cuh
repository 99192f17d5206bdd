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
#ifndef MetricReduction_cuh
#define MetricReduction_cuh

#include "kernels/metrics/passes/MetricCuda.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief Sums of numbers over the threads of a block of a metric with fixed trees. */

namespace itk::CudaSpline
{

namespace
{

/** Returns the sum over a warp, added with a fixed tree, in lane 0. */
__device__ __forceinline__ double
WarpSum(double number)
{
  for (int distance = 16; distance > 0; distance /= 2)
  {
    number += __shfl_down_sync(0xFFFFFFFFU, number, distance);
  }
  return number;
}

/** Writes the sums of a block of MetricThreads threads: a row of blocks for each number. Needs to be called by all
 * threads. */
template <unsigned int VNumbers>
__device__ __forceinline__ void
StoreBlockSums(const double (&numbers)[VNumbers], double * partial)
{
  static_assert(VNumbers <= MetricThreads, "one thread per number");
  __shared__ double  ofWarps[VNumbers][MetricWarps];
  const unsigned int lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned int n = 0; n < VNumbers; ++n)
  {
    const double sum = WarpSum(numbers[n]);
    if (lane == 0)
    {
      ofWarps[n][threadIdx.x / 32] = sum;
    }
  }
  __syncthreads();
  if (threadIdx.x < VNumbers)
  {
    double sum = 0.0;
    for (unsigned int warp = 0; warp < MetricWarps; ++warp)
    {
      sum += ofWarps[threadIdx.x][warp];
    }
    partial[std::int64_t{ threadIdx.x } * gridDim.x + blockIdx.x] = sum;
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
