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
// CudaVectorBSplineInterpolateImageFunction by itself. Expected values: ITK's BSplineInterpolateImageFunction of each
// component, to 1e-9 of the range (130; ITK's own truncation near the low edge is 3.7e-10); under address modes, which
// ITK has not, the module's interpolator of each component, which does the same operations.

#include "VectorTestSupport.h"

#include "itkCudaVectorBSplineInterpolateImageFunction.h"
#include "itkRGBPixel.h"

#include <complex>

using namespace CudaSplineTest;

namespace
{

/** Returns the function of each component. */
template <typename TImage>
std::vector<typename itk::BSplineInterpolateImageFunction<
  itk::Image<typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType, TImage::ImageDimension>>::Pointer>
FunctionsOf(TImage * image, unsigned int order)
{
  using Scalars =
    itk::Image<typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType, TImage::ImageDimension>;
  using Function = itk::BSplineInterpolateImageFunction<Scalars>;
  std::vector<typename Function::Pointer> functions;
  for (unsigned int c = 0; c < image->GetNumberOfComponentsPerPixel(); ++c)
  {
    functions.push_back(Function::New());
    functions.back()->SetSplineOrder(order);
    functions.back()->SetInputImage(ComponentOf(image, c));
  }
  return functions;
}

/** Random indices within the image and half a sample beyond it: the same values, and the same points are inside. */
template <typename TImage>
void
ExpectFunctionsOfComponents(unsigned int components)
{
  using Function = itk::CudaVectorBSplineInterpolateImageFunction<TImage>;
  const auto numberOf = [](const typename Function::OutputType & value, unsigned int c) {
    if constexpr (itk::CudaSplineDetail::ImageTraits<TImage>::IsVectorImage)
    {
      return value[c];
    }
    else
    {
      return reinterpret_cast<const double *>(&value)[c];
    }
  };
  const auto image = MakeVectors<TImage>(components);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    auto ours = Function::New();
    ours->SetSplineOrder(order);
    ours->SetInputImage(image);
    EXPECT_NE(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    const auto                             theirs = FunctionsOf(image.GetPointer(), order);
    std::mt19937                           random(order + 1);
    std::uniform_real_distribution<double> uniform(-0.6, 1.0);
    for (int n = 0; n < 300; ++n)
    {
      typename Function::ContinuousIndexType index;
      for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
      {
        const auto & region = image->GetBufferedRegion();
        index[d] = static_cast<double>(region.GetIndex(d)) + uniform(random) * 0.7 +
                   (n % 3 == 0 ? 0.0 : std::abs(uniform(random)) * static_cast<double>(region.GetSize(d)));
      }
      ASSERT_EQ(ours->IsInsideBuffer(index), theirs[0]->IsInsideBuffer(index)) << index;
      if (ours->IsInsideBuffer(index))
      {
        const auto value = ours->EvaluateAtContinuousIndex(index);
        for (unsigned int c = 0; c < components; ++c)
        {
          ASSERT_NEAR(numberOf(value, c), theirs[c]->EvaluateAtContinuousIndex(index), 1.3e-7) << index;
        }
      }
    }
  }
}

} // namespace

TEST(CudaVectorBSplineInterpolateImageFunction, SingleEvaluations)
{
  ExpectFunctionsOfComponents<itk::Image<itk::Vector<float, 3>, 2>>(3);
  ExpectFunctionsOfComponents<itk::Image<itk::RGBPixel<unsigned char>, 2>>(3);
  ExpectFunctionsOfComponents<itk::Image<std::complex<double>, 2>>(2);
  ExpectFunctionsOfComponents<itk::VectorImage<float, 3>>(4);
}

TEST(CudaVectorBSplineInterpolateImageFunction, AtPointsAndInContainers)
{
  using Image = itk::Image<itk::Vector<float, 2>, 2>;
  using Function = itk::CudaVectorBSplineInterpolateImageFunction<Image>;
  const auto image = MakeVectors<Image>(2);
  auto       function = Function::New();
  function->SetInputImage(image);
  const auto                    theirs = FunctionsOf(image.GetPointer(), 3);
  Function::ContinuousIndexType index;
  index[0] = 3.3;
  index[1] = 17.8;
  Function::PointType point;
  image->TransformContinuousIndexToPhysicalPoint(index, point);
  const auto values = function->EvaluateAtPoints(std::vector<Function::PointType>{ point });
  for (unsigned int c = 0; c < 2; ++c)
  {
    EXPECT_NEAR(function->Evaluate(point)[c], theirs[c]->Evaluate(point), 1e-7);
    EXPECT_NEAR(values.front()[c], theirs[c]->Evaluate(point), 1e-7);
  }
  EXPECT_EQ(function->GetLastBackend(),
            itk::CudaSpline::Backend::Superclass); // backend of the batch; points are evaluated one by one
}

TEST(CudaVectorBSplineInterpolateImageFunction, CoefficientsFollowOrderAndPixels)
{
  using Image = itk::Image<itk::Vector<double, 2>, 2>;
  using Function = itk::CudaVectorBSplineInterpolateImageFunction<Image>;
  const auto image = MakeVectors<Image>(2);
  auto       function = Function::New();
  EXPECT_EQ(function->GetSplineOrder(), 3U);
  EXPECT_EQ(function->GetCoefficients(), nullptr);
  function->SetInputImage(image);
  const auto * const coefficients = function->GetCoefficients();
  function->SetInputImage(image);
  EXPECT_EQ(function->GetCoefficients(), coefficients);
  image->GetBufferPointer()[5][1] += 10.0; // without Modified()
  function->SetInputImage(image);
  EXPECT_NE(function->GetCoefficients(), coefficients);
  function->SetSplineOrder(2);
  const auto                    theirs = FunctionsOf(image.GetPointer(), 2);
  Function::ContinuousIndexType index;
  index[0] = -1.4;
  index[1] = 11.2;
  EXPECT_NEAR(function->EvaluateAtContinuousIndex(index)[1], theirs[1]->EvaluateAtContinuousIndex(index), 1e-7);
  function->SetInputImage(nullptr);
  EXPECT_EQ(function->GetCoefficients(), nullptr);
  EXPECT_THROW(function->EvaluateAtContinuousIndex(index), itk::ExceptionObject);
}

TEST(CudaVectorBSplineInterpolateImageFunction, Errors)
{
  using Image = itk::Image<itk::Vector<double, 2>, 2>;
  using Function = itk::CudaVectorBSplineInterpolateImageFunction<Image>;
  auto function = Function::New();
  EXPECT_THROW(function->SetSplineOrder(6), itk::ExceptionObject);
  EXPECT_EQ(function->GetSplineOrder(), 3U);
  EXPECT_THROW(function->SetAddressMode(itk::CudaSplineAddressMode::Nearest), itk::ExceptionObject);
  function->SetSplineOrder(1);
  function->SetAddressMode(itk::CudaSplineAddressMode::Nearest);
  EXPECT_THROW(function->SetSplineOrder(3), itk::ExceptionObject);
  EXPECT_EQ(function->GetSplineOrder(), 1U);
  const auto image = MakeVectors<Image>(2);
  function->SetInputImage(image);
  Function::ContinuousIndexType index;
  index.Fill(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(function->IsInsideBuffer(index));
  EXPECT_TRUE(std::isnan(function->EvaluateAtContinuousIndex(index)[1]));
}

// An image that is extended beyond its edges: each component equals the result of the module's scalar interpolator.
TEST(CudaVectorBSplineInterpolateImageFunction, AddressModes)
{
  using Mode = itk::CudaSplineAddressMode;
  using Image = itk::Image<itk::Vector<double, 2>, 2>;
  using Scalars = itk::Image<double, 2>;
  const auto image = MakeVectors<Image>(2);
  const auto compare = [&](unsigned int order, Mode mode) {
    auto ours = itk::CudaVectorBSplineInterpolateImageFunction<Image>::New();
    ours->SetSplineOrder(order);
    ours->SetAddressMode(mode);
    ours->SetBorderValue(17.3);
    ours->SetInputImage(image);
    auto scalar = itk::CudaBSplineInterpolateImageFunction<Scalars>::New();
    scalar->SetSplineOrder(order);
    scalar->SetAddressMode(mode);
    scalar->SetBorderValue(17.3);
    scalar->SetInputImage(ComponentOf(image.GetPointer(), 1));
    for (double x = -90.0; x < 120.0; x += 3.7)
    {
      itk::ContinuousIndex<double, 2> index;
      index[0] = x;
      index[1] = 0.7 * x - 3.0;
      ASSERT_TRUE(ours->IsInsideBuffer(index));
      // The same operations in the same order.
      ASSERT_EQ(ours->EvaluateAtContinuousIndex(index)[1], scalar->EvaluateAtContinuousIndex(index)) << index;
    }
  };
  compare(3, Mode::Mirror);
  compare(3, Mode::Reflect);
  compare(2, Mode::GridWrap);
  compare(1, Mode::Nearest);
  compare(1, Mode::GridConstant);
}
