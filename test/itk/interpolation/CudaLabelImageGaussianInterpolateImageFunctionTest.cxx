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
// CudaLabelImageGaussianInterpolateImageFunction against its rule and against ITK's class; labels of 64 bits.
//
// Expected labels: the sums of integrals over all pixels of each label in long double, around the point; and ITK's
// class, whose Gaussian is at the right position if images start at 0. ITK's error function has an error of up to
// 3.3e-8, so ITK is the reference only where a label's sum is larger than the next one by the bound of
// LabelGaussianWinner().

#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLabelImageGenericInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "LabelTestSupport.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace
{

using namespace CudaSplineTest;

template <typename TImage, typename TIndex>
Winner<TImage>
GaussianWinner(const TImage * image, const TIndex & at, const std::vector<double> & sigma, double alpha)
{
  constexpr unsigned int                            D = TImage::ImageDimension;
  std::map<typename TImage::PixelType, long double> sums;
  for (itk::OffsetValueType i = 0; i < static_cast<itk::OffsetValueType>(Count(image)); ++i)
  {
    const auto  index = image->ComputeIndex(i);
    long double weight = 1;
    for (unsigned int d = 0; d < D; ++d)
    {
      const double deviation = sigma[d] / image->GetSpacing()[d];
      const double reach = sigma[d] * alpha / image->GetSpacing()[d];
      const double low = std::floor(at[d] + 0.5 - reach);
      const double high = std::ceil(at[d] + 0.5 + reach);
      if (!(static_cast<double>(index[d]) >= low && static_cast<double>(index[d]) < high))
      {
        weight = 0;
        break;
      }
      const long double scale = 1 / (std::sqrt(2.0L) * deviation);
      const long double from = static_cast<long double>(index[d]) - 0.5L - at[d];
      weight *= std::erf((from + 1) * scale) - std::erf(from * scale);
    }
    sums[image->GetPixel(index)] += weight;
  }
  return Winner<TImage>(sums);
}

class CudaLabelImageGaussianInterpolateImageFunctionTest : public GpuOnAndOff
{
protected:
  template <typename TPixel, unsigned int D, typename TCoordinate>
  void
  CompareGaussian(const std::vector<std::int64_t> & size, int labels, double alpha, bool atZero)
  {
    using ImageType = itk::Image<TPixel, D>;
    using Own = itk::CudaLabelImageGaussianInterpolateImageFunction<ImageType, TCoordinate>;
    using Itks = itk::LabelImageGaussianInterpolateImageFunction<ImageType, TCoordinate>;
    Random     random(__LINE__ + labels);
    const auto image = Labels<ImageType>(size, random, labels, TPixel(3), atZero);
    auto       own = Own::New();
    auto       itks = Itks::New();
    own->SetGPUEnabled(GetParam());
    typename Own::ArrayType sigma;
    double                  samples = 0.0;
    for (unsigned int d = 0; d < D; ++d)
    {
      sigma[d] = image->GetSpacing()[d] * random.Uniform(0.5, 1.5);
      samples = std::max(samples, 2.0 * sigma[d] * alpha / image->GetSpacing()[d] + 2.0);
    }
    own->SetSigma(sigma);
    own->SetAlpha(alpha);
    itks->SetSigma(sigma);
    itks->SetAlpha(alpha);
    own->SetInputImage(image);
    itks->SetInputImage(image);
    const auto   points = PointsIn(own.GetPointer(), random, 200, true);
    const double itkBound = 2.0 * D * 2.0 * samples * 3.3e-8 * std::pow(2.0, D - 1.0);
    long         judged = 0;
    auto         decided = points; // points without two labels of the same weight, for which the backends may differ
    decided.clear();
    for (const auto & index : points)
    {
      if (!own->IsInsideBuffer(index))
      {
        decided.push_back(index);
        continue;
      }
      const auto expected = GaussianWinner(image.GetPointer(), index, { sigma.Begin(), sigma.End() }, alpha);
      if (expected.margin > 1e-12)
      {
        ++judged;
        decided.push_back(index);
        ASSERT_EQ(own->EvaluateAtContinuousIndex(index), static_cast<double>(expected.label)) << index;
      }
      if (atZero && expected.margin > itkBound)
      {
        ASSERT_EQ(itks->EvaluateAtContinuousIndex(index), static_cast<double>(expected.label)) << index;
      }
    }
    EXPECT_GT(judged, 50);
    ExpectBatchesAreSingle(
      own.GetPointer(), decided, 0.0, 0.0, Promised("CudaLabelImageGaussianInterpolateImageFunction", D));
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaLabelImageGaussianInterpolateImageFunctionTest);

TEST_P(CudaLabelImageGaussianInterpolateImageFunctionTest, LabelsThatWin)
{
  CompareGaussian<short, 1, double>({ 40 }, 4, 2.5, true);
  CompareGaussian<unsigned char, 2, double>({ 17, 13 }, 5, 3.0, true);
  CompareGaussian<unsigned char, 2, double>({ 17, 13 }, 5, 3.0, false);
  CompareGaussian<float, 2, float>({ 11, 14 }, 3, 1.0, false);
  CompareGaussian<int, 3, double>({ 9, 8, 10 }, 200, 4.0, false);
  CompareGaussian<short, 3, double>({ 9, 8, 10 }, 6, 2.0, true);
}

// Labels that neither float nor double can distinguish.
TEST_P(CudaLabelImageGaussianInterpolateImageFunctionTest, LargeLabelsSurvive)
{
  using ImageType = itk::Image<std::int64_t, 2>;
  constexpr std::int64_t low = (std::int64_t{ 1 } << 60) + 1;
  Random                 random(__LINE__);
  const auto             image = Labels<ImageType>({ 11, 12 }, random, 3, low, true);
  auto                   gaussian = itk::CudaLabelImageGaussianInterpolateImageFunction<ImageType>::New();
  auto                   nearest = itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New();
  auto                   generic =
    itk::CudaLabelImageGenericInterpolateImageFunction<ImageType, itk::NearestNeighborInterpolateImageFunction>::New();
  gaussian->SetSigma(itk::FixedArray<double, 2>(0.05)); // so small that the label of the pixel wins
  std::vector<double>       indices;
  std::vector<std::int64_t> expected;
  for (itk::OffsetValueType i = 0; i < 132; ++i)
  {
    const auto index = image->ComputeIndex(i);
    indices.push_back(static_cast<double>(index[0]) + 0.2);
    indices.push_back(static_cast<double>(index[1]) - 0.1);
    expected.push_back(image->GetPixel(index));
  }
  const auto check = [&](auto * function) {
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    std::vector<std::int64_t>                 values(expected.size());
    itk::CudaSplineBatchResults<std::int64_t> results;
    results.values = values.data();
    results.defaultValue = 7;
    function->EvaluateAtContinuousIndices(indices.data(), values.size(), results);
    EXPECT_EQ(values, expected) << function->GetNameOfClass();
    auto filter = itk::CudaResampleImageFilter<ImageType, ImageType>::New();
    filter->SetGPUEnabled(GetParam());
    filter->SetInput(image);
    filter->SetInterpolator(function);
    filter->SetOutputParametersFromImage(image);
    filter->Update();
    EXPECT_TRUE(SameBits(filter->GetOutput(), image.GetPointer())) << function->GetNameOfClass();
    EXPECT_NE(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  };
  check(gaussian.GetPointer());
  check(nearest.GetPointer());
  check(generic.GetPointer());
}

TEST_P(CudaLabelImageGaussianInterpolateImageFunctionTest, WhatTheSuperclassAnswers)
{
  using ImageType = itk::Image<short, 2>;
  Random     random(__LINE__);
  const auto image = Labels<ImageType>({ 11, 12 }, random, 3, 1, true);
  const auto check = [&](auto * function, auto * itks) {
    function->SetInputImage(image);
    itks->SetInputImage(image);
    for (const auto & index : PointsIn(function, random, 50, false))
    {
      EXPECT_EQ(function->EvaluateAtContinuousIndex(index), itks->EvaluateAtContinuousIndex(index));
    }
    function->EvaluateAtContinuousIndices(PointsIn(function, random, 5, false));
    EXPECT_EQ(function->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    EXPECT_FALSE(function->GetFallbackReason().empty());
  };
  auto                       zero = itk::CudaLabelImageGaussianInterpolateImageFunction<ImageType>::New();
  auto                       itkZero = itk::LabelImageGaussianInterpolateImageFunction<ImageType>::New();
  itk::FixedArray<double, 2> sigma(1.0);
  sigma[1] = 0.0;
  zero->SetSigma(sigma);
  itkZero->SetSigma(sigma);
  check(zero.GetPointer(), itkZero.GetPointer());
  auto greater = itk::CudaLabelImageGaussianInterpolateImageFunction<ImageType, double, std::greater<double>>::New();
  auto itkGreater = itk::LabelImageGaussianInterpolateImageFunction<ImageType, double, std::greater<double>>::New();
  check(greater.GetPointer(), itkGreater.GetPointer());
}

} // namespace
