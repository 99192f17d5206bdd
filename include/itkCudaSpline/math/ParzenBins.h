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
 * \brief The joint histogram of the mutual information of Mattes et al., with the rules of
 * itk::MattesMutualInformationImageToImageMetricv4. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Bins of a joint histogram: a box window along the fixed values, a cubic B-spline along the moving ones.
 *
 * Rows are bins of fixed values, each with as many bins of moving ones. There are two bins of padding at either end: a
 * cubic window then needs no boundary rule. */
struct ParzenBins
{
  int    bins{ 50 };           ///< along either axis, 5 or more
  double fixedBinSize{ 1.0 };  ///< size of a bin, in fixed values
  double fixedMinimum{ 0.0 };  ///< smallest fixed value in bins, minus the padding
  double movingBinSize{ 1.0 }; ///< size of a bin, in moving values
  double movingMinimum{ 0.0 }; ///< smallest moving value in bins, minus the padding
  double movingLowest{ 0.0 };  ///< smaller moving values are ignored
  double movingHighest{ 0.0 }; ///< larger moving values are ignored

  /** The window of a pair of values. */
  struct Window
  {
    int    first;    ///< the first of the four bins of the window
    double fraction; ///< argument of SplineWeights()
  };

  /** Finds the window of a pair of values.
   *
   * \param[in] fixed, moving the values
   * \param[out] window its bins
   * \return false if the moving value is ignored; this includes NaN */
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
    // Pixels, and the ends of the range, may be outside the bins after rounding.
    const double fraction = term - column;
    window.fraction = fraction < 0.0 ? 0.0 : (fraction > 1.0 ? 1.0 : fraction);
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

/** \brief A weight of a window in digits of 2^19, which are summed as integers: the sums do not depend on the order.
 *
 * The derivative uses the logarithm of a bin, times the slope of the window there. For a bin that a window just
 * touches, at a distance t, the weight is t^3 / 6 and the slope t^2 / 2. An error e of the weight becomes 3 e / t in
 * the derivative, and a weight below e is lost, where t is (6 e)^(1/3). Small weights are therefore represented by
 * their lower digits: in double precision units are 2^-38, and 2^-57 below 2^-19; in single precision 2^-19, and 2^-38
 * below 2^-10. The error of a sample's contribution to the derivative is then less than 1e-10 and 2e-5 of a slope of 1.
 * On the host, where another addition costs little, weights of double precision have all three digits. */
struct ParzenWeight
{
  static constexpr int           Bits = 19;                             ///< bits per digit
  static constexpr std::uint32_t Mask = (1U << Bits) - 1U;              ///< the lower digit of a number
  static constexpr double        Units[3]{ 0x1p-19, 0x1p-38, 0x1p-57 }; ///< of the digits

  std::uint32_t digit[3]; ///< coarse, fine, finest; at most 2^19

  /** \param[in] weight from 0 to 1, \param[in] isDouble uses the units of double precision */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  ParzenWeight(double weight, bool isDouble)
  {
    if (!isDouble && weight >= 0x1p-10)
    {
      digit[0] = static_cast<std::uint32_t>(Rounded(weight * 0x1p19));
      digit[1] = 0;
      digit[2] = 0;
    }
    else if (!isDouble || weight >= 0x1p-19)
    {
      const std::uint64_t units = Rounded(weight * 0x1p38);
      digit[0] = static_cast<std::uint32_t>(units >> Bits);
      digit[1] = static_cast<std::uint32_t>(units) & Mask;
      digit[2] = 0;
    }
    else
    {
      const std::uint64_t units = Rounded(weight * 0x1p57);
      digit[0] = 0;
      digit[1] = static_cast<std::uint32_t>(units >> Bits);
      digit[2] = static_cast<std::uint32_t>(units) & Mask;
    }
  }

  /** \brief All three digits: units are 2^-57 for any weight.
   *
   * \param[in] weight from 0 to 1 */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE ParzenWeight
  OfThreeDigits(double weight)
  {
    const double scaled = weight * 0x1p38; // all operations are exact, except for the rounding of the last digit
    const auto   units = static_cast<std::uint64_t>(scaled);
    ParzenWeight made(0.0, true);
    made.digit[0] = static_cast<std::uint32_t>(units >> Bits);
    made.digit[1] = static_cast<std::uint32_t>(units) & Mask;
    made.digit[2] = static_cast<std::uint32_t>(Rounded((scaled - static_cast<double>(units)) * 0x1p19));
    return made;
  }

private:
  /** The nearest integer to a number below 2^40, half to even. Above 2^52 doubles are integers: the sum rounds, and its
   * low bits are the number. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE std::uint64_t
                                                  Rounded(double x)
  {
    const double sum = 4503599627370496.0 + x;
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint64_t>(__double_as_longlong(sum)) & 0xFFFFFFFFFFFFFULL;
#else
    std::uint64_t bits = 0;
    std::memcpy(&bits, &sum, sizeof(bits));
    return bits & 0xFFFFFFFFFFFFFULL;
#endif
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
