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
#ifndef itkCudaSyNImageRegistrationMethod_h
#define itkCudaSyNImageRegistrationMethod_h

#include "itkCudaSplineSyNMethod.h"

#include "itkSyNImageRegistrationMethod.h"

#include <string>

namespace itk
{

/** \class CudaSyNImageRegistrationMethod
 * \brief Symmetric normalization with local correlation, resident on a GPU, or on all threads of the host.
 *
 * Replaces SyNImageRegistrationMethod, with the same parameters, observers and results. CudaSplineSyNMethod describes
 * the accelerated cases and the accuracy.
 *
 * \par Example
 * \code
 * auto syn = itk::CudaSyNImageRegistrationMethod<ImageType, ImageType>::New();
 * auto correlation = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<ImageType, ImageType>::New();
 * correlation->SetRadius(radius);
 * syn->SetMetric(correlation);
 * \endcode
 *
 * \ingroup CudaSpline */
template <typename TFixedImage,
          typename TMovingImage,
          typename TOutputTransform = DisplacementFieldTransform<double, TFixedImage::ImageDimension>,
          typename TVirtualImage = TFixedImage,
          typename TPointSet = PointSet<unsigned int, TFixedImage::ImageDimension>>
class ITK_TEMPLATE_EXPORT CudaSyNImageRegistrationMethod
  : public CudaSplineSyNMethod<
      SyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSyNImageRegistrationMethod);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSyNImageRegistrationMethod;
  using Superclass = CudaSplineSyNMethod<
    SyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSyNImageRegistrationMethod, SyNImageRegistrationMethod);

protected:
  CudaSyNImageRegistrationMethod() = default;
  ~CudaSyNImageRegistrationMethod() override = default;

  /** By Gaussians of the two variances. */
  std::string
  DescribeSmoothing(CudaSpline::SynRules & rules) const override
  {
    rules.updateVariance = this->GetGaussianSmoothingVarianceForTheUpdateField();
    rules.totalVariance = this->GetGaussianSmoothingVarianceForTheTotalField();
    return std::string();
  }
};

} // namespace itk

#endif
