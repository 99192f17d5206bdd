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
#ifndef itkCudaSpline_math_TextureStorage_h
#define itkCudaSpline_math_TextureStorage_h

#include "itkCudaSpline/math/HostDevice.h"

/** \file
 * \brief Memory layout of texture mode: margins and tables. TextureSpline.h evaluates them. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Number of linear fetches for a value of a B-spline along an axis.
 *
 * \param[in] order 1 to 5 */
CUDASPLINE_HOST_DEVICE constexpr unsigned int
FetchesOf(unsigned int order)
{
  return (order + 2) / 2;
}

/** \brief Number of texels beyond each end of an axis that continue the coefficients: the reach of a support whose
 * coordinate is at most half a sample outside the border samples.
 *
 * \param[in] order 0 to 5 */
CUDASPLINE_HOST_DEVICE constexpr int
TextureMargin(unsigned int order)
{
  return static_cast<int>(order / 2) + 1;
}

/** \brief An entry of a lookup table of paired taps. The last weight is 1 minus the others. */
template <unsigned int VFetches>
struct alignas(16) PairedTableEntry
{
  float offset[VFetches];     ///< h: from the first tap of the pair (texels)
  float weight[VFetches - 1]; ///< sums of the pairs' weights
};

/** @} */
} // namespace itk::CudaSpline

#endif
