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
#include "itkCudaSpline/device/Stream.h"

#include "kernels/ArrayEvaluation.h"
#include "kernels/ArrayLaunchers.h"
#include "kernels/TileKernel.cuh"

#include <climits>
#include <cmath>
#include <cstdint>

/** \file
 * \brief Affine maps of arrays in three dimensions from tiles in shared memory: sums are those of ArrayValue(), and so
 * are the bits. */

namespace itk::CudaSpline
{

namespace
{

/** Splines whose supports begin by SciPy's rule. */
template <unsigned int VOrder>
struct ArrayBasis : SplineBasis<VOrder>
{
  /** ArraySupport(), of a coordinate within 2^30 of 0. */
  template <typename TIndex>
  __device__ static __forceinline__ TIndex
  Start(double x)
  {
    double floor;
    return ShortFloorIndex(VOrder % 2 == 1 ? x : RoundedSum(x, 0.5), floor) - static_cast<TIndex>(VOrder / 2);
  }
};

template <unsigned int VOrder>
struct ArrayMethod
{
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE ArrayBasis<VOrder>
                                                  Basis(const EvaluationArguments<3> &)
  {
    return ArrayBasis<VOrder>();
  }
};

/** The lines of the output lie as ArrayCoordinates() says. */
template <unsigned int VOrder>
struct ArrayRule
{
  /** Coordinates without what the sample adds. */
  struct Line
  {
    double base[3];
  };

  const EvaluationArguments<3> & source;
  const ArrayArguments &         array;

  __device__ __forceinline__ double
  PlaceOf(std::int64_t sample) const
  {
    return static_cast<double>(sample);
  }
  __device__ __forceinline__ void
  Prepare(std::int64_t number, bool, Line & line) const
  {
    const auto   rows = static_cast<unsigned int>(array.output.shape.size[1]);
    const double slice = static_cast<unsigned int>(number) / rows;
    const double row = static_cast<unsigned int>(number) % rows;
    for (int d = 0; d < 3; ++d)
    {
      line.base[d] = RoundedSum(RoundedSum(array.offset[d], RoundedProduct(slice, array.matrix[d][0])),
                                RoundedProduct(row, array.matrix[d][1]));
    }
  }
  __device__ __forceinline__ void
  IndexAt(const Line & line, double place, bool, double (&index)[3]) const
  {
    for (int d = 0; d < 3; ++d)
    {
      index[d] = RoundedSum(RoundedSum(line.base[d], RoundedProduct(place, array.matrix[d][2])), array.padding);
    }
  }
  __device__ __forceinline__ std::int64_t
                             OffsetOf(const OutputBox & output, int line) const
  {
    const ArrayShape & shape = array.output.shape;
    const auto         rows = static_cast<unsigned int>(shape.size[1]);
    const auto         number = static_cast<unsigned int>(output.firstLine) + static_cast<unsigned int>(line);
    return number / rows * shape.stride[0] + number % rows * shape.stride[1] + output.firstSample * shape.stride[2];
  }
  __device__ __forceinline__ std::int64_t
                             StepOf() const
  {
    return array.output.shape.stride[2];
  }
  template <Derivatives VDerivatives, bool VFloat>
  __device__ __forceinline__ void
  Store(bool inside, const Jet<3, float> & jet, std::int64_t at) const
  {
    if (!inside && this->LeavesOutside())
    {
      return;
    }
    if constexpr (VFloat)
    {
      static_cast<float *>(array.output.data)[at] = inside ? jet.value : static_cast<float>(array.output.border);
    }
    else
    {
      StoreRounded(
        array.output.data, array.output.type, at, inside ? static_cast<double>(jet.value) : array.output.border);
    }
  }
  __device__ __forceinline__ bool
  LeavesOutside() const
  {
    return array.mode != ArrayMode::Constant;
  }
  __device__ __forceinline__ void
  EvaluateApart(std::int64_t line, std::int64_t sample, bool onlyOutside) const
  {
    if (onlyOutside)
    {
      Line   prepared;
      double index[3];
      this->Prepare(line, false, prepared);
      this->IndexAt(prepared, this->PlaceOf(sample), false, index);
      if (source.IsInside(index))
      {
        return;
      }
    }
    EvaluateArrayElement<3, VOrder, float>(array, line, sample);
  }
};

template <unsigned int VOrder>
__global__ void
__launch_bounds__(TileThreadsOf(Derivatives::None), TileBlocksOf(Derivatives::None))
  ArrayTileKernel(const __grid_constant__ EvaluationArguments<3> source,
                  const __grid_constant__ ArrayArguments         array,
                  std::int64_t                                   lines,
                  const __grid_constant__ TilePlan               plan)
{
  const ArrayRule<VOrder> rule{ source, array };
  RunTile<ArrayMethod<VOrder>, Derivatives::None>(source, lines, plan, rule);
}

/** The source as the tile kernels read it. Inside is where FoldCoordinate() leaves a coordinate as it is. */
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
      margin = static_cast<double>(MostTileIndex / 2); // all of them are, but a tile has no more
    }
    source.lower[d] = -margin;
    source.upper[d] = std::nextafter(last + margin, HUGE_VAL);
  }
  return source;
}

/** Whether the kernels that take tiles can do it; all else is for those that take elements. */
bool
CanTile(const ArrayArguments & array)
{
  const ArrayShape & shape = array.output.shape;
  bool               can = array.isAffine && array.dimension == 3 && shape.dimension == 3 && array.order >= 1;
  std::int64_t       packed = 1;
  for (int d = 0; d < 3 && can; ++d)
  {
    can = array.batchStride[d] == 0 && array.stride[d] == packed && array.size[d] < MostTileIndex / 2;
    packed *= array.size[d];
  }
  return can && shape.Lines() < INT_MAX && shape.Samples() < INT_MAX;
}

template <unsigned int VOrder>
bool
LaunchOrder(const ArrayArguments & array, const Stream & stream)
{
  const ArrayShape &           shape = array.output.shape;
  const EvaluationArguments<3> source = SourceOf(array);
  const std::int64_t           counts[3] = { shape.size[2], shape.size[1], shape.size[0] };
  double                       steps[3][3];
  for (int d = 0; d < 3; ++d)
  {
    for (int j = 0; j < 3; ++j)
    {
      steps[d][j] = array.matrix[d][2 - j];
    }
  }
  const SharedMemorySizes memory;
  const TilePlan plan = PlanTilesOnDevice<ArrayMethod<VOrder>, Derivatives::None>(source, steps, counts, memory);
  const auto     kernel = ArrayTileKernel<VOrder>;
  return plan.exists &&
         LaunchTileKernel(kernel, plan, counts[0], shape.Lines(), memory, "ArrayTileKernel", [&](const dim3 & grid) {
           kernel<<<grid, static_cast<unsigned int>(plan.threads), TileBytes(plan), stream.Get()>>>(
             source, array, shape.Lines(), plan);
         });
}

} // namespace

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
