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
#ifndef LocalWindow_h
#define LocalWindow_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <algorithm>
#include <array>
#include <cstdint>

/** \file
 * \brief Local correlation at one sample: value and factors of the derivatives from the sums over its window. */

namespace itk::CudaSpline
{

/** \brief Numbers that are summed over a window: f, m, f f, m m, f m; with masks also the number of valid samples. */
inline constexpr int WindowSums = 5;

/** \brief A product of pixels in the sums of local correlation.
 *
 * \tparam VRounds whether it is rounded to the type of the pixels, as in ITK; else products of floats are exact */
template <bool VRounds>
struct WindowProduct
{
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  operator()(TPixel a, TPixel b) const
  {
    if constexpr (VRounds)
    {
      return static_cast<double>(RoundedProduct(a, b));
    }
    else
    {
      return RoundedProduct(static_cast<double>(a), static_cast<double>(b));
    }
  }
};

/** \brief A product that a device may fuse with the following addition. */
struct FusedWindowProduct
{
  template <typename TPixel>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  operator()(TPixel a, TPixel b) const
  {
    return static_cast<double>(a) * static_cast<double>(b);
  }
};

/** \brief The number of a pair of values that is summed over a window: number \p number of WindowSums.
 *
 * \tparam TProduct WindowProduct or FusedWindowProduct */
template <typename TProduct, typename TPixel>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
WindowNumberOf(int number, TPixel fixed, TPixel moving)
{
  constexpr TProduct product{};
  switch (number)
  {
    case 0:
      return static_cast<double>(fixed);
    case 1:
      return static_cast<double>(moving);
    case 2:
      return product(fixed, fixed);
    case 3:
      return product(moving, moving);
    default:
      return product(fixed, moving);
  }
}

/** \brief Variances and covariance of a window, times the number of its samples. */
struct WindowVariances
{
  double fixed;      ///< of the fixed image
  double moving;     ///< of the moving image
  double covariance; ///< of both

  /** \param[in] sums sums of the window, see WindowSums, \param[in] fixedMean, movingMean means of the window */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  WindowVariances(const double (&sums)[WindowSums], double fixedMean, double movingMean)
    : fixed(sums[2] - fixedMean * sums[0])
    , moving(sums[3] - movingMean * sums[1])
    , covariance(sums[4] - fixedMean * sums[1])
  {}
};

/** \brief Variances that are not above rounding errors. */
struct LocalBounds
{
  double epsilon; ///< LocalCorrelationDescriptor::epsilon
  double noise;   ///< a variance must be above this fraction of the sum of squares of its window
};

/** \brief The smallest radius along each axis with the same windows, which are cropped at the border. */
inline std::array<std::int64_t, 3>
CutRadius(const LocalCorrelationDescriptor & descriptor)
{
  std::array<std::int64_t, 3> radius{};
  for (unsigned int d = 0; d < descriptor.grid.dimension; ++d)
  {
    radius[d] = std::min<std::int64_t>(descriptor.radius[d], std::max<std::int64_t>(descriptor.grid.size[d] - 1, 0));
  }
  return radius;
}

/** \brief The bounds of a descriptor.
 *
 * With u = 2^-53, the error of a sum of squares q that is added axis by axis, with a depth of at most 2 r + 2 along
 * each, is at most (sum of (2 r + 2)) u q. The error of n mean^2, which is not above q, is the same. The division and
 * three operations of the formula add 8 u q. The bound is twice that, for both. Products that are rounded to floats
 * have a relative error of 2^-24, which is the same for all on a constant patch. If they are exact, interpolated pixels
 * have themselves rounding errors of floats, with a depth of about 4: a variance of (4 2^-24)^2 q = 2^-44 q. */
inline LocalBounds
MakeLocalBounds(const LocalCorrelationDescriptor & descriptor)
{
  double depth = 8.0;
  for (const std::int64_t radius : CutRadius(descriptor))
  {
    depth += 2.0 * static_cast<double>(radius) + 2.0;
  }
  LocalBounds bounds{};
  bounds.epsilon = descriptor.epsilon;
  bounds.noise = 4.0 * depth * 0x1p-53;
  if (descriptor.pixel == ScalarType::Float32)
  {
    bounds.noise += descriptor.arithmetic == ScalarType::Float64 ? 0x1p-24 : 0x1p-44;
  }
  return bounds;
}

/** \brief The results of a window for its centre. */
template <typename TReal>
struct LocalTerm
{
  TReal correlation; ///< the squared correlation
  /** Factor of the moving image's gradient in the derivative with respect to the moving image's displacement. */
  TReal movingFactor;
  TReal fixedFactor; ///< the same with the images exchanged
  bool  isFlat;      ///< LocalCorrelationSums::flatWindows
};

/** \brief The formula of local correlation.
 *
 * Comparisons treat windows with a non-finite value as flat, as in ITK.
 *
 * \tparam TReal type of the quotients; variances are double, because they cancel
 * \param[in] sums sums of the window, see WindowSums
 * \param[in] inverse inverse of the number of valid samples of the window
 * \param[in] fixed, moving values of the centre */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE LocalTerm<TReal>
MakeLocalTerm(const double (&sums)[WindowSums], double inverse, double fixed, double moving, const LocalBounds & bounds)
{
  const double          fixedMean = sums[0] * inverse;
  const double          movingMean = sums[1] * inverse;
  const WindowVariances variances(sums, fixedMean, movingMean);
  const double          fixedVariance = variances.fixed;
  const double          movingVariance = variances.moving;
  const double          covariance = variances.covariance;
  const double          product = fixedVariance * movingVariance;

  LocalTerm<TReal> term{ TReal(1), TReal(0), TReal(0), true };
  const bool       isNoise = !(fixedVariance > bounds.noise * sums[2] && movingVariance > bounds.noise * sums[3]);
  if (isNoise)
  {
    return term;
  }
  const auto ofFixed = static_cast<TReal>(covariance) / static_cast<TReal>(fixedVariance);
  const auto ofMoving = static_cast<TReal>(covariance) / static_cast<TReal>(movingVariance);
  // ITK has two conditions: for small numbers the product may be 0 although the variances are not.
  term.correlation = product > bounds.epsilon ? ofFixed * ofMoving : TReal(1);
  if (!(fixedVariance > bounds.epsilon && movingVariance > bounds.epsilon))
  {
    return term;
  }
  const auto f = static_cast<TReal>(fixed - fixedMean);
  const auto m = static_cast<TReal>(moving - movingMean);
  term.movingFactor = TReal(2) * ofFixed * (f - ofMoving * m) / static_cast<TReal>(movingVariance);
  term.fixedFactor = TReal(2) * ofMoving * (m - ofFixed * f) / static_cast<TReal>(fixedVariance);
  term.isFlat = false;
  return term;
}

} // namespace itk::CudaSpline

#endif
