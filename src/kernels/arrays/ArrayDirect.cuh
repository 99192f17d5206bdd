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

#include "kernels/arrays/ArrayDirectLine.cuh"
#include "kernels/arrays/ArrayEvaluation.h"
#include "kernels/arrays/ArrayKernels.cuh"
#include "kernels/arrays/ShortArrayStart.cuh"

#include <cstdint>
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
constexpr int MaxDirectSamples = 8;

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
  const int start = ShortArrayStart<VOrder>(x, middle);
  position = static_cast<TReal>(x - middle);
  return start;
}

/** ArrayValue() as a function of its own, so that the others do not pay for its registers. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __noinline__ double
ArrayValueApart(const ArrayArguments & arguments, std::int64_t batch, double (&x)[VDimension])
{
  return ArrayValue<VDimension, VOrder, TReal>(arguments, batch, x);
}

/** The value of a coordinate whose support is not all within, or the border value, which is not rounded to TReal. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __forceinline__ double
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
  return direct.isBounded && isBeyond ? arguments.output.border
                                      : ArrayValueApart<VDimension, VOrder, TReal>(arguments, batch, copied);
}

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
    const std::int64_t at = places.output + sample * direct.sample.output;
    if (isWithin)
    {
      StoreElement(arguments.output, at, reader(direct, first, x));
    }
    else
    {
      const ArrayOutput & output = arguments.output;
      StoreRounded(output.data, output.type, at, ValueAtEdge<VDimension, VOrder, TReal>(arguments, direct, first, x));
    }
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
  return order <= (sizeof(TReal) == 4 ? 3 : 1) ? 4 : (order <= 3 ? 3 : 2);
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
