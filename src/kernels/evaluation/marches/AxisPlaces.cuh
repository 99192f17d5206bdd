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
 * \brief What blocks that march along z know about the lines, rows and slices of their tiles. */

namespace itk::CudaSpline
{

/** A basis with that many taps, chosen at run time: the kernels are compiled for numbers of taps. */
template <unsigned int VTaps>
struct TapBasis
{
  static constexpr unsigned int Taps = VTaps;

  bool                  isCubicConvolution;
  CubicConvolutionBasis cubicConvolution;

  /** First index of the support of a coordinate. */
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
  /** The same and the weights. */
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

/** Where a continuous index falls on one axis: what BasisSupport and FillWeights() do for that axis, bit for bit.
 *
 * Indices that are inside fit into an int: PlanMapTiles() sees to it. */
template <unsigned int VTaps, typename TReal>
struct AxisPlace
{
  static constexpr int Outside = INT_MIN; ///< base of an index out of bounds

  int   base;           ///< first sample of the support, from the source's first
  TReal weights[VTaps]; ///< not used outside

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

/** Slices of the output that a block makes at most. */
constexpr int MaxSlices = 128;

/** The slices of a slab, of which the first and the last may lack lines; those of two dimensions are one.
 *
 * Slices are numbered from the slab's first one. */
struct SlabSlices
{
  std::int64_t first;         ///< first line of the slab from the begin of its first slice: 0 to rows - 1
  std::int64_t rows;          ///< of a slice
  std::int64_t lines;         ///< of the slab
  int          count;         ///< slices that the slab touches
  int          firstComplete; ///< first slice that the slab has whole
  int          endOfComplete; ///< one past the last one

  /** Line of the slab, negative or beyond the last one where the slab has no such line. */
  __device__ __forceinline__ std::int64_t
                             LineOf(std::int64_t slice, std::int64_t row) const
  {
    return slice * rows + row - first;
  }
  /** A line of the slab on that row; -1 where there is none. */
  __device__ __forceinline__ std::int64_t
                             LineOnRow(std::int64_t row) const
  {
    const std::int64_t line = row >= first ? row - first : row + rows - first;
    return row >= 0 && row < rows && line < lines ? line : -1;
  }
  /** The first (\p last: the last) of some rows that the slab has lines on; -1 where it has none on any. */
  __device__ __forceinline__ std::int64_t
                             RowWithin(std::int64_t begin, std::int64_t end, bool last) const
  {
    // Its lines are on rows of its first slice, from the first one on, and on rows before those of the next.
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
  /** True where the slab has all lines of some slices. */
  __device__ __forceinline__ bool
  AreWhole(int begin, int end) const
  {
    return begin >= firstComplete && end <= endOfComplete;
  }
  /** A line of the slab in that slice. */
  __device__ __forceinline__ std::int64_t
                             LineInSlice(std::int64_t slice) const
  {
    const std::int64_t line = slice * rows - first;
    return line > 0 ? line : 0;
  }
};

/** The slices of \p lines lines. */
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

/** What a launch adds to the arguments. */
struct TiledPart
{
  SlabSlices slab;
  int        chunk;              ///< slices of the output that a block makes
  int        component;          ///< of the pixels, which is computed
  bool       isCubicConvolution; ///< else a B-spline
};

/** The same of floats: what most outputs are, without the choice of a type. */
template <typename TReal>
__device__ __forceinline__ float
FloatOf(bool inside, std::uint64_t outside, TReal value)
{
  return inside ? CastToFloat(value) : __uint_as_float(static_cast<unsigned int>(outside));
}

/** Sets a bit of the result for each of a thread's rows that are lines of the slab.
 *
 * \param[in] line line of the first row
 * \param[in] step lines between rows
 * \param[in] rows a bit for each row that is wanted */
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

/** Stores a value, or the default pixel, as the general kernel does. */
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

/** Calls \p step with std::integral_constant of 0, 1, ... until it returns false: a loop whose index is a constant of
 * its body, so that arrays that are indexed by it stay in registers.
 *
 * \return whether none did */
template <int... VPhases, typename TStep>
__device__ __forceinline__ bool
StepThrough(std::integer_sequence<int, VPhases...>, const TStep & step)
{
  return (step(std::integral_constant<int, VPhases>()) && ...);
}

/** Slices of the input in the order in which a march along z needs them, each of them once, in shared memory.
 *
 * \tparam VTaps slices of a support */
template <int VTaps>
struct SliceList
{
  std::int64_t offsets[MaxSlices * VTaps]; ///< of their first elements; negative: border
  int          ready[MaxSlices + 1]; ///< by output slice: place of the last slice of its support; -1 after the last
  int          sums[2][MaxSlices];   ///< scratch

  /** Makes the list; all threads of the block, which then wait.
   *
   * \param[in] bases first slice of each output slice's support, not falling, in shared memory
   * \param[in] count of them, at most as many as the block has threads
   * \param[in] size slices of the input
   * \param[in] extension beyond them
   * \param[in] sliceSize elements of one */
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
