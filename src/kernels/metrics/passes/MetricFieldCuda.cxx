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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricCuda.h"
#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/samples/MetricSpline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Derivatives of a metric by the displacements of a field on the virtual grid, on a device. Each sample has a
 * force on its own displacement. */

namespace itk::CudaSpline
{

namespace
{

template <SampleMove VMove, typename TValues, unsigned int VDimension>
MetricResult
ForcesOnCuda(const MetricDescriptor &           descriptor,
             MetricArguments<VDimension> &      arguments,
             const TransformStage<VDimension> * stages,
             const ExecutionContext &           context,
             const Stream &                     stream)
{
  using Numbers = MetricSums<VDimension, 0>;
  const auto blocks =
    std::clamp<std::int64_t>((arguments.count + MetricThreads - 1) / MetricThreads, 1, MaxMetricBlocks);
  const auto         count = static_cast<std::size_t>(arguments.count) * VDimension;
  const bool         stays = descriptor.forces != nullptr && DeviceOfPointer(descriptor.forces) >= 0;
  const DeviceBuffer forces(stays ? 0 : count * sizeof(double), stream);
  auto * const       made = stays ? descriptor.forces : static_cast<double *>(forces.Data());
  const DeviceBuffer partial(static_cast<std::size_t>(blocks + 1) * sizeof(Numbers), stream);
  auto * const       from = static_cast<double *>(partial.Data());
  auto * const       total = from + blocks * Numbers::Numbers;
  arguments.SetStride(blocks * MetricThreads);
  ForcesLauncher<VMove, TValues, VDimension>::Enqueue(
    arguments, MakeSplineParameters<VDimension>(descriptor, stages), blocks, from, made, stream);
  LaunchMetricTotal(from, blocks, Numbers::Numbers, total, stream);
  Numbers sums;
  DownloadThroughStaging(sums.numbers, total, sizeof(sums.numbers), stream);
  MetricResult result = MakeMetricResult(sums);
  result.derivatives[0].resize(descriptor.forces != nullptr ? 0 : count);
  if (!stays)
  {
    double * const to = descriptor.forces != nullptr ? descriptor.forces : result.derivatives[0].data();
    DownloadThroughStaging(to, forces.Data(), forces.Bytes(), stream, CopyThreadsOf(context));
  }
  return result;
}

} // namespace

MetricResult
EvaluateFieldMetricOnCuda(const MetricDescriptor & descriptor,
                          const MetricSources &    sources,
                          const ExecutionContext & context,
                          const MetricWorkspace *  workspace)
{
  const DeviceScope scope(context.device);
  const Stream      stream;
  MetricResult      result;
  DispatchMetricForces(descriptor, sources, [&](auto dimension, auto values, auto move) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    auto                   arguments = MakeMetricArguments<VDimension>(descriptor, sources);
    arguments.kept = KeptMemory(descriptor, nullptr, workspace);
    const MetricUploads uploads(descriptor, true, stream, arguments, context, SharedValues(descriptor, workspace));
    result = ForcesOnCuda<decltype(move)::value, decltype(values)>(
      descriptor, arguments, arguments.moving.stages, context, stream);
  });
  return result;
}

} // namespace itk::CudaSpline
