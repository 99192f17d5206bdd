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
#ifndef MetricPass_cuh
#define MetricPass_cuh

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/passes/MetricCuda.h"
#include "kernels/metrics/passes/MetricReduction.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

/** \file
 * \brief Pass over the samples of a metric on a device: sums of values, with or without the moments of derivatives. */

namespace itk::CudaSpline
{

namespace
{

// Blocks of a multiprocessor: a thread has 128 or 168 registers, with which few are spilled.
template <typename TValues>
constexpr unsigned int MetricBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;

/** A thread processes samples in steps of the total number of threads. A block writes its sums to \p partial, added
 * with a fixed tree. */
template <SampleMove VMove, typename TValues, unsigned int VSets, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, MetricBlocks<TValues>)
  MetricKernel(const __grid_constant__ MetricArguments<VDimension> arguments, double * partial)
{
  using Sums = MetricSums<VDimension, VSets>;
  Sums               sums;
  const std::int64_t first = std::int64_t{ blockIdx.x } * MetricThreads + threadIdx.x;
  for (MetricCursor<VDimension> cursor(arguments, first); cursor.sample < arguments.count; cursor.Advance(arguments))
  {
    AddMetricSample<VMove, TValues>(arguments, cursor, sums, NoHistogram());
  }
  StoreBlockSums(sums.numbers, partial);
}

/** Device data that a pass reads. */
template <unsigned int VDimension>
class PassArguments
{
public:
  /** \param[in] left outputs of the pass; may be null */
  PassArguments(const MetricDescriptor &                    descriptor,
                const MetricSources &                       sources,
                const ExecutionContext &                    context,
                const std::shared_ptr<MetricMovingValues> & left,
                const MetricWorkspace *                     workspace,
                const Stream &                              stream)
    : arguments(MakeMetricArguments<VDimension>(descriptor, sources))
    , m_Uploads(descriptor,
                arguments.mapCount < 0 || arguments.front >= 0 || LeadsByField(descriptor, sources),
                stream,
                arguments,
                context,
                left != nullptr ? left.get() : SharedValues(descriptor, workspace))
  {
    arguments.kept = KeptMemory(descriptor, left, workspace);
    if (left != nullptr && left->valid != nullptr)
    {
      arguments.valid = static_cast<std::uint8_t *>(left->valid.get());
      const auto bytes = static_cast<std::size_t>(arguments.count);
      CheckCuda(cudaMemsetAsync(arguments.valid, 0, bytes, stream.Get()), "cudaMemsetAsync");
    }
  }

  MetricArguments<VDimension> arguments;

private:
  MetricUploads m_Uploads;
};

/** Returns the sums over all samples. Waits for the stream.
 *
 * \param[in] made count and value of the result on the device; null: these are sums, too */
template <SampleMove VMove, typename TValues, unsigned int VSets, unsigned int VDimension>
MetricResult
SumSamples(MetricArguments<VDimension> & arguments, const Stream & stream, const InformationNumbers * made = nullptr)
{
  using Sums = MetricSums<VDimension, VSets>;
  const auto blocks =
    std::clamp<std::int64_t>((arguments.count + MetricThreads - 1) / MetricThreads, 1, MaxMetricBlocks);
  struct Result
  {
    Sums               sums;
    InformationNumbers made;
  };
  const auto         bytes = static_cast<std::size_t>(blocks) * sizeof(Sums) + sizeof(Result);
  const DeviceBuffer partial(bytes, stream);
  auto * const       from = static_cast<double *>(partial.Data());
  auto * const       total = from + blocks * Sums::Numbers;
  arguments.SetStride(blocks * MetricThreads);
  MetricKernel<VMove, TValues, VSets>
    <<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(arguments, from);
  CheckCuda(cudaGetLastError(), "MetricKernel");
  LaunchMetricTotal(from, blocks, Sums::Numbers, total, stream, made);
  Result found;
  DownloadThroughStaging(&found, total, made != nullptr ? sizeof(Result) : sizeof(Sums), stream);
  MetricResult result = MakeMetricResult(found.sums);
  if (made != nullptr)
  {
    result.count = static_cast<std::int64_t>(found.made.count);
    result.values[0] = found.made.value;
  }
  return result;
}

} // namespace
} // namespace itk::CudaSpline

#endif
