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
#ifndef ItkResampleCheckSupport_h
#define ItkResampleCheckSupport_h

#include "TransformTestSupport.h"

/** \file
 * \brief Common functions of the checks of ITK's own tests of its resampling filter. */

namespace CudaSplineTest
{

/** Tests of our filter. */
class OursOnEachBackend : public OnEachBackend
{
protected:
  /** Returns our filter on the backend of the test. */
  template <typename TInput, typename TOutput>
  typename itk::CudaResampleImageFilter<TInput, TOutput>::Pointer
  Ours() const
  {
    auto filter = itk::CudaResampleImageFilter<TInput, TOutput>::New();
    filter->SetGPUEnabled(this->OnGpu());
    return filter;
  }
};

/** Returns a ramp: the sum of the indices. */
template <typename TImage>
typename TImage::Pointer
MakeRamp(itk::SizeValueType width, itk::SizeValueType height)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { width, height } });
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<typename TImage::PixelType>(it.GetIndex()[0] + it.GetIndex()[1]));
  }
  return image;
}

/** An affine transform that reports that it is not linear: the points are transformed one by one. */
class NonlinearAffine : public itk::AffineTransform<double, 2>
{
public:
  using Self = NonlinearAffine;
  using Superclass = itk::AffineTransform<double, 2>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  bool
  IsLinear() const override
  {
    return false;
  }
  TransformCategoryEnum
  GetTransformCategory() const override
  {
    return TransformCategoryEnum::UnknownTransformCategory;
  }
};

/** Expects an exception without an interpolator. */
template <typename TFilter>
void
ExpectNoInterpolatorIsAnError(TFilter * filter)
{
  filter->SetInterpolator(nullptr);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

} // namespace CudaSplineTest

#endif
