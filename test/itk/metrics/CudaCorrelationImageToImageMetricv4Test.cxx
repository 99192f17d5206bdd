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
#include "MetricTestMatrix.h"

#include "itkCudaCorrelationImageToImageMetricv4.h"

#include <cmath>
#include <limits>

/** \file
 * \brief CudaCorrelationImageToImageMetricv4 against ITK's metric. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

template <typename TImage>
using CorrelationReference = itk::CorrelationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using CorrelationMetric = itk::CudaCorrelationImageToImageMetricv4<TImage, TImage>;

class CudaCorrelationMetric : public MetricMatrix<CorrelationReference, CorrelationMetric>
{};

TEST_P(CudaCorrelationMetric, EveryLinearTransform)
{
  this->CompareTransforms();
}

TEST_P(CudaCorrelationMetric, SplineTransforms)
{
  this->CompareSplineTransforms();
}

TEST_P(CudaCorrelationMetric, InterpolatorsAndGradients)
{
  this->CompareInterpolators();
}

TEST_P(CudaCorrelationMetric, MasksSamplingAndDomain)
{
  this->CompareMasksAndSampling();
}

TEST_P(CudaCorrelationMetric, DegenerateInput)
{
  MetricImages<Image2D>                      images;
  double                                     value = 0.0;
  CorrelationMetric<Image2D>::DerivativeType derivative;
  const auto                                 evaluate = [&] {
    auto metric = CorrelationMetric<Image2D>::New();
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    metric->SetGPUEnabled(GetParam());
    metric->Initialize();
    metric->GetValueAndDerivative(value, derivative);
    EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
    return metric->GetNumberOfValidPoints();
  };
  // A multiple of the other image: the correlation is 1 for any factor.
  images.moving = images.fixed;
  auto metric = CorrelationMetric<Image2D>::New();
  metric->SetFixedImage(images.fixed);
  metric->SetMovingImage(images.moving);
  metric->SetMovingTransform(itk::TranslationTransform<double, 2>::New());
  metric->SetGPUEnabled(GetParam());
  metric->Initialize();
  EXPECT_NEAR(metric->GetValue(), -1.0, 1e-14);
  // A constant image: 0 as in ITK, and no derivative.
  images.moving = BlobImage<Image2D>({ 37, 39 }, 1.6, 1.5);
  images.moving->FillBuffer(7.0F);
  EXPECT_GT(evaluate(), 0u);
  EXPECT_EQ(value, 0.0);
  EXPECT_EQ(derivative.two_norm(), 0.0);
  // No overlap: the largest value as in ITK, and no derivative.
  auto far = images.moving->GetOrigin();
  far.Fill(1e5);
  images.moving->SetOrigin(far);
  EXPECT_EQ(evaluate(), 0u);
  EXPECT_EQ(value, itk::NumericTraits<double>::max());
  EXPECT_EQ(derivative.two_norm(), 0.0);
}

TEST_P(CudaCorrelationMetric, NanIsSeen)
{
  const MetricImages<Image2D> images;
  images.moving->GetBufferPointer()[images.moving->GetBufferedRegion().GetNumberOfPixels() / 2] =
    std::numeric_limits<float>::quiet_NaN();
  const auto evaluate = [&](auto metric) {
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    metric->Initialize();
    return metric->GetValue();
  };
  EXPECT_TRUE(std::isnan(evaluate(CorrelationReference<Image2D>::New())));
  auto ours = CorrelationMetric<Image2D>::New();
  ours->SetGPUEnabled(GetParam());
  EXPECT_TRUE(std::isnan(evaluate(ours)));
  EXPECT_NE(ours->GetLastBackend(), Backend::Superclass) << ours->GetFallbackReason();
}

TEST(CudaCorrelationMetricFallback, TheSuperclassHasItsMeans)
{
  const MetricImages<Image2D> images;
  auto                        metric = CorrelationMetric<Image2D>::New();
  auto                        reference = CorrelationReference<Image2D>::New();
  const auto                  evaluate = [&](auto * one) {
    SetUpMetric(one, MetricCase(), images);
    one->SetUseFloatingPointCorrection(true);
    one->SetMaximumNumberOfWorkUnits(1);
    one->Initialize();
    double                                     value = 0.0;
    CorrelationMetric<Image2D>::DerivativeType derivative;
    one->GetValueAndDerivative(value, derivative);
    return std::make_pair(value, derivative);
  };
  EXPECT_EQ(evaluate(metric.GetPointer()), evaluate(reference.GetPointer()));
  EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
}

INSTANTIATE_TEST_SUITE_P(Backends, CudaCorrelationMetric, testing::Bool(), GpuOrHost);

} // namespace
