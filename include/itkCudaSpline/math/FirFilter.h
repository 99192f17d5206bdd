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
#ifndef itkCudaSpline_math_FirFilter_h
#define itkCudaSpline_math_FirFilter_h

#include "itkCudaSpline/math/FirTaps.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Maximum number of taps of a FIR prefilter: more than double precision can distinguish at any order. */
inline constexpr int MaximumFirTaps = 127;

/** \brief Throws for a number of taps that HalfTaps does not support (host).
 *
 * \param[in] count number of taps
 * \exception std::invalid_argument it is not odd, or not from 1 to MaximumFirTaps */
inline void
CheckHalfTapCount(std::int64_t count)
{
  if (count > MaximumFirTaps)
  {
    throw std::invalid_argument("The number of FIR taps is at most " + std::to_string(MaximumFirTaps) + "; it is " +
                                std::to_string(count) + ".");
  }
  CheckFirTapCount(static_cast<int>(count));
}

/** \brief The taps of a symmetric filter at distances 0 to reach, in the precision of the arithmetic. Passed to kernels
 * by value. */
template <typename TReal>
struct HalfTaps
{
  int   reach{ 0 };                    ///< the largest distance
  TReal tap[MaximumFirTaps / 2 + 1]{}; ///< indexed by distance; those beyond the reach are not used
};

/** \brief The normalised taps of FirTaps() for kernels (host).
 *
 * \param[in] count number of taps, odd, from 1 to MaximumFirTaps
 * \exception std::invalid_argument any other count */
template <unsigned int VOrder, typename TReal>
HalfTaps<TReal>
MakeHalfTaps(int count)
{
  CheckHalfTapCount(count);
  const std::vector<double> taps = FirTaps<VOrder>(count, true);
  HalfTaps<TReal>           half;
  half.reach = count / 2;
  for (int k = 0; k <= half.reach; ++k)
  {
    half.tap[k] = static_cast<TReal>(taps[half.reach + k]);
  }
  return half;
}

/** \brief The minimum number of normalised taps for a run-time order whose coefficient error along one axis is at most
 * a tolerance (host).
 *
 * \param[in] order spline order, 0 to 5; 0 and 1 need one tap
 * \param[in] tolerance worst-case error for signals of absolute value up to 1, positive; FirTruncationError()
 * \exception std::invalid_argument an unsupported order, or a tolerance that is not positive or needs more than
 * MaximumFirTaps */
inline int
FirTapCountOf(unsigned int order, double tolerance)
{
  const int count = DispatchSplineOrder(
    order, [tolerance](auto constantOrder) { return FirTapCount<decltype(constantOrder)::value>(tolerance, true); });
  if (count > MaximumFirTaps)
  {
    std::ostringstream message; // std::to_string() prints small numbers as 0.000000
    message << "A FIR tolerance of " << tolerance << " needs " << count << " taps; at most " << MaximumFirTaps
            << " are possible.";
    throw std::invalid_argument(message.str());
  }
  return count;
}

/** \brief Computes one coefficient by convolution: the sum over k of tap(k) (s[n - k] + s[n + k]), from the centre
 * outwards.
 *
 * Champagnat and Le Sant, section 3.2: the cubic prefilter as a symmetric FIR filter of 2 K + 1 taps.
 *
 * \tparam TValue TReal, or a pack of lines with its arithmetic
 * \tparam VReach taps.reach if it is known at compile time, else -1
 * \tparam TLoad callable: TValue (std::int64_t n), sample n of the extended line
 * \param[in] n index of the coefficient (samples)
 * \param[in] taps half of the taps
 * \param[in] load returns the samples
 *
 * \par Accuracy
 * Truncation: FirTruncationError() times max|s|. Rounding: (reach + 2) units in the last place of the sum of |tap|
 * times max|s| */
template <typename TValue, int VReach = -1, typename TReal, typename TLoad>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TValue
FirCoefficientAt(std::int64_t n, const HalfTaps<TReal> & taps, const TLoad & load)
{
  const int reach = VReach >= 0 ? VReach : taps.reach;
  TValue    sum = taps.tap[0] * load(n);
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (int k = 1; k <= reach; ++k)
  {
    sum = sum + taps.tap[k] * (load(n - k) + load(n + k));
  }
  return sum;
}

/** @} */
} // namespace itk::CudaSpline

#endif
