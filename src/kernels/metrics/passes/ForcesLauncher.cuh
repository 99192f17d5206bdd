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
#ifndef ForcesLauncher_cuh
#define ForcesLauncher_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricReduction.cuh"
#include "kernels/metrics/samples/MetricSpline.h"

#include <cuda_runtime.h>

#include <cstdint>

/** \file
 * \brief Kernel that computes the force on each sample, and its launch. src/CudaSplineInstances.cmake lists the
 * sources that compile them. */

namespace itk::CudaSpline
{

namespace
{

// Blocks of a multiprocessor: a thread has 80 or 168 registers.
template <SampleMove VMove>
constexpr unsigned int ForceBlocks = VMove == SampleMove::Field ? 6 : 3;

/** A thread processes samples in steps of the total number of threads. A block writes its sums to \p partial, and the
 * force on each sample to \p forces. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, ForceBlocks<VMove>)
  MetricForceKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                    const __grid_constant__ SplineParameters<VDimension> parameters,
                    double *                                             partial,
                    double *                                             forces)
{
  SampleForce<VDimension> sums(parameters);
  const std::int64_t      first = std::int64_t{ blockIdx.x } * MetricThreads + threadIdx.x;
  for (MetricCursor<VDimension> cursor(arguments, first); cursor.sample < arguments.count; cursor.Advance(arguments))
  {
    AddMetricSample<VMove, TValues>(arguments, cursor, sums, NoHistogram());
    sums.Store(forces + cursor.sample * static_cast<std::int64_t>(VDimension));
  }
  StoreBlockSums(sums.GetSums().numbers, partial);
}

} // namespace

template <SampleMove VMove, typename TValues, unsigned int VDimension>
void
ForcesLauncher<VMove, TValues, VDimension>::Enqueue(const MetricArguments<VDimension> &  arguments,
                                                    const SplineParameters<VDimension> & parameters,
                                                    std::int64_t                         blocks,
                                                    double *                             partial,
                                                    double *                             forces,
                                                    const Stream &                       stream)
{
  MetricForceKernel<VMove, TValues>
    <<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(arguments, parameters, partial, forces);
  CheckCuda(cudaGetLastError(), "MetricForceKernel");
}

} // namespace itk::CudaSpline

#endif
