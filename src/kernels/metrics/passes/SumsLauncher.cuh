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
#ifndef SumsLauncher_cuh
#define SumsLauncher_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/passes/DeviceHistogram.cuh"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricPass.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Kernels of passes without derivatives, and their launches. src/CudaSplineInstances.cmake lists the sources
 * that compile them. */

namespace itk::CudaSpline
{

namespace
{

// Nearly the maximum of a multiprocessor, with 64 registers. This is too few registers in double precision, or if a
// function is called.
template <SampleMove VMove, typename TValues>
constexpr unsigned int HistogramBlocks = VMove != SampleMove::Any && sizeof(typename TValues::Real) == sizeof(float)
                                           ? 4
                                           : 2;

/** A block processes consecutive samples. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(HistogramThreads, HistogramBlocks<VMove, TValues>)
  MetricHistogramKernel(const __grid_constant__ MetricArguments<VDimension> arguments, const HistogramSpace space)
{
  BlockHistogram own(arguments.HistogramPass::bins.bins, arguments.moving.element == ScalarType::Float64, space);
  MetricSums<VDimension, 0> sums;
  const std::int64_t        first = std::int64_t{ blockIdx.x } * space.samples;
  const std::int64_t        end = min(arguments.count, first + space.samples);
  for (MetricCursor<VDimension> cursor(arguments, first + threadIdx.x); cursor.sample < end; cursor.Advance(arguments))
  {
    AddMetricSample<VMove, TValues>(arguments, cursor, sums, own);
  }
  own.Store(sums.numbers[0]);
}

} // namespace

template <SampleMove VMove, typename TValues, unsigned int VDimension>
MetricResult
SumsLauncher<VMove, TValues, VDimension>::Sum(MetricArguments<VDimension> & arguments, const Stream & stream)
{
  return SumSamples<VMove, TValues, 0>(arguments, stream);
}

template <SampleMove VMove, typename TValues, unsigned int VDimension>
void
SumsLauncher<VMove, TValues, VDimension>::EnqueueHistogram(MetricArguments<VDimension> & arguments,
                                                           const HistogramSpace &        space,
                                                           unsigned int                  blocks,
                                                           std::size_t                   shared,
                                                           const Stream &                stream)
{
  arguments.SetStride(HistogramThreads);
  AllowSharedMemory(&MetricHistogramKernel<VMove, TValues, VDimension>, shared);
  MetricHistogramKernel<VMove, TValues><<<blocks, HistogramThreads, shared, stream.Get()>>>(arguments, space);
  CheckCuda(cudaGetLastError(), "MetricHistogramKernel");
}

} // namespace itk::CudaSpline

#endif
