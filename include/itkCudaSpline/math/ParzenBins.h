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
#ifndef itkCudaSpline_math_ParzenBins_h
#define itkCudaSpline_math_ParzenBins_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include <cstdint>
#include <cstring>

/** \file
 * \brief The joint histogram of the mutual information of Mattes et al., by the rules of
 * itk::MattesMutualInformationImageToImageMetricv4. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Bins of a joint histogram: a box along the fixed, a cubic B-spline along the moving values.
 *
 * Rows are bins of fixed values, each of as many bins of moving ones. Two bins of padding at either end: a cubic window
 * then needs no boundary. */
struct ParzenBins
{
  int    bins{ 50 };           ///< along either axis, 5 or more
  double fixedBinSize{ 1.0 };  ///< of a bin, in fixed values
  double fixedMinimum{ 0.0 };  ///< the least fixed value in bins, less the padding
  double movingBinSize{ 1.0 }; ///< of a bin, in moving values
  double movingMinimum{ 0.0 }; ///< the least moving value in bins, less the padding
  double movingLowest{ 0.0 };  ///< moving values below are dropped
  double movingHighest{ 0.0 }; ///< those above too

  /** Where a pair of values lies. */
  struct Window
  {
    int    first;    ///< the first of the four bins of the window
    double fraction; ///< argument of SplineWeights()
  };

  /** Finds the window of a pair.
   *
   * \param[in] fixed, moving the values
   * \param[out] window its bins
   * \return false for a moving value that is dropped; NaN is */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Find(double fixed, double moving, Window & window) const
  {
    if (!(moving >= movingLowest && moving <= movingHighest))
    {
      return false;
    }
    const double term = moving / movingBinSize - movingMinimum;
    const int    column = this->Clamp(term);
    const int    row = this->Clamp(fixed / fixedBinSize - fixedMinimum);
    window.first = row * bins + column - 1;
    window.fraction = term - column;
    return true;
  }

private:
  /** The integer part, among the bins that are not padding. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  Clamp(double term) const
  {
    const int last = bins - 3;
    return !(term >= 2.0) ? 2 : (term >= static_cast<double>(last) ? last : static_cast<int>(term));
  }
};

/** \brief A number of [0, 1] in units of 1 / scale, rounded to the nearest, halves to even: integers can be added in
 * any order.
 *
 * \param[in] x the number
 * \param[in] scale a power of 2, at most 2^48 */
CUDASPLINE_HOST_DEVICE inline std::uint64_t
FixedPoint(double x, double scale)
{
  // Above 2^52 doubles are integers: the sum rounds, and its low bits are the number.
  constexpr double base = 4503599627370496.0;
  const double     sum = base + x * scale; // the product is exact, so a fused operation gives the same
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint64_t>(__double_as_longlong(sum)) & 0xFFFFFFFFFFFFFULL;
#else
  std::uint64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof(bits));
  return bits & 0xFFFFFFFFFFFFFULL;
#endif
}

/** @} */
} // namespace itk::CudaSpline

#endif
