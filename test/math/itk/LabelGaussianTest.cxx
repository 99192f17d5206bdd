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
// The Gaussian interpolation of labels against itk::LabelImageGaussianInterpolateImageFunction.
//
// Expected values: ITK's class on the same labels. Its error function differs from the C library's, by less than 4e-8
// (tested here), so each sum by D 2 n 4e-8 2^(D - 1) with n samples per axis. Another winner is accepted where the sums
// of the two labels in long double differ by less than twice that. For random points such cases are rare: fewer than
// one in a hundred; some in ten thousand are expected. At halves of samples sums are equal or almost equal, and ITK's
// rounding decides.

#include "itkCudaSpline/math/LabelGaussian.h"

#include "RandomData.h"

#include "itkImage.h"
#include "itkLabelImageGaussianInterpolateImageFunction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::LabelGaussian;
using itk::CudaSpline::LabelGaussianWindow;
using itk::CudaSpline::LabelGaussianWinner;
using itk::CudaSpline::LabelReader;
using itk::CudaSpline::ScalarTypeOf;

constexpr double errorOfErf = 4e-8;

TEST(LabelGaussianAgainstITK, ErrorFunction)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 100000; ++trial)
  {
    const double t = random.Uniform(-7.0, 7.0);
    ASSERT_NEAR(vnl_erf(t), std::erf(t), errorOfErf) << t;
  }
}

/** The sums of the labels in long double. */
template <typename TPixel, unsigned int VDimension>
std::map<double, long double>
ReferenceSums(const LabelGaussian<VDimension> &       rule,
              const LabelGaussianWindow<VDimension> & window,
              const GridExtent<VDimension> &          extent,
              const TPixel *                          pixels,
              const double (&index)[VDimension])
{
  std::map<double, long double> sums;
  std::vector<long double>      weights[VDimension];
  std::int64_t                  samples = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    samples *= window.count[d];
    for (std::int64_t k = 0; k < window.count[d]; ++k)
    {
      const long double lower =
        static_cast<long double>(extent.start[d] + window.first[d] + k) - 0.5L - static_cast<long double>(index[d]);
      const long double scale = 1 / (std::sqrt(2.0L) * rule.sigma[d]);
      weights[d].push_back(std::erf((lower + 1) * scale) - std::erf(lower * scale));
    }
  }
  for (std::int64_t sample = 0; sample < samples; ++sample)
  {
    std::int64_t rest = sample;
    std::int64_t stride = 1;
    std::int64_t offset = 0;
    long double  weight = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      offset += (window.first[d] + rest % window.count[d]) * stride;
      weight *= weights[d][static_cast<std::size_t>(rest % window.count[d])];
      rest /= window.count[d];
      stride *= extent.size[d];
    }
    sums[static_cast<double>(pixels[offset])] += weight;
  }
  return sums;
}

struct Count
{
  int places{ 0 };
  int others{ 0 }; // winners that are not ITK's
};

template <typename TPixel, unsigned int VDimension, typename TCoordinate>
Count
CompareWinners(double alpha, std::int64_t longest, int points, bool halves)
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using FunctionType = itk::LabelImageGaussianInterpolateImageFunction<ImageType, TCoordinate>;
  Random random(__LINE__ + 10 * VDimension + static_cast<std::uint64_t>(100 * alpha));
  Count  count;
  for (int trial = 0; trial < 12; ++trial)
  {
    const auto                       image = ImageType::New();
    typename ImageType::SizeType     size;
    typename ImageType::SpacingType  spacing;
    typename FunctionType::ArrayType sigma;
    GridExtent<VDimension>           extent; // starts at 0: elsewhere ITK's Gaussian is not around the point
    LabelGaussian<VDimension>        rule;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent.size[d] = random.Integer(1, longest);
      size[d] = static_cast<itk::SizeValueType>(extent.size[d]);
      spacing[d] = random.Uniform(0.5, 2.0);
      sigma[d] = random.Uniform(0.3, 1.5) * spacing[d];
      rule.SetAxis(d, sigma[d], alpha, spacing[d]);
    }
    image->SetRegions(size);
    image->SetSpacing(spacing);
    image->Allocate();
    const std::int64_t kinds = trial % 3 == 0 ? 3 : (trial % 3 == 1 ? 12 : 100);
    for (std::int64_t k = 0; k < extent.Count(); ++k)
    {
      image->GetBufferPointer()[k] = static_cast<TPixel>(random.Integer(0, kinds - 1) - kinds / 2);
    }
    const auto function = FunctionType::New();
    function->SetInputImage(image);
    function->SetSigma(sigma);
    function->SetAlpha(alpha);
    const LabelReader labels{ image->GetBufferPointer(), ScalarTypeOf<TPixel>() };
    for (int point = 0; point < points; ++point)
    {
      typename FunctionType::ContinuousIndexType itkIndex;
      TCoordinate                                index[VDimension];
      double                                     place[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const auto length = static_cast<double>(extent.size[d]);
        index[d] =
          static_cast<TCoordinate>(halves ? 0.5 * static_cast<double>(random.Integer(-1, 2 * extent.size[d] - 2))
                                          : random.Uniform(-0.5, length - 0.50001));
        itkIndex[d] = index[d];
        place[d] = static_cast<double>(index[d]);
      }
      const double       expected = function->EvaluateAtContinuousIndex(itkIndex);
      const std::int64_t winner = LabelGaussianWinner(rule, extent, index, labels);
      const double       value = winner < 0 ? 0.0 : static_cast<double>(image->GetBufferPointer()[winner]);
      ++count.places;
      if (value != expected)
      {
        ++count.others;
        const LabelGaussianWindow<VDimension> window(rule, extent, index);
        const auto   sums = ReferenceSums(rule, window, extent, image->GetBufferPointer(), place);
        std::int64_t samples = 0;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          samples = std::max(samples, window.count[d]);
        }
        const double bound =
          VDimension * 2.0 * static_cast<double>(samples) * errorOfErf * std::pow(2.0, VDimension - 1.0);
        EXPECT_TRUE(sums.count(expected) == 1) << "a label of ITK's from outside of the window";
        EXPECT_LT(std::abs(static_cast<double>(sums.at(value) - sums.at(expected))), 2 * bound) << itkIndex;
        for (const auto & sum : sums)
        {
          EXPECT_LE(static_cast<double>(sum.second - sums.at(value)), bound) << sum.first << " instead of " << value;
        }
      }
    }
  }
  return count;
}

void
ExpectRare(const Count & count)
{
  EXPECT_LT(count.others, count.places / 100 + 1) << "of " << count.places;
}

TEST(LabelGaussianAgainstITK, Lines)
{
  ExpectRare(CompareWinners<short, 1, double>(1.0, 20, 200, false));
  ExpectRare(CompareWinners<short, 1, double>(4.0, 20, 200, false));
  ExpectRare(CompareWinners<short, 1, double>(15.0, 60, 200, false));
}

TEST(LabelGaussianAgainstITK, Planes)
{
  ExpectRare(CompareWinners<int, 2, double>(1.0, 12, 200, false));
  ExpectRare(CompareWinners<float, 2, double>(2.5, 12, 200, false));
}

TEST(LabelGaussianAgainstITK, Volumes)
{
  ExpectRare(CompareWinners<signed char, 3, double>(1.0, 8, 200, false));
  ExpectRare(CompareWinners<short, 3, double>(4.0, 12, 100, false));
}

TEST(LabelGaussianAgainstITK, FloatCoordinates)
{
  ExpectRare(CompareWinners<short, 2, float>(1.0, 12, 200, false));
}

// The window's clipping at points where its ends are whole numbers, and ties.
TEST(LabelGaussianAgainstITK, Halves)
{
  CompareWinners<short, 1, double>(1.0, 20, 200, true);
  CompareWinners<short, 2, double>(2.0, 12, 200, true);
  CompareWinners<short, 3, double>(1.0, 8, 100, true);
  CompareWinners<short, 2, float>(3.0, 12, 200, true);
}

// A window of whole samples: sigma alpha / spacing rounded as ITK rounds it.
TEST(LabelGaussianAgainstITK, WindowOfWholeSamples)
{
  using ImageType = itk::Image<unsigned char, 1>;
  using FunctionType = itk::LabelImageGaussianInterpolateImageFunction<ImageType>;
  Random random(__LINE__);
  int    others = 0;
  for (int trial = 0; trial < 300; ++trial)
  {
    const auto                              image = ImageType::New();
    const ImageType::SizeType               size = { { 9 } };
    const ImageType::SpacingType::ValueType step = random.Uniform(0.1, 3.0);
    ImageType::SpacingType                  spacing;
    spacing[0] = step;
    image->SetRegions(size);
    image->SetSpacing(spacing);
    image->Allocate();
    for (int k = 0; k < 9; ++k)
    {
      image->GetBufferPointer()[k] = static_cast<unsigned char>(random.Integer(1, 4));
    }
    const double            alpha = static_cast<double>(random.Integer(1, 3));
    FunctionType::ArrayType sigma;
    sigma[0] = step * static_cast<double>(random.Integer(1, 2));
    const auto function = FunctionType::New();
    function->SetInputImage(image);
    function->SetSigma(sigma);
    function->SetAlpha(alpha);
    LabelGaussian<1> rule;
    rule.SetAxis(0, sigma[0], alpha, step);
    GridExtent<1> extent;
    extent.size[0] = 9;
    const double                      index[1] = { 0.5 * static_cast<double>(random.Integer(0, 16)) + 0.25 };
    FunctionType::ContinuousIndexType itkIndex;
    itkIndex[0] = index[0];
    const std::int64_t winner =
      LabelGaussianWinner(rule, extent, index, LabelReader{ image->GetBufferPointer(), ScalarTypeOf<unsigned char>() });
    ASSERT_GE(winner, 0);
    others += image->GetBufferPointer()[winner] != function->EvaluateAtContinuousIndex(itkIndex);
  }
  EXPECT_LE(others, 3);
}

} // namespace
