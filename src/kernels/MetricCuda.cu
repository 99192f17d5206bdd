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

#include "kernels/MetricBackends.h"
#include "kernels/MetricCuda.h"
#include "kernels/MetricFunctor.h"
#include "kernels/MetricReduction.cuh"
#include "kernels/SharedMemory.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

// Blocks of a multiprocessor: 128 or 168 registers a thread, with which little is spilled.
template <typename TValues>
constexpr unsigned int MetricBlocks = sizeof(typename TValues::Real) == sizeof(float) ? 4 : 3;

constexpr unsigned int HistogramThreads = 256;
// Nearly all that a multiprocessor can hold, at 64 registers; in double, or where a function is called, that is too
// few.
template <bool VWalks, typename TValues>
constexpr unsigned int HistogramBlocks = !VWalks && sizeof(typename TValues::Real) == sizeof(float) ? 4 : 2;
constexpr std::int64_t HistogramSamples = 31 * 256; // of a block: less than 2^13, whose digits' sums fit 32 bits
constexpr unsigned int PlaneBlocks = 4096;          // whose sums in units of 2^-38 fit 64 bits
constexpr std::int64_t MostMetricBlocks = 4096; // some blocks for each place of a large device, few enough to sum up

/** Blocks of samples that lie apart by the number of threads: a block's sums, by a fixed tree, to its place in
 * \p partial. */
template <bool VWalks, typename TValues, unsigned int VSets, unsigned int VDimension>
__global__ void
__launch_bounds__(MetricThreads, MetricBlocks<TValues>)
  MetricKernel(const __grid_constant__ MetricArguments<VDimension> arguments, double * partial)
{
  using Sums = MetricSums<VDimension, VSets>;
  Sums               sums;
  NoHistogram        none;
  const std::int64_t first = std::int64_t{ blockIdx.x } * MetricThreads + threadIdx.x;
  for (MetricCursor<VDimension> cursor(arguments, first); cursor.sample < arguments.count; cursor.Advance(arguments))
  {
    AddMetricSample<VWalks, TValues>(arguments, cursor, sums, none);
  }
  StoreBlockSums(sums.numbers, partial);
}

/** A block's histogram: sums of the weights' coarse and fine digits, of which a block has few enough for 32 bits. The
 * finest, which few weights have, go to the device's memory; so do all where the blocks of a device have not so much
 * memory of their own. */
struct BlockHistogram
{
  std::uint32_t *      coarse; ///< null: to \c plane instead
  std::uint32_t *      fine;
  unsigned long long * plane; ///< in units of 2^-38
  unsigned long long * finest;
  bool                 isDouble;

  __device__ void
  Add(int bin, double weight)
  {
    const ParzenWeight digits(weight, isDouble);
    if (coarse == nullptr)
    {
      const unsigned long long sum =
        (static_cast<unsigned long long>(digits.digit[0]) << ParzenWeight::Bits) + digits.digit[1];
      if (sum != 0)
      {
        atomicAdd(plane + bin, sum);
      }
    }
    else if (digits.digit[0] != 0)
    {
      atomicAdd(coarse + bin, digits.digit[0]);
    }
    if (coarse != nullptr && digits.digit[1] != 0)
    {
      atomicAdd(fine + bin, digits.digit[1]);
    }
    if (digits.digit[2] != 0)
    {
      atomicAdd(finest + bin, static_cast<unsigned long long>(digits.digit[2]));
    }
  }
};

/** Blocks of HistogramSamples samples, their histograms in shared memory and then added to those in \p histogram:
 * integers, in any order. There: the count; the finest digits; sums of the others, one plane of bins for each
 * PlaneBlocks blocks. */
template <bool VWalks, typename TValues, unsigned int VDimension>
__global__ void
__launch_bounds__(HistogramThreads, HistogramBlocks<VWalks, TValues>)
  MetricHistogramKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                        unsigned long long *                                histogram,
                        bool                                                isShared)
{
  extern __shared__ std::uint32_t words[];
  const int                       size = arguments.bins.bins * arguments.bins.bins;
  for (int word = threadIdx.x; isShared && word < 2 * size; word += HistogramThreads)
  {
    words[word] = 0;
  }
  __syncthreads();
  unsigned long long * const plane = histogram + 1 + std::int64_t{ blockIdx.x / PlaneBlocks + 1 } * size;
  BlockHistogram             own{
    isShared ? words : nullptr, words + size, plane, histogram + 1, arguments.moving.element == ScalarType::Float64
  };
  MetricSums<VDimension, 0> sums;
  const std::int64_t        first = std::int64_t{ blockIdx.x } * HistogramSamples;
  const std::int64_t        end = min(arguments.count, first + HistogramSamples);
  for (MetricCursor<VDimension> cursor(arguments, first + threadIdx.x); cursor.sample < end; cursor.Advance(arguments))
  {
    AddMetricSample<VWalks, TValues>(arguments, cursor, sums, own);
  }
  const double count = WarpSum(sums.numbers[0]);
  if (threadIdx.x % 32 == 0 && count > 0.0)
  {
    atomicAdd(histogram, static_cast<unsigned long long>(count));
  }
  __syncthreads();
  for (int bin = threadIdx.x; isShared && bin < size; bin += HistogramThreads)
  {
    const unsigned long long sum =
      (static_cast<unsigned long long>(words[bin]) << ParzenWeight::Bits) + words[size + bin];
    if (sum != 0)
    {
      atomicAdd(plane + bin, sum);
    }
  }
}

/** A block a number: its sum over the blocks of MetricKernel, by a fixed tree. */
__global__ void
__launch_bounds__(MetricThreads) MetricTotalKernel(const double * partial, std::int64_t blocks, double * total)
{
  double sum = 0.0;
  for (std::int64_t block = threadIdx.x; block < blocks; block += MetricThreads)
  {
    sum += partial[std::int64_t{ blockIdx.x } * blocks + block];
  }
  __shared__ double ofWarps[MetricWarps];
  sum = WarpSum(sum);
  if (threadIdx.x % 32 == 0)
  {
    ofWarps[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0)
  {
    double all = 0.0;
    for (unsigned int warp = 0; warp < MetricWarps; ++warp)
    {
      all += ofWarps[warp];
    }
    total[blockIdx.x] = all;
  }
}

/** The histogram of a pass. */
template <bool VWalks, typename TValues, unsigned int VDimension>
MetricResult
CountOnCuda(const MetricArguments<VDimension> & arguments, const Stream & stream)
{
  const auto size = static_cast<std::size_t>(arguments.bins.bins) * static_cast<std::size_t>(arguments.bins.bins);
  const auto blocks = static_cast<unsigned int>((arguments.count + HistogramSamples - 1) / HistogramSamples);
  const std::size_t               planes = (blocks + PlaneBlocks - 1) / PlaneBlocks;
  std::vector<unsigned long long> host(1 + (1 + planes) * size, 0);
  const DeviceBuffer              histogram(host.size() * sizeof(host[0]), stream);
  auto * const                    sums = static_cast<unsigned long long *>(histogram.Data());
  int                             device = 0;
  int                             mostShared = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&mostShared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
            "cudaDeviceGetAttribute");
  const std::size_t wanted = 2 * size * sizeof(std::uint32_t);
  const std::size_t reserved = 1024; // the runtime's, of each block
  const bool        isShared = wanted + reserved <= static_cast<std::size_t>(mostShared);
  const std::size_t shared = isShared ? wanted : 0;
  CheckCuda(cudaMemsetAsync(sums, 0, histogram.Bytes(), stream.Get()), "cudaMemsetAsync");
  AllowSharedMemory(&MetricHistogramKernel<VWalks, TValues, VDimension>, shared);
  MetricHistogramKernel<VWalks, TValues><<<blocks, HistogramThreads, shared, stream.Get()>>>(arguments, sums, isShared);
  CheckCuda(cudaGetLastError(), "MetricHistogramKernel");
  DownloadThroughStaging(host.data(), sums, host.size() * sizeof(host[0]), stream);
  MetricResult result;
  result.count = static_cast<std::int64_t>(host[0]);
  result.histogram.assign(size, 0.0);
  for (std::size_t plane = 1; plane <= planes; ++plane)
  {
    for (std::size_t bin = 0; bin < size; ++bin)
    {
      result.histogram[bin] += static_cast<double>(host[1 + plane * size + bin]) * ParzenWeight::Units[1];
    }
  }
  for (std::size_t bin = 0; bin < size; ++bin)
  {
    result.histogram[bin] += static_cast<double>(host[1 + bin]) * ParzenWeight::Units[2];
  }
  return result;
}

} // namespace

void
LaunchMetricTotal(const double * partial,
                  std::int64_t   blocks,
                  unsigned int   numbers,
                  double *       total,
                  const Stream & stream)
{
  MetricTotalKernel<<<numbers, MetricThreads, 0, stream.Get()>>>(partial, blocks, total);
  CheckCuda(cudaGetLastError(), "MetricTotalKernel");
}

MetricResult
EvaluateMetricOnCuda(const MetricDescriptor & descriptor,
                     const MetricSources &    sources,
                     const ExecutionContext & context)
{
  if (descriptor.splineStage >= 0 && descriptor.gradient != MetricGradient::None)
  {
    return EvaluateSplineMetricOnCuda(descriptor, sources, context);
  }
  const DeviceScope scope(context.device);
  const Stream      stream;
  MetricResult      result;
  const auto        run = [&](auto dimension, auto values, auto sets, auto walksAll) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    constexpr bool         VWalks = decltype(walksAll)::value;
    using Sums = MetricSums<VDimension, decltype(sets)::value>;
    auto       arguments = MakeMetricArguments<VDimension>(descriptor, sources);
    const auto blocks =
      std::clamp<std::int64_t>((arguments.count + MetricThreads - 1) / MetricThreads, 1, MostMetricBlocks);
    const auto          numbers = static_cast<std::size_t>(blocks + 1) * Sums::Numbers;
    const DeviceBuffer  partial(numbers * sizeof(double), stream);
    const MetricUploads uploads(descriptor, arguments.mapCount < 0, stream, arguments);
    if constexpr (decltype(sets)::value == 0)
    {
      if (descriptor.pass == MetricPass::Histogram)
      {
        arguments.SetStride(HistogramThreads);
        result = CountOnCuda<VWalks, decltype(values)>(arguments, stream);
        return;
      }
    }
    arguments.SetStride(blocks * MetricThreads);
    auto * const from = static_cast<double *>(partial.Data());
    auto * const total = from + blocks * Sums::Numbers;
    MetricKernel<VWalks, decltype(values), decltype(sets)::value>
      <<<static_cast<unsigned int>(blocks), MetricThreads, 0, stream.Get()>>>(arguments, from);
    CheckCuda(cudaGetLastError(), "MetricKernel");
    LaunchMetricTotal(from, blocks, Sums::Numbers, total, stream);
    Sums sums;
    DownloadThroughStaging(sums.numbers, total, sizeof(sums.numbers), stream);
    result = MakeMetricResult(sums);
  };
  DispatchMetric(descriptor, sources.moving->GetDescriptor().element, run);
  return result;
}

} // namespace itk::CudaSpline
