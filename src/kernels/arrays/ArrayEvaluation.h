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
#ifndef ArrayEvaluation_h
#define ArrayEvaluation_h

#include "itkCudaSpline/math/ArrayMode.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/RoundedStore.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/arrays/ArrayArguments.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Computes an element of the output of InterpolateArray() at arbitrary coordinates, for host and device. */

namespace itk::CudaSpline
{

/** \brief Same as ContiguousTaps, but with a stride along x. */
template <unsigned int VDimension, typename TStored>
struct StridedTaps
{
  const TStored * data;
  std::int64_t    stride[VDimension];

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Offset(unsigned int axis, unsigned int tap) const
  {
    return static_cast<std::int64_t>(tap) * stride[axis];
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    return static_cast<TReal>(data[at + static_cast<std::int64_t>(tap) * stride[0]]);
  }
};

/** \brief Finds the first tap of the support of a coordinate, and the position in the support in the form that
 * SplineWeights() uses.
 *
 * Like SciPy, it computes the floor in double precision, in contrast to ITK (SplineSupportStart()). */
template <unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                         ArraySupport(double x, TReal & position)
{
  const double middle = std::floor(VOrder % 2 == 1 ? x : RoundedSum(x, 0.5));
  position = static_cast<TReal>(x - middle);
  return static_cast<std::int64_t>(middle) - static_cast<std::int64_t>(VOrder / 2);
}

/** \brief Computes the coordinate in the padded source for an element of the output, for maps that treat each axis
 * separately.
 *
 * \param[in] index index of the element along the axis */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
AxisCoordinate(double index, bool isPixel, double scale, double shift, double padding)
{
  const double x = isPixel ? RoundedSum(RoundedProduct(RoundedSum(index, 0.5), scale), -0.5)
                           : RoundedProduct(RoundedSum(index, shift), scale);
  return RoundedSum(x, padding);
}

/** \brief Selects the number of an axis from registers. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
PickNumber(const std::int64_t (&numbers)[MaximumArrayDimension], unsigned int axis)
{
  std::int64_t picked = 0;
  CUDASPLINE_UNROLL
  for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
  {
    picked = d == axis ? numbers[d] : picked;
  }
  return picked;
}

/** \brief AxisCoordinate() for an axis of the source. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
AxisCoordinate(const ArrayArguments & arguments, unsigned int axis, double index)
{
  return AxisCoordinate(
    index, arguments.map == ArrayMap::PixelScale, arguments.scale[axis], arguments.shift[axis], arguments.padding);
}

/** \brief Computes the coordinates of an element of the output in the padded source, without folding.
 *
 * \param[in] index index of the element along the axes of the output
 * \param[in] number index of the element in the list of coordinates
 * \param[out] x coordinates, x first */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
ArrayCoordinates(const ArrayArguments & arguments,
                 unsigned int           dimension,
                 const std::int64_t (&index)[MaximumArrayDimension],
                 std::int64_t number,
                 double (&x)[VDimension])
{
  for (unsigned int d = 0; d < dimension; ++d)
  {
    if (GoesByAxes(arguments.map))
    {
      x[d] =
        AxisCoordinate(arguments, d, static_cast<double>(PickNumber(index, arguments.output.shape.dimension - 1 - d)));
      continue;
    }
    if (arguments.map == ArrayMap::Affine)
    {
      double sum = arguments.offset[d];
      CUDASPLINE_UNROLL
      for (unsigned int k = 0; k < MaximumArrayDimension; ++k)
      {
        if (k < arguments.output.shape.dimension)
        {
          sum = RoundedSum(sum, RoundedProduct(static_cast<double>(index[k]), arguments.matrix[d][k]));
        }
      }
      x[d] = sum;
    }
    else
    {
      x[d] =
        LoadScalar<double>(arguments.coordinates, arguments.coordinateType, arguments.coordinateStride[d] + number);
    }
    x[d] = RoundedSum(x[d], arguments.padding);
  }
}

/** \brief True for dimensions whose kernels require ArrayArguments::HasRows(). */
template <unsigned int VDimension>
inline constexpr bool ArrayRowsAreContiguous = VDimension == 3;

/** \brief Computes the value at coordinates in the padded source.
 *
 * \param[in] batch offset of the interpolated array, in elements
 * \param[in,out] x coordinates; they are folded
 * \return the value or the border value */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
ArrayValue(const ArrayArguments & arguments, std::int64_t batch, double (&x)[VDimension])
{
  constexpr unsigned int                                    taps = VOrder + 1;
  TensorWeights<VDimension, taps, Derivatives::None, TReal> weights;
  std::int64_t                                              start[VDimension];
  bool                                                      inside = true; // whether no tap needs folding
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    if (!FoldCoordinate(x[d], arguments.size[d], arguments.mode))
    {
      return arguments.output.border;
    }
    TReal position;
    start[d] = ArraySupport<VOrder>(x[d], position);
    SplineWeights<VOrder>(position, weights.value[d]);
    inside = inside && start[d] >= 0 && start[d] + static_cast<std::int64_t>(taps) <= arguments.size[d];
  }
  const TReal * const    data = static_cast<const TReal *>(arguments.source) + batch;
  Jet<VDimension, TReal> jet;
  if (inside)
  {
    using Contiguous = ContiguousTaps<VDimension, TReal>;
    using Strided = StridedTaps<VDimension, TReal>;
    std::conditional_t<ArrayRowsAreContiguous<VDimension>, Contiguous, Strided> support;
    support.data = data;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      support.stride[d] = arguments.stride[d];
      support.data += start[d] * arguments.stride[d];
    }
    TensorProductSum(support, weights, jet);
  }
  else
  {
    const Extension                     extension = TapExtensionOf(arguments.mode);
    FoldedTaps<VDimension, taps, TReal> support;
    support.data = data;
    support.border = static_cast<TReal>(arguments.output.border);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      for (unsigned int k = 0; k < taps; ++k)
      {
        const std::int64_t folded = FoldIndex(start[d] + k, arguments.size[d], extension);
        support.offset[d][k] = folded < 0 ? OffsetOutside : folded * arguments.stride[d];
      }
    }
    TensorProductSum(support, weights, jet);
  }
  return static_cast<double>(jet.value);
}

/** \brief Computes the weights of a coordinate for an order known at run time.
 *
 * \return the first tap */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline std::int64_t
ArrayWeights(unsigned int order, double x, TReal * weights)
{
  const auto make = [&](auto fixedOrder) {
    constexpr unsigned int VOrder = decltype(fixedOrder)::value;
    TReal                  position;
    const std::int64_t     start = ArraySupport<VOrder>(x, position);
    SplineWeights<VOrder>(position, weights);
    return start;
  };
  switch (order)
  {
    case 0:
      return make(std::integral_constant<unsigned int, 0>());
    case 1:
      return make(std::integral_constant<unsigned int, 1>());
    case 2:
      return make(std::integral_constant<unsigned int, 2>());
    case 3:
      return make(std::integral_constant<unsigned int, 3>());
    case 4:
      return make(std::integral_constant<unsigned int, 4>());
    default:
      return make(std::integral_constant<unsigned int, 5>());
  }
}

/** \brief Same as ArrayValue(), but tap by tap, for dimensions without specialized code. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline double
ArrayValueOfAnyDimension(const ArrayArguments & arguments, std::int64_t batch, double (&x)[MaximumArrayDimension])
{
  constexpr unsigned int mostTaps = MaximumSplineOrder + 1;
  const Extension        extension = TapExtensionOf(arguments.mode);
  const unsigned int     taps = arguments.order + 1;
  TReal                  weights[MaximumArrayDimension][mostTaps];
  std::int64_t           offset[MaximumArrayDimension][mostTaps];
  for (unsigned int d = 0; d < arguments.dimension; ++d)
  {
    if (!FoldCoordinate(x[d], arguments.size[d], arguments.mode))
    {
      return arguments.output.border;
    }
    const std::int64_t start = ArrayWeights(arguments.order, x[d], weights[d]);
    for (unsigned int k = 0; k < taps; ++k)
    {
      const std::int64_t folded = FoldIndex(start + k, arguments.size[d], extension);
      offset[d][k] = folded < 0 ? OffsetOutside : folded * arguments.stride[d];
    }
  }
  const TReal * const data = static_cast<const TReal *>(arguments.source) + batch;
  TReal               sum = TReal(0);
  unsigned int        tap[MaximumArrayDimension] = {};
  for (unsigned int top = 0; top < arguments.dimension;)
  {
    TReal        weight = TReal(1);
    std::int64_t at = 0;
    bool         isOutside = false;
    for (unsigned int d = 0; d < arguments.dimension; ++d)
    {
      weight *= weights[d][tap[d]];
      isOutside = isOutside || offset[d][tap[d]] < 0;
      at += offset[d][tap[d]];
    }
    sum += weight * (isOutside ? static_cast<TReal>(arguments.output.border) : data[at]);
    for (top = 0; top < arguments.dimension && ++tap[top] == taps; ++top)
    {
      tap[top] = 0;
    }
  }
  return static_cast<double>(sum);
}

/** \brief Computes an element of the output. This is the body of the kernels for evaluation at coordinates.
 *
 * \tparam VDimension 2 or 3; 0 for any dimension
 * \tparam VOrder spline order; not used for any dimension, where the order of the arguments is used */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateArrayElement(const ArrayArguments & arguments, std::int64_t line, std::int64_t sample)
{
  const ArrayShape & shape = arguments.output.shape;
  std::int64_t       index[MaximumArrayDimension];
  shape.IndexOf(line, sample, index);
  const std::int64_t number = line * shape.Samples() + sample;
  std::int64_t       batch = 0;
  CUDASPLINE_UNROLL
  for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
  {
    batch += index[d] * arguments.batchStride[d];
  }
  double value = 0.0;
  if constexpr (VDimension > 0)
  {
    double x[VDimension];
    ArrayCoordinates(arguments, VDimension, index, number, x);
    value = ArrayValue<VDimension, VOrder, TReal>(arguments, batch, x);
  }
  else
  {
    double x[MaximumArrayDimension];
    ArrayCoordinates(arguments, arguments.dimension, index, number, x);
    value = ArrayValueOfAnyDimension<TReal>(arguments, batch, x);
  }
  StoreRounded(arguments.output.data, arguments.output.type, shape.OffsetOf(index), value);
}

/** \brief Calls \p run with the dimension and order for EvaluateArrayElement() as std::integral_constant. Both are 0
 * for the generic version. */
template <typename TRun>
void
DispatchArrayKernel(const ArrayArguments & arguments, const TRun & run)
{
  const auto withOrder = [&](auto dimension) {
    DispatchSplineOrder(arguments.order, [&](auto order) { run(dimension, order); });
  };
  switch (arguments.dimension)
  {
    case 2:
      withOrder(std::integral_constant<unsigned int, 2>());
      break;
    case 3:
      if (arguments.HasRows())
      {
        withOrder(std::integral_constant<unsigned int, 3>());
        break;
      }
      [[fallthrough]];
    default:
      run(std::integral_constant<unsigned int, 0>(), std::integral_constant<unsigned int, 0>());
      break;
  }
}

} // namespace itk::CudaSpline

#endif
