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
#ifndef itkCudaFastSymmetricForcesDemonsRegistrationFilter_h
#define itkCudaFastSymmetricForcesDemonsRegistrationFilter_h

#include "itkCudaSplineDemonsFilter.h"

#include "itkFastSymmetricForcesDemonsRegistrationFilter.h"
#include "itkCudaSpline/itk/EsmForces.h"

#include <string>

namespace itk
{

/** \class CudaFastSymmetricForcesDemonsRegistrationFilter
 * \brief Demons with symmetric forces of second order, resident on a GPU, or on all threads of the host.
 *
 * Replaces FastSymmetricForcesDemonsRegistrationFilter, with all its gradients (SetUseGradientType()).
 * CudaSplineDemonsFilter describes the accelerated cases and the accuracy.
 *
 * \ingroup CudaSpline */
template <typename TFixedImage, typename TMovingImage, typename TDisplacementField>
class ITK_TEMPLATE_EXPORT CudaFastSymmetricForcesDemonsRegistrationFilter
  : public CudaSplineDemonsFilter<
      FastSymmetricForcesDemonsRegistrationFilter<TFixedImage, TMovingImage, TDisplacementField>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaFastSymmetricForcesDemonsRegistrationFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaFastSymmetricForcesDemonsRegistrationFilter;
  using Superclass =
    CudaSplineDemonsFilter<FastSymmetricForcesDemonsRegistrationFilter<TFixedImage, TMovingImage, TDisplacementField>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaFastSymmetricForcesDemonsRegistrationFilter, FastSymmetricForcesDemonsRegistrationFilter);

protected:
  CudaFastSymmetricForcesDemonsRegistrationFilter() = default;
  ~CudaFastSymmetricForcesDemonsRegistrationFilter() override = default;

  /** That of second order. */
  std::string
  DescribeForce(CudaSpline::DemonsRules & rules) const override
  {
    using FunctionType = ESMDemonsRegistrationFunction<TFixedImage, TMovingImage, TDisplacementField>;
    if (this->template GetKnownFunction<FunctionType>() == nullptr)
    {
      return "another function of forces, or another interpolator than the linear one, is not accelerated";
    }
    rules.force = CudaSpline::DemonsForce::Esm;
    rules.gradient = CudaSplineDetail::DescribeEsmGradient(static_cast<int>(this->GetUseGradientType()));
    rules.normalizer = CudaSpline::EsmNormalizer(this->MeanSquaredSpacing(), this->GetMaximumUpdateStepLength());
    rules.smoothsFieldFirst = false;
    rules.differenceThreshold = this->GetIntensityDifferenceThreshold();
    return std::string();
  }
};

} // namespace itk

#endif
