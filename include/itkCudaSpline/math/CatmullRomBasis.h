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

#include "itkCudaSpline/math/CubicConvolution.h"

/** \file
 * \brief Deprecated names, for one release: Catmull-Rom is cubic convolution with B = 0 and C = tension. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief CubicConvolutionBasis with B = 0. */
struct [[deprecated("CubicConvolutionBasis")]] CatmullRomBasis : CubicConvolutionBasis{
  /** \param[in] tension without unit */
  CUDASPLINE_HOST_DEVICE explicit CatmullRomBasis(double tension = 0.5): CubicConvolutionBasis{ { 0.0, tension } } {}
};

/** @} */
} // namespace itk::CudaSpline

#endif
