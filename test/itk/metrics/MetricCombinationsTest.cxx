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
#include "MetricClasses.h"
#include "MetricTestMatrix.h"


#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

/** \file
 * \brief Combinations on small images of parameters that the tests of each metric vary separately: transforms,
 * interpolators, masks, samples and fixed transforms; images that are one voxel thick; and the derivative of the
 * analytic mode, compared with differences of the value. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class MetricCombinations : public GpuOnAndOff
{
protected:
  /** One of the three metrics, alternately. */
  template <typename TImage>
  static void
  Compare(int which, const MetricCase & what, const MetricImages<TImage> & images)
  {
    // With splines of order 2 and above, ITK's coefficients are the limit; see MetricMatrix.
    const bool            isFiltered = what.splineOrder >= 2;
    const MetricTolerance plain = isFiltered ? MetricTolerance{ 2e-9, 1e-8 } : MetricTolerance{ 1e-12, 1e-10 };
    const MetricTolerance ofBins = isFiltered ? MetricTolerance{ 1e-8, 1e-6 } : MetricTolerance{ 1e-11, 1e-9 };
    if (which % 3 == 0)
    {
      CompareMetric<MeanSquaresReference<TImage>, MeanSquares<TImage>>(what, images, plain, GetParam());
    }
    else if (which % 3 == 1)
    {
      CompareMetric<CorrelationReference<TImage>, Correlation<TImage>>(what, images, plain, GetParam());
    }
    else
    {
      CompareMetric<MattesReference<TImage>, Mattes<TImage>>(what, images, ofBins, GetParam());
    }
  }
};

TEST_P(MetricCombinations, OfAll)
{
  const MetricImages<DoubleImage2D> images;
  int                               which = 0;
  for (const char * const transform : { "B-spline", "B-spline of order 1", "B-spline before others", "affine" })
  {
    for (const int order : { -2, -1, 3 })
    {
      for (int choice = 0; choice < 12; ++choice)
      {
        MetricCase what;
        what.transform = transform;
        what.splineOrder = order;
        what.fixedMask = choice % 2 == 1;
        what.movingMask = choice % 2 == 1;
        what.sampling = choice / 2 % 3;
        what.fixedMoves = choice / 6 == 1;
        what.centralDifferences = (which / 3) % 2 == 1;
        Compare(which++, what, images);
      }
    }
  }
}

TEST_P(MetricCombinations, OneVoxelThick)
{
  MetricImages<Image3D> images;
  images.fixed = BlobImage<Image3D>({ 30, 20, 1 }, 2.3, 0.0);
  images.moving = BlobImage<Image3D>({ 31, 22, 1 }, 2.3, 0.0);
  for (unsigned int i = 0; i < 600; ++i)
  {
    images.moving->GetBufferPointer()[i] += static_cast<float>((i * i) % 17);
  }
  for (const char * const transform : { "translation", "B-spline" })
  {
    for (int which = 0; which < 3; ++which)
    {
      MetricCase what;
      what.transform = transform;
      what.centralDifferences = true; // ITK's gradient filter needs four voxels per axis
      Compare(which, what, images);
    }
  }
}

/** Returns transforms for the middle of images, so that no sample is near a border. */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
AnalyticTransform(const std::string & name)
{
  const std::string behind = " with splines behind";
  const std::size_t at = name.find(behind);
  if (at == std::string::npos)
  {
    return MetricTransform<VDimension>(name);
  }
  auto chain = itk::CompositeTransform<double, VDimension>::New();
  chain->AddTransform(MetricTransform<VDimension>("rigid"));
  chain->AddTransform(MetricTransform<VDimension>("B-spline"));
  chain->AddTransform(MetricTransform<VDimension>(name.substr(0, at)));
  chain->SetOnlyMostRecentTransformToOptimizeOn();
  return typename itk::Transform<double, VDimension, VDimension>::Pointer(chain);
}

/** Central differences with a step h: the error is h^2 / 6 times the third derivative, and roundings are 1e-13 / h. */
template <typename TMetric, unsigned int VDimension>
void
CompareWithDifferences(const std::string & name, unsigned int order, bool onGpu)
{
  constexpr double h = 1e-4;
  using ImageType = itk::Image<double, VDimension>;
  const auto fixed =
    VDimension == 2 ? BlobImage<ImageType>({ 12, 11 }, 0.9, 0.3) : BlobImage<ImageType>({ 8, 7, 6 }, 1.2, 0.3);
  const auto moving =
    VDimension == 2 ? BlobImage<ImageType>({ 37, 39 }, 1.6, 1.5) : BlobImage<ImageType>({ 19, 18, 16 }, 2.5, 1.5);
  const auto transform = AnalyticTransform<VDimension>(name);
  auto       metric = TMetric::New();
  SCOPED_TRACE(std::string(metric->GetNameOfClass()) + ", " + name + ", " + std::to_string(VDimension) + "D, order " +
               std::to_string(order));
  metric->SetGPUEnabled(onGpu);
  metric->SetFixedImage(fixed);
  metric->SetMovingImage(moving);
  metric->SetMovingTransform(transform);
  auto spline = itk::BSplineInterpolateImageFunction<ImageType, double>::New();
  spline->SetSplineOrder(order);
  metric->SetMovingInterpolator(spline);
  metric->SetUseAnalyticMovingImageGradient(true);
  metric->Initialize();
  double                           value = 0.0;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  ASSERT_EQ(metric->GetLastBackend(), onGpu ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  const auto points = metric->GetNumberOfValidPoints();
  // Splines exceed the largest pixel, where mutual information has no bin.
  ASSERT_GE(points + 4, fixed->GetBufferedRegion().GetNumberOfPixels());
  ASSERT_GT(derivative.two_norm(), 0.0);
  // For B-splines, the coefficients that move most samples.
  std::vector<unsigned int> largest(derivative.Size());
  std::iota(largest.begin(), largest.end(), 0U);
  std::sort(largest.begin(), largest.end(), [&derivative](unsigned int a, unsigned int b) {
    return std::abs(derivative[a]) > std::abs(derivative[b]);
  });
  largest.resize(std::min<std::size_t>(largest.size(), 12));
  const auto start = transform->GetParameters();
  for (const unsigned int p : largest)
  {
    auto parameters = start;
    parameters[p] = start[p] + h;
    transform->SetParametersByValue(parameters);
    const double above = metric->GetValue();
    ASSERT_EQ(metric->GetNumberOfValidPoints(), points);
    parameters[p] = start[p] - h;
    transform->SetParametersByValue(parameters);
    const double below = metric->GetValue();
    ASSERT_EQ(metric->GetNumberOfValidPoints(), points);
    const double slope = (above - below) / (2.0 * h);
    EXPECT_NEAR(derivative[p], -slope, 2e-5 * derivative.two_norm())
      << "parameter " << p; // a step along it decreases the value
  }
}

TEST_P(MetricCombinations, AnalyticDerivativesAreDifferencesOfTheValue)
{
  for (const unsigned int order : { 2U, 3U, 4U, 5U })
  {
    for (const char * const name : { "translation",
                                     "similarity",
                                     "affine",
                                     "composite",
                                     "B-spline",
                                     "B-spline of order 2",
                                     "B-spline before others",
                                     "affine with splines behind",
                                     "B-spline with splines behind" })
    {
      CompareWithDifferences<MeanSquares<DoubleImage2D>, 2>(name, order, GetParam());
      CompareWithDifferences<Correlation<DoubleImage2D>, 2>(name, order, GetParam());
      CompareWithDifferences<Mattes<DoubleImage2D>, 2>(name, order, GetParam());
      if (order % 2 == 1)
      {
        CompareWithDifferences<MeanSquares<DoubleImage3D>, 3>(name, order, GetParam());
      }
    }
  }
}

CUDASPLINE_GPU_ON_AND_OFF(MetricCombinations);

} // namespace
