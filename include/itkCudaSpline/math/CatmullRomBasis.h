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
#ifndef itkCudaSpline_math_CatmullRomBasis_h
#define itkCudaSpline_math_CatmullRomBasis_h

#include "itkCudaSpline/math/CatmullRomWeights.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The basis of the Catmull-Rom spline, as EvaluateOnGrid() wants a basis: it is made of samples. */
struct CatmullRomBasis
{
  /** Samples that a value is made of, an axis. */
  static constexpr unsigned int Taps = 4;

  double tension{ CatmullRomTension }; ///< see CatmullRomWeights()

  /** First index of the support of a coordinate (samples): the one before its floor. */
  template <typename TIndex = std::int64_t>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TIndex
  Start(double x)
  {
    const auto truncated = static_cast<TIndex>(x);
    return truncated - (x < static_cast<double>(truncated) ? 2 : 1);
  }
  /** Argument of the weights for a coordinate and the first index of its support (samples). */
  template <typename TIndex>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE double
  Position(double x, TIndex start)
  {
    return x - static_cast<double>(start + 1);
  }
  /** Weights of the value, the first and the second derivative (per sample). */
  ///@{
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Weights(TReal t, TReal * w) const
  {
    CatmullRomWeights(t, static_cast<TReal>(tension), w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  DerivativeWeights(TReal t, TReal * w) const
  {
    CatmullRomDerivativeWeights(t, static_cast<TReal>(tension), w);
  }
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SecondDerivativeWeights(TReal t, TReal * w) const
  {
    CatmullRomSecondDerivativeWeights(t, static_cast<TReal>(tension), w);
  }
  ///@}
};

/** @} */
} // namespace itk::CudaSpline

#endif
