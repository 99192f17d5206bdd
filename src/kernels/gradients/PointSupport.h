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
#ifndef PointSupport_h
#define PointSupport_h

#include "itkCudaSpline/math/ArrayModeSlope.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/arrays/ArrayEvaluation.h"
#include "kernels/gradients/GradientArguments.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief Position of a point in an image and the weights of derivatives, for host and device. */

namespace itk::CudaSpline
{

/** \brief Third derivatives of the weights of SplineWeights(), computed with the same differences as in
 * SplineDerivativeWeights(). They are 0 for the orders 0 to 2. */
template <unsigned int VOrder, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SplineThirdDerivativeWeights(TReal t, TReal * weights)
{
  if constexpr (VOrder < 3)
  {
    (void)t;
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      weights[k] = TReal(0);
    }
  }
  else
  {
    TReal lower[VOrder];
    SplineSecondDerivativeWeights<VOrder - 1>(VOrder % 2 == 1 ? t - TReal(0.5) : t + TReal(0.5), lower);
    weights[0] = -lower[0];
    for (unsigned int k = 1; k < VOrder; ++k)
    {
      weights[k] = lower[k - 1] - lower[k];
    }
    weights[VOrder] = lower[VOrder - 1];
  }
}

/** \brief The taps of an axis: the index of the first one, and the weights for derivatives of order 0 to VTotal. */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
struct AxisTaps
{
  unsigned int count;                          ///< 1 for an axis that the image does not have
  std::int64_t first;                          ///< index of the first tap, which may be outside
  bool         isWhole;                        ///< whether all taps are inside
  TReal        weight[VTotal + 1][VOrder + 1]; ///< by order of the derivative along this axis

  /** Sets the taps of an axis that the image does not have. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SetNone()
  {
    count = 1;
    first = 0;
    isWhole = true;
    CUDASPLINE_UNROLL
    for (unsigned int k = 0; k <= VOrder; ++k)
    {
      CUDASPLINE_UNROLL
      for (unsigned int level = 0; level <= VTotal; ++level)
      {
        weight[level][k] = level == 0 && k == 0 ? TReal(1) : TReal(0);
      }
    }
  }

  /** \param[in] x coordinate in samples
   * \return false if the border value is used */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE bool
  Set(TReal x, std::int64_t size, ArrayMode mode)
  {
    TReal position{};
    count = VOrder + 1;
    const bool isUnfolded = this->FindWhole(x, FloatBound(size), position);
    isWhole = isUnfolded;
    if (!isUnfolded)
    {
      auto folded = static_cast<double>(x);
      if (!FoldCoordinate(folded, size, mode))
      {
        this->SetNone();
        return false;
      }
      first = ArraySupport<VOrder>(folded, position);
      isWhole = first >= 0 && first + static_cast<std::int64_t>(VOrder) < size;
    }
    this->SetWeights(position);
    if constexpr (VTotal >= 1)
    {
      const auto slope = isUnfolded ? TReal(1) : static_cast<TReal>(SlopeOfFold(static_cast<double>(x), size, mode));
      if (slope != TReal(1)) // rarely the case
      {
        TReal power = slope;
        for (unsigned int level = 1; level <= VTotal; ++level, power *= slope)
        {
          for (unsigned int k = 0; k <= VOrder; ++k)
          {
            weight[level][k] *= power;
          }
        }
      }
    }
    return true;
  }

  /** Finds the begin of a support that is entirely in the image, and the position in it. Equivalent to ArraySupport(),
   * but without branches.
   *
   * \param[in] bound PointArguments::bound of the axis
   * \return false if Set() has to be used instead; the results are not valid in this case */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  FindWhole(TReal x, float bound, TReal & position)
  {
    constexpr auto half = static_cast<TReal>(VOrder % 2 == 1 ? 0.0 : 0.5);
    constexpr auto before = static_cast<TReal>(VOrder / 2);
    constexpr auto behind = static_cast<TReal>((VOrder + 1) / 2);
    const TReal    end = static_cast<TReal>(bound) - (VOrder == 0 ? TReal(1) : behind); // the last sample for order 0
    bool           isFound = false;
    int            middle = 0;
    if constexpr (sizeof(TReal) > sizeof(float))
    {
      const TReal shifted = half == TReal(0) ? x : RoundedSum(x, half);
      isFound = VOrder == 0 ? x >= TReal(0) && x <= end : shifted >= before && shifted < end;
      middle = static_cast<int>(isFound ? shifted : TReal(0)); // equal to the floor, because it is not negative
      position = x - static_cast<TReal>(middle);
    }
    else
    {
      // A float plus one half may not be representable, so the fraction is compared.
      isFound = VOrder == 0 ? x >= TReal(0) && x <= end : x >= before - half && x < end - half;
      const TReal known = isFound ? x : TReal(0);
      middle = static_cast<int>(known);
      position = known - static_cast<TReal>(middle);
      if (half > TReal(0) && position >= half)
      {
        ++middle;
        position -= TReal(1);
      }
    }
    first = static_cast<std::int64_t>(middle) - static_cast<std::int64_t>(VOrder / 2);
    return isFound;
  }

  /** Same as Set() for the position that FindWhole() found. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SetWhole(TReal position)
  {
    count = VOrder + 1;
    isWhole = true;
    this->SetWeights(position);
  }

  /** Moves the weights of each tap k + 1 to tap k. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MoveOn()
  {
    CUDASPLINE_UNROLL
    for (unsigned int a = 0; a <= VTotal; ++a)
    {
      CUDASPLINE_UNROLL
      for (unsigned int k = 1; k <= VOrder; ++k)
      {
        weight[a][k - 1] = weight[a][k];
      }
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SetWeights(TReal position)
  {
    SplineWeights<VOrder>(position, weight[0]);
    if constexpr (VTotal >= 1)
    {
      SplineDerivativeWeights<VOrder>(position, weight[1]);
    }
    if constexpr (VTotal >= 2)
    {
      SplineSecondDerivativeWeights<VOrder>(position, weight[2]);
    }
    if constexpr (VTotal >= 3)
    {
      SplineThirdDerivativeWeights<VOrder>(position, weight[3]);
    }
  }
};

/** \brief Offsets of the taps of an axis for a support that reaches beyond the image. */
template <unsigned int VOrder>
struct AxisOffsets
{
  std::int64_t of[VOrder + 1]; ///< in elements, or OffsetOutside

  template <unsigned int VTotal, typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_NOINLINE
  AxisOffsets(const AxisTaps<VOrder, VTotal, TReal> & taps, std::int64_t size, std::int64_t stride, ArrayMode mode)
    : of{}
  {
    const Extension extension = TapExtensionOf(mode);
    for (unsigned int k = 0; k < taps.count; ++k)
    {
      const std::int64_t index = FoldIndex(taps.first + k, size, extension);
      of[k] = index < 0 ? OffsetOutside : index * stride;
    }
  }
};

/** \brief Position of a point relative to the image. */
enum class PointPlace : unsigned char
{
  Inside,  ///< the point has a support
  Outside, ///< the border value is used
  Nowhere  ///< the point is NaN
};

/** \brief Finds the taps of a point along each axis.
 *
 * The axes are separate objects, because a device stores data with a run-time index in memory. The taps of the last
 * axis, whose loops are unrolled, should stay in registers.
 *
 * \param[in] point coordinates, the slowest axis first */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE PointPlace
PlacePoint(const PointArguments &            arguments,
           const TReal *                     point,
           AxisTaps<VOrder, VTotal, TReal> & z,
           AxisTaps<VOrder, VTotal, TReal> & y,
           AxisTaps<VOrder, VTotal, TReal> & x)
{
  const unsigned int first = arguments.FirstAxis();
  TReal              at[PointAxes]; // all loads are in flight before any branch
  CUDASPLINE_UNROLL
  for (unsigned int axis = 0; axis < PointAxes; ++axis)
  {
    at[axis] = axis < first ? TReal(0) : point[axis - first];
  }
  bool       isNumber = true;
  bool       isInside = true;
  const auto place = [&](unsigned int axis, AxisTaps<VOrder, VTotal, TReal> & taps) {
    if (axis < first)
    {
      taps.SetNone();
      return;
    }
    isNumber = isNumber && at[axis] == at[axis];
    isInside = taps.Set(at[axis], arguments.size[axis], arguments.mode) && isInside;
  };
  place(0, z);
  place(1, y);
  place(2, x);
  return !isNumber ? PointPlace::Nowhere : (isInside ? PointPlace::Inside : PointPlace::Outside);
}

/** \brief Same as PlacePoint(), but only for points whose taps are in consecutive rows of the image, which is true for
 * nearly all points. There are no branches, and the properties of such taps are known at compile time.
 *
 * \return false if PlacePoint() has to be used instead; the results are not valid in this case */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
PlaceInRows(const PointArguments &            arguments,
            const TReal *                     point,
            AxisTaps<VOrder, VTotal, TReal> & z,
            AxisTaps<VOrder, VTotal, TReal> & y,
            AxisTaps<VOrder, VTotal, TReal> & x)
{
  if (arguments.dimension < 2) // there are no rows
  {
    return false;
  }
  const bool          isVolume = arguments.dimension == PointAxes;
  const TReal * const last = point + (arguments.dimension - 1);
  const TReal         at[] = { isVolume ? point[0] : TReal(0), last[-1], last[0] };
  TReal               position[PointAxes] = {};
  bool                isInRows = y.FindWhole(at[1], arguments.bound[1], position[1]);
  isInRows = x.FindWhole(at[2], arguments.bound[2], position[2]) && isInRows;
  isInRows = (!isVolume || z.FindWhole(at[0], arguments.bound[0], position[0])) && isInRows;
  if (!isInRows)
  {
    return false;
  }
  y.SetWhole(position[1]);
  x.SetWhole(position[2]);
  if (isVolume)
  {
    z.SetWhole(position[0]);
  }
  else
  {
    z.SetNone();
  }
  return true;
}

/** \brief Offset of the first tap in elements, for supports that PlaceInRows() found. */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                         FirstOffset(const PointArguments &                  arguments,
                                                     const AxisTaps<VOrder, VTotal, TReal> & z,
                                                     const AxisTaps<VOrder, VTotal, TReal> & y,
                                                     const AxisTaps<VOrder, VTotal, TReal> & x)
{
  if (arguments.plane <= MaxShortOffsets) // the same for all threads
  {
    return static_cast<int>(z.first) * static_cast<int>(arguments.stride[0]) +
           static_cast<int>(y.first) * static_cast<int>(arguments.stride[1]) + static_cast<int>(x.first);
  }
  return z.first * arguments.stride[0] + y.first * arguments.stride[1] + x.first;
}

/** \brief Index of the first number of a point in an array of batches x channels x count x components. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
NumbersOfPoint(const PointArguments & arguments, std::int64_t batch, std::int64_t channel, std::int64_t point)
{
  return (batch * arguments.channels + channel) * arguments.numbers + point * arguments.components;
}

/** \brief The coordinates of a point. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE const TReal *
CoordinatesOf(const PointArguments & arguments, std::int64_t batch, std::int64_t point)
{
  return static_cast<const TReal *>(arguments.points) + batch * arguments.pointStride + point * arguments.dimension;
}

/** \brief For each axis, how often it appears among the axes of a component. The axes are the digits of the index of
 * the component, the first one being the most significant.
 */
struct DerivativeCounts
{
  unsigned int of[PointAxes];

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  DerivativeCounts(unsigned int component, unsigned int derivatives, unsigned int dimension)
    : of{}
  {
    for (unsigned int i = 0; i < derivatives; ++i)
    {
      const unsigned int axis = PointAxes - dimension + component % dimension;
      component /= dimension;
      CUDASPLINE_UNROLL
      for (unsigned int d = 0; d < PointAxes; ++d)
      {
        of[d] += d == axis ? 1 : 0;
      }
    }
  }
};

} // namespace itk::CudaSpline

#endif
