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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/gradients/JointHistogramBody.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

constexpr int          JointThreads = 256;
constexpr std::int64_t MostJointBlocks = 1024; // that go through the samples
constexpr int          MostSharedBins = 64;    // whose histogram is in the 32 KB that every block has

__device__ __forceinline__ void
AddUnits(std::int64_t * to, std::int64_t number)
{
  if (number != 0)
  {
    atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(number));
  }
}

/** Adds samples up in units. \tparam VShared a block has a histogram of its own, which it adds to the whole one */
template <bool VShared, typename TReal>
__global__ void
__launch_bounds__(JointThreads)
  JointHistogramKernel(const __grid_constant__ JointArguments<TReal> arguments, double units, std::int64_t * sums)
{
  extern __shared__ std::int64_t own[];
  const int                      size = arguments.bins * arguments.bins;
  if constexpr (VShared)
  {
    for (int bin = static_cast<int>(threadIdx.x); bin < size; bin += JointThreads)
    {
      own[bin] = 0;
    }
    __syncthreads();
  }
  std::int64_t * const  to = VShared ? own : sums;
  const BinScale<TReal> ofFixed(arguments.ends, arguments.bins);
  const BinScale<TReal> ofMoving(arguments.ends + 2, arguments.bins);
  for (std::int64_t i = std::int64_t{ blockIdx.x } * JointThreads + threadIdx.x; i < arguments.count;
       i += std::int64_t{ gridDim.x } * JointThreads)
  {
    SpreadSample(
      arguments, ofFixed, ofMoving, i, units, [to](int bin, std::int64_t number) { AddUnits(to + bin, number); });
  }
  if constexpr (VShared)
  {
    __syncthreads();
    for (int bin = static_cast<int>(threadIdx.x); bin < size; bin += JointThreads)
    {
      AddUnits(sums + bin, own[bin]);
    }
  }
}

template <typename TReal>
__global__ void
JointCountKernel(const std::int64_t * sums, double unit, std::int64_t size, TReal * joint)
{
  const std::int64_t bin = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (bin < size)
  {
    joint[bin] = static_cast<TReal>(static_cast<double>(sums[bin]) * unit);
  }
}

template <typename TReal>
__global__ void
__launch_bounds__(JointThreads) JointGradientKernel(const __grid_constant__ JointArguments<TReal> arguments,
                                                    const TReal *                                 weights,
                                                    TReal *                                       fixedGradient,
                                                    TReal *                                       movingGradient)
{
  const BinScale<TReal> ofFixed(arguments.ends, arguments.bins);
  const BinScale<TReal> ofMoving(arguments.ends + 2, arguments.bins);
  for (std::int64_t i = std::int64_t{ blockIdx.x } * JointThreads + threadIdx.x; i < arguments.count;
       i += std::int64_t{ gridDim.x } * JointThreads)
  {
    DifferentiateSample(arguments, ofFixed, ofMoving, i, weights, fixedGradient, movingGradient);
  }
}

unsigned int
BlocksFor(std::int64_t count, std::int64_t most)
{
  return static_cast<unsigned int>(
    std::min(most, std::max<std::int64_t>(1, (count + JointThreads - 1) / JointThreads)));
}

template <typename TReal>
void
Accumulate(const JointSamples & samples, TReal * joint, const Stream & stream)
{
  const JointArguments<TReal> arguments = JointArgumentsOf<TReal>(samples);
  const int                   exponent = JointUnits(samples.count);
  const std::int64_t          size = samples.bins * samples.bins;
  const std::size_t           bytes = static_cast<std::size_t>(size) * sizeof(std::int64_t);
  const DeviceBuffer          buffer(bytes, stream);
  auto * const                sums = static_cast<std::int64_t *>(buffer.Data());
  CheckCuda(cudaMemsetAsync(sums, 0, bytes, stream.Get()), "cudaMemsetAsync");
  if (samples.count > 0)
  {
    const unsigned int blocks = BlocksFor(samples.count, MostJointBlocks);
    const double       units = std::ldexp(1.0, exponent);
    if (samples.bins <= MostSharedBins)
    {
      JointHistogramKernel<true, TReal><<<blocks, JointThreads, bytes, stream.Get()>>>(arguments, units, sums);
    }
    else
    {
      JointHistogramKernel<false, TReal><<<blocks, JointThreads, 0, stream.Get()>>>(arguments, units, sums);
    }
    CheckCuda(cudaGetLastError(), "JointHistogramKernel");
  }
  const auto all = static_cast<unsigned int>((size + JointThreads - 1) / JointThreads);
  JointCountKernel<TReal><<<all, JointThreads, 0, stream.Get()>>>(sums, std::ldexp(1.0, -exponent), size, joint);
  CheckCuda(cudaGetLastError(), "JointCountKernel");
}

template <typename TReal>
void
Differentiate(const JointSamples & samples,
              const TReal *        weights,
              TReal *              fixedGradient,
              TReal *              movingGradient,
              const Stream &       stream)
{
  constexpr std::int64_t most = 1 << 16;
  JointGradientKernel<TReal><<<BlocksFor(samples.count, most), JointThreads, 0, stream.Get()>>>(
    JointArgumentsOf<TReal>(samples), weights, fixedGradient, movingGradient);
  CheckCuda(cudaGetLastError(), "JointGradientKernel");
}

} // namespace

void
AccumulateJointHistogramOnCuda(const JointSamples & samples, void * joint, const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(static_cast<StreamHandle>(samples.place.stream));
  if (samples.element == ScalarType::Float32)
  {
    Accumulate(samples, static_cast<float *>(joint), stream);
  }
  else
  {
    Accumulate(samples, static_cast<double *>(joint), stream);
  }
}

void
DifferentiateJointHistogramOnCuda(const JointSamples &     samples,
                                  const void *             weights,
                                  void *                   fixedGradient,
                                  void *                   movingGradient,
                                  const ExecutionContext & context)
{
  const DeviceScope scope(context.device);
  const Stream      stream = Stream::Of(static_cast<StreamHandle>(samples.place.stream));
  const auto        run = [&](auto zero) {
    using Real = decltype(zero);
    Differentiate(samples,
                  static_cast<const Real *>(weights),
                  static_cast<Real *>(fixedGradient),
                  static_cast<Real *>(movingGradient),
                  stream);
  };
  if (samples.element == ScalarType::Float32)
  {
    run(0.0F);
  }
  else
  {
    run(0.0);
  }
}

} // namespace itk::CudaSpline
