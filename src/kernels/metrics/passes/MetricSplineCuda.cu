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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricCells.cuh"
#include "kernels/metrics/passes/MetricCuda.h"
#include "kernels/metrics/passes/MetricGather.cuh"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricOrder.cuh"
#include "kernels/metrics/passes/MetricReduction.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief Derivatives of a metric by the coefficients of B-splines on a device.
 *
 * Samples are processed in the order of the cells of the grid, so that a block adds to the nodes of one cell only. It
 * computes the forces of some samples, one per thread, and then their sums over the nodes of the cell, with some nodes
 * per thread. The sums of a chunk are stored in memory. A node then adds its sums from the chunks of the surrounding
 * cells. The order of all sums is determined by the samples. */

namespace itk::CudaSpline
{

namespace
{

/** Computes sums of values, and derivatives. */
template <bool VHasOuterJacobian, typename TValues, unsigned int VDimension>
MetricResult
ScatterOnCuda(const MetricDescriptor & descriptor, const CellPass<VDimension> & pass, const Stream & stream)
{
  using Numbers = MetricSums<VDimension, 0>;
  const auto &       stage = descriptor.chain.stages[descriptor.GetSpline()->stage];
  double * const     wanted = descriptor.forces;
  constexpr int      numbers = CellShape<VDimension>::Numbers;
  const unsigned int sets = IsPass<CorrelationPass>(descriptor.pass) ? 2 : 1;
  const std::int64_t plane = VDimension * pass.parameters.nodes;
  const std::int64_t blocks = MaxChunks(pass.arguments.count, pass.parameters.nodes);
  // Sums of the chunks, their values, the totals of these, and those of the coefficients if the caller has no memory
  // for them.
  const std::int64_t ofChunks = blocks * sets * numbers;
  const std::int64_t ofValues = blocks * Numbers::Numbers;
  const DeviceBuffer memory(
    static_cast<std::size_t>(ofChunks + ofValues + Numbers::Numbers + (wanted != nullptr ? 0 : sets * plane)) *
      sizeof(double),
    stream);
  auto * const partial = static_cast<double *>(memory.Data());
  auto * const values = partial + ofChunks;
  auto * const total = values + ofValues;
  auto * const coefficients = wanted != nullptr ? wanted : total + Numbers::Numbers;
  ScatterLauncher<VHasOuterJacobian, TValues, VDimension>::Enqueue(pass, sets, blocks, partial, values, stream);
  LaunchMetricTotal(values, blocks, Numbers::Numbers, total, stream);
  const auto cells = static_cast<unsigned int>(pass.parameters.nodes);
  static_assert(numbers % 32 == 0, "a warp's numbers");
  MetricCellSumKernel<<<dim3((cells + 31) / 32, sets * numbers / 32), 32 * CellSumWarps, 0, stream.Get()>>>(
    pass.order, sets * numbers, partial);
  CheckCuda(cudaGetLastError(), "MetricCellSumKernel");
  const GridExtent<VDimension> extent = MakeStage<VDimension>(stage, nullptr).extent;
  const dim3                   grid((cells + GatherThreads - 1) / GatherThreads, sets * VDimension);
  MetricGatherKernel<<<grid, GatherThreads, 0, stream.Get()>>>(
    extent, static_cast<int>(stage.order) + 1, pass.order, sets, partial, coefficients);
  CheckCuda(cudaGetLastError(), "MetricGatherKernel");

  std::vector<double> host(Numbers::Numbers + (wanted != nullptr ? 0 : static_cast<std::size_t>(sets * plane)));
  DownloadThroughStaging(host.data(), total, host.size() * sizeof(double), stream);
  Numbers sums;
  std::copy_n(host.begin(), Numbers::Numbers, sums.numbers);
  MetricResult result = MakeMetricResult(sums);
  for (std::size_t set = 0; wanted == nullptr && set < sets; ++set)
  {
    const auto first = host.begin() + Numbers::Numbers + static_cast<std::ptrdiff_t>(set) * plane;
    result.derivatives[set].assign(first, first + plane);
  }
  return result;
}

} // namespace

MetricResult
EvaluateSplineMetricOnCuda(const MetricDescriptor & descriptor,
                           const MetricSources &    sources,
                           const ExecutionContext & context,
                           MetricWorkspace *        workspace)
{
  const DeviceScope                      scope(context.device);
  const Stream                           stream;
  MetricResult                           result;
  const auto                             count = CountMetricSamples(sources);
  const auto                             left = LeaveMovingValues(descriptor, context, count, workspace, stream);
  std::shared_ptr<const MetricCellOrder> order;
  if (workspace != nullptr && workspace->order != nullptr &&
      workspace->order->IsOf(descriptor, sources, context.device))
  {
    order = workspace->order;
  }
  const auto withPass = [&](auto dimension, const auto & run) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    CellPass<VDimension>   pass{ MakeMetricArguments<VDimension>(descriptor, sources), {}, {} };
    pass.arguments.kept = KeptMemory(descriptor, left, workspace);
    const MetricUploads uploads(descriptor, true, stream, pass.arguments, context);
    pass.parameters = MakeSplineParameters<VDimension>(descriptor, pass.arguments.moving.stages);
    if (order == nullptr)
    {
      order =
        std::make_shared<MetricCellOrder>(descriptor, sources, pass.arguments, pass.parameters, context.device, stream);
    }
    pass.order = order->Get();
    result = run(pass);
  };
  const ScalarType element = sources.moving->GetDescriptor().element;
  if (descriptor.gradient == MetricGradient::None)
  {
    DispatchMetricValues(descriptor, element, [&](auto dimension, auto values) {
      withPass(dimension, [&](const auto & pass) {
        return CellsLauncher<decltype(values), decltype(dimension)::value>::Sum(pass, stream);
      });
    });
  }
  else
  {
    DispatchDerivativeValues(descriptor, element, [&](auto dimension, auto values) {
      withPass(dimension, [&](const auto & pass) {
        return descriptor.HasOuterJacobian() ? ScatterOnCuda<true, decltype(values)>(descriptor, pass, stream)
                                             : ScatterOnCuda<false, decltype(values)>(descriptor, pass, stream);
      });
    });
  }
  if (workspace != nullptr) // the stream has completed them
  {
    workspace->order = order;
    workspace->values = left != nullptr ? left : workspace->values;
  }
  return result;
}

} // namespace itk::CudaSpline
