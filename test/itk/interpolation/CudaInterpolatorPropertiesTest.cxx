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
// B-spline interpolators and what all interpolators of the module promise: derivatives, special orders, polynomials,
// threads.
//
// Expected values: central differences (DerivativeTestSupport.h); nearest neighbours and linear interpolation for
// orders 0 and 1; polynomials themselves; the bits of one thread for sixteen.

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaBSplineResampleImageFunction.h"
#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLabelImageGenericInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "DerivativeTestSupport.h"

#include "itkVectorImage.h"

#include <cmath>
#include <thread>

namespace
{

using namespace CudaSplineTest;

class CudaInterpolatorProperties : public GpuOnAndOff
{
protected:
  template <typename TPixel, unsigned int D>
  void
  Derivatives(const std::vector<std::int64_t> & size)
  {
    using ImageType = itk::Image<TPixel, D>;
    Random     random(__LINE__ + D);
    const auto image = NoiseImage<ImageType>(size, random);
    for (unsigned int order = 1; order <= 5; ++order)
    {
      SCOPED_TRACE("order " + std::to_string(order));
      auto spline = itk::CudaBSplineInterpolateImageFunction<ImageType>::New();
      spline->SetGPUEnabled(GetParam());
      spline->SetSplineOrder(order);
      spline->SetInputImage(image);
      const double largest = LargestPixel(spline->GetCoefficients());
      ExpectDerivativesAreDifferences(spline.GetPointer(), random, order % 2 == 0 ? 0.5 : 0.0, largest);
      const auto points = PointsIn(spline.GetPointer(), random, 100, true);
      for (const bool turned : { true, false })
      {
        spline->SetUseImageDirection(turned);
        // Absolute weights of derivatives sum to 2 and 4; the coordinate's rounding is in DerivativeBound().
        ExpectDerivativeBatchesAreSingle(spline.GetPointer(), points, DerivativeBound(order, D, 50.0) * largest, 4.0);
      }
      EXPECT_STREQ(NameOf(spline->GetLastBackend()), NameOf(Promised("CudaBSplineInterpolateImageFunction", D)));
    }
  }

  /** Computes the value and, if there is one, the gradient at many points with sixteen threads. */
  template <typename TFunction>
  void
  SixteenThreads(TFunction * function)
  {
    Random            random(__LINE__);
    const auto        points = PointsIn(function, random, 400, false);
    const std::size_t n = points.size();
    const auto        evaluate = [&](std::vector<double> & values) {
      values.resize(n);
      for (std::size_t i = 0; i < n; ++i)
      {
        values[i] = static_cast<double>(function->EvaluateAtContinuousIndex(points[i]));
      }
    };
    std::vector<double> one;
    evaluate(one);
    std::vector<std::vector<double>> many(16);
    std::vector<std::thread>         threads;
    for (auto & values : many)
    {
      threads.emplace_back([&] { evaluate(values); });
    }
    for (auto & thread : threads)
    {
      thread.join();
    }
    for (const auto & values : many)
    {
      EXPECT_EQ(values, one) << function->GetNameOfClass();
    }
    // Batches at the same time.
    std::vector<std::vector<double>> batches(4);
    threads.clear();
    for (auto & values : batches)
    {
      threads.emplace_back([&] { values = function->EvaluateAtContinuousIndices(points); });
    }
    for (auto & thread : threads)
    {
      thread.join();
    }
    for (const auto & values : batches)
    {
      EXPECT_EQ(values, batches.front()) << function->GetNameOfClass();
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaInterpolatorProperties);

TEST_P(CudaInterpolatorProperties, DerivativesInOneDimension)
{
  Derivatives<double, 1>({ 23 });
}

TEST_P(CudaInterpolatorProperties, DerivativesInTwoDimensions)
{
  Derivatives<short, 2>({ 13, 11 });
}

TEST_P(CudaInterpolatorProperties, DerivativesInThreeDimensions)
{
  Derivatives<float, 3>({ 9, 8, 10 });
}

// Order 0 rounds halves up in float, nearest-neighbour interpolation in double. Apart from this they are the same, and
// so are order 1 and linear interpolation between samples. (Beyond the outermost samples one mirrors, and the other
// repeats the last value.)
TEST_P(CudaInterpolatorProperties, OrdersZeroAndOneAreNearestAndLinear)
{
  using ImageType = itk::Image<float, 3>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 8, 10 }, random);
  auto       spline = itk::CudaBSplineInterpolateImageFunction<ImageType>::New();
  auto       nearest = itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New();
  auto       linear = itk::CudaLinearInterpolateImageFunction<ImageType>::New();
  nearest->SetInputImage(image);
  linear->SetInputImage(image);
  for (unsigned int order = 0; order <= 1; ++order)
  {
    spline->SetSplineOrder(order);
    spline->SetInputImage(image);
    for (const auto & index : PointsIn(spline.GetPointer(), random, 300, false))
    {
      bool isJudged = true;
      for (unsigned int d = 0; d < 3; ++d)
      {
        const auto   first = static_cast<double>(image->GetBufferedRegion().GetIndex(d));
        const auto   last = first + static_cast<double>(image->GetBufferedRegion().GetSize(d)) - 1.0;
        const double half = index[d] - std::floor(index[d]) - 0.5;
        isJudged =
          isJudged && (order == 0 ? half == 0.0 || std::abs(half) > 1e-5 : index[d] >= first && index[d] <= last);
        isJudged = isJudged && index[d] < last + 0.49999;
      }
      if (isJudged && order == 0)
      {
        EXPECT_EQ(spline->EvaluateAtContinuousIndex(index), nearest->EvaluateAtContinuousIndex(index)) << index;
      }
      else if (isJudged)
      {
        EXPECT_LE(std::abs(spline->EvaluateAtContinuousIndex(index) - linear->EvaluateAtContinuousIndex(index)),
                  (36.0 + 15.0) * Unit<double> * 100.0)
          << index;
      }
    }
  }
}

// Polynomials up to the order, far from the edges, where the mirror has no effect: 0.4306^45 is 3e-17.
TEST_P(CudaInterpolatorProperties, PolynomialsUpToTheOrder)
{
  using ImageType = itk::Image<double, 2>;
  auto                  image = ImageType::New();
  ImageType::RegionType region;
  region.SetIndex({ { -50, -48 } });
  region.SetSize({ { 101, 97 } });
  image->SetRegions(region);
  image->Allocate();
  Random random(__LINE__);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    for (unsigned int degree = 0; degree <= order; ++degree)
    {
      const auto polynomial = [degree](double x, double y) {
        return std::pow(x / 50.0, degree) - 0.5 * std::pow((y + 3.0) / 50.0, degree);
      };
      for (itk::OffsetValueType i = 0; i < 101 * 97; ++i)
      {
        const auto index = image->ComputeIndex(i);
        image->SetPixel(index, polynomial(index[0], index[1]));
      }
      auto spline = itk::CudaBSplineInterpolateImageFunction<ImageType>::New();
      spline->SetGPUEnabled(GetParam());
      spline->SetSplineOrder(order);
      spline->SetInputImage(image);
      const PrefilterBounds bounds(order);
      const double          bound = bounds.Axes(2, bounds.OwnAxis<double>(), 1.6) +
                           ValueBound(order, 2) * LargestPixel(spline->GetCoefficients()) +
                           (order >= 2 ? 4.0 * std::pow(0.4306, 45) * bounds.norm : 0.0);
      for (int i = 0; i < 50; ++i)
      {
        itk::ContinuousIndex<double, 2> index;
        index[0] = random.Uniform(-3.0, 3.0);
        index[1] = random.Uniform(-2.0, 2.0);
        EXPECT_LE(std::abs(spline->EvaluateAtContinuousIndex(index) - polynomial(index[0], index[1])), bound)
          << "order " << order << ", degree " << degree;
      }
    }
  }
}

TEST_P(CudaInterpolatorProperties, SixteenThreadsGiveTheBitsOfOne)
{
  using ImageType = itk::Image<short, 3>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 8, 10 }, random);
  const auto check = [&](const auto & function) {
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    SixteenThreads(function.GetPointer());
  };
  check(itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New());
  check(itk::CudaLinearInterpolateImageFunction<ImageType>::New());
  check(itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New());
  check(itk::CudaCubicConvolutionInterpolateImageFunction<ImageType>::New());
  check(itk::CudaWindowedSincInterpolateImageFunction<ImageType, 3>::New());
  check(itk::CudaLabelImageGaussianInterpolateImageFunction<ImageType>::New());
  check(itk::CudaLabelImageGenericInterpolateImageFunction<ImageType, itk::LinearInterpolateImageFunction>::New());
  check(itk::CudaBSplineInterpolateImageFunction<ImageType>::New());
  using Real = itk::Image<float, 2>;
  const auto coefficients = NoiseImage<Real>({ 9, 8 }, random);
  auto       ready = itk::CudaBSplineResampleImageFunction<Real, double>::New();
  ready->SetInputImage(coefficients);
  SixteenThreads(ready.GetPointer());
}

// Images of vectors: batches of containers run one point after the other.
TEST_P(CudaInterpolatorProperties, Vectors)
{
  using ImageType = itk::VectorImage<float, 2>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 6, 5 } });
  image->SetVectorLength(2);
  image->Allocate();
  Random random(__LINE__);
  for (int i = 0; i < 60; ++i)
  {
    image->GetBufferPointer()[i] = static_cast<float>(random.Uniform(-1.0, 1.0));
  }
  auto own = itk::CudaLinearInterpolateImageFunction<ImageType>::New();
  auto itks = itk::LinearInterpolateImageFunction<ImageType>::New();
  own->SetInputImage(image);
  itks->SetInputImage(image);
  const auto                        points = PointsIn(own.GetPointer(), random, 40, true);
  itk::VariableLengthVector<double> outside(2);
  outside.Fill(-1.0);
  const auto values = own->EvaluateAtContinuousIndices(points, outside);
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    EXPECT_EQ(values[i], itks->IsInsideBuffer(points[i]) ? itks->EvaluateAtContinuousIndex(points[i]) : outside);
  }
  EXPECT_EQ(own->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_NE(own->GetFallbackReason().find("scalar"), std::string::npos);
  std::vector<double>                 numbers(points.size());
  itk::CudaSplineBatchResults<double> results;
  results.values = numbers.data();
  EXPECT_THROW(own->EvaluateAtContinuousIndices(points.front().GetDataPointer(), 1, results), itk::ExceptionObject);
}

TEST_P(CudaInterpolatorProperties, WhatABatchCannotDo)
{
  using ImageType = itk::Image<float, 2>;
  auto                                linear = itk::CudaLinearInterpolateImageFunction<ImageType>::New();
  const double                        at[] = { 1.0, 2.0 };
  double                              numbers[4];
  itk::CudaSplineBatchResults<double> results;
  results.values = numbers;
  EXPECT_THROW(linear->EvaluateAtContinuousIndices(at, 1, results), itk::ExceptionObject) << "no image";
  Random random(__LINE__);
  linear->SetInputImage(NoiseImage<ImageType>({ 5, 4 }, random));
  EXPECT_NO_THROW(linear->EvaluateAtContinuousIndices(at, 1, results));
  EXPECT_NO_THROW(linear->EvaluateAtContinuousIndices(at, 0, results)) << "no points";
  EXPECT_TRUE(linear->EvaluateAtContinuousIndices({}).empty());
  results.gradients = numbers + 1;
  EXPECT_THROW(linear->EvaluateAtContinuousIndices(at, 1, results), itk::ExceptionObject) << "no derivatives";
}

} // namespace
