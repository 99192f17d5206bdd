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
#ifndef CellsLauncher_cuh
#define CellsLauncher_cuh

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/DeviceHistogram.cuh"
#include "kernels/metrics/passes/MetricCells.cuh"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricReduction.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Kernels that process samples in the order of cells without derivatives, and their launches.
 * src/CudaSplineInstances.cmake lists the sources that compile them. */

namespace itk::CudaSpline
{

namespace
{

/** Computes sums of values. A block processes \p samples entries of the order. */
template <typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, CellWarps / MetricWarps)
  MetricCellValuesKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                         const __grid_constant__ SplineParameters<VDimension> parameters,
                         const SplineOrder                                    order,
                         std::uint32_t                                        samples,
                         double *                                             values)
{
  MetricSums<VDimension, 0> sums;
  NoHistogram               none;
  const std::uint32_t       first = blockIdx.x * samples;
  AddSamplesOfCells<TValues>(arguments, parameters, order, first, first + samples, sums, none);
  StoreBlockSums(sums.numbers, values);
}

/** Computes a histogram. A block processes HistogramSamples entries of the order. */
template <typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(HistogramThreads, 32 * CellWarps / HistogramThreads)
  MetricCellHistogramKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                            const __grid_constant__ SplineParameters<VDimension> parameters,
                            const SplineOrder                                    order,
                            const HistogramSpace                                 space)
{
  constexpr auto samples = static_cast<std::uint32_t>(HistogramSamples);
  BlockHistogram own(arguments.HistogramPass::bins.bins, arguments.moving.element == ScalarType::Float64, space);
  MetricSums<VDimension, 0> sums;
  const std::uint32_t       first = blockIdx.x * samples;
  AddSamplesOfCells<TValues>(arguments, parameters, order, first, first + samples, sums, own);
  own.Store(sums.numbers[0]);
}

} // namespace

template <typename TValues, unsigned int VDimension>
MetricResult
CellsLauncher<TValues, VDimension>::Sum(const CellPass<VDimension> & pass, const Stream & stream)
{
  if (pass.arguments.pass == PassIndex<HistogramPass>)
  {
    constexpr std::size_t others = CellShape<VDimension>::Numbers * sizeof(double);
    const DeviceHistogram histogram(pass.arguments.HistogramPass::bins.bins, pass.arguments.count, others, stream);
    AllowSharedMemory(&MetricCellHistogramKernel<TValues, VDimension>, histogram.Shared());
    MetricCellHistogramKernel<TValues><<<histogram.Blocks(), HistogramThreads, histogram.Shared(), stream.Get()>>>(
      pass.arguments, pass.parameters, pass.order, histogram.Space());
    CheckCuda(cudaGetLastError(), "MetricCellHistogramKernel");
    return histogram.Download(stream);
  }
  using Sums = MetricSums<VDimension, 0>;
  const std::uint32_t samples = ChunkSamples(pass.arguments.count);
  const std::int64_t  blocks = (pass.arguments.count + samples - 1) / samples;
  const DeviceBuffer  memory(static_cast<std::size_t>(blocks + 1) * sizeof(Sums), stream);
  auto * const        values = static_cast<double *>(memory.Data());
  auto * const        total = values + blocks * Sums::Numbers;
  MetricCellValuesKernel<TValues><<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(
    pass.arguments, pass.parameters, pass.order, samples, values);
  CheckCuda(cudaGetLastError(), "MetricCellValuesKernel");
  LaunchMetricTotal(values, blocks, Sums::Numbers, total, stream);
  Sums sums;
  DownloadThroughStaging(sums.numbers, total, sizeof(sums.numbers), stream);
  return MakeMetricResult(sums);
}

} // namespace itk::CudaSpline

#endif
