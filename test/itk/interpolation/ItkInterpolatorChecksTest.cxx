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
// The checks of ITK's own tests of its interpolators, made with the module's classes: figures are ITK's, code is not.
//
// From ITK's Modules/Core/ImageFunction/test: itkInterpolateTest (1e-9), itkLinearInterpolateImageFunctionTest (5e-6),
// itkNearestNeighborInterpolateImageFunctionTest (none), itkWindowedSincInterpolateImageFunctionTest: its expected
// values are those of a linear function at samples, within 1e-9 there; between samples a windowed sinc is not a linear
// function, and ITK only prints the difference, so ITK's class is the reference.

#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "ItkCheckSupport.h"

#include "itkConstantBoundaryCondition.h"
#include "itkRGBPixel.h"
#include "itkVectorImage.h"

#include <algorithm>
#include <cmath>

using namespace CudaSplineTest;

TEST(ItksInterpolatorChecks, LinearAndNearestInAPlane)
{
  using ImageType = itk::Image<unsigned short, 3>;
  const double spacing[] = { 0.1, 0.05, 0.025 };
  const double origin[] = { 0.5, 0.5, 0.5 };
  const auto   image =
    MakeImage<ImageType>({ { 20, 40, 80 } }, {}, spacing, origin, [](const auto & i) { return i[0] + i[1] + i[2]; });
  auto linear = itk::CudaLinearInterpolateImageFunction<ImageType>::New();
  auto nearest = itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New();
  linear->SetInputImage(image);
  nearest->SetInputImage(image);
  const auto check = [&](const Index<3> & index, bool isInside, double value) {
    ExpectValue(linear.GetPointer(), index, isInside, value, 1e-9, 1e-9);
    if (isInside)
    {
      ImageType::IndexType rounded;
      rounded.CopyWithRound(index);
      EXPECT_EQ(nearest->EvaluateAtContinuousIndex(index), static_cast<double>(rounded[0] + rounded[1] + rounded[2]));
      EXPECT_EQ(linear->EvaluateAtIndex(rounded), static_cast<double>(rounded[0] + rounded[1] + rounded[2]));
    }
  };
  check(At(10, 20, 40), true, 70.0);
  check(At(0, 20, 40), true, 60.0);
  check(At(19 - 1e-10, 20, 40), true, 79.0);
  check(At(20, 20, 40), false, 0.0);
  check(At(5.25, 12.4, 42.0), true, 59.65);
  check(At(5.25, 12.6, 42.0), true, 59.85);
  check(At(5.25, 12.5, 42.0), true, 59.75);
  check(At(5.25, 11.5, 42.0), true, 58.75);
}

namespace
{

/** Linear interpolation of 3 x + y + z + ... in scalars and vectors. */
template <unsigned int D>
void
LinearFunction()
{
  using Scalars = itk::Image<float, D>;
  using Vectors = itk::Image<itk::Vector<float, 4>, D>;
  typename Scalars::SizeType    size;
  typename Scalars::SpacingType spacing(1.0);
  typename Scalars::PointType   origin;
  size.Fill(3);
  origin.Fill(0.0);
  const auto value = [](const auto & at) {
    double sum = 2.0 * static_cast<double>(at[0]);
    for (unsigned int d = 0; d < D; ++d)
    {
      sum += static_cast<double>(at[d]);
    }
    return sum;
  };
  const auto image = MakeImage<Scalars>(size, {}, spacing, origin, value);
  auto       vectors = Vectors::New();
  vectors->CopyInformation(image);
  vectors->SetRegions(image->GetBufferedRegion());
  vectors->Allocate();
  for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    vectors->GetBufferPointer()[i].Fill(image->GetBufferPointer()[i]);
  }
  auto linear = itk::CudaLinearInterpolateImageFunction<Scalars, float>::New();
  auto ofVectors = itk::CudaLinearInterpolateImageFunction<Vectors, float>::New();
  linear->SetInputImage(image);
  ofVectors->SetInputImage(vectors);
  EXPECT_EQ(linear->GetRadius(), Scalars::SizeType::Filled(1));
  using VectorImage = itk::VectorImage<float, D>;
  auto vectorImage = VectorImage::New();
  vectorImage->CopyInformation(image);
  vectorImage->SetRegions(image->GetBufferedRegion());
  vectorImage->SetNumberOfComponentsPerPixel(4);
  vectorImage->Allocate();
  for (itk::SizeValueType i = 0; i < 4 * image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    vectorImage->GetBufferPointer()[i] = image->GetBufferPointer()[i / 4];
  }
  auto ofVectorImages = itk::CudaLinearInterpolateImageFunction<VectorImage, float>::New();
  ofVectorImages->SetInputImage(vectorImage);
  constexpr int steps = 11; // from 0 to 2 in steps of 0.2
  for (int n = 0; n < std::pow(steps, D); ++n)
  {
    itk::Point<float, D> point;
    int                  rest = n;
    for (unsigned int d = 0; d < D; ++d)
    {
      point[d] = 0.2F * static_cast<float>(rest % steps);
      rest /= steps;
    }
    ASSERT_TRUE(linear->IsInsideBuffer(point));
    EXPECT_NEAR(linear->Evaluate(point), value(point), 5e-6);
    const auto vector = ofVectors->Evaluate(point);
    for (unsigned int k = 0; k < 4; ++k)
    {
      EXPECT_NEAR(vector[k], value(point), 5e-6);
      EXPECT_NEAR(ofVectorImages->Evaluate(point)[k], value(point), 5e-6);
    }
  }
}

} // namespace

TEST(ItksInterpolatorChecks, LinearFunctionIn1To4Dimensions)
{
  LinearFunction<1>();
  LinearFunction<2>();
  LinearFunction<3>();
  LinearFunction<4>();
}

TEST(ItksInterpolatorChecks, NearestOfScalarsAndVectors)
{
  using Scalars = itk::Image<float, 2>;
  using Vectors = itk::VectorImage<float, 2>;
  const double ones[] = { 1.0, 1.0 };
  const double zeros[] = { 0.0, 0.0 };
  const auto image = MakeImage<Scalars>({ { 3, 3 } }, {}, ones, zeros, [](const auto & i) { return i[0] + 3 * i[1]; });
  auto       vectors = Vectors::New();
  vectors->SetRegions(image->GetBufferedRegion());
  vectors->SetVectorLength(4);
  vectors->Allocate();
  for (int i = 0; i < 36; ++i)
  {
    vectors->GetBufferPointer()[i] = image->GetBufferPointer()[i / 4];
  }
  auto nearest = itk::CudaNearestNeighborInterpolateImageFunction<Scalars, float>::New();
  auto ofVectors = itk::CudaNearestNeighborInterpolateImageFunction<Vectors, float>::New();
  nearest->SetInputImage(image);
  ofVectors->SetInputImage(vectors);
  using Fixed = itk::Image<itk::Vector<float, 4>, 2>; // the same as pixels of a fixed length
  auto fixed = Fixed::New();
  fixed->SetRegions(image->GetBufferedRegion());
  fixed->Allocate();
  std::copy_n(vectors->GetBufferPointer(), 36, fixed->GetBufferPointer()->GetDataPointer());
  auto ofFixed = itk::CudaNearestNeighborInterpolateImageFunction<Fixed, float>::New();
  ofFixed->SetInputImage(fixed);
  EXPECT_EQ(nearest->GetRadius(), Scalars::SizeType());
  for (int n = 0; n < 21 * 21; ++n)
  {
    itk::Point<float, 2> point;
    point[0] = 0.1F * static_cast<float>(n % 21);
    point[1] = 0.1F * static_cast<float>(n / 21);
    const double expected = std::floor(point[0] + 0.5) + 3.0 * std::floor(point[1] + 0.5);
    EXPECT_EQ(nearest->Evaluate(point), expected) << point;
    const auto vector = ofVectors->Evaluate(point);
    for (unsigned int k = 0; k < 4; ++k)
    {
      EXPECT_EQ(vector[k], expected);
      EXPECT_EQ(ofFixed->Evaluate(point)[k], expected);
    }
  }
}

TEST(ItksInterpolatorChecks, WindowedSincInAPlane)
{
  using ImageType = itk::Image<unsigned char, 3>;
  using Window = itk::Function::HammingWindowFunction<2>;
  using Boundary = itk::ConstantBoundaryCondition<ImageType>;
  const double spacing[] = { 0.1, 0.05, 0.025 };
  const double origin[] = { 0.5, 0.5, 0.5 };
  const auto   image =
    MakeImage<ImageType>({ { 20, 40, 80 } }, {}, spacing, origin, [](const auto & i) { return i[0] + i[1] + i[2]; });
  auto sinc = itk::CudaWindowedSincInterpolateImageFunction<ImageType, 2, Window, Boundary>::New();
  auto judge = itk::WindowedSincInterpolateImageFunction<ImageType, 2, Window, Boundary>::New();
  sinc->SetInputImage(image);
  judge->SetInputImage(image);
  EXPECT_EQ(sinc->GetRadius(), ImageType::SizeType::Filled(2));
  ExpectValue(sinc.GetPointer(), At(10, 20, 40), true, 70.0, 1e-9, 1e-9);
  ExpectValue(sinc.GetPointer(), At(0, 20, 40), true, 60.0, 1e-9, 1e-9);
  ExpectValue(sinc.GetPointer(), At(19 - 1e-10, 20, 40), true, 79.0, 1e-6, 1e-6);
  ExpectValue(sinc.GetPointer(), At(20, 20, 40), false, 0.0, 0.0, 0.0);
  const auto between = At(5.25, 12.5, 42.0);
  ExpectValue(sinc.GetPointer(), between, true, judge->EvaluateAtContinuousIndex(between), 1e-9, 1e-9);
  EXPECT_NEAR(sinc->EvaluateAtContinuousIndex(between), 59.75, 1.0);

  // It compiles for colours, which the superclass computes.
  using Colours = itk::Image<itk::RGBPixel<short>, 2>;
  EXPECT_FALSE((itk::CudaWindowedSincInterpolateImageFunction<Colours, 3>::IsOwn));
}
