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
#ifndef itkCudaSymmetricForcesDemonsRegistrationFilter_h
#define itkCudaSymmetricForcesDemonsRegistrationFilter_h

#include "itkCudaSplineDemonsFilter.h"

#include "itkSymmetricForcesDemonsRegistrationFilter.h"

#include <string>

namespace itk
{

/** \class CudaSymmetricForcesDemonsRegistrationFilter
 * \brief Demons with symmetric forces, resident on a GPU, or on all threads of the host.
 *
 * Replaces SymmetricForcesDemonsRegistrationFilter. CudaSplineDemonsFilter describes the accelerated cases and the
 * accuracy.
 *
 * \ingroup CudaSpline */
template <typename TFixedImage, typename TMovingImage, typename TDisplacementField>
class ITK_TEMPLATE_EXPORT CudaSymmetricForcesDemonsRegistrationFilter
  : public CudaSplineDemonsFilter<
      SymmetricForcesDemonsRegistrationFilter<TFixedImage, TMovingImage, TDisplacementField>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSymmetricForcesDemonsRegistrationFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSymmetricForcesDemonsRegistrationFilter;
  using Superclass =
    CudaSplineDemonsFilter<SymmetricForcesDemonsRegistrationFilter<TFixedImage, TMovingImage, TDisplacementField>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSymmetricForcesDemonsRegistrationFilter, SymmetricForcesDemonsRegistrationFilter);

protected:
  CudaSymmetricForcesDemonsRegistrationFilter() = default;
  ~CudaSymmetricForcesDemonsRegistrationFilter() override = default;

  /** The symmetric one. */
  std::string
  DescribeForce(CudaSpline::DemonsRules & rules) const override
  {
    using FunctionType = SymmetricForcesDemonsRegistrationFunction<TFixedImage, TMovingImage, TDisplacementField>;
    if (this->template GetKnownFunction<FunctionType>() == nullptr)
    {
      return "another function of forces, or another interpolator than the linear one, is not accelerated";
    }
    rules.force = CudaSpline::DemonsForce::Symmetric;
    rules.gradient = CudaSpline::DemonsGradient::Symmetric;
    rules.normalizer = this->MeanSquaredSpacing();
    rules.differenceThreshold = this->GetIntensityDifferenceThreshold();
    return std::string();
  }
};

} // namespace itk

#endif
