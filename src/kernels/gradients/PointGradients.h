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
#ifndef PointGradients_h
#define PointGradients_h

#include "kernels/gradients/PointSupport.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief Values and derivatives at a point, and their gradient with respect to the point, for host and device. */

namespace itk::CudaSpline
{

/** \brief All derivatives of total order VTotal of a spline at a point. Element [a][b] is the derivative of order a
 * along the first axis, order b along the second axis, and order VTotal - a - b along the last axis. */
template <unsigned int VTotal, typename TReal>
struct DerivativeSums
{
  TReal of[VTotal + 1][VTotal + 1];

  /** Computes the derivatives at a point for which PlaceInRows() returned true.
   *
   * \param[in] data elements of the image */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  DerivativeSums(const PointArguments &                  arguments,
                 const AxisTaps<VOrder, VTotal, TReal> & z,
                 const AxisTaps<VOrder, VTotal, TReal> & y,
                 const AxisTaps<VOrder, VTotal, TReal> & x,
                 const TReal *                           data)
    : of{}
  {
    const TReal * slice = data + FirstOffset(arguments, z, y, x);
    const auto    addSlice = [&](const AxisTaps<VOrder, VTotal, TReal> & taps, unsigned int kz) {
      TReal plane[VTotal + 1][VTotal + 1] = {};
      CUDASPLINE_UNROLL
      for (unsigned int ky = 0; ky <= VOrder; ++ky)
      {
        const TReal * const row = slice + ky * arguments.stride[1];
        TReal               sum[VTotal + 1] = {};
        CUDASPLINE_UNROLL
        for (unsigned int kx = 0; kx <= VOrder; ++kx)
        {
          AddElement(x, kx, row[kx], sum);
        }
        AddRow(y, ky, sum, plane);
      }
      this->AddSlice(taps, kz, plane);
      slice += arguments.stride[0];
    };
    if (VOrder == 1 && z.count > 1) // loads of both slices are in flight at the same time
    {
      addSlice(z, 0);
      addSlice(z, 1);
      return;
    }
    // Shifted for each slice, because a device stores data with a run-time index in memory.
    AxisTaps<VOrder, VTotal, TReal> next = z;
    for (unsigned int kz = 0; kz < z.count; ++kz)
    {
      addSlice(next, 0);
      next.MoveOn();
    }
  }

  /** Computes the derivatives at any point.
   *
   * \param[in] data elements of the image
   * \param[in] border value outside of the image */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE
  DerivativeSums(const PointArguments &                  arguments,
                 const AxisTaps<VOrder, VTotal, TReal> & z,
                 const AxisTaps<VOrder, VTotal, TReal> & y,
                 const AxisTaps<VOrder, VTotal, TReal> & x,
                 const TReal *                           data,
                 TReal                                   border)
    : of{}
  {
    const AxisOffsets<VOrder> ofZ(z, arguments.size[0], arguments.stride[0], arguments.mode);
    const AxisOffsets<VOrder> ofY(y, arguments.size[1], arguments.stride[1], arguments.mode);
    const AxisOffsets<VOrder> ofX(x, arguments.size[2], 1, arguments.mode);
    CUDASPLINE_ROLLED
    for (unsigned int kz = 0; kz < z.count; ++kz)
    {
      TReal plane[VTotal + 1][VTotal + 1] = {};
      CUDASPLINE_ROLLED
      for (unsigned int ky = 0; ky < y.count; ++ky)
      {
        TReal              sum[VTotal + 1] = {};
        const std::int64_t row = ofZ.of[kz] + ofY.of[ky];
        CUDASPLINE_ROLLED
        for (unsigned int kx = 0; kx < x.count; ++kx)
        {
          const std::int64_t at = row + ofX.of[kx];
          AddElement(x, kx, at >= 0 ? data[at] : border, sum);
        }
        AddRow(y, ky, sum, plane);
      }
      this->AddSlice(z, kz, plane);
    }
  }

private:
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  AddElement(const AxisTaps<VOrder, VTotal, TReal> & x, unsigned int kx, TReal element, TReal (&sum)[VTotal + 1])
  {
    CUDASPLINE_UNROLL
    for (unsigned int b = 0; b <= VTotal; ++b)
    {
      sum[b] += x.weight[b][kx] * element;
    }
  }

  /** \param[in] sum sum over a row, by order of the derivative along the last axis
   * \param[in,out] plane sums by order of the derivatives along the second and the last axis */
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  AddRow(const AxisTaps<VOrder, VTotal, TReal> & y,
         unsigned int                            ky,
         const TReal (&sum)[VTotal + 1],
         TReal (&plane)[VTotal + 1][VTotal + 1])
  {
    CUDASPLINE_UNROLL
    for (unsigned int a = 0; a <= VTotal; ++a)
    {
      CUDASPLINE_UNROLL
      for (unsigned int b = 0; a + b <= VTotal; ++b)
      {
        plane[a][b] += y.weight[a][ky] * sum[b];
      }
    }
  }

  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSlice(const AxisTaps<VOrder, VTotal, TReal> & z, unsigned int kz, const TReal (&plane)[VTotal + 1][VTotal + 1])
  {
    CUDASPLINE_UNROLL
    for (unsigned int a = 0; a <= VTotal; ++a)
    {
      CUDASPLINE_UNROLL
      for (unsigned int b = 0; a + b <= VTotal; ++b)
      {
        of[a][b] += z.weight[a][kz] * plane[b][VTotal - a - b];
      }
    }
  }
};

/** \brief Computes the DerivativeSums of a point.
 *
 * \tparam VInRows whether PlaceInRows() returned true */
template <bool VInRows, unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE DerivativeSums<VTotal, TReal>
                                         SumsOf(const PointArguments &                  arguments,
                                                const AxisTaps<VOrder, VTotal, TReal> & z,
                                                const AxisTaps<VOrder, VTotal, TReal> & y,
                                                const AxisTaps<VOrder, VTotal, TReal> & x,
                                                const TReal *                           data,
                                                TReal                                   border)
{
  if constexpr (VInRows)
  {
    return { arguments, z, y, x, data };
  }
  else
  {
    return { arguments, z, y, x, data, border };
  }
}

/** \brief Implements EvaluateDerivatives() for AtPoint(). VTotal is n. */
struct EvaluatePoint
{
  /** \tparam VInRows whether PlaceInRows() returned true for the point */
  template <bool VInRows, unsigned int VOrder, unsigned int VTotal, typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  Placed(const PointArguments &                  arguments,
         std::int64_t                            batch,
         std::int64_t                            point,
         PointPlace                              place,
         const AxisTaps<VOrder, VTotal, TReal> & z,
         const AxisTaps<VOrder, VTotal, TReal> & y,
         const AxisTaps<VOrder, VTotal, TReal> & x)
  {
    const auto   border = static_cast<TReal>(arguments.border);
    const TReal  nowhere = std::numeric_limits<TReal>::quiet_NaN();
    TReal *      result = static_cast<TReal *>(arguments.result) + NumbersOfPoint(arguments, batch, 0, point);
    const auto * data = static_cast<const TReal *>(arguments.coefficients) + batch * arguments.coefficientStride;
    for (std::int64_t channel = 0; channel < arguments.channels;
         ++channel, data += arguments.plane, result += arguments.numbers)
    {
      if (place != PointPlace::Inside)
      {
        for (unsigned int component = 0; component < arguments.components; ++component)
        {
          result[component] = place == PointPlace::Nowhere ? nowhere : (VTotal == 0 ? border : TReal(0));
        }
        continue;
      }
      const auto sums = SumsOf<VInRows>(arguments, z, y, x, data, border);
      if constexpr (VTotal == 0)
      {
        result[0] = sums.of[0][0];
      }
      else
      {
        for (unsigned int component = 0; component < arguments.components; ++component)
        {
          const DerivativeCounts counts(component, VTotal, arguments.dimension);
          result[component] = sums.of[counts.of[0]][counts.of[1]];
        }
      }
    }
  }
};

/** \brief Implements ContractDerivatives() for AtPoint(). VTotal is n + 1. */
struct ContractPoint
{
  /** \tparam VInRows whether PlaceInRows() returned true for the point */
  template <bool VInRows, unsigned int VOrder, unsigned int VTotal, typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static void
  Placed(const PointArguments &                  arguments,
         std::int64_t                            batch,
         std::int64_t                            point,
         PointPlace                              place,
         const AxisTaps<VOrder, VTotal, TReal> & z,
         const AxisTaps<VOrder, VTotal, TReal> & y,
         const AxisTaps<VOrder, VTotal, TReal> & x)
  {
    static_assert(VTotal > 0, "a derivative along the point's axes");
    const auto   border = static_cast<TReal>(arguments.border);
    TReal        gradient[PointAxes] = {};
    const auto * data = static_cast<const TReal *>(arguments.coefficients) + batch * arguments.coefficientStride;
    std::int64_t first = NumbersOfPoint(arguments, batch, 0, point);
    for (std::int64_t channel = 0; channel < arguments.channels && place == PointPlace::Inside;
         ++channel, data += arguments.plane, first += arguments.numbers)
    {
      const auto         sums = SumsOf<VInRows>(arguments, z, y, x, data, border);
      const unsigned int components = VTotal == 1 ? 1 : arguments.components;
      for (unsigned int component = 0; component < components; ++component)
      {
        const TReal weight =
          arguments.weights != nullptr ? static_cast<const TReal *>(arguments.weights)[first + component] : TReal(1);
        const DerivativeCounts counts(
          component, VTotal - 1, arguments.dimension); // none for values, which is known at compile time
        CUDASPLINE_UNROLL
        for (unsigned int axis = 0; axis < PointAxes; ++axis)
        {
          const unsigned int a = counts.of[0] + (axis == 0 ? 1 : 0);
          const unsigned int b = counts.of[1] + (axis == 1 ? 1 : 0);
          gradient[axis] += weight * sums.of[a][b];
        }
      }
    }
    TReal * const result =
      static_cast<TReal *>(arguments.result) + (batch * arguments.count + point) * arguments.dimension;
    CUDASPLINE_UNROLL
    for (unsigned int axis = 0; axis < PointAxes; ++axis)
    {
      if (axis >= arguments.FirstAxis())
      {
        result[axis - arguments.FirstAxis()] =
          place == PointPlace::Nowhere ? std::numeric_limits<TReal>::quiet_NaN() : gradient[axis];
      }
    }
  }
};

/** \brief Applies an operation at one of the few points for which PlaceInRows() returned false. */
template <typename TOperation, unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE void
Elsewhere(const PointArguments & arguments, std::int64_t batch, std::int64_t point)
{
  AxisTaps<VOrder, VTotal, TReal> z;
  AxisTaps<VOrder, VTotal, TReal> y;
  AxisTaps<VOrder, VTotal, TReal> x;
  const PointPlace                place = PlacePoint(arguments, CoordinatesOf<TReal>(arguments, batch, point), z, y, x);
  TOperation::template Placed<false>(arguments, batch, point, place, z, y, x);
}

/** \brief Applies an operation at a point.
 *
 * \tparam TOperation EvaluatePoint or ContractPoint
 * \tparam VTotal total order of the derivatives of the image that the operation uses */
template <typename TOperation, unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AtPoint(const PointArguments & arguments, std::int64_t batch, std::int64_t point)
{
  AxisTaps<VOrder, VTotal, TReal> z;
  AxisTaps<VOrder, VTotal, TReal> y;
  AxisTaps<VOrder, VTotal, TReal> x;
  if (PlaceInRows(arguments, CoordinatesOf<TReal>(arguments, batch, point), z, y, x))
  {
    TOperation::template Placed<true>(arguments, batch, point, PointPlace::Inside, z, y, x);
  }
  else
  {
    Elsewhere<TOperation, VOrder, VTotal, TReal>(arguments, batch, point);
  }
}

} // namespace itk::CudaSpline

#endif
