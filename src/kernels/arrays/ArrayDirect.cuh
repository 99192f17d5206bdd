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
 * \brief Evaluation at the coordinates of any map for arrays of two and three dimensions. Each element reads its taps
 * directly.
 *
 * The number of instructions is the bottleneck, so the common case is short: supports within the array that are found
 * without conversions, by comparisons with precomputed bounds, and have 32-bit indices. Everything else is left to
 * ArrayValue(), which computes the same sums. */

namespace itk::CudaSpline
{

namespace
{

/** Maximum number of elements along a line that a thread computes one after the other. */
constexpr int MaxDirectSamples = 8;

/** Same as ContiguousTaps or StridedTaps for neighbours less than 2^31 elements apart. */
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

/** Same as ArraySupport() for a coordinate within 2^30 of 0. */
template <unsigned int VOrder, typename TReal>
__device__ __forceinline__ int
ShortArraySupport(double x, TReal & position)
{
  double    middle;
  const int start = ShortArrayStart<VOrder>(x, middle);
  position = static_cast<TReal>(x - middle);
  return start;
}

/** ArrayValue() as a separate function, so that its registers are not reserved in the common case. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __noinline__ double
ArrayValueApart(const ArrayArguments & arguments, std::int64_t batch, double (&x)[VDimension])
{
  return ArrayValue<VDimension, VOrder, TReal>(arguments, batch, x);
}

/** Computes the value at a coordinate whose support is not entirely within the array, or the border value, which is not
 * rounded to TReal. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
__device__ __forceinline__ double
ValueAtEdge(const ArrayArguments &          arguments,
            const ArrayDirect<VDimension> & direct,
            std::int64_t                    batch,
            const double (&x)[VDimension])
{
  double copied[VDimension]; // copy in memory for the call, so that x stays in registers
  bool   isBeyond = false;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    copied[d] = x[d];
    isBeyond = isBeyond || !(x[d] >= 0.0 && x[d] <= direct.last[d]);
  }
  return direct.isBounded && isBeyond ? arguments.output.border
                                      : ArrayValueApart<VDimension, VOrder, TReal>(arguments, batch, copied);
}

/** Stores a value, without a conversion if the output consists of floats. */
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

/** Sums over taps that are read directly from the source. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
struct DirectReader
{
  static constexpr bool IsOfLists = false; ///< whether all maps are lists of coordinates

  const TReal * source;

  /** Computes the value at a coordinate whose support is within the array.
   *
   * \param[in] first offset of the interpolated array */
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

/** Computes the elements of a thread.
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
    // The coordinates of a list are in memory: the next ones are loaded while the taps are summed.
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

/** Number of blocks per multiprocessor, which limits the registers: many if there are few taps, or if the taps wait for
 * memory. */
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
