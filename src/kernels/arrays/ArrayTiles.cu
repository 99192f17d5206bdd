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

#include "kernels/arrays/ArrayLaunchers.h"
#include "kernels/arrays/ArrayTileRules.cuh"
#include "kernels/evaluation/boxes/TileKernel.cuh"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>

/** \file
 * \brief Interpolates 3D arrays from tiles in shared memory at the points of affine maps, maps by axis, and lists. */

namespace itk::CudaSpline
{

namespace
{

/** Number of boxes that ArrayFittingBoxesKernel checks. */
constexpr unsigned int ProbedBoxes = 64;

/** Minimum number of these boxes whose coordinates have to be inside a tile. */
constexpr unsigned int MinFittingBoxes = 52;

template <unsigned int VOrder, template <unsigned int> class TRule>
__global__ void
__launch_bounds__(BoxThreads(Derivatives::None), BoxBlocks(Derivatives::None))
  ArrayTileKernel(const __grid_constant__ EvaluationArguments<3> source,
                  const __grid_constant__ ArrayArguments         array,
                  std::int64_t                                   lines,
                  const __grid_constant__ TilePlan               plan)
{
  const TRule<VOrder> rule{ { source, array } };
  RunTile<ArrayMethod<VOrder>, Derivatives::None>(source, lines, plan, rule);
}

/** Checks boxes that are distributed over the output, and counts those whose coordinates are close together. */
__global__ void
__launch_bounds__(BoxThreads(Derivatives::None))
  ArrayFittingBoxesKernel(const __grid_constant__ EvaluationArguments<3> source,
                          const __grid_constant__ ArrayArguments         array,
                          std::int64_t                                   lines,
                          const __grid_constant__ TilePlan               plan,
                          const uint3                                    grid,
                          unsigned int *                                 fitting)
{
  using Reader = TileReader<ArrayMethod<3>>; // approximate for other orders
  __shared__ TileShared shared;
  __shared__ ListRule<3>::Line prepared[TileShape::MaxLines];
  const std::uint64_t          boxes = std::uint64_t{ grid.x } * grid.y * grid.z;
  const std::uint64_t          number = boxes * blockIdx.x / gridDim.x;
  const uint3                  block = { static_cast<unsigned int>(number % grid.x),
                                         static_cast<unsigned int>(number / grid.x % grid.y),
                                         static_cast<unsigned int>(number / grid.x / grid.y) };
  const ListRule<3>            rule{ { source, array } };
  const OutputBox              output = FindOutputBox(plan, source.samples, lines, block);
  const TileBox                box = FindScatteredBox<Reader>(source, plan, output, rule, shared, prepared);
  const int                    more = static_cast<int>(array.order) + 1 - Reader::Taps;
  if (threadIdx.x == 0 &&
      (!box.anyInside || (box.size[0] + 3 + more <= TileShape::Pitch && box.size[1] + more <= TileShape::Rows &&
                          box.size[2] + more <= plan.slices)))
  {
    atomicAdd(fitting, 1U);
  }
}

/** Returns the source as the tile kernels read it. A coordinate is inside if FoldCoordinate() does not change it. */
EvaluationArguments<3>
SourceOf(const ArrayArguments & array)
{
  EvaluationArguments<3> source{};
  source.source = array.source;
  source.element = ScalarType::Float32;
  source.components = 1;
  source.border = array.output.border;
  source.outputType = array.output.type;
  source.samples = array.output.shape.Samples();
  for (int d = 0; d < 3; ++d)
  {
    source.extent.size[d] = array.size[d];
    source.extension[d] = TapExtensionOf(array.mode);
    const auto last = static_cast<double>(array.size[d] - 1);
    double     margin = 0.0;
    if (array.mode == ArrayMode::Nearest)
    {
      margin = 16.0;
    }
    else if (array.mode == ArrayMode::GridConstant)
    {
      margin = static_cast<double>(MaxTileIndex / 2); // all are inside, but a tile is limited
    }
    source.lower[d] = -margin;
    source.upper[d] = std::nextafter(last + margin, HUGE_VAL);
  }
  return source;
}

/** Returns whether the tile kernels can be used. If not, kernels that process single elements are used. */
bool
CanTile(const ArrayArguments & array)
{
  const ArrayShape & shape = array.output.shape;
  bool               can = array.dimension == 3 && shape.dimension == 3 && array.order >= 1 &&
             (array.map != ArrayMap::Coordinates || array.coordinateType == ScalarType::Float32 ||
              array.coordinateType == ScalarType::Float64);
  std::int64_t packed = 1;
  for (int d = 0; d < 3 && can; ++d)
  {
    can = array.batchStride[d] == 0 && array.stride[d] == packed && array.size[d] < MaxTileIndex / 2;
    packed *= array.size[d];
  }
  return can && shape.Lines() < INT_MAX && shape.Samples() < INT_MAX;
}

/** Returns the boxes of the output of a list. Nothing is known about its coordinates. Boxes are 16 x 8 x 16, and tiles
 * are chosen for maps that neither stretch nor rotate them much, with two blocks per multiprocessor. */
TilePlan
PlanOfList(const EvaluationArguments<3> & source, const ArrayShape & shape, const SharedMemorySizes & memory)
{
  constexpr int mostSlices = 28;
  constexpr int leastSlices = 20;
  constexpr int reserved = 1024; // shared memory in bytes that the system uses in each block
  TilePlan      plan;
  plan.threads = 512;
  plan.axis[1] = 1;
  plan.axis[2] = 2;
  plan.logExtent[0] = 4;
  plan.logExtent[1] = 3;
  plan.logExtent[2] = 4;
  const auto bytes = [&plan] { return static_cast<int>(TileBytes(plan)); };
  for (plan.slices = mostSlices; plan.slices > leastSlices && 2 * (bytes() + reserved) > memory.multiprocessor;
       --plan.slices)
  {}
  plan.exists = 2 * (bytes() + reserved) <= memory.multiprocessor && bytes() <= memory.block && shape.size[2] >= 16 &&
                shape.size[1] >= 8 && shape.size[0] >= 16;
  constexpr std::int64_t few = 65536; // elements; for fewer, a check of their coordinates does not pay
  plan.exists = plan.exists && source.samples * shape.Lines() >= few;
  plan.rows = static_cast<int>(shape.size[1]);
  plan.isAligned = AreRowsAligned(source.source, source.extent.size[0]);
  return plan;
}

/** Returns the fraction of the elements of a map by axis whose coordinates are not folded. */
double
PartInside(const ArrayArguments & array, const EvaluationArguments<3> & source)
{
  double part = 1.0;
  for (unsigned int d = 0; d < 3; ++d)
  {
    const auto   count = static_cast<double>(array.output.shape.size[2 - d]);
    const double ends[2] = { AxisCoordinate(array, d, 0.0), AxisCoordinate(array, d, count - 1.0) };
    const double low = std::min(ends[0], ends[1]);
    const double high = std::max(ends[0], ends[1]);
    const double inside = std::min(high, source.upper[d]) - std::max(low, source.lower[d]);
    part *= high > low ? std::max(inside / (high - low), 0.0) : (inside >= 0.0 ? 1.0 : 0.0);
  }
  return part;
}

/** Computes the approximate change of a coordinate (first index) for a step along an axis of the output (second index,
 * x first). */
void
FindSteps(const ArrayArguments & array, double (&steps)[3][3])
{
  for (int d = 0; d < 3; ++d)
  {
    for (int j = 0; j < 3; ++j)
    {
      steps[d][j] = GoesByAxes(array.map) ? (d == j ? array.scale[d] : 0.0) : array.matrix[d][2 - j];
    }
  }
}

template <unsigned int VOrder, template <unsigned int> class TRule>
void
LaunchArrayKernel(const EvaluationArguments<3> & source,
                  const ArrayArguments &         array,
                  const TilePlan &               plan,
                  const SharedMemorySizes &      memory,
                  const Stream &                 stream)
{
  const ArrayShape & shape = array.output.shape;
  const auto         kernel = ArrayTileKernel<VOrder, TRule>;
  LaunchTileKernel(kernel, plan, shape.size[2], shape.Lines(), memory, "ArrayTileKernel", [&](const dim3 & grid) {
    kernel<<<grid, static_cast<unsigned int>(plan.threads), TileBytes(plan), stream.Get()>>>(
      source, array, shape.Lines(), plan);
  });
}

template <unsigned int VOrder, template <unsigned int> class TRule>
bool
LaunchMap(const ArrayArguments & array, const Stream & stream)
{
  const ArrayShape &           shape = array.output.shape;
  const EvaluationArguments<3> source = SourceOf(array);
  const std::int64_t           counts[3] = { shape.size[2], shape.size[1], shape.size[0] };
  constexpr double             most = 0.75; // folded elements are evaluated without tiles, which costs less by axes
  if (GoesByAxes(array.map) && array.mode != ArrayMode::Constant && !(PartInside(array, source) >= most))
  {
    return false;
  }
  double steps[3][3];
  FindSteps(array, steps);
  const SharedMemorySizes memory = GetSharedMemorySizes();
  const bool              isAligned = AreRowsAligned(source.source, source.extent.size[0]);
  const TilePlan          plan =
    PlanTiles(steps, counts, TileReader<ArrayMethod<VOrder>>::Taps, Derivatives::None, isAligned, memory);
  if (!FitsGrid(plan, counts[0], shape.Lines()))
  {
    return false;
  }
  LaunchArrayKernel<VOrder, TRule>(source, array, plan, memory, stream);
  return true;
}

/** Returns whether the coordinates of a list are close together in each box. The host waits for the device, which
 * checks them. */
bool
IsSpatiallyCoherent(const ArrayArguments &         array,
                    const EvaluationArguments<3> & source,
                    const TilePlan &               plan,
                    const Stream &                 stream)
{
  const ArrayShape & shape = array.output.shape;
  const auto         blocksOf = [&plan](std::int64_t count, int axis) {
    return static_cast<unsigned int>((count + (std::int64_t{ 1 } << plan.logExtent[axis]) - 1) >> plan.logExtent[axis]);
  };
  const uint3        grid{ blocksOf(shape.size[2], 0), blocksOf(shape.size[1], 1), blocksOf(shape.size[0], 2) };
  unsigned int       count = 0;
  const DeviceBuffer fitting(sizeof(count), stream);
  CheckCuda(cudaMemsetAsync(fitting.Data(), 0, sizeof(count), stream.Get()), "cudaMemsetAsync");
  ArrayFittingBoxesKernel<<<ProbedBoxes, static_cast<unsigned int>(plan.threads), 0, stream.Get()>>>(
    source, array, shape.Lines(), plan, grid, static_cast<unsigned int *>(fitting.Data()));
  CheckCuda(cudaGetLastError(), "ArrayFittingBoxesKernel");
  CheckCuda(cudaMemcpyAsync(&count, fitting.Data(), sizeof(count), cudaMemcpyDeviceToHost, stream.Get()),
            "cudaMemcpyAsync");
  stream.Synchronize();
  return count >= MinFittingBoxes;
}

template <unsigned int VOrder>
bool
LaunchList(const ArrayArguments & array, const Stream & stream)
{
  const ArrayShape &           shape = array.output.shape;
  const EvaluationArguments<3> source = SourceOf(array);
  const SharedMemorySizes      memory = GetSharedMemorySizes();
  const TilePlan               plan = PlanOfList(source, shape, memory);
  if (!FitsGrid(plan, source.samples, shape.Lines()) || !IsSpatiallyCoherent(array, source, plan, stream))
  {
    return false;
  }
  LaunchArrayKernel<VOrder, ListRule>(source, array, plan, memory, stream);
  return true;
}

template <unsigned int VOrder>
bool
LaunchOrder(const ArrayArguments & array, const Stream & stream)
{
  if (array.map == ArrayMap::Affine)
  {
    return LaunchMap<VOrder, AffineRule>(array, stream);
  }
  if constexpr (VOrder % 2 == 1 && VOrder >= 3) // other orders are rare, and do not have all kernels
  {
    return GoesByAxes(array.map) ? LaunchMap<VOrder, AxisRule>(array, stream) : LaunchList<VOrder>(array, stream);
  }
  return false;
}

} // namespace

bool
ListLiesTogether(const ArrayArguments & array, const Stream & stream)
{
  if (array.map != ArrayMap::Coordinates || !CanTile(array))
  {
    return false;
  }
  const EvaluationArguments<3> source = SourceOf(array);
  const TilePlan               plan = PlanOfList(source, array.output.shape, GetSharedMemorySizes());
  return plan.exists && IsSpatiallyCoherent(array, source, plan, stream);
}

bool
LaunchArrayTiles(const ArrayArguments & array, const Stream & stream)
{
  if (!CanTile(array))
  {
    return false;
  }
  switch (array.order)
  {
    case 1:
      return LaunchOrder<1>(array, stream);
    case 2:
      return LaunchOrder<2>(array, stream);
    case 3:
      return LaunchOrder<3>(array, stream);
    case 4:
      return LaunchOrder<4>(array, stream);
    default:
      return LaunchOrder<5>(array, stream);
  }
}

} // namespace itk::CudaSpline
