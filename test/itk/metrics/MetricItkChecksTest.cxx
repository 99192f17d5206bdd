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
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>

/** \file
 * \brief The checks of ITK's tests of its metrics (itkMeanSquaresImageToImageMetricv4Test,
 * itkCorrelationImageToImageMetricv4Test, itkMattesMutualInformationImageToImageMetricv4Test) for the module's
 * metrics: sources of gradients, tiny images, consistent values and derivatives, and the extremum at the true
 * position. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using ChecksMeanSquares = itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>;
using ChecksCorrelation = itk::CudaCorrelationImageToImageMetricv4<Image2D, Image2D>;
using ChecksMattes = itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>;
using ChecksTranslation = itk::TranslationTransform<double, 2>;

/** The metric that a metric of the module replaces. */
template <typename TMetric>
using ReplacedBy = typename TMetric::Superclass::Superclass;

class MetricChecks : public GpuOnAndOff
{
protected:
  template <typename TMetric>
  typename TMetric::Pointer
  Make() const
  {
    auto metric = TMetric::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    return metric;
  }
};

/** Returns five by five voxels, a ramp and a steeper one. */
Image2D::Pointer
TinyRamp(double slope)
{
  auto                image = Image2D::New();
  Image2D::RegionType region;
  region.SetSize({ { 5, 5 } });
  image->SetRegions(region);
  image->Allocate();
  itk::ImageRegionIteratorWithIndex<Image2D> it(image, region);
  for (float count = 1.0F; !it.IsAtEnd(); ++it, count += 1.0F)
  {
    it.Set(static_cast<float>(slope * count * count / 5.0));
  }
  return image;
}

using GradientSource = itk::ObjectToObjectMetricBaseTemplateEnums::GradientSource;

/** Compares value, derivative and valid points of two metrics, with every source of gradients. */
template <typename TMetric>
void
CompareGradientSources(const typename TMetric::Pointer &   metric,
                       const std::vector<GradientSource> & sources,
                       bool                                onGpu)
{
  auto       reference = ReplacedBy<TMetric>::New();
  const auto setUp = [](auto * one) {
    one->SetFixedImage(TinyRamp(1.0));
    one->SetMovingImage(TinyRamp(1.7));
    auto shift = ChecksTranslation::New();
    auto offset = shift->GetParameters();
    offset[0] = 0.25;
    shift->SetParameters(offset);
    one->SetMovingTransform(shift);
    one->SetMaximumNumberOfWorkUnits(1);
  };
  setUp(metric.GetPointer());
  setUp(reference.GetPointer());
  for (const GradientSource source : sources)
  {
    metric->SetGradientSource(source);
    reference->SetGradientSource(source);
    metric->Initialize();
    reference->Initialize();
    double                           value = 0.0;
    double                           expected = 0.0;
    typename TMetric::DerivativeType derivative;
    typename TMetric::DerivativeType expectedDerivative;
    metric->GetValueAndDerivative(value, derivative);
    reference->GetValueAndDerivative(expected, expectedDerivative);
    EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), MetricCase(), 2, onGpu))
      << metric->GetFallbackReason();
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
    EXPECT_NEAR(value, expected, 1e-11 * std::abs(expected));
    EXPECT_LE((derivative - expectedDerivative).two_norm(), 1e-9 * expectedDerivative.two_norm());
    EXPECT_NEAR(metric->GetValue(), value, 1e-12 * std::abs(value)) << "with and without a derivative";
    // A derivative with other content, or another size, is overwritten.
    typename TMetric::DerivativeType used(7);
    used.Fill(3.0);
    metric->GetValueAndDerivative(value, used);
    EXPECT_EQ(used, derivative);
    typename TMetric::DerivativeType alone;
    metric->GetDerivative(alone);
    EXPECT_EQ(alone, derivative);
  }
}

TEST_P(MetricChecks, SourcesOfGradients)
{
  // With the fixed image alone, ITK's derivative uses a gradient that was not computed: the superclass handles this
  // case.
  const std::vector<GradientSource> both{ GradientSource::GRADIENT_SOURCE_BOTH,
                                          GradientSource::GRADIENT_SOURCE_MOVING };
  CompareGradientSources<ChecksMeanSquares>(this->Make<ChecksMeanSquares>(), both, GetParam());
  CompareGradientSources<ChecksCorrelation>(this->Make<ChecksCorrelation>(), both, GetParam());
  CompareGradientSources<ChecksMattes>(
    this->Make<ChecksMattes>(), { GradientSource::GRADIENT_SOURCE_MOVING }, GetParam());
  const auto mattes = this->Make<ChecksMattes>();
  SetUpMetric(mattes.GetPointer(), MetricCase(), MetricImages<Image2D>());
  mattes->SetGradientSource(GradientSource::GRADIENT_SOURCE_BOTH);
  EXPECT_THROW(mattes->Initialize(), itk::ExceptionObject);
}

/** Evaluates a metric of an image and itself for several offsets: the smallest value is at 0, and the derivative points
 * towards it. */
template <typename TMetric>
void
ExpectExtremumAtZero(const typename TMetric::Pointer & metric, bool isBySpline)
{
  const auto image = BlobImage<Image2D>({ 70, 66 }, 1.0, 0.0);
  metric->SetFixedImage(image);
  metric->SetMovingImage(image);
  metric->SetUseMovingImageGradientFilter(false); // it smooths, so it belongs to another function
  using TransformType = itk::Transform<double, 2, 2>;
  TransformType::Pointer transform(ChecksTranslation::New());
  if (isBySpline)
  {
    transform = MetricTransform<2>("B-spline");
  }
  metric->SetMovingTransform(transform);
  metric->Initialize();
  auto       parameters = transform->GetParameters();
  const auto valueAt = [&](double offset) {
    // For a spline, all coefficients of x: inside the domain this is a translation.
    parameters.Fill(0.0);
    for (unsigned int p = 0; p < parameters.Size() / 2; ++p)
    {
      parameters[p] = offset;
    }
    transform->SetParameters(parameters);
    return metric->GetValue();
  };
  const double least = valueAt(0.0);
  EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
  double before = least;
  for (const double offset : { 0.6, 1.2, 2.4 })
  {
    EXPECT_GT(valueAt(offset), before) << offset;
    EXPECT_GT(valueAt(-offset), least) << offset;
    before = valueAt(offset);
  }
  // The derivative, which has the sign of a step towards the smallest value in ITK, is compared with differences.
  // Central differences of waves of 15 voxels are too small by some hundredths, and linear interpolation adds to this.
  for (const double offset : { -1.3, 0.7, 2.1 })
  {
    const double step = 0.05;
    const double slope = (valueAt(offset + step) - valueAt(offset - step)) / (2.0 * step);
    valueAt(offset);
    double                           value = 0.0;
    typename TMetric::DerivativeType derivative;
    metric->GetValueAndDerivative(value, derivative);
    EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
    double sum = 0.0;
    for (unsigned int p = 0; p < derivative.Size() / 2; ++p)
    {
      sum += derivative[p];
    }
    EXPECT_NEAR(-sum, slope, 0.15 * std::abs(slope) + 1e-4 * std::abs(least)) << offset;
  }
}

TEST_P(MetricChecks, TheExtremumIsAtTheTruePlace)
{
  for (const bool isBySpline : { false, true })
  {
    SCOPED_TRACE(isBySpline ? "spline" : "translation");
    ExpectExtremumAtZero<ChecksMeanSquares>(this->Make<ChecksMeanSquares>(), isBySpline);
    ExpectExtremumAtZero<ChecksCorrelation>(this->Make<ChecksCorrelation>(), isBySpline);
    ExpectExtremumAtZero<ChecksMattes>(this->Make<ChecksMattes>(), isBySpline);
  }
}

TEST_P(MetricChecks, CountsAndThreadsOfThePromise)
{
  // ITK's tests check these after Initialize().
  const MetricImages<Image2D> images;
  const auto                  threads = itk::MultiThreaderBase::New()->GetMaximumNumberOfThreads();
  const auto                  metric = this->Make<ChecksMeanSquares>();
  SetUpMetric(metric.GetPointer(), MetricCase(), images);
  metric->Initialize();
  EXPECT_EQ(metric->GetNumberOfParameters(), 6U);
  EXPECT_EQ(metric->GetNumberOfLocalParameters(), 6U);
  EXPECT_FALSE(metric->HasLocalSupport());
  EXPECT_TRUE(metric->SupportsArbitraryVirtualDomainSamples());
  EXPECT_EQ(metric->GetNumberOfDomainPoints(), images.fixed->GetBufferedRegion().GetNumberOfPixels());
  EXPECT_EQ(metric->GetVirtualRegion(), images.fixed->GetBufferedRegion());
  metric->GetValue();
  EXPECT_GT(metric->GetNumberOfValidPoints(), 0U);
  // As many work units as requested, limited by the available threads, for the last evaluation; one for a GPU.
  for (const itk::ThreadIdType units : { 1U, 3U })
  {
    metric->SetMaximumNumberOfWorkUnits(units);
    const auto asked = metric->GetMaximumNumberOfWorkUnits(); // ITK's pool may have more
    metric->GetValue();
    EXPECT_EQ(metric->GetNumberOfWorkUnitsUsed(), GetParam() ? 1U : std::min(asked, threads));
  }
  const double                      before = metric->GetParameters()[4];
  ChecksMeanSquares::DerivativeType step(metric->GetNumberOfParameters());
  step.Fill(0.01);
  metric->UpdateTransformParameters(step, 2.0);
  EXPECT_NEAR(metric->GetParameters()[4], before + 0.02, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricChecks, testing::Bool(), GpuOrHost);

} // namespace
