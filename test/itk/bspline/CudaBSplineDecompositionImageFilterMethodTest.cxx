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
// The prefilter, its taps and its extensions as CudaBSplineDecompositionImageFilter offers them, and what ITK's own
// test of its filter checks, written anew.
//
// Expected values: the defaults and errors of the class documentation; what Prefilter() of the layer below gives for
// the same choice, bit for bit (the filter computes nothing itself; test/kernels judges the numbers); the closed forms
// of the poles within 1e-10, and the spline at random points within 1e-5 of ITK's interpolator, as ITK's test has it.

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/FirFilter.h"

#include "GpuOnAndOff.h"
#include "ItkObjectTestSupport.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkBSplineResampleImageFunction.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::Extension;
using itk::CudaSpline::NameOf;
using Kind = itk::CudaSpline::PrefilterMethod::Kind;
using IntegerImage = itk::Image<short, 3>;
using IntegerOutput = itk::Image<float, 3>;
using IntegerFilter = itk::CudaBSplineDecompositionImageFilter<IntegerImage, IntegerOutput>;

class CudaBSplineDecompositionImageFilterMethodTest : public GpuOnAndOff
{
protected:
  static IntegerFilter::Pointer
  MakeFilter(const IntegerImage * image)
  {
    auto filter = IntegerFilter::New();
    filter->SetInput(image);
    filter->SetGPUEnabled(GetParam());
    return filter;
  }

  /** Computes the same with the layer below, on the backend that the filter used. */
  static std::vector<double>
  Expected(const IntegerFilter * filter, const itk::CudaSpline::PrefilterMethod & method)
  {
    const IntegerImage * const        image = filter->GetInput();
    itk::CudaSpline::SourceDescriptor descriptor;
    itk::CudaSpline::ExecutionContext context;
    std::vector<float>                coefficients(Count(image));
    const std::vector<std::int64_t>   size = SizeOf(image);
    std::copy(size.begin(), size.end(), descriptor.size.begin());
    descriptor.pixel = itk::CudaSpline::ScalarType::Int16;
    descriptor.order = static_cast<unsigned int>(filter->GetSplineOrder());
    descriptor.method = method;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      descriptor.extension[axis] = filter->GetExtension(axis);
    }
    context.backend = filter->GetLastBackend();
    itk::CudaSpline::Prefilter(descriptor, image->GetBufferPointer(), coefficients.data(), context);
    return { coefficients.begin(), coefficients.end() };
  }

  static void
  ExpectExpected(IntegerFilter * filter, const itk::CudaSpline::PrefilterMethod & method)
  {
    filter->Update();
    EXPECT_STREQ(
      NameOf(filter->GetLastBackend()),
      NameOf(PromisedBackend({ "CudaBSplineDecompositionImageFilter", "scalar", "3", "-", "-", "-" }, GetParam())));
    EXPECT_EQ(Values(filter->GetOutput()), Expected(filter, method));
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterMethodTest);

TEST(CudaBSplineDecompositionImageFilterOptionsTest, Defaults)
{
  const auto filter = IntegerFilter::New();
  EXPECT_EQ(filter->GetPrefilter(), Kind::Exact);
  EXPECT_EQ(filter->GetNumberOfTaps(), 15u);
  EXPECT_EQ(filter->GetTolerance(), 0.0);
  EXPECT_EQ(filter->GetEffectiveNumberOfTaps(), 15u);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    EXPECT_EQ(filter->GetExtension(axis), Extension::Mirror);
  }
}

TEST(CudaBSplineDecompositionImageFilterOptionsTest, Printing)
{
  const auto filter = IntegerFilter::New();
  ExpectMention(Printed(filter), "Prefilter: Exact\n");
  ExpectMention(Printed(filter), "NumberOfTaps: 15\n");
  ExpectMention(Printed(filter), "Extension: Mirror Mirror Mirror\n");
  filter->SetPrefilter(Kind::Fir);
  filter->SetNumberOfTaps(27);
  filter->SetTolerance(0.125);
  filter->SetExtension(1, Extension::GridWrap);
  filter->SetExtension(2, Extension::Reflect);
  ExpectMention(Printed(filter), "Prefilter: Fir\n");
  ExpectMention(Printed(filter), "NumberOfTaps: 27\n");
  ExpectMention(Printed(filter), "FirTolerance: 0.125\n");
  ExpectMention(Printed(filter), "Extension: Mirror GridWrap Reflect\n");
  filter->SetPrefilter(Kind::ItkHorizon);
  ExpectMention(Printed(filter), "Prefilter: ItkHorizon\n");
}

TEST(CudaBSplineDecompositionImageFilterOptionsTest, OnlyAChangeModifies)
{
  const auto filter = IntegerFilter::New();
  auto       before = filter->GetMTime();
  const auto changed = [&] {
    const bool is = filter->GetMTime() != before;
    before = filter->GetMTime();
    return is;
  };
  filter->SetPrefilter(Kind::Exact);
  filter->SetNumberOfTaps(15);
  filter->SetTolerance(0.0);
  filter->SetExtension(Extension::Mirror);
  filter->SetExtension(2, Extension::Mirror);
  EXPECT_FALSE(changed());
  filter->SetPrefilter(Kind::Fir);
  EXPECT_TRUE(changed());
  filter->SetNumberOfTaps(13);
  EXPECT_TRUE(changed());
  filter->SetTolerance(1e-3);
  EXPECT_TRUE(changed());
  filter->SetExtension(2, Extension::GridWrap);
  EXPECT_TRUE(changed());
  filter->SetExtension(Extension::GridWrap);
  EXPECT_TRUE(changed()) << "two axes had another";
  filter->SetExtension(Extension::GridWrap);
  EXPECT_FALSE(changed());
}

TEST(CudaBSplineDecompositionImageFilterOptionsTest, TapsFollowFromToleranceAndOrder)
{
  const auto filter = IntegerFilter::New();
  filter->SetTolerance(1e-3);
  filter->SetNumberOfTaps(2); // has no effect
  constexpr unsigned int taps[6] = { 1, 1, 11, 15, 19, 25 };
  for (unsigned int order = 0; order <= 5; ++order)
  {
    filter->SetSplineOrder(order);
    EXPECT_EQ(filter->GetEffectiveNumberOfTaps(), taps[order]) << order;
  }
  filter->SetTolerance(6e-8);
  EXPECT_EQ(filter->GetEffectiveNumberOfTaps(), 49u);
}

TEST(CudaBSplineDecompositionImageFilterOptionsTest, AxesThatDoNotExist)
{
  const auto filter = IntegerFilter::New();
  for (const unsigned int axis : { 3u, 4u, std::numeric_limits<unsigned int>::max() })
  {
    ExpectMention(ErrorOf([&] { filter->SetExtension(axis, Extension::GridWrap); }), std::to_string(axis));
    ExpectMention(ErrorOf([&] { filter->GetExtension(axis); }), std::to_string(axis));
  }
}

TEST_P(CudaBSplineDecompositionImageFilterMethodTest, WrongTapsAndTolerances)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<IntegerImage>({ 9, 8, 7 }, random);
  const auto filter = this->MakeFilter(image);
  filter->SetPrefilter(Kind::Fir);
  for (unsigned int order = 0; order <= 3; order += 3) // also if no taps are used
  {
    filter->SetSplineOrder(order);
    for (const unsigned int taps : { 0u, 2u, 16u, 128u, 129u, 1u << 31, std::numeric_limits<unsigned int>::max() })
    {
      filter->SetNumberOfTaps(taps);
      ExpectMention(UpdateErrorOf(filter.GetPointer()), "it is " + std::to_string(taps));
      ExpectMention(ErrorOf([&] { filter->GetEffectiveNumberOfTaps(); }), std::to_string(taps));
      EXPECT_EQ(filter->GetLastBackend(), Backend::None);
    }
  }
  // Other prefilters have no taps.
  filter->SetPrefilter(Kind::Exact);
  EXPECT_NO_THROW(filter->Update());
  filter->SetPrefilter(Kind::Fir);
  filter->SetNumberOfTaps(127);
  EXPECT_NO_THROW(filter->Update());
  for (const double tolerance : { -1e-3, -1e-9, std::numeric_limits<double>::quiet_NaN(), 1e-40, 1e-300 })
  {
    std::ostringstream text;
    text << tolerance;
    filter->SetTolerance(tolerance);
    ExpectMention(UpdateErrorOf(filter.GetPointer()), text.str());
  }
  filter->SetTolerance(1e-5);
  EXPECT_NO_THROW(filter->Update());
}

TEST_P(CudaBSplineDecompositionImageFilterMethodTest, EveryMethodIsThatOfTheLayerBelow)
{
  Random     random(__LINE__);
  const auto image = NoiseImage<IntegerImage>({ 41, 37, 9 }, random);
  const auto filter = this->MakeFilter(image);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    SCOPED_TRACE("order " + std::to_string(order));
    filter->SetSplineOrder(order);
    filter->SetTolerance(0.0);
    filter->SetPrefilter(Kind::Exact);
    ExpectExpected(filter, { Kind::Exact });
    filter->SetPrefilter(Kind::ItkHorizon);
    ExpectExpected(filter, { Kind::ItkHorizon });
    filter->SetPrefilter(Kind::Fir);
    ExpectExpected(filter, { Kind::Fir, 15 });
    filter->SetNumberOfTaps(31);
    ExpectExpected(filter, { Kind::Fir, 31 });
    filter->SetTolerance(1e-3);
    constexpr int taps[6] = { 1, 1, 11, 15, 19, 25 };
    ExpectExpected(filter, { Kind::Fir, taps[order] });
    filter->SetNumberOfTaps(15);
  }
}

TEST_P(CudaBSplineDecompositionImageFilterMethodTest, EveryExtensionIsThatOfTheLayerBelow)
{
  Random                           random(__LINE__);
  const auto                       image = NoiseImage<IntegerImage>({ 33, 5, 20 }, random);
  const auto                       filter = this->MakeFilter(image);
  std::vector<std::vector<double>> seen;
  for (const Extension x : { Extension::Mirror, Extension::Reflect, Extension::GridWrap })
  {
    for (const Extension z : { Extension::Mirror, Extension::Reflect, Extension::GridWrap })
    {
      SCOPED_TRACE(std::string(NameOf(x)) + ", " + NameOf(z));
      filter->SetExtension(0, x);
      filter->SetExtension(2, z);
      filter->SetPrefilter(Kind::Exact);
      ExpectExpected(filter, { Kind::Exact });
      seen.push_back(Values(filter->GetOutput()));
      for (std::size_t other = 0; other + 1 < seen.size(); ++other)
      {
        EXPECT_NE(seen[other], seen.back()) << "the axes count";
      }
      filter->SetPrefilter(Kind::Fir);
      ExpectExpected(filter, { Kind::Fir, 15 });
    }
  }
}

TEST(CudaBSplineDecompositionImageFilterOptionsTest, ItksCodeRefusesWhatItDoesNotKnow)
{
  using Image = itk::Image<float, 5>;
  using Filter = itk::CudaBSplineDecompositionImageFilter<Image, Image>;
  static_assert(!Filter::IsAccelerated, "five dimensions");
  Random     random(__LINE__);
  const auto image = NoiseImage<Image>({ 3, 4, 2, 5, 3 }, random);
  const auto filter = Filter::New();
  filter->SetInput(image);
  filter->SetPrefilter(Kind::Fir);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "Fir");
  filter->SetPrefilter(Kind::ItkHorizon);
  EXPECT_NO_THROW(filter->Update());
  EXPECT_STREQ(NameOf(filter->GetLastBackend()), "Superclass");
  filter->SetExtension(4, Extension::Reflect);
  ExpectMention(UpdateErrorOf(filter.GetPointer()), "Mirror");
  filter->SetExtension(4, Extension::Mirror);
  EXPECT_NO_THROW(filter->Update());
}

/** The checks of itkBSplineDecompositionImageFilterTest with a type of coefficients.
 *
 * \param[in] tolerance of the values of the spline by order */
template <typename TCoefficient, typename TTolerance>
void
ExpectChecksOfItksTest(bool gpuEnabled, const TTolerance & tolerance)
{
  using Image = itk::Image<float, 2>;
  using Coefficients = itk::Image<TCoefficient, 2>;
  using Filter = itk::CudaBSplineDecompositionImageFilter<Image, Coefficients>;
  Random               random(__LINE__);
  const auto           image = Image::New();
  Image::DirectionType direction;
  direction(0, 0) = direction(1, 1) = 0.0;
  direction(0, 1) = -1.0;
  direction(1, 0) = 1.0;
  image->SetRegions(Image::SizeType{ { 32, 32 } });
  image->SetSpacing(Image::SpacingType(2.0));
  image->SetOrigin(Image::PointType(10.0));
  image->SetDirection(direction);
  image->Allocate();
  for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
  {
    image->GetBufferPointer()[i] = static_cast<float>(random.Uniform(0.0, 10.0));
  }
  for (unsigned int order = 0; order <= 5; ++order)
  {
    SCOPED_TRACE("order " + std::to_string(order));
    const auto filter = Filter::New();
    filter->SetGPUEnabled(gpuEnabled);
    EXPECT_STREQ(filter->GetNameOfClass(), "CudaBSplineDecompositionImageFilter");
    EXPECT_STREQ(filter->Filter::Superclass::GetNameOfClass(), "BSplineDecompositionImageFilter");
    EXPECT_FALSE(Printed(filter).empty());
    filter->SetInput(image);
    EXPECT_THROW(filter->SetSplineOrder(6), itk::ExceptionObject);
    filter->SetSplineOrder(order);
    EXPECT_EQ(filter->GetSplineOrder(), static_cast<int>(order));
    const std::vector<double> poles = PrefilterBounds(order).poles;
    ASSERT_EQ(filter->GetNumberOfPoles(), static_cast<int>(poles.size()));
    for (std::size_t k = 0; k < poles.size(); ++k)
    {
      EXPECT_NEAR(filter->GetSplinePoles()[k], poles[k], 1e-10);
    }
    EXPECT_NO_THROW(filter->Update());

    const auto resample = itk::BSplineResampleImageFunction<Coefficients, double>::New();
    resample->SetSplineOrder(order);
    resample->SetInputImage(filter->GetOutput());
    const auto interpolator = itk::BSplineInterpolateImageFunction<Image, double, double>::New();
    interpolator->SetSplineOrder(order);
    interpolator->SetInputImage(image);
    for (int k = 0; k < 10; ++k)
    {
      itk::ContinuousIndex<double, 2> index;
      index[0] = random.Uniform(0.0, 31.0);
      index[1] = random.Uniform(0.0, 31.0);
      Image::PointType point;
      image->TransformContinuousIndexToPhysicalPoint(index, point);
      EXPECT_NEAR(resample->Evaluate(point), interpolator->Evaluate(point), tolerance(order)) << point;
    }
  }
}

TEST_P(CudaBSplineDecompositionImageFilterMethodTest, ChecksOfItksTest)
{
  ExpectChecksOfItksTest<double>(GetParam(), [](unsigned int) { return 1e-5; });
  // Weights are not negative and sum to 1, so the error of values is that of the coefficients; 1e-6 for ITK's low edge.
  ExpectChecksOfItksTest<float>(GetParam(), [](unsigned int order) {
    const PrefilterBounds bounds(order);
    return bounds.Axes(2, bounds.OwnAxis<float>(), 10.0) + 1e-6;
  });
  using ComplexImage = itk::Image<std::complex<float>, 2>;
  const auto filter = itk::CudaBSplineDecompositionImageFilter<ComplexImage, ComplexImage>::New();
  ExpectMention(Printed(filter), "CudaBSplineDecompositionImageFilter");
}

} // namespace
