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
#ifndef itkCudaSpline_itk_LabelGaussian_h
#define itkCudaSpline_itk_LabelGaussian_h

#include "itkCudaSplineInterpolation.h"
#include "itkCudaSpline/math/LabelGaussian.h"

#include "itkFixedArray.h"
#include "itkImageBase.h"

/** \file
 * \brief Describes the Gaussian interpolation of labels for the kernels. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief True if every standard deviation is above 0. NaN is not.
 *
 * \param[in] sigma standard deviation of each axis (mm) */
template <unsigned int VDimension>
bool
IsAboveZero(const FixedArray<double, VDimension> & sigma)
{
  bool all = true;
  for (const double deviation : sigma)
  {
    all = all && deviation > 0.0;
  }
  return all;
}

/** \brief Describes the interpolation of labels with Gaussian weights, rounded as in ITK. Throws for standard
 * deviations that are not above 0.
 *
 * \param[in] sigma standard deviation of each axis (mm)
 * \param[in] alpha cut-off distance (standard deviations)
 * \param[in] image provides the spacing
 * \param[in,out] method the method */
template <unsigned int VDimension>
void
DescribeLabelGaussian(const FixedArray<double, VDimension> & sigma,
                      double                                 alpha,
                      const ImageBase<VDimension> *          image,
                      CudaSplineMethod &                     method)
{
  method.interpolation.interpolation = CudaSpline::Interpolation::LabelGaussian;
  CudaSpline::LabelGaussian<VDimension> rule;
  for (unsigned int d = 0; d < VDimension && d < method.interpolation.sigma.size(); ++d)
  {
    rule.SetAxis(d, sigma[d], alpha, image->GetSpacing()[d]);
    method.interpolation.sigma[d] = rule.sigma[d];
    method.interpolation.cutOff[d] = rule.cutOff[d];
  }
  if (!IsAboveZero(sigma))
  {
    method.refusal = "label Gaussians are accelerated for standard deviations above 0";
  }
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
