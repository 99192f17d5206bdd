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
#ifndef CudaSplineTest_MetricTestFields_h
#define CudaSplineTest_MetricTestFields_h

#include "MetricTestImages.h"

#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkGaussianSmoothingOnUpdateDisplacementFieldTransform.h"

#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief Displacement fields on the grid of an image. */

namespace CudaSplineTest
{

/** Returns a displacement field on the grid of an image, of waves of less than \p amplitude (mm). */
template <typename TTransform, typename TImage>
typename TTransform::Pointer
WavyField(const TImage * image, double amplitude)
{
  using FieldType = typename TTransform::DisplacementFieldType;
  auto field = FieldType::New();
  field->CopyInformation(image);
  field->SetRegions(image->GetBufferedRegion());
  field->Allocate();
  itk::ImageRegionIterator<FieldType> it(field, field->GetBufferedRegion());
  for (unsigned int sample = 0; !it.IsAtEnd(); ++it, ++sample)
  {
    typename FieldType::PixelType move;
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      move[d] = amplitude * std::cos(0.37 * sample + 2.0 * d);
    }
    it.Set(move);
  }
  auto transform = TTransform::New();
  transform->SetDisplacementField(field);
  return transform;
}

/** Returns names for FieldTransform(). */
inline std::vector<std::string>
FieldTransforms()
{
  return { "field", "field smoothed by Gaussians", "field smoothed by B-splines", "field before others" };
}

/** Returns a transform by name: a field of each of ITK's kinds whose points have their own Jacobians. */
template <typename TImage>
typename itk::Transform<double, TImage::ImageDimension, TImage::ImageDimension>::Pointer
FieldTransform(const std::string & name, const TImage * image, double amplitude = 1.2)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  using Base = itk::Transform<double, dimension, dimension>;
  if (name == "field smoothed by Gaussians")
  {
    using Smoothed = itk::GaussianSmoothingOnUpdateDisplacementFieldTransform<double, dimension>;
    return typename Base::Pointer(WavyField<Smoothed>(image, amplitude));
  }
  if (name == "field smoothed by B-splines")
  {
    using Smoothed = itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<double, dimension>;
    return typename Base::Pointer(WavyField<Smoothed>(image, amplitude));
  }
  typename Base::Pointer field(WavyField<itk::DisplacementFieldTransform<double, dimension>>(image, amplitude));
  if (name == "field before others")
  {
    // As in ImageRegistrationMethodv4; the transform that was added last is applied first.
    auto composite = itk::CompositeTransform<double, dimension>::New();
    composite->AddTransform(MetricTransform<dimension>("affine"));
    composite->AddTransform(MetricTransform<dimension>("rigid"));
    composite->AddTransform(field);
    composite->SetOnlyMostRecentTransformToOptimizeOn();
    return typename Base::Pointer(composite);
  }
  return field;
}

} // namespace CudaSplineTest

#endif
