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
// CudaResampleImageFilter against ResampleImageFilter: pixel types, clamps, NaN and infinity, short axes.
//
// Expected values: ITK's filter with the same pixel types. Integer outputs by NUMERICS' rule: equal, or different by 1
// where ITK's real value (its filter with double output) lies within the derived bound of an integer; such voxels are
// counted and reported as test properties. Short axes: a fully folded reference in double (ReferenceSpline.h), because
// ITK folds once only.

#include "DerivedBounds.h"
#include "ResampleTestSupport.h"

#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkCudaSpline/math/FirTaps.h"
#include "itkCudaSpline/math/LineRecursion.h"

#include <algorithm>
#include <numeric>

using namespace CudaSplineTest;

namespace
{

template <typename TFilter, typename TInput>
typename TFilter::Pointer
Resampled(const TInput * input, const Interpolator & interpolator, bool itkOnly, bool onGpu)
{
  auto filter = TFilter::New();
  filter->SetInput(input);
  filter->SetInterpolator(MakeInterpolator<TFilter>(interpolator, itkOnly));
  SetOutputGrid(filter.GetPointer(), input);
  if constexpr (TInput::ImageDimension == 3)
  {
    auto euler = itk::Euler3DTransform<double>::New();
    euler->SetRotation(0.17, -0.26, 0.35);
    filter->SetTransform(euler);
  }
  else
  {
    auto euler = itk::Euler2DTransform<double>::New();
    euler->SetAngle(0.29);
    filter->SetTransform(euler);
  }
  filter->SetDefaultPixelValue(static_cast<typename TFilter::PixelType>(17));
  if constexpr (std::is_base_of<itk::CudaResampleImageFilter<TInput, typename TFilter::OutputImageType>,
                                TFilter>::value)
  {
    filter->SetGPUEnabled(onGpu);
  }
  filter->Update();
  return filter;
}

/** Compares all three interpolators from one pixel type to another, by the rule above. Returns the number of voxels
 * that differ. */
template <unsigned int D, typename TIn, typename TOut>
long
ComparePixels(bool onGpu, double low, double high)
{
  using Input = itk::Image<TIn, D>;
  using Output = itk::Image<TOut, D>;
  const auto   input = MakePhantom<Input>(low, high);
  const double largest = std::max(std::abs(low), std::abs(high));
  long         flips = 0;
  for (const Interpolator & interpolator : ThreeInterpolators)
  {
    const auto ours =
      Resampled<itk::CudaResampleImageFilter<Input, Output>>(input.GetPointer(), interpolator, false, onGpu);
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, onGpu);
    const auto theirs =
      Resampled<itk::ResampleImageFilter<Input, Output>>(input.GetPointer(), interpolator, true, false);
    const auto real =
      Resampled<itk::ResampleImageFilter<Input, itk::Image<double, D>>>(input.GetPointer(), interpolator, true, false);

    SourceDescriptor descriptor;
    descriptor.dimension = D;
    descriptor.size = { 53, 47, D == 3 ? 31 : 1, 1 };
    descriptor.order = static_cast<unsigned int>(interpolator.order);
    const bool isDouble = NeedsDoublePrecision(ScalarTypeOf<TIn>()) || NeedsDoublePrecision(ScalarTypeOf<TOut>());
    descriptor.element = isDouble ? ScalarType::Float64 : ScalarType::Float32;
    // Rounding, the truncation of the prefilter in float, and ITK's own of 1.2e-10 per axis near the low edge.
    const double bound =
      interpolator.name[0] == 'N'
        ? 0.0
        : CoefficientAgreement(descriptor, largest) +
            ValueAgreement(descriptor, std::max(1U, descriptor.order), LargestCoefficient(descriptor, largest)) +
            (descriptor.order >= 2
               ? D * ((isDouble ? 1.1e-16 : 6e-8) + 1.2e-10) * LargestCoefficient(descriptor, largest)
               : 0.0);

    itk::ImageRegionConstIterator<Output>                a(ours->GetOutput(), ours->GetOutput()->GetBufferedRegion());
    itk::ImageRegionConstIterator<Output>                b(theirs->GetOutput(), ours->GetOutput()->GetBufferedRegion());
    itk::ImageRegionConstIterator<itk::Image<double, D>> v(real->GetOutput(), ours->GetOutput()->GetBufferedRegion());
    for (; !a.IsAtEnd(); ++a, ++b, ++v)
    {
      if (a.Get() == b.Get())
      {
        continue;
      }
      ++flips;
      const double difference = std::abs(static_cast<double>(a.Get()) - static_cast<double>(b.Get()));
      if (std::is_floating_point<TOut>::value || bound > 0.5)
      {
        EXPECT_LE(difference,
                  bound + (std::is_floating_point<TOut>::value ? UnitOf(ScalarTypeOf<TOut>()) * 2 * largest : 1.0))
          << NameOf(ScalarTypeOf<TIn>()) << " to " << NameOf(ScalarTypeOf<TOut>()) << ", " << interpolator.name;
      }
      else
      {
        EXPECT_EQ(difference, 1.0) << NameOf(ScalarTypeOf<TIn>()) << " to " << NameOf(ScalarTypeOf<TOut>()) << ", "
                                   << interpolator.name;
        EXPECT_LE(std::abs(v.Get() - std::round(v.Get())), bound) << interpolator.name;
      }
    }
  }
  testing::Test::RecordProperty(std::string(NameOf(ScalarTypeOf<TIn>())) + "_to_" + NameOf(ScalarTypeOf<TOut>()) + "_" +
                                  std::to_string(D) + "D_differing_voxels",
                                static_cast<int>(flips));
  return flips;
}

class CudaResampleImageFilterPixelTest : public OnEachBackend
{};

} // namespace

// The phantom uses the whole range of the type, so that the cubic overshoots at both ends and is clamped.
TEST_P(CudaResampleImageFilterPixelTest, SmallIntegersAtBothClamps)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  ComparePixels<3, unsigned char, unsigned char>(this->OnGpu(), 0, 255);
  ComparePixels<3, short, short>(this->OnGpu(), -32768, 32767);
  ComparePixels<2, signed char, signed char>(this->OnGpu(), -128, 127);
  ComparePixels<2, unsigned short, unsigned short>(this->OnGpu(), 0, 65535);
}

TEST_P(CudaResampleImageFilterPixelTest, LargeIntegers)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  ComparePixels<2, int, int>(this->OnGpu(), -2.0e6, 3.0e6);
  ComparePixels<2, unsigned int, unsigned int>(this->OnGpu(), 0.0, 4294967295.0);
  ComparePixels<2, long, long>(this->OnGpu(), -1.0e6, 1.0e6);
  ComparePixels<2, unsigned long long, unsigned long long>(this->OnGpu(), 0.0, 1.0e6);
}

TEST_P(CudaResampleImageFilterPixelTest, FromOneTypeToAnother)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  ComparePixels<2, short, unsigned char>(this->OnGpu(), -1000, 1000); // both clamps in every interpolator
  ComparePixels<3, float, unsigned char>(this->OnGpu(), -100.0, 400.0);
  ComparePixels<2, double, short>(this->OnGpu(), -50000.0, 50000.0);
  ComparePixels<2, float, int>(this->OnGpu(), -5000.0, 5000.0);
  ComparePixels<3, unsigned char, float>(this->OnGpu(), 0, 255);
  ComparePixels<2, double, float>(this->OnGpu(), -1.0, 1.0);
}

// ITK converts labels to double, where those above 2^53 are lost: ours keeps all 64 bits.
TEST_P(CudaResampleImageFilterPixelTest, LargeLabelsSurviveNearestNeighbour)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<unsigned long long, 2>;
  const auto input = MakePhantom<Image>(0, 100);
  for (itk::ImageRegionIteratorWithIndex<Image> it(input, input->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set((1ULL << 60) + 2 * it.Get() + 1);
  }
  const auto ours = Resampled<itk::CudaResampleImageFilter<Image, Image>>(
    input.GetPointer(), ThreeInterpolators[0], false, this->OnGpu());
  for (itk::ImageRegionConstIterator<Image> it(ours->GetOutput(), ours->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    ASSERT_TRUE(it.Get() == 17 || (it.Get() > (1ULL << 60) && it.Get() % 2 == 1)) << it.Get();
  }
}

TEST_P(CudaResampleImageFilterPixelTest, NanAndInfinityAsInItk)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  const auto input = MakePhantom<Image>(-1.0, 1.0);
  auto       index = input->GetBufferedRegion().GetIndex();
  index[0] += 20;
  index[1] += 20;
  input->SetPixel(index, std::numeric_limits<float>::quiet_NaN());
  index[0] += 10;
  input->SetPixel(index, std::numeric_limits<float>::infinity());
  index[1] += 10;
  input->SetPixel(index, -std::numeric_limits<float>::infinity());
  for (int i = 0; i < 2; ++i) // nearest and linear
  {
    const auto ours = Resampled<itk::CudaResampleImageFilter<Image, Image>>(
      input.GetPointer(), ThreeInterpolators[i], false, this->OnGpu());
    const auto theirs =
      Resampled<itk::ResampleImageFilter<Image, Image>>(input.GetPointer(), ThreeInterpolators[i], true, false);
    const Difference difference = Compare(ours->GetOutput(), theirs->GetOutput());
    EXPECT_LE(difference.maximum, i == 0 ? 0.0 : 1e-6);
    EXPECT_EQ(difference.outside, 0.0);
    long finite = 0;
    long largest = 0;
    for (itk::ImageRegionConstIterator<Image> it(ours->GetOutput(), ours->GetOutput()->GetBufferedRegion());
         !it.IsAtEnd();
         ++it)
    {
      finite += std::isfinite(it.Get()) ? 1 : 0;
      largest += std::abs(it.Get()) == std::numeric_limits<float>::max() ? 1 : 0;
    }
    EXPECT_LT(finite, static_cast<long>(ours->GetOutput()->GetBufferedRegion().GetNumberOfPixels()));
    EXPECT_GT(largest, 0) << "ITK's cast to float turns infinities into the largest values";

    // Infinities are kept in double, as there is no cast. In integers they are clamped, and NaN, which is undefined in
    // ITK, is 0.
    using Exact = itk::Image<double, 2>;
    const auto exact = Resampled<itk::CudaResampleImageFilter<Image, Exact>>(
      input.GetPointer(), ThreeInterpolators[i], false, this->OnGpu());
    const auto exactTheirs =
      Resampled<itk::ResampleImageFilter<Image, Exact>>(input.GetPointer(), ThreeInterpolators[i], true, false);
    EXPECT_LE(Compare(exact->GetOutput(), exactTheirs->GetOutput()).maximum, 1e-12);
    using Bytes = itk::Image<unsigned char, 2>;
    const auto bytes = Resampled<itk::CudaResampleImageFilter<Image, Bytes>>(
      input.GetPointer(), ThreeInterpolators[i], false, this->OnGpu());
    itk::ImageRegionConstIterator<Exact> value(exact->GetOutput(), exact->GetOutput()->GetBufferedRegion());
    for (itk::ImageRegionConstIterator<Bytes> it(bytes->GetOutput(), bytes->GetOutput()->GetBufferedRegion());
         !it.IsAtEnd();
         ++it, ++value)
    {
      if (std::isnan(value.Get()))
      {
        EXPECT_EQ(it.Get(), 0);
      }
      else if (std::isinf(value.Get()))
      {
        EXPECT_EQ(it.Get(), value.Get() > 0 ? 255 : 0);
      }
    }
  }
}

// In ITK one NaN makes the whole spline NaN. Here it affects its neighbourhood; other values are the same as without
// it.
TEST_P(CudaResampleImageFilterPixelTest, NanStaysInItsNeighbourhoodOfASpline)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 2>;
  auto              clean = Image::New();
  Image::RegionType region;
  region.SetSize(Image::SizeType{ { 300, 280 } });
  clean->SetRegions(region);
  clean->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(clean, region); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<float>(std::sin(0.1 * it.GetIndex()[0]) * std::cos(0.13 * it.GetIndex()[1])));
  }
  const auto run = [&](Image * image) {
    auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
    filter->SetGPUEnabled(this->OnGpu());
    filter->SetInput(image);
    filter->SetInterpolator(MakeInterpolator<itk::CudaResampleImageFilter<Image, Image>>(ThreeInterpolators[2], false));
    filter->SetOutputParametersFromImage(image);
    auto origin = image->GetOrigin();
    origin.Fill(0.25);
    filter->SetOutputOrigin(origin);
    filter->Update();
    Image::Pointer output = filter->GetOutput();
    output->DisconnectPipeline();
    return output;
  };
  const auto expected = run(clean);
  clean->SetPixel(Image::IndexType{ { 150, 140 } }, std::numeric_limits<float>::quiet_NaN());
  const auto output = run(clean);
  const int  reach = itk::CudaSpline::LineSegmentLength + itk::CudaSpline::RecursionWarmUp<3, float>::Samples + 3;
  long       spoilt = 0;
  for (itk::ImageRegionIteratorWithIndex<Image> it(output, region); !it.IsAtEnd(); ++it)
  {
    if (std::abs(it.GetIndex()[0] - 150) > reach || std::abs(it.GetIndex()[1] - 140) > reach)
    {
      ASSERT_EQ(it.Get(), expected->GetPixel(it.GetIndex())) << it.GetIndex();
    }
    spoilt += std::isnan(it.Get()) ? 1 : 0;
  }
  EXPECT_GT(spoilt, 0);
}

// Axes shorter than the support: every index is folded completely. Reference: the sum over all samples of a closed form
// in double.
TEST_P(CudaResampleImageFilterPixelTest, ShortAxesAreFoldedFully)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<double, 2>;
  using Filter = itk::CudaResampleImageFilter<Image, Image>;
  std::mt19937 random(std::random_device{}());
  for (const itk::SizeValueType length : { 1U, 2U, 3U, 4U, 5U })
  {
    for (int order = 0; order <= 5; ++order)
    {
      auto              input = Image::New();
      Image::RegionType region;
      region.SetSize(Image::SizeType{ { length, 7 } });
      region.SetIndex(Image::IndexType{ { 4, -2 } });
      input->SetRegions(region);
      input->Allocate();
      for (itk::ImageRegionIteratorWithIndex<Image> it(input, region); !it.IsAtEnd(); ++it)
      {
        it.Set(std::uniform_real_distribution<double>(-1.0, 1.0)(random));
      }
      auto filter = Filter::New();
      filter->SetGPUEnabled(this->OnGpu());
      filter->SetInput(input);
      filter->SetInterpolator(MakeInterpolator<Filter>({ "BSplineInterpolateImageFunction", order }, false));
      filter->SetSize(Image::SizeType{ { 40, 5 } });
      Image::SpacingType spacing;
      spacing[0] = (static_cast<double>(length) - 0.01) / 40.0;
      spacing[1] = 1.0;
      filter->SetOutputSpacing(spacing);
      Image::PointType origin;
      origin[0] = 3.51;
      origin[1] = -1.0; // at the samples of y: the spline along y reproduces them, so a reference along x is sufficient
      filter->SetOutputOrigin(origin);
      filter->Update();
      ExpectPromisedBackend(filter.GetPointer(), "BSplineInterpolateImageFunction", this->OnGpu());
      DispatchSplineOrder(static_cast<unsigned int>(order), [&](auto fixedOrder) {
        constexpr unsigned int N = decltype(fixedOrder)::value;
        for (itk::ImageRegionIteratorWithIndex<Image> it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion());
             !it.IsAtEnd();
             ++it)
        {
          const double x = origin[0] + spacing[0] * static_cast<double>(it.GetIndex()[0]);
          double       weights[N + 1];
          const auto   start = SplineSupportStart<N>(x);
          SplineWeights<N>(SplineSupportPosition<N>(x, start), weights);
          double expected = 0.0;
          for (unsigned int k = 0; k <= N; ++k)
          {
            double coefficient = 0.0;
            for (int j = -80; j <= 80; ++j)
            {
              const auto folded = FoldIndex(start + k + j - 4, static_cast<std::int64_t>(length), Extension::Mirror);
              coefficient +=
                FirCoefficient<N>(j) * input->GetPixel(Image::IndexType{ { 4 + folded, it.GetIndex()[1] - 1 } });
            }
            expected += weights[k] * coefficient;
          }
          ASSERT_NEAR(it.Get(), expected, 2e-13) << "length " << length << ", order " << order << ", " << it.GetIndex();
        }
      });
    }
  }
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterPixelTest);
