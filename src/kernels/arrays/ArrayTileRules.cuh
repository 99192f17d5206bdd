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
#ifndef ArrayTileRules_cuh
#define ArrayTileRules_cuh

#include "itkCudaSpline/math/SplineEvaluation.h"

#include "kernels/arrays/ArrayEvaluation.h"
#include "kernels/arrays/ShortArrayStart.cuh"
#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/boxes/TileWalk.cuh"

#include <cstdint>

/** \file
 * \brief Rules for the tile kernels (see TileKernel.cuh), which map the lines of the output to the interpolated array.
 * The sums are those of ArrayValue(), and the results are bit-identical. */

namespace itk::CudaSpline
{

namespace
{

/** Splines whose supports begin according to the rule of SciPy. */
template <unsigned int VOrder>
struct ArrayBasis : SplineBasis<VOrder>
{
  /** Same as ArraySupport() for a coordinate within 2^30 of 0. */
  template <typename TIndex>
  __device__ static __forceinline__ TIndex
  Start(double x)
  {
    double middle;
    return ShortArrayStart<VOrder>(x, middle);
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

/** Common part of the rules: the positions of elements of the output, and the value outside. */
struct ArrayElementRule
{
  const EvaluationArguments<3> & source;
  const ArrayArguments &         array;

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
};

/** Implements EvaluateApart() of a rule. */
template <unsigned int VOrder, typename TRule>
__device__ __forceinline__ void
EvaluateElementApart(const TRule & rule, std::int64_t line, std::int64_t sample, bool onlyOutside)
{
  if (onlyOutside)
  {
    typename TRule::Line prepared;
    double               index[3];
    rule.Prepare(line, false, prepared);
    rule.IndexAt(prepared, rule.PlaceOf(sample), false, index);
    if (rule.source.IsInside(index))
    {
      return;
    }
  }
  EvaluateArrayElement<3, VOrder, float>(rule.array, line, sample);
}

/** The lines of an affine map, computed like ArrayCoordinates(). */
template <unsigned int VOrder>
struct AffineRule : ArrayElementRule
{
  static constexpr bool IsMonotone = true;

  /** Coordinates without the contribution of the sample. */
  struct Line
  {
    double base[3];
  };

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
  __device__ __forceinline__ void
  EvaluateApart(std::int64_t line, std::int64_t sample, bool onlyOutside) const
  {
    EvaluateElementApart<VOrder>(*this, line, sample, onlyOutside);
  }
};

/** The lines of a map that treats each axis separately, computed like AxisCoordinate(). The position of a sample is its
 * coordinate. */
template <unsigned int VOrder>
struct AxisRule : ArrayElementRule
{
  static constexpr bool IsMonotone = true;

  /** Coordinates along the other axes. */
  struct Line
  {
    double y;
    double z;
  };

  __device__ __forceinline__ double
  PlaceOf(std::int64_t sample) const
  {
    return AxisCoordinate(array, 0, static_cast<double>(sample));
  }
  __device__ __forceinline__ void
  Prepare(std::int64_t number, bool, Line & line) const
  {
    const auto rows = static_cast<unsigned int>(array.output.shape.size[1]);
    line.y = AxisCoordinate(array, 1, static_cast<unsigned int>(number) % rows);
    line.z = AxisCoordinate(array, 2, static_cast<unsigned int>(number) / rows);
  }
  __device__ __forceinline__ void
  IndexAt(const Line & line, double place, bool, double (&index)[3]) const
  {
    index[0] = place;
    index[1] = line.y;
    index[2] = line.z;
  }
  __device__ __forceinline__ void
  EvaluateApart(std::int64_t line, std::int64_t sample, bool onlyOutside) const
  {
    EvaluateElementApart<VOrder>(*this, line, sample, onlyOutside);
  }
};

/** The lines of a list of coordinates, floats or doubles. The position of a sample is its index, stored in the bits of
 * a double.
 */
template <unsigned int VOrder>
struct ListRule : ArrayElementRule
{
  static constexpr bool IsMonotone = false;

  /** Index of the first element in the list. */
  struct Line
  {
    std::int64_t first;
  };

  __device__ __forceinline__ double
  PlaceOf(std::int64_t sample) const
  {
    return __longlong_as_double(sample);
  }
  __device__ __forceinline__ void
  Prepare(std::int64_t number, bool, Line & line) const
  {
    line.first = number * array.output.shape.size[2];
  }
  __device__ __forceinline__ void
  IndexAt(const Line & line, double place, bool, double (&index)[3]) const
  {
    const std::int64_t at = line.first + __double_as_longlong(place);
    for (int d = 0; d < 3; ++d)
    {
      const std::int64_t number = array.coordinateStride[d] + at;
      const double       x = array.coordinateType == ScalarType::Float32
                               ? static_cast<double>(static_cast<const float *>(array.coordinates)[number])
                               : static_cast<const double *>(array.coordinates)[number];
      index[d] = RoundedSum(x, array.padding);
    }
  }
  __device__ __forceinline__ void
  EvaluateApart(std::int64_t line, std::int64_t sample, bool onlyOutside) const
  {
    EvaluateElementApart<VOrder>(*this, line, sample, onlyOutside);
  }
};

} // namespace
} // namespace itk::CudaSpline

#endif
