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
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/gradients/JointHistogramBody.h"
#include "kernels/metrics/passes/DeviceHistogram.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

constexpr int JointThreads = 256;

/** A block processes consecutive samples. */
template <typename TReal>
__global__ void
__launch_bounds__(HistogramThreads)
  JointHistogramKernel(const __grid_constant__ JointArguments<TReal> arguments, const HistogramSpace space)
{
  BlockHistogram        own(arguments.bins, true, space);
  const BinScale<TReal> ofFixed(arguments.ends, arguments.bins);
  const BinScale<TReal> ofMoving(arguments.ends + 2, arguments.bins);
  const std::int64_t    first = std::int64_t{ blockIdx.x } * space.samples;
  const std::int64_t    end = min(arguments.count, first + space.samples);
  for (std::int64_t i = first + threadIdx.x; i < end; i += HistogramThreads)
  {
    SpreadSample(arguments, ofFixed, ofMoving, i, own);
  }
  own.Store(0.0);
}

template <typename TReal>
__global__ void
JointWeightKernel(const unsigned long long * sums, unsigned int planes, std::int64_t size, TReal * joint)
{
  const std::int64_t bin = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  if (bin < size)
  {
    joint[bin] = static_cast<TReal>(GetWeight(sums, size, planes, bin));
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
Accumulate(const JointSamples & samples, TReal * joint, int device, const Stream & stream)
{
  const JointArguments<TReal> arguments = JointArgumentsOf<TReal>(samples);
  const std::int64_t          count = samples.count;
  const DeviceHistogram       histogram(arguments.bins, count, 0, stream, SamplesOfBlock(count, device));
  if (count > 0)
  {
    AllowSharedMemory(&JointHistogramKernel<TReal>, histogram.Shared());
    JointHistogramKernel<TReal>
      <<<histogram.Blocks(), HistogramThreads, histogram.Shared(), stream.Get()>>>(arguments, histogram.Space());
    CheckCuda(cudaGetLastError(), "JointHistogramKernel");
  }
  const std::int64_t size = samples.bins * samples.bins;
  const auto         all = static_cast<unsigned int>((size + JointThreads - 1) / JointThreads);
  JointWeightKernel<TReal>
    <<<all, JointThreads, 0, stream.Get()>>>(histogram.Space().sums, histogram.Planes(), size, joint);
  CheckCuda(cudaGetLastError(), "JointWeightKernel");
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
    Accumulate(samples, static_cast<float *>(joint), context.device, stream);
  }
  else
  {
    Accumulate(samples, static_cast<double *>(joint), context.device, stream);
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
