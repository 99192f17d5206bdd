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
#ifndef itkCudaSpline_math_SegmentFilter_h
#define itkCudaSpline_math_SegmentFilter_h

#include "itkCudaSpline/math/FirFilter.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include <cstdint>

/** \file
 * \brief The prefilters of a segment of LineSegmentLength samples as function objects, with which the loops of the host
 * and the kernels of the device are instantiated.
 *
 * Each has GetReach(), the number of samples that it reads beyond the segment on either side, Run(begin, load, store),
 * which is like FilterSegment(), and IsUnrolled. That is true if Run() loads the samples in their order from begin -
 * reach on, each once, in loops whose lengths are known at compile time. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief FilterSegment(): exact up to the warm-up.
 *
 * \tparam VOrder spline order, 2 to 5
 * \tparam TReal float or double
 * \tparam VWarmUp RecursionWarmUp or ItkHorizon of that order */
template <unsigned int VOrder, typename TReal, int VWarmUp>
struct RecursiveSegment
{
  static constexpr bool IsUnrolled = true; ///< see the head of this file
  static constexpr int  Reach = VWarmUp;   ///< GetReach() at compile time

  /** Samples read beyond the segment on either side. */
  CUDASPLINE_HOST_DEVICE constexpr int
  GetReach() const
  {
    return VWarmUp;
  }

  /** Filters the segment that begins at \p begin; \p load and \p store as for FilterSegment(). */
  template <typename TValue, typename TLoad, typename TStore>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Run(std::int64_t begin, TLoad && load, TStore && store) const
  {
    FilterSegment<VOrder, TReal, TValue, VWarmUp>(begin, load, store);
  }
};

/** \brief FirCoefficientAt() for every sample of a segment.
 *
 * \tparam TReal float or double
 * \tparam VReach reach of the taps if it is known at compile time: the samples are then kept in registers; else -1 */
template <typename TReal, int VReach = -1>
struct FirSegment
{
  static constexpr bool IsUnrolled = VReach >= 0; ///< see the head of this file
  static constexpr int  Reach = VReach;           ///< GetReach(); -1: not known at compile time

  HalfTaps<TReal> taps; ///< the taps

  /** Samples read beyond the segment on either side. */
  CUDASPLINE_HOST_DEVICE constexpr int
  GetReach() const
  {
    return VReach >= 0 ? VReach : taps.reach;
  }

  /** Filters the segment that begins at \p begin; \p load and \p store as for FilterSegment(). */
  template <typename TValue, typename TLoad, typename TStore>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Run(std::int64_t begin, TLoad && load, TStore && store) const
  {
    if constexpr (VReach >= 0)
    {
      TValue samples[LineSegmentLength + 2 * VReach];
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
      for (int i = 0; i < LineSegmentLength + 2 * VReach; ++i)
      {
        samples[i] = load(begin - VReach + i);
      }
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
      for (int k = 0; k < LineSegmentLength; ++k)
      {
        store(k, FirCoefficientAt<TValue, VReach>(VReach + k, taps, [&samples](std::int64_t n) { return samples[n]; }));
      }
    }
    else
    {
      for (int k = 0; k < LineSegmentLength; ++k)
      {
        store(k, FirCoefficientAt<TValue>(begin + k, taps, load));
      }
    }
  }
};

/** \brief True for RecursiveSegment. */
template <typename TFilter>
inline constexpr bool IsRecursive = false;

/** \brief Specialization for RecursiveSegment. */
template <unsigned int VOrder, typename TReal, int VWarmUp>
inline constexpr bool IsRecursive<RecursiveSegment<VOrder, TReal, VWarmUp>> = true;

/** @} */
} // namespace itk::CudaSpline

#endif
