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
#ifndef ArrayDirect_cuh
#define ArrayDirect_cuh

#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/ArrayEvaluation.h"
#include "kernels/ArrayKernels.cuh"
#include "kernels/ScanlineSpan.cuh"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

/** \file
 * \brief Elements at the coordinates of any map, of arrays of two and three dimensions, each from its own taps.
 *
 * What decides is the number of instructions, so what is usual is short: supports within the array, whose indices are
 * of 32 bits and found without conversions, by comparisons with bounds that the host has made. All else is for
 * ArrayValue(), whose sums these are. */

namespace itk::CudaSpline
{

namespace
{

/** Elements along a line that a thread makes, one after the other, at most. */
constexpr int MostDirectSamples = 8;

/** What an axis of the output adds. */
template <unsigned int VDimension>
struct DirectAxis
{
  std::int64_t output;            ///< elements of the output
  std::int64_t batch;             ///< elements of the source
  double       place[VDimension]; ///< of an affine map, to the coordinates

  DirectAxis(const ArrayArguments & arguments, unsigned int last, unsigned int before)
    : output(before > last ? 0 : arguments.output.shape.stride[last - before])
    , batch(before > last ? 0 : arguments.batchStride[last - before])
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = before > last ? 0.0 : arguments.matrix[d][last - before];
    }
  }
};

/** What is the same for all elements. Axes of the source, x first. */
template <unsigned int VDimension>
struct ArrayDirect
{
  double                 low[VDimension];  ///< least coordinate whose support is within the array
  double                 high[VDimension]; ///< coordinates below it are so too
  double                 last[VDimension]; ///< index of the last element
  int                    stride[VDimension];
  DirectAxis<VDimension> sample;
  DirectAxis<VDimension> row;
  DirectAxis<VDimension> slice;
  unsigned int           rows;      ///< of a slice
  bool                   isShallow; ///< the output has no more axes than these, and 2^32 lines at most
  bool                   isBounded; ///< the border value stands beyond the ends

  explicit ArrayDirect(const ArrayArguments & arguments)
    : sample(arguments, arguments.output.shape.dimension - 1, 0)
    , row(arguments, arguments.output.shape.dimension - 1, 1)
    , slice(arguments, arguments.output.shape.dimension - 1, 2)
  {
    const ArrayShape & shape = arguments.output.shape;
    const auto         half = static_cast<double>(arguments.order / 2);
    const bool         isOdd = arguments.order % 2 == 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      last[d] = static_cast<double>(arguments.size[d] - 1);
      // Even orders: half a sample more is rounded down, and rounded before that, by less than what is left out here.
      low[d] = std::max(isOdd ? half : half - 0.5, 0.0);
      high[d] = std::min(isOdd ? last[d] - half : last[d] - half + 0.5 - 0x1p-20, last[d]);
      stride[d] = static_cast<int>(arguments.stride[d]);
    }
    isShallow = shape.dimension <= 3 && shape.Lines() <= std::numeric_limits<std::uint32_t>::max();
    rows = isShallow && shape.dimension >= 2 ? static_cast<unsigned int>(shape.size[shape.dimension - 2]) : 1;
    isBounded = arguments.mode == ArrayMode::Constant;
  }

  /** Whether the source is small enough. */
  static bool
  CanEvaluate(const ArrayArguments & arguments)
  {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const ArrayShape &     output = arguments.output.shape;
    bool                   can = arguments.dimension == VDimension &&
               (arguments.map == ArrayMap::Coordinates || (output.Samples() <= most && output.Lines() <= most));
    for (unsigned int d = 0; d < VDimension && can; ++d)
    {
      can = arguments.size[d] < (std::int64_t{ 1 } << 30) && arguments.stride[d] <= most;
    }
    return can;
  }
};

/** ContiguousTaps, or StridedTaps, of neighbours less than 2^31 elements apart. */
template <unsigned int VDimension, typename TStored>
struct DirectTaps
{
  const TStored * data;
  int             stride[VDimension];

  __device__ __forceinline__ std::int64_t
                             Offset(unsigned int axis, unsigned int tap) const
  {
    return std::int64_t{ stride[axis] } * static_cast<int>(tap);
  }
  template <typename TReal>
  __device__ __forceinline__ TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return data[at + (ArrayRowsAreContiguous<VDimension> ? std::int64_t{ tap } : this->Offset(0, tap))];
  }
};

/** ArraySupport() of a coordinate within 2^30 of 0. */
template <unsigned int VOrder, typename TReal>
__device__ __forceinline__ int
ShortArraySupport(double x, TReal & position)
{
  double    middle;
  const int start = ShortFloorIndex(VOrder % 2 == 1 ? x : RoundedSum(x, 0.5), middle) - static_cast<int>(VOrder / 2);
  position = static_cast<TReal>(x - middle);
  return start;
}

/** ArrayValue() as a function of its own, so that the others do not pay for its registers. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __noinline__ TReal
ArrayValueApart(const ArrayArguments & arguments, std::int64_t batch, double (&x)[VDimension])
{
  return static_cast<TReal>(ArrayValue<VDimension, VOrder, TReal>(arguments, batch, x));
}

/** The value of a coordinate whose support is not all within. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __forceinline__ TReal
ValueAtEdge(const ArrayArguments &          arguments,
            const ArrayDirect<VDimension> & direct,
            std::int64_t                    batch,
            const double (&x)[VDimension])
{
  double copied[VDimension]; // in memory for the call; x stays in registers
  bool   isBeyond = false;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    copied[d] = x[d];
    isBeyond = isBeyond || !(x[d] >= 0.0 && x[d] <= direct.last[d]);
  }
  return direct.isBounded && isBeyond ? static_cast<TReal>(arguments.output.border)
                                      : ArrayValueApart<VDimension, VOrder, TReal>(arguments, batch, copied);
}

/** A line of the output, and the coordinates of its elements by the operations of ArrayCoordinates().
 *
 * \tparam VList they are those of a list */
template <unsigned int VDimension, bool VList>
class DirectLine
{
public:
  std::int64_t output{ 0 }; ///< offset of its first element
  std::int64_t batch{ 0 };  ///< offset of the array that is interpolated, of its first element

  __device__ __forceinline__
  DirectLine(const ArrayArguments & arguments, const ArrayDirect<VDimension> & direct, std::int64_t line)
    : m_First(line * arguments.output.shape.Samples())
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Base[d] = arguments.offset[d];
    }
    if (direct.isShallow)
    {
      const unsigned int slice = static_cast<unsigned int>(line) / direct.rows;
      const unsigned int row = static_cast<unsigned int>(line) - slice * direct.rows;
      this->Add(direct.slice, slice);
      this->Add(direct.row, row);
      if (GoesByAxes(arguments.map))
      {
        m_Base[1] = AxisOf(arguments, 1, row);
        if constexpr (VDimension > 2)
        {
          m_Base[2] = AxisOf(arguments, 2, slice);
        }
      }
    }
    else // no map by axis
    {
      const ArrayShape & shape = arguments.output.shape;
      std::int64_t       index[MaximumArrayDimension];
      shape.IndexOf(line, 0, index);
      output = shape.OffsetOf(index);
      CUDASPLINE_UNROLL
      for (unsigned int k = 0; k + 1 < MaximumArrayDimension; ++k)
      {
        batch += index[k] * arguments.batchStride[k];
        for (unsigned int d = 0; d < VDimension && k + 1 < shape.dimension; ++d)
        {
          m_Base[d] = RoundedSum(m_Base[d], RoundedProduct(static_cast<double>(index[k]), arguments.matrix[d][k]));
        }
      }
    }
  }

  __device__ __forceinline__ void
  At(const ArrayArguments &          arguments,
     const ArrayDirect<VDimension> & direct,
     std::int64_t                    sample,
     double (&x)[VDimension]) const
  {
    if (VList || arguments.map == ArrayMap::Coordinates)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const std::int64_t number = arguments.coordinateStride[d] + m_First + sample;
        const double       given = arguments.coordinateType == ScalarType::Float64
                                     ? static_cast<const double *>(arguments.coordinates)[number]
                                     : LoadScalar<double>(arguments.coordinates, arguments.coordinateType, number);
        x[d] = RoundedSum(given, arguments.padding);
      }
      return;
    }
    const double place = ExactDouble(static_cast<int>(sample));
    if (arguments.map == ArrayMap::Affine)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        x[d] = RoundedSum(RoundedSum(m_Base[d], RoundedProduct(place, direct.sample.place[d])), arguments.padding);
      }
    }
    else
    {
      x[0] = AxisOf(arguments, 0, place);
      for (unsigned int d = 1; d < VDimension; ++d)
      {
        x[d] = m_Base[d];
      }
    }
  }

private:
  __device__ __forceinline__ void
  Add(const DirectAxis<VDimension> & axis, unsigned int index)
  {
    output += index * axis.output;
    batch += index * axis.batch;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      m_Base[d] = RoundedSum(m_Base[d], RoundedProduct(static_cast<double>(index), axis.place[d]));
    }
  }
  __device__ static __forceinline__ double
  AxisOf(const ArrayArguments & arguments, unsigned int axis, double index)
  {
    return AxisCoordinate(
      index, arguments.map == ArrayMap::PixelScale, arguments.scale[axis], arguments.shift[axis], arguments.padding);
  }

  double       m_Base[VDimension];
  std::int64_t m_First;
};

/** Stores a value in an output of floats without a conversion. */
template <typename TReal>
__device__ __forceinline__ void
StoreElement(const ArrayOutput & output, std::int64_t at, TReal value)
{
  if (std::is_same_v<TReal, float> && output.type == ScalarType::Float32)
  {
    static_cast<float *>(output.data)[at] = static_cast<float>(value);
  }
  else
  {
    StoreRounded(output.data, output.type, at, static_cast<double>(value));
  }
}

/** Sums of the taps where they are in the source. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
struct DirectReader
{
  static constexpr bool IsOfLists = false; ///< maps are lists of coordinates always

  const TReal * source;

  /** The value of a coordinate whose support is within.
   *
   * \param[in] first offset of the array that is interpolated */
  __device__ __forceinline__ TReal
  operator()(const ArrayDirect<VDimension> & direct, std::int64_t first, const double (&x)[VDimension]) const
  {
    TensorWeights<VDimension, VOrder + 1, Derivatives::None, TReal> weights;
    DirectTaps<VDimension, TReal>                                   support;
    support.data = source + first;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      TReal     position;
      const int start = ShortArraySupport<VOrder>(x[d], position);
      SplineWeights<VOrder>(position, weights.value[d]);
      support.stride[d] = direct.stride[d];
      support.data += std::int64_t{ start } * direct.stride[d];
    }
    Jet<VDimension, TReal> jet;
    TensorProductSum(support, weights, jet);
    return jet.value;
  }
};

/** The elements of a thread.
 *
 * \param[in] reader see DirectReader */
template <unsigned int VDimension, unsigned int VOrder, typename TReal, typename TReader>
__device__ __forceinline__ void
RunDirect(const ArrayArguments &          arguments,
          const ArrayDirect<VDimension> & direct,
          const ArrayTiles &              tiles,
          const TReader &                 reader)
{
  std::int64_t line;
  std::int64_t sample;
  if (!tiles.Find(line, sample))
  {
    return;
  }
  const DirectLine<VDimension, TReader::IsOfLists> places(arguments, direct, line);
  const std::int64_t end = min(tiles.samples, sample + std::int64_t{ tiles.times } * tiles.width);
  double             x[VDimension];
  places.At(arguments, direct, sample, x);
#pragma unroll 1
  while (sample < end)
  {
    // Those of a list come from memory: the next ones are under way while the taps are summed.
    const std::int64_t next = sample + tiles.width;
    double             then[VDimension] = {};
    if (next < end)
    {
      places.At(arguments, direct, next, then);
    }
    bool isWithin = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      isWithin = isWithin && x[d] >= direct.low[d] && x[d] < direct.high[d];
    }
    const std::int64_t first = places.batch + sample * direct.sample.batch;
    const TReal        value =
      isWithin ? reader(direct, first, x) : ValueAtEdge<VDimension, VOrder, TReal>(arguments, direct, first, x);
    StoreElement(arguments.output, places.output + sample * direct.sample.output, value);
    sample = next;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      x[d] = then[d];
    }
  }
}

/** Blocks of a multiprocessor, which bound the registers: many where taps are few or wait for memory. */
template <typename TReal>
constexpr int
DirectBlocks(unsigned int order)
{
  return order <= (sizeof(TReal) == 4 ? 3 : 1) ? 4 : 2;
}

template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__global__ void
__launch_bounds__(ArrayThreads, DirectBlocks<TReal>(VOrder))
  ArrayDirectKernel(const __grid_constant__ ArrayArguments arguments,
                    const __grid_constant__ ArrayDirect<VDimension> direct,
                    const ArrayTiles                                tiles)
{
  const DirectReader<VDimension, VOrder, TReal> reader{ static_cast<const TReal *>(arguments.source) };
  RunDirect<VDimension, VOrder, TReal>(arguments, direct, tiles, reader);
}

} // namespace
} // namespace itk::CudaSpline

#endif
