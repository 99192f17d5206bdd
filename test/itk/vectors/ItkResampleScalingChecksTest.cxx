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
// The checks of itkResampleImageTest4 to 6 and 8, made anew for CudaResampleImageFilter: a ramp on grids of other sizes
// and of another dimension. The expected values are the ramp's.

#include "ItkResampleCheckSupport.h"
#include "ProjectionTransform.h"

#include "itkRGBPixel.h"
#include "itkVectorImage.h"

#include <cmath>
#include <limits>

using namespace CudaSplineTest;

namespace
{

class ItkResampleScalingChecks : public OursOnEachBackend
{};

CUDASPLINE_ON_EACH_BACKEND(ItkResampleScalingChecks);

/** From three dimensions to the first two, at half the size, without a category. */
class HalfProjection : public ProjectionTransform<3, 2>
{
public:
  using Self = HalfProjection;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  OutputPointType
  TransformPoint(const InputPointType & point) const override
  {
    OutputPointType half;
    half[0] = 0.5 * point[0];
    half[1] = 0.5 * point[1];
    return half;
  }
};

} // namespace

// itkResampleImageTest4, 5 and 6: a ramp on grids of other sizes, of scalars and of vectors.
TEST_P(ItkResampleScalingChecks, Test4To6Scalings)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  using Vectors = itk::VectorImage<float, 2>;
  const auto image = MakeRamp<Image>(64, 64);
  auto       vectors = Vectors::New();
  vectors->SetRegions(image->GetBufferedRegion());
  vectors->SetVectorLength(3);
  vectors->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Vectors> it(vectors, vectors->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    Vectors::PixelType pixel(3);
    pixel[0] = static_cast<float>(it.GetIndex()[0]);
    pixel[1] = static_cast<float>(it.GetIndex()[1]);
    pixel[2] = static_cast<float>(it.GetIndex()[0] + it.GetIndex()[1]);
    it.Set(pixel);
  }
  for (const bool isLinear : { true, false })
  {
    auto linear = itk::AffineTransform<double, 2>::New();
    linear->Scale(0.9);
    auto nonlinear = NonlinearAffine::New();
    nonlinear->Scale(0.9);
    for (const double scaling : { 10.0, 1.0, 0.5 })
    {
      const auto run = [&](auto filter, auto * input) {
        const auto   size = static_cast<itk::SizeValueType>(64 * scaling);
        const double spacing[] = { 64.0 / static_cast<double>(size), 64.0 / static_cast<double>(size) };
        filter->SetInput(input);
        filter->SetSize(Image::SizeType{ { size, size } });
        filter->SetOutputSpacing(spacing);
        if (isLinear)
        {
          filter->SetTransform(linear);
        }
        else
        {
          filter->SetTransform(nonlinear);
        }
        filter->Update();
        ExpectPromisedBackend(
          filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), isLinear ? "linear" : "other");
        return filter;
      };
      const auto scalars = run(this->Ours<Image, Image>(), image.GetPointer());
      const auto several = run(this->Ours<Vectors, Vectors>(), vectors.GetPointer());
      ASSERT_EQ(several->GetOutput()->GetNumberOfComponentsPerPixel(), 3U);
      for (itk::ImageRegionConstIteratorWithIndex<Image> it(scalars->GetOutput(),
                                                            scalars->GetOutput()->GetBufferedRegion());
           !it.IsAtEnd();
           ++it)
      {
        const double x = 0.9 / scaling * static_cast<double>(it.GetIndex()[0]); // at most 57.6: all are inside
        const double y = 0.9 / scaling * static_cast<double>(it.GetIndex()[1]);
        ASSERT_NEAR(it.Get(), x + y, 2e-5) << it.GetIndex();
        const auto vector = several->GetOutput()->GetPixel(it.GetIndex());
        ASSERT_NEAR(vector[0], x, 2e-5) << it.GetIndex();
        ASSERT_NEAR(vector[1], y, 2e-5) << it.GetIndex();
        ASSERT_NEAR(vector[2], x + y, 2e-5) << it.GetIndex();
      }
    }
  }
}

// itkResampleImageTest5 and 6 with bytes: results are truncated.
TEST_P(ItkResampleScalingChecks, Test5And6Bytes)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto expect = [this](auto input) {
    using Image = typename decltype(input)::ObjectType;
    using Pixel = typename Image::PixelType;
    for (const bool isLinear : { true, false })
    {
      auto linear = itk::AffineTransform<double, 2>::New();
      linear->Scale(0.9);
      auto nonlinear = NonlinearAffine::New();
      nonlinear->Scale(0.9);
      for (const double scaling : { 10.0, 1.0, 0.5 })
      {
        const auto   size = static_cast<itk::SizeValueType>(64 * scaling);
        const double spacing[] = { 1.0 / scaling, 1.0 / scaling };
        auto         filter = this->template Ours<Image, Image>();
        filter->SetInput(input);
        filter->SetSize(typename Image::SizeType{ { size, size } });
        filter->SetOutputSpacing(spacing);
        filter->SetTransform(isLinear ? linear.GetPointer() : nonlinear.GetPointer());
        filter->Update();
        ExpectPromisedBackend(
          filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), isLinear ? "linear" : "other");
        for (itk::ImageRegionConstIteratorWithIndex<Image> it(filter->GetOutput(),
                                                              filter->GetOutput()->GetBufferedRegion());
             !it.IsAtEnd();
             ++it)
        {
          const double x = 0.9 / scaling * static_cast<double>(it.GetIndex()[0]);
          const double y = 0.9 / scaling * static_cast<double>(it.GetIndex()[1]);
          const double values[] = { x, y, x + y };
          const Pixel  pixel = it.Get();
          for (unsigned int c = 0; c < 3; ++c)
          {
            const double nearest = std::round(values[c]);
            if (std::abs(values[c] - nearest) < 2e-5) // on either side of it
            {
              ASSERT_LE(std::abs(pixel[c] - nearest + 0.5), 0.5) << it.GetIndex();
            }
            else
            {
              ASSERT_EQ(pixel[c], std::floor(values[c])) << it.GetIndex();
            }
          }
        }
      }
    }
  };
  const auto fill = [](auto image, auto pixel) {
    using Image = typename decltype(image)::ObjectType;
    image->SetRegions(typename Image::SizeType{ { 64, 64 } });
    image->SetNumberOfComponentsPerPixel(3);
    image->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Image> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      pixel[0] = static_cast<unsigned char>(it.GetIndex()[0]);
      pixel[1] = static_cast<unsigned char>(it.GetIndex()[1]);
      pixel[2] = static_cast<unsigned char>(it.GetIndex()[0] + it.GetIndex()[1]);
      it.Set(pixel);
    }
    return image;
  };
  expect(fill(itk::Image<itk::RGBPixel<unsigned char>, 2>::New(), itk::RGBPixel<unsigned char>()));
  expect(fill(itk::VectorImage<unsigned char, 2>::New(), itk::VariableLengthVector<unsigned char>(3)));
}

// itkResampleImageTest8: a 3D output from a 2D input, with a transform between them.
TEST_P(ItkResampleScalingChecks, Test8MoreDimensions)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Input = itk::Image<float, 2>;
  using Output = itk::Image<float, 3>;
  auto filter = this->Ours<Input, Output>();
  filter->SetInput(MakeRamp<Input>(18, 12));
  filter->SetTransform(HalfProjection::New());
  filter->SetInterpolator(itk::LinearInterpolateImageFunction<Input>::New());
  filter->SetSize(Output::SizeType{ { 18, 12, 5 } });
  filter->Update();
  ExpectPromisedBackend(filter.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), "other");
  for (itk::ImageRegionConstIteratorWithIndex<Output> it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    const float expected = static_cast<float>(it.GetIndex()[0] + it.GetIndex()[1]) / 2.0F;
    ASSERT_NEAR(it.Get(), expected, 10.0F * std::numeric_limits<float>::epsilon() * expected) << it.GetIndex();
  }
  ExpectNoInterpolatorIsAnError(filter.GetPointer());
}
