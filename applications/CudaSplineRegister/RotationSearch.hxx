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
#ifndef CudaSplineRegister_RotationSearch_hxx
#define CudaSplineRegister_RotationSearch_hxx

#include "RotationSearch.h"

#include "Error.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace CudaSplineRegister
{

template <typename TPixel, unsigned int VDimension>
void
SearchRotation(const SearchInputs<TPixel, VDimension> &                         inputs,
               const RegistrationRequest &                                      request,
               itk::MatrixOffsetTransformBase<double, VDimension, VDimension> * start)
{
  using itk::CudaSplineDetail::DescribeMaskedImage;
  itk::CudaSpline::LinearTransform::Vector centre{};
  itk::CudaSpline::LinearTransform::Vector translation{};
  std::copy_n(start->GetCenter().Begin(), VDimension, centre.begin());
  std::copy_n(start->GetTranslation().Begin(), VDimension, translation.begin());
  const auto found = itk::CudaSplineDetail::OnItkThreads([&](const itk::CudaSpline::ExecutionContext & context) {
    return itk::CudaSpline::FindRotation(DescribeMaskedImage(inputs.fixed, inputs.fixedMask),
                                         DescribeMaskedImage(inputs.moving, inputs.movingMask),
                                         centre,
                                         translation,
                                         context);
  });
  auto       parameters = start->GetParameters();
  std::copy_n(found.transform.GetParameters().begin(), parameters.Size(), parameters.begin());
  start->SetParametersByValue(parameters);
  if (found.explained < itk::CudaSpline::PoorExplanation && request.note)
  {
    request.note("the best rotation of --initialize search explains " + Brief(100.0 * found.explained) +
                 " % of the fixed image's entropy (poor below " + Brief(100.0 * itk::CudaSpline::PoorExplanation) +
                 " %); look at --picture whether the images lie over each other");
  }
}

template <typename TPixel, unsigned int VDimension>
Agreement
MeasureAgreementTyped(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  using MaskImageType = itk::Image<std::uint8_t, VDimension>;
  using Vector = itk::CudaSpline::LinearTransform::Vector;
  const auto maskOf = [](const std::optional<Volume> & volume) {
    typename itk::ImageMaskSpatialObject<VDimension>::Pointer mask;
    if (volume)
    {
      mask = itk::ImageMaskSpatialObject<VDimension>::New();
      mask->SetImage(ViewAsImage<MaskImageType>(*volume));
      mask->Update();
    }
    return mask;
  };
  const auto         fixedMask = maskOf(request.fixedMask);
  const auto         movingMask = maskOf(request.movingMask);
  const auto         fixed = ViewAsImage<itk::Image<TPixel, VDimension>>(request.fixed);
  const auto         moving = ViewAsImage<itk::Image<TPixel, VDimension>>(request.moving);
  const auto * const map = dynamic_cast<const itk::Transform<double, VDimension, VDimension> *>(transform);
  const auto         found = itk::CudaSpline::MeasureAgreement(
    itk::CudaSplineDetail::DescribeMaskedImage(fixed.GetPointer(), fixedMask.GetPointer()),
    itk::CudaSplineDetail::DescribeMaskedImage(moving.GetPointer(), movingMask.GetPointer()),
    [map](const Vector & place) {
      itk::Point<double, VDimension> point;
      std::copy_n(place.begin(), VDimension, point.Begin());
      const auto moved = map->TransformPoint(point);
      Vector     to{};
      std::copy_n(moved.Begin(), VDimension, to.begin());
      return to;
    });
  return { found.overlap, found.explained };
}

} // namespace CudaSplineRegister

#endif
