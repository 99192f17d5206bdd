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
#ifndef itkCudaBSplineSyNImageRegistrationMethod_hxx
#define itkCudaBSplineSyNImageRegistrationMethod_hxx

#include "itkCudaBSplineSyNImageRegistrationMethod.h"

#include <algorithm>

namespace itk
{

template <typename TFixedImage,
          typename TMovingImage,
          typename TOutputTransform,
          typename TVirtualImage,
          typename TPointSet>
std::string
CudaBSplineSyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>::
  DescribeSmoothing(CudaSpline::SynRules & rules) const
{
  rules.updateVariance = 0.0;
  rules.totalVariance = 0.0;
  const auto fit = [](const ControlPointsType & points, std::optional<CudaSpline::FieldSplineFit> & spline) {
    spline.reset();
    if (std::find(points.Begin(), points.End(), 0U) == points.End())
    {
      spline.emplace();
      std::copy(points.Begin(), points.End(), spline->controlPoints.begin());
    }
    return !spline || *std::min_element(points.Begin(), points.End()) > CubicOrder;
  };
  const auto & fixed = *this->m_FixedToMiddleTransform;
  const auto   total = fixed.GetNumberOfControlPointsForTheTotalField();
  if (fixed.GetSplineOrder() != CubicOrder)
  {
    return "only cubic splines are accelerated as what smooths fields";
  }
  if (total != this->m_MovingToMiddleTransform->GetNumberOfControlPointsForTheTotalField())
  {
    return "the two total fields have other numbers of control points";
  }
  if (!fit(fixed.GetNumberOfControlPointsForTheUpdateField(), rules.updateSpline) || !fit(total, rules.totalSpline))
  {
    return "a spline has fewer control points than are accelerated";
  }
  const auto region = const_cast<Self *>(this)->GetCurrentLevelVirtualDomainImage()->GetBufferedRegion();
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    if (region.GetIndex(d) != 0 || region.GetSize(d) < 2)
    {
      return "fields of a virtual domain whose first index is not 0, or that is thin, are not smoothed by splines";
    }
  }
  return std::string();
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TOutputTransform,
          typename TVirtualImage,
          typename TPointSet>
void
CudaBSplineSyNImageRegistrationMethod<TFixedImage, TMovingImage, TOutputTransform, TVirtualImage, TPointSet>::
  InitializeRegistrationAtEachLevel(const SizeValueType level)
{
  const auto adaptor = this->m_TransformParametersAdaptorsPerLevel[level];
  if (level == 0 && dynamic_cast<AdaptorType *>(adaptor.GetPointer()) == nullptr)
  {
    itkExceptionMacro("The first level needs an adaptor that sets the number of control points of the splines.");
  }
  Superclass::InitializeRegistrationAtEachLevel(level);
  if (level == 0 || dynamic_cast<AdaptorType *>(adaptor.GetPointer()) == nullptr)
  {
    return;
  }
  // Only the adaptor knows whether numbers were set. It adapts a transform whose field has the right grid and no
  // memory, so that it does nothing else.
  const auto * const splines = static_cast<const AdaptorType *>(adaptor.GetPointer());
  const auto         field = OutputTransformType::DisplacementFieldType::New();
  field->SetRegions(splines->GetRequiredSize());
  field->SetOrigin(splines->GetRequiredOrigin());
  field->SetSpacing(splines->GetRequiredSpacing());
  field->SetDirection(splines->GetRequiredDirection());
  for (OutputTransformType * transform : { this->m_OutputTransform.GetPointer(),
                                           this->m_MovingToMiddleTransform.GetPointer(),
                                           this->m_FixedToMiddleTransform.GetPointer() })
  {
    const auto probe = OutputTransformType::New();
    probe->SetDisplacementField(field);
    probe->SetNumberOfControlPointsForTheUpdateField(transform->GetNumberOfControlPointsForTheUpdateField());
    probe->SetNumberOfControlPointsForTheTotalField(transform->GetNumberOfControlPointsForTheTotalField());
    adaptor->SetTransform(probe);
    adaptor->AdaptTransformParameters();
    transform->SetNumberOfControlPointsForTheUpdateField(probe->GetNumberOfControlPointsForTheUpdateField());
    transform->SetNumberOfControlPointsForTheTotalField(probe->GetNumberOfControlPointsForTheTotalField());
  }
}

} // namespace itk

#endif
