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
#ifndef MetricOrder_cuh
#define MetricOrder_cuh

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/metrics/passes/MetricOrder.h"
#include "kernels/metrics/samples/MetricSpline.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/** \file
 * \brief The samples of a metric in the order of the cells of a B-spline grid that contain them. */

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int OrderThreads = 256;

/** Computes the cell of each sample. Samples that do not count come last. */
template <unsigned int VDimension>
__global__ void
__launch_bounds__(OrderThreads) MetricCellKernel(const __grid_constant__ MetricArguments<VDimension> arguments,
                                                 const __grid_constant__ SplineParameters<VDimension> parameters,
                                                 std::uint32_t *                                      cells,
                                                 std::uint32_t *                                      samples)
{
  const std::int64_t sample = std::int64_t{ blockIdx.x } * OrderThreads + threadIdx.x;
  if (sample >= arguments.count)
  {
    return;
  }
  std::int64_t cell = parameters.nodes + 1;
  if (arguments.inside == nullptr || arguments.inside[sample] != 0)
  {
    double       place[VDimension];
    double       point[VDimension];
    double       weights[VDimension][WidestSupport];
    std::int64_t offset = 0;
    MetricCursor<VDimension>(arguments, static_cast<std::uint32_t>(sample)).PlaceIn(arguments, place);
    parameters.Enter(place, point);
    cell = FindPaddedSupport(parameters.GetStage(), point, weights, offset) ? offset : parameters.nodes;
  }
  cells[sample] = static_cast<std::uint32_t>(cell);
  samples[sample] = static_cast<std::uint32_t>(sample);
}

/** Computes the first sample and the number of chunks of each cell, with one additional element each. */
__global__ void
__launch_bounds__(OrderThreads) MetricStartsKernel(const std::uint32_t * keys,
                                                   std::uint32_t         count,
                                                   std::uint32_t         cells,
                                                   std::uint32_t         mostOfChunk,
                                                   std::uint32_t *       starts,
                                                   std::uint32_t *       chunks)
{
  const std::uint32_t cell = blockIdx.x * OrderThreads + threadIdx.x;
  if (cell > cells)
  {
    return;
  }
  const std::uint32_t start = LowerBound(keys, count, cell);
  starts[cell] = start;
  const std::uint32_t samples = cell < cells ? LowerBound(keys, count, cell + 1) - start : 0;
  chunks[cell] = (samples + mostOfChunk - 1) / mostOfChunk;
}

} // namespace

/** \brief Makes the order on a device, and holds its memory. */
class MetricCellOrder
{
public:
  /** \brief Enqueues the computation of the order.
   *
   * \param[in] descriptor, sources of the metric
   * \param[in] arguments made from these; stages are on the device
   * \param[in] parameters the grid
   * \param[in] device number of the device
   * \param[in] stream the stream */
  template <unsigned int VDimension>
  MetricCellOrder(const MetricDescriptor &             descriptor,
                  const MetricSources &                sources,
                  const MetricArguments<VDimension> &  arguments,
                  const SplineParameters<VDimension> & parameters,
                  int                                  device,
                  const Stream &                       stream)
    : m_Cells(static_cast<std::uint32_t>(parameters.nodes + 1))
    , m_Device(device)
    , m_Points(sources.points)
    , m_Inside(sources.inside)
    , m_Key(KeyOf(descriptor, sources))
    , m_Starts(3 * (std::size_t{ m_Cells } + 1) * sizeof(std::uint32_t), stream)
  {
    const auto                       count = static_cast<std::uint32_t>(arguments.count);
    const std::size_t                bytes = count * sizeof(std::uint32_t);
    DeviceBuffer                     samples[2] = { { bytes, stream }, { bytes, stream } };
    const DeviceBuffer               keys[2] = { { bytes, stream }, { bytes, stream } };
    cub::DoubleBuffer<std::uint32_t> bothKeys(NumbersOf(keys[0]), NumbersOf(keys[1]));
    cub::DoubleBuffer<std::uint32_t> bothSamples(NumbersOf(samples[0]), NumbersOf(samples[1]));
    MetricCellKernel<<<BlocksOf(count), OrderThreads, 0, stream.Get()>>>(
      arguments, parameters, bothKeys.Current(), bothSamples.Current());
    CheckCuda(cudaGetLastError(), "MetricCellKernel");
    int bits = 1;
    while (std::uint64_t{ m_Cells } >> bits != 0)
    {
      ++bits;
    }
    WithWorkspace(stream, [&](void * space, std::size_t & needed) {
      return cub::DeviceRadixSort::SortPairs(
        space, needed, bothKeys, bothSamples, static_cast<int>(count), 0, bits, stream.Get());
    });
    m_Samples = std::move(samples[bothSamples.selector]);
    auto * const        starts = NumbersOf(m_Starts);
    auto * const        chunks = starts + m_Cells + 1;
    auto * const        chunkStarts = chunks + m_Cells + 1;
    const std::uint32_t mostOfChunk = ChunkSamples(arguments.count);
    MetricStartsKernel<<<BlocksOf(m_Cells + 1), OrderThreads, 0, stream.Get()>>>(
      bothKeys.Current(), count, m_Cells, mostOfChunk, starts, chunks);
    CheckCuda(cudaGetLastError(), "MetricStartsKernel");
    WithWorkspace(stream, [&](void * space, std::size_t & needed) {
      return cub::DeviceScan::ExclusiveSum(
        space, needed, chunks, chunkStarts, static_cast<int>(m_Cells + 1), stream.Get());
    });
    m_Order = { NumbersOf(m_Samples), starts, chunkStarts, m_Cells, mostOfChunk };
  }

  /** \brief Returns whether the order is valid for a metric: the same points, the same mask of valid points, the same
   * grid. */
  bool
  IsOf(const MetricDescriptor & descriptor, const MetricSources & sources, int device) const
  {
    return !m_Key.empty() && m_Device == device && m_Points == sources.points && m_Inside == sources.inside &&
           m_Key == KeyOf(descriptor, sources);
  }

  /** \brief Returns the order, in device memory of this object. */
  const SplineOrder &
  Get() const
  {
    return m_Order;
  }

private:
  /** Returns all numbers that determine the cells, in addition to the lists. The result is empty if the stages before
   * have coefficients as well. */
  static std::vector<double>
  KeyOf(const MetricDescriptor & descriptor, const MetricSources & sources)
  {
    const TransformChain & chain = descriptor.chain;
    const std::size_t      spline = descriptor.GetSpline()->stage;
    std::vector<double>    key{ static_cast<double>(descriptor.dimension),
                             static_cast<double>(spline),
                             static_cast<double>(CountMetricSamples(sources)) };
    const auto add = [&key](const auto & numbers) { key.insert(key.end(), numbers.begin(), numbers.end()); };
    const auto addMatrix = [&add](const TransformChain::Matrix & matrix) {
      std::for_each(matrix.begin(), matrix.end(), add);
    };
    add(chain.outputOrigin);
    addMatrix(chain.indexToPoint);
    add(chain.regionStart);
    add(chain.regionSize);
    for (std::size_t i = 0; i <= spline; ++i)
    {
      const TransformChain::Stage & stage = chain.stages[i];
      if (i < spline && stage.kind != TransformKind::Affine)
      {
        return {};
      }
      addMatrix(stage.matrix);
      add(stage.offset);
      add(stage.start);
      add(stage.size);
      add(stage.origin);
      addMatrix(stage.pointToIndex);
      key.push_back(stage.order);
    }
    return key;
  }

  static std::uint32_t *
  NumbersOf(const DeviceBuffer & buffer)
  {
    return static_cast<std::uint32_t *>(buffer.Data());
  }

  static unsigned int
  BlocksOf(std::uint32_t count)
  {
    return static_cast<unsigned int>((std::uint64_t{ count } + OrderThreads - 1) / OrderThreads);
  }

  /** Calls a function that first requests a workspace and then receives it. */
  template <typename TCall>
  static void
  WithWorkspace(const Stream & stream, const TCall & call)
  {
    std::size_t bytes = 0;
    CheckCuda(call(nullptr, bytes), "CUB");
    const DeviceBuffer workspace(std::max<std::size_t>(bytes, 1), stream);
    CheckCuda(call(workspace.Data(), bytes), "CUB");
  }

  std::uint32_t                       m_Cells;
  int                                 m_Device;
  std::shared_ptr<const SampleSource> m_Points; ///< kept, so that no other source has its address
  std::shared_ptr<const SampleSource> m_Inside;
  std::vector<double>                 m_Key;
  DeviceBuffer                        m_Samples;
  DeviceBuffer                        m_Starts;
  SplineOrder                         m_Order{};
};

} // namespace itk::CudaSpline

#endif
