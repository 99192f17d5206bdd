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
#ifndef AxisPlaces_cuh
#define AxisPlaces_cuh

#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/marches/TiledKernels.h"

#include <climits>
#include <type_traits>
#include <utility>

/** \file
 * \brief Lines, rows and slices of tiles for blocks that march along z. */

namespace itk::CudaSpline
{

/** A basis whose number of taps is chosen at run time. The kernels are compiled for numbers of taps. */
template <unsigned int VTaps>
struct TapBasis
{
  static constexpr unsigned int Taps = VTaps;

  bool                  isCubicConvolution;
  CubicConvolutionBasis cubicConvolution;

  /** Returns the first index of the support of a coordinate. */
  __device__ __forceinline__ int
  First(double x) const
  {
    if constexpr (VTaps == CubicConvolutionBasis::Taps)
    {
      if (isCubicConvolution)
      {
        return CubicConvolutionBasis::Start<int>(x);
      }
    }
    return SplineBasis<VTaps - 1>::template Start<int>(x);
  }
  /** Also computes the weights. */
  template <typename TReal>
  __device__ __forceinline__ void
  Evaluate(double x, int & first, TReal * weights) const
  {
    first = this->First(x);
    if constexpr (VTaps == CubicConvolutionBasis::Taps)
    {
      if (isCubicConvolution)
      {
        cubicConvolution.Weights(static_cast<TReal>(CubicConvolutionBasis::Position(x, first)), weights);
        return;
      }
    }
    using Spline = SplineBasis<VTaps - 1>;
    Spline().Weights(static_cast<TReal>(Spline::Position(x, first)), weights);
  }
};

/** Position of a continuous index on one axis: the same as BasisSupport and FillWeights() for this axis, bit for bit.
 *
 * Indices inside fit into an int, which PlanMapTiles() guarantees. */
template <unsigned int VTaps, typename TReal>
struct AxisPlace
{
  static constexpr int Outside = INT_MIN; ///< base of an index that is out of bounds

  int   base;           ///< first sample of the support, counted from the first sample of the source
  TReal weights[VTaps]; ///< unused outside

  template <unsigned int VDimension>
  __device__ __forceinline__
  AxisPlace(const TapBasis<VTaps> &                 basis,
            const EvaluationArguments<VDimension> & arguments,
            unsigned int                            axis,
            double                                  index)
  {
    int first;
    basis.Evaluate(index, first, weights);
    const bool inside = index >= arguments.lower[axis] && index < arguments.upper[axis];
    base = inside ? first - static_cast<int>(arguments.extent.start[axis]) : Outside;
  }
};

/** Maximum number of output slices of a block. */
constexpr int MaxSlices = 128;

/** The slices of a slab. The first and the last one may be incomplete. A slab in two dimensions is one slice.
 *
 * Slices are numbered from the first one of the slab. */
struct SlabSlices
{
  std::int64_t first;         ///< first line of the slab, counted from the start of its first slice: 0 to rows - 1
  std::int64_t rows;          ///< rows of a slice
  std::int64_t lines;         ///< lines of the slab
  int          count;         ///< slices that the slab contains at least partly
  int          firstComplete; ///< first slice that the slab contains completely
  int          endOfComplete; ///< one past the last such slice

  /** Returns a line of the slab. It is negative or beyond the last line if the slab does not have this line. */
  __device__ __forceinline__ std::int64_t
                             LineOf(std::int64_t slice, std::int64_t row) const
  {
    return slice * rows + row - first;
  }
  /** Returns a line of the slab on a row, or -1 if there is none. */
  __device__ __forceinline__ std::int64_t
                             LineOnRow(std::int64_t row) const
  {
    const std::int64_t line = row >= first ? row - first : row + rows - first;
    return row >= 0 && row < rows && line < lines ? line : -1;
  }
  /** Returns the first row in a range on which the slab has a line (the last one if \p last), or -1 if there is none.
   */
  __device__ __forceinline__ std::int64_t
                             RowWithin(std::int64_t begin, std::int64_t end, bool last) const
  {
    // The slab has lines on the rows of its first slice from `first` on, and on the rows of the next slice before its
    // end.
    const std::int64_t endOfNext = min(end, first + lines - rows);
    const std::int64_t beginOfFirst = max(begin, first);
    const std::int64_t endOfFirst = min(end, min(rows, first + lines));
    const bool         isOfFirst = beginOfFirst < endOfFirst;
    const bool         isOfNext = begin < endOfNext;
    if (last)
    {
      return isOfFirst ? endOfFirst - 1 : (isOfNext ? endOfNext - 1 : -1);
    }
    return isOfNext ? begin : (isOfFirst ? beginOfFirst : -1);
  }
  /** Returns whether the slab has all lines of a range of slices. */
  __device__ __forceinline__ bool
  AreWhole(int begin, int end) const
  {
    return begin >= firstComplete && end <= endOfComplete;
  }
  /** Returns a line of the slab in a slice. */
  __device__ __forceinline__ std::int64_t
                             LineInSlice(std::int64_t slice) const
  {
    const std::int64_t line = slice * rows - first;
    return line > 0 ? line : 0;
  }
};

/** Returns the slices of a slab of \p lines lines. */
template <unsigned int VDimension>
SlabSlices
SlicesOfSlab(const EvaluationArguments<VDimension> & arguments, std::int64_t lines)
{
  SlabSlices slab{};
  slab.lines = lines;
  slab.rows = arguments.sliceLines > 0 ? arguments.sliceLines : lines;
  slab.first = arguments.sliceLines > 0 ? arguments.firstLine % slab.rows : 0;
  slab.count = static_cast<int>((slab.first + lines - 1) / slab.rows) + 1;
  slab.firstComplete = slab.first > 0 ? 1 : 0;
  slab.endOfComplete = static_cast<int>((slab.first + lines) / slab.rows);
  return slab;
}

/** Arguments that a launch adds. */
struct TiledPart
{
  SlabSlices slab;
  int        chunk;              ///< output slices of a block
  int        component;          ///< component of the pixels that is computed
  bool       isCubicConvolution; ///< otherwise a B-spline
};

/** Stores a float. Most outputs are floats, and this function does not choose a type. */
template <typename TReal>
__device__ __forceinline__ float
FloatOf(bool inside, std::uint64_t outside, TReal value)
{
  return inside ? CastToFloat(value) : __uint_as_float(static_cast<unsigned int>(outside));
}

/** Returns a bit for each row of a thread that is a line of the slab.
 *
 * \param[in] line line of the first row
 * \param[in] step lines between rows
 * \param[in] rows a bit for each requested row */
__device__ __forceinline__ unsigned int
LinesWithin(std::int64_t line, std::int64_t step, unsigned int rows, std::int64_t lines)
{
  if (rows == 0 || (line >= 0 && line + (31 - __clz(static_cast<int>(rows))) * step < lines))
  {
    return rows;
  }
  unsigned int within = 0;
  for (unsigned int i = 0; i < 32; ++i, line += step)
  {
    within |= (rows >> i & 1U) != 0 && line >= 0 && line < lines ? 1U << i : 0U;
  }
  return within;
}

/** Stores a value, or the default pixel, like the general kernel. */
template <typename TReal>
__device__ __forceinline__ void
StoreValue(void * output, StoredType type, std::int64_t at, bool inside, std::uint64_t outside, TReal value)
{
  if (inside)
  {
    StoreScalar(output, type, at, value);
  }
  else
  {
    StoreBits(output, at, outside, SizeOf(type));
  }
}

/** Calls \p step with std::integral_constant of 0, 1, ... until it returns false. The index is a constant in the body
 * of this loop, so arrays that are indexed by it stay in registers.
 *
 * \return whether all calls returned true */
template <int... VPhases, typename TStep>
__device__ __forceinline__ bool
StepThrough(std::integer_sequence<int, VPhases...>, const TStep & step)
{
  return (step(std::integral_constant<int, VPhases>()) && ...);
}

/** Slices of the input in the order in which a march along z needs them, each of them once. The list is in shared
 * memory.
 *
 * \tparam VTaps slices of a support */
template <int VTaps>
struct SliceList
{
  std::int64_t offsets[MaxSlices * VTaps]; ///< offsets of the first elements of the slices; negative: border
  int          ready[MaxSlices + 1];       ///< by output slice: list position of the last slice of its support; end: -1
  int          sums[2][MaxSlices];         ///< scratch

  /** Makes the list. All threads of the block need to call it; it synchronizes them.
   *
   * \param[in] bases first slice of the support of each output slice, in nondecreasing order, in shared memory
   * \param[in] count number of bases, less than the number of threads of the block
   * \param[in] size slices of the input
   * \param[in] extension extension of the input beyond these slices
   * \param[in] sliceSize elements of a slice */
  __device__ __forceinline__ void
  Make(const int * bases, int count, std::int64_t size, Extension extension, std::int64_t sliceSize)
  {
    const int i = static_cast<int>(threadIdx.x);
    int       added = 0;
    if (i < count)
    {
      added = i == 0 ? VTaps : min(VTaps, bases[i] - bases[i - 1]);
      sums[0][i] = added;
    }
    int from = 0;
    for (int step = 1; step < count; step *= 2, from = 1 - from)
    {
      __syncthreads();
      if (i < count)
      {
        sums[1 - from][i] = sums[from][i] + (i >= step ? sums[from][i - step] : 0);
      }
    }
    if (i < count)
    {
      const int last = sums[from][i] - 1;
      ready[i] = last;
      for (int k = 0; k < added; ++k)
      {
        const std::int64_t slice = FoldIndex(bases[i] + VTaps - 1 - k, size, extension);
        offsets[last - k] = slice < 0 ? -1 : slice * sliceSize;
      }
    }
    if (i == count)
    {
      ready[i] = -1;
    }
    __syncthreads();
  }
};

} // namespace itk::CudaSpline

#endif
