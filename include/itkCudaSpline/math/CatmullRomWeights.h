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
#ifndef itkCudaSpline_math_CatmullRomWeights_h
#define itkCudaSpline_math_CatmullRomWeights_h

#include "itkCudaSpline/math/CubicConvolution.h"

/** \file
 * \brief Deprecated names, for one release: Catmull-Rom is cubic convolution with B = 0 and C = tension. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The usual tension. */
[[deprecated("CatmullRomParameters.c")]] inline constexpr double CatmullRomTension = 0.5;

/** \brief CubicConvolutionWeights() with B = 0.
 *
 * \param[in] t position (samples)
 * \param[in] tension without unit
 * \param[out] w the weights */
template <typename TReal>
[[deprecated("CubicConvolutionWeights()")]] CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomWeights(TReal t, TReal tension, TReal * w)
{
  CubicConvolutionWeights(t, TReal(0), tension, w);
}

/** \brief CubicConvolutionDerivativeWeights() with B = 0.
 *
 * \param[in] t position (samples)
 * \param[in] tension without unit
 * \param[out] w their derivatives */
template <typename TReal>
[[deprecated("CubicConvolutionDerivativeWeights()")]] CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomDerivativeWeights(TReal t, TReal tension, TReal * w)
{
  CubicConvolutionDerivativeWeights(t, TReal(0), tension, w);
}

/** \brief CubicConvolutionSecondDerivativeWeights() with B = 0.
 *
 * \param[in] t position (samples)
 * \param[in] tension without unit
 * \param[out] w their second derivatives */
template <typename TReal>
[[deprecated("CubicConvolutionSecondDerivativeWeights()")]] CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
CatmullRomSecondDerivativeWeights(TReal t, TReal tension, TReal * w)
{
  CubicConvolutionSecondDerivativeWeights(t, TReal(0), tension, w);
}

/** \brief CubicConvolutionNorm() with B = 0.
 *
 * \param[in] tension without unit */
[[deprecated("CubicConvolutionNorm()")]] inline double
CatmullRomNorm(double tension)
{
  return CubicConvolutionNorm({ 0.0, tension });
}

/** @} */
} // namespace itk::CudaSpline

#endif
