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
#ifndef itkCudaSpline_math_LineRecursion_h
#define itkCudaSpline_math_LineRecursion_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Number of coefficients of a call of FilterSegment(). Segments start at multiples of it from the line's first
 * sample.
 */
inline constexpr int LineSegmentLength = 32;

/** \brief Computes the B-spline coefficients of one segment of a line by truncated recursion.
 *
 * The exact prefilter is a causal and an anti-causal recursion, each a product over the poles. The influence of a
 * sample decays like |z|^K: a segment needs only K additional samples on either side (RecursionWarmUp), and segments
 * are independent of each other, of threads, of slabs and of the length of the line. All causal stages run in one
 * sweep, then all anti-causal ones, because they commute.
 *
 * The line is read on its infinite extension (FoldIndex()), which covers every boundary rule and every short line
 * without a separate formula. For Extension::Mirror the result is ITK's coefficient up to the documented truncation.
 *
 * A NaN or infinity affects at most LineSegmentLength + RecursionWarmUp samples, whereas ITK spreads it over the whole
 * line.
 *
 * \tparam VOrder spline order, 2 to 5
 * \tparam TReal float or double
 * \tparam TValue TReal, or a pack of lines with its arithmetic
 * \tparam VWarmUp samples before the segment: RecursionWarmUp or ItkHorizon
 * \tparam TLoad callable: TValue (std::int64_t n), sample n of the extended line, n of any sign
 * \tparam TStore callable: void (int k, TValue), coefficient of sample begin + k, k from LineSegmentLength - 1 down to
 * 0
 * \param[in] begin index of the segment's first sample in the line
 * \param[in] load returns the samples
 * \param[in] store receives the coefficients
 *
 * \par Accuracy
 * Truncation at most 6e-8 (float) or 1.1e-16 (double) of max|c|; rounding a few units more */
template <unsigned int VOrder,
          typename TReal,
          typename TValue,
          int VWarmUp = RecursionWarmUp<VOrder, TReal>::Samples,
          typename TLoad,
          typename TStore>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
FilterSegment(std::int64_t begin, TLoad && load, TStore && store)
{
  using Poles = SplinePoles<VOrder>;
  static_assert(Poles::Count > 0, "Orders 0 and 1 have no prefilter.");
  constexpr int   warmUp = VWarmUp;
  constexpr int   reach = LineSegmentLength + warmUp;
  constexpr TReal firstPole = static_cast<TReal>(Poles::Pole(0));
  constexpr TReal secondPole = static_cast<TReal>(Poles::Pole(Poles::Count - 1));
  constexpr TReal gain = static_cast<TReal>(Poles::Gain());

  TValue causal[reach];
  TValue first = load(begin - warmUp);
  TValue second = first;
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (int k = 1 - warmUp; k < reach; ++k)
  {
    first = load(begin + k) + firstPole * first;
    if constexpr (Poles::Count == 2)
    {
      second = first + secondPole * second;
    }
    if (k >= 0)
    {
      causal[k] = Poles::Count == 2 ? second : first;
    }
  }

  first = causal[reach - 1];
  second = first;
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (int k = reach - 2; k >= 0; --k)
  {
    first = causal[k] + firstPole * first;
    if constexpr (Poles::Count == 2)
    {
      second = first + secondPole * second;
    }
    if (k < LineSegmentLength)
    {
      store(k, gain * (Poles::Count == 2 ? second : first));
    }
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
