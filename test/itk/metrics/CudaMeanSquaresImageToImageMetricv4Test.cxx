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

#include "itkCudaMeanSquaresImageToImageMetricv4.h"

/** \file
 * \brief Compares CudaMeanSquaresImageToImageMetricv4 with ITK's metric: transforms, interpolators, gradients, masks,
 * sampling, precisions. Also finite differences of the analytic gradient, and degenerate input. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

template <typename TImage>
using MeanSquaresReference = itk::MeanSquaresImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using MeanSquaresMetric = itk::CudaMeanSquaresImageToImageMetricv4<TImage, TImage>;

class CudaMeanSquaresMetric : public MetricMatrix<MeanSquaresReference, MeanSquaresMetric>
{};

TEST_P(CudaMeanSquaresMetric, EveryLinearTransform)
{
  this->CompareTransforms();
}

TEST_P(CudaMeanSquaresMetric, SplineTransforms)
{
  this->CompareSplineTransforms();
}

TEST_P(CudaMeanSquaresMetric, InterpolatorsAndGradients)
{
  this->CompareInterpolators();
}

TEST_P(CudaMeanSquaresMetric, MasksSamplingAndDomain)
{
  this->CompareMasksAndSampling();
}

/** Returns the module's metric for a case. */
template <typename TImage>
typename MeanSquaresMetric<TImage>::Pointer
MakeMetric(const MetricCase & what, const MetricImages<TImage> & images, bool onGpu)
{
  auto metric = MeanSquaresMetric<TImage>::New();
  SetUpMetric(metric.GetPointer(), what, images);
  metric->SetGPUEnabled(onGpu);
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  return metric;
}

TEST_P(CudaMeanSquaresMetric, EvaluationsAreCountedByBackend)
{
  const MetricImages<DoubleImage3D> images;
  auto                              metric = MakeMetric(MetricCase(), images, GetParam());
  metric->SetMovingTransform(itk::AffineTransform<double, 3>::New());
  EXPECT_EQ(metric->GetExpectedNumberOfEvaluations(), 100U);
  const auto modified = metric->GetMTime();
  metric->SetExpectedNumberOfEvaluations(7);
  EXPECT_EQ(metric->GetExpectedNumberOfEvaluations(), 7U);
  EXPECT_EQ(metric->GetMTime(), modified) << "what is expected changes no result";
  EXPECT_EQ(metric->GetBackendUse().Most(), Backend::None);
  metric->Initialize();
  for (unsigned int evaluation = 1; evaluation <= 3; ++evaluation)
  {
    metric->GetValue();
    const auto use = metric->GetBackendUse();
    EXPECT_EQ(use.Most(), metric->GetLastBackend());
    EXPECT_EQ(use[metric->GetLastBackend()].calls, evaluation);
    EXPECT_GT(use[metric->GetLastBackend()].seconds, 0.0);
  }
}

// As the automatic choice does within a registration: calls of one object move to a device, and back. The bounds are
// those of double precision in the documentation of the class. The bits of the host do not depend on what a device
// computed meanwhile.
TEST(CudaMeanSquaresMetricGpu, CallsMoveBetweenTheBackends)
{
  CUDASPLINE_NEEDS_GPU();
  using MetricType = MeanSquaresMetric<DoubleImage3D>;
  const MetricImages<DoubleImage3D> images;
  auto                              metric = MakeMetric(MetricCase(), images, false);
  auto                              transform = itk::AffineTransform<double, 3>::New();
  transform->Rotate(0, 2, 0.05);
  metric->SetMovingTransform(transform);
  metric->Initialize();
  struct Result
  {
    MetricType::MeasureType    value{ 0.0 };
    MetricType::DerivativeType derivative;
    Backend                    backend{ Backend::None };
  };
  std::vector<Result> results(4);
  for (std::size_t i = 0; i < results.size(); ++i)
  {
    metric->SetGPUEnabled(i % 2 == 1);
    metric->GetValueAndDerivative(results[i].value, results[i].derivative);
    results[i].backend = metric->GetLastBackend();
    EXPECT_EQ(results[i].backend, i % 2 == 1 ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  }
  EXPECT_NEAR(results[1].value, results[0].value, 1e-12 * std::abs(results[0].value));
  EXPECT_LE((results[1].derivative - results[0].derivative).two_norm(), 1e-10 * results[0].derivative.two_norm());
  for (const std::size_t i : { 0U, 1U })
  {
    EXPECT_EQ(results[i + 2].value, results[i].value);
    EXPECT_EQ(results[i + 2].derivative, results[i].derivative);
  }
  EXPECT_EQ(metric->GetBackendUse()[Backend::Cuda].calls, 2U);
  EXPECT_EQ(metric->GetBackendUse()[Backend::Cpu].calls, 2U);
}

TEST_P(CudaMeanSquaresMetric, AnalyticGradientIsTheValuesOwn)
{
  const MetricImages<DoubleImage3D> images;
  MetricCase                        what;
  what.splineOrder = 3;
  // A mask that excludes samples near the edges, where points enter and leave with the parameters.
  what.movingMask = false;
  auto metric = MakeMetric(what, images, GetParam());
  metric->SetUseAnalyticMovingImageGradient(true);
  auto shrunk = itk::AffineTransform<double, 3>::New();
  shrunk->Scale(0.5);
  shrunk->Rotate(0, 2, 0.1);
  metric->SetMovingTransform(shrunk);
  metric->Initialize();
  double                                           value = 0.0;
  MeanSquaresMetric<DoubleImage3D>::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
  const auto points = metric->GetNumberOfValidPoints();
  const auto start = shrunk->GetParameters();
  // Central differences with a step h: the error is h^2 / 6 times the third derivative, and roundings are 1e-13 / h.
  constexpr double h = 1e-4;
  for (unsigned int p = 0; p < start.Size(); ++p)
  {
    auto parameters = start;
    parameters[p] = start[p] + h;
    shrunk->SetParameters(parameters);
    const double above = metric->GetValue();
    ASSERT_EQ(metric->GetNumberOfValidPoints(), points);
    parameters[p] = start[p] - h;
    shrunk->SetParameters(parameters);
    const double below = metric->GetValue();
    ASSERT_EQ(metric->GetNumberOfValidPoints(), points);
    const double slope = (above - below) / (2.0 * h);
    EXPECT_NEAR(derivative[p], -slope, 2e-5 * derivative.two_norm())
      << "parameter " << p; // a step along it decreases the value
  }
}

TEST_P(CudaMeanSquaresMetric, ValuesOfOtherTransforms)
{
  const MetricImages<Image3D> images;
  MetricCase                  what;
  auto                        metric = MakeMetric(what, images, GetParam());
  auto                        reference = MeanSquaresReference<Image3D>::New();
  SetUpMetric(reference.GetPointer(), what, images);
  auto spline = itk::BSplineTransform<double, 3, 3>::New();
  spline->SetTransformDomainOrigin(images.fixed->GetOrigin());
  spline->SetTransformDomainDirection(images.fixed->GetDirection());
  itk::BSplineTransform<double, 3, 3>::PhysicalDimensionsType dimensions;
  for (unsigned int d = 0; d < 3; ++d)
  {
    dimensions[d] = images.fixed->GetSpacing()[d] * (images.fixed->GetBufferedRegion().GetSize(d) - 2.0);
  }
  spline->SetTransformDomainPhysicalDimensions(dimensions);
  auto parameters = spline->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = std::sin(1.0 + p);
  }
  spline->SetParameters(parameters);
  metric->SetMovingTransform(spline);
  reference->SetMovingTransform(spline);
  metric->Initialize();
  reference->Initialize();
  const double expected = reference->GetValue();
  EXPECT_NEAR(metric->GetValue(), expected, 1e-11 * expected); // weights of the grid are summed in another order
  EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
  EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), what, 3, GetParam()));
}

TEST_P(CudaMeanSquaresMetric, WhatWasChangedCounts)
{
  const MetricImages<Image2D> images;
  const MetricCase            what;
  auto                        metric = MakeMetric(what, images, GetParam());
  auto                        reference = MeanSquaresReference<Image2D>::New();
  SetUpMetric(reference.GetPointer(), what, images);
  metric->Initialize();
  reference->Initialize();
  const double first = reference->GetValue();
  EXPECT_NEAR(metric->GetValue(), first, 1e-12 * first);

  // A fixed transform, without Initialize().
  auto shift = itk::TranslationTransform<double, 2>::New();
  metric->SetFixedTransform(shift);
  reference->SetFixedTransform(shift);
  metric->Initialize();
  reference->Initialize();
  auto offset = shift->GetParameters();
  offset[0] = 2.5;
  shift->SetParameters(offset);
  const double second = reference->GetValue();
  EXPECT_NE(second, first);
  EXPECT_NEAR(metric->GetValue(), second, 1e-12 * second);

  // A mask, without Initialize(); it is then removed again.
  const auto mask = HalfMask(images.moving.GetPointer(), false);
  metric->SetMovingImageMask(mask);
  reference->SetMovingImageMask(mask);
  const double third = reference->GetValue();
  EXPECT_NE(third, second);
  EXPECT_NEAR(metric->GetValue(), third, 1e-12 * third);
  metric->SetMovingImageMask(static_cast<const MeanSquaresReference<Image2D>::MovingImageMaskType *>(nullptr));
  EXPECT_NEAR(metric->GetValue(), second, 1e-12 * second);

  // Pixels, with Initialize().
  reference->SetMovingImageMask(static_cast<const MeanSquaresReference<Image2D>::MovingImageMaskType *>(nullptr));
  images.fixed->GetBufferPointer()[500] += 300.0F;
  images.moving->GetBufferPointer()[600] += 300.0F;
  metric->Initialize();
  reference->Initialize();
  const double fourth = reference->GetValue();
  EXPECT_NE(fourth, second);
  EXPECT_NEAR(metric->GetValue(), fourth, 1e-12 * fourth);
}

TEST_P(CudaMeanSquaresMetric, DegenerateInput)
{
  // No overlap: the largest value as in ITK, and no derivative.
  MetricImages<Image2D> images;
  const MetricCase      what;
  auto                  metric = MakeMetric(what, images, GetParam());
  auto                  far = itk::TranslationTransform<double, 2>::New();
  auto                  offset = far->GetParameters();
  offset.Fill(1e4);
  far->SetParameters(offset);
  metric->SetMovingTransform(far);
  metric->Initialize();
  double                                     value = 0.0;
  MeanSquaresMetric<Image2D>::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
  EXPECT_EQ(value, itk::NumericTraits<double>::max());
  EXPECT_EQ(derivative.two_norm(), 0.0);
  EXPECT_EQ(metric->GetNumberOfValidPoints(), 0u);
  EXPECT_EQ(metric->GetValue(), itk::NumericTraits<double>::max());

  // Constant images: the value is exact, and the derivative is 0.
  images.fixed->FillBuffer(3.0F);
  images.moving->FillBuffer(1.0F);
  metric = MakeMetric(what, images, GetParam());
  metric->Initialize();
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_EQ(value, 4.0);
  EXPECT_LE(derivative.two_norm(), 1e-5); // the result of the gradient filter, in float, for a constant

  // One voxel thick: the samples have no neighbours along z.
  Image3D::RegionType region;
  region.SetSize({ { 9, 8, 1 } });
  MetricImages<Image3D> thin;
  for (auto * image : { &thin.fixed, &thin.moving })
  {
    *image = Image3D::New();
    (*image)->SetRegions(region);
    (*image)->Allocate();
    for (unsigned int i = 0; i < 72; ++i)
    {
      (*image)->GetBufferPointer()[i] = static_cast<float>((i * i) % 17);
    }
  }
  auto reference = MeanSquaresReference<Image3D>::New();
  auto ours = MeanSquaresMetric<Image3D>::New();
  auto shift = itk::TranslationTransform<double, 3>::New();
  shift->SetParameters(shift->GetParameters());
  const auto setUp = [&](auto * one) {
    one->SetFixedImage(thin.fixed);
    one->SetMovingImage(thin.moving);
    one->SetMovingTransform(shift);
    one->SetUseMovingImageGradientFilter(false);
    one->SetUseFixedImageGradientFilter(false);
    one->Initialize();
  };
  auto small = shift->GetParameters();
  small[0] = 0.3;
  small[2] = 0.2;
  shift->SetParameters(small);
  setUp(reference.GetPointer());
  ours->SetGPUEnabled(GetParam());
  ours->SetPrecision(itk::CudaSplinePrecision::Double);
  setUp(ours.GetPointer());
  double                                     expected = 0.0;
  MeanSquaresMetric<Image3D>::DerivativeType expectedDerivative;
  reference->GetValueAndDerivative(expected, expectedDerivative);
  ours->GetValueAndDerivative(value, derivative);
  EXPECT_NE(ours->GetLastBackend(), Backend::Superclass) << ours->GetFallbackReason();
  EXPECT_NEAR(value, expected, 1e-12 * expected);
  EXPECT_LE(RelativeDistance(expectedDerivative, derivative), 1e-10);
  EXPECT_EQ(ours->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
}

// Changes without another Initialize() take effect at the next call, as in ITK.
TEST_P(CudaMeanSquaresMetric, WhatIsModifiedBetweenTwoCalls)
{
  using Translation = itk::TranslationTransform<double, 2>;
  const MetricImages<Image2D> images;
  const auto                  part = Translation::New();
  const auto                  fixedTransform = itk::CompositeTransform<double, 2>::New();
  fixedTransform->AddTransform(part);
  fixedTransform->AddTransform(Translation::New());
  fixedTransform->SetOnlyMostRecentTransformToOptimizeOn(); // its parameters are not those of the other part
  const auto setUp = [&](auto * metric) {
    metric->SetFixedImage(images.fixed);
    metric->SetMovingImage(images.moving);
    metric->SetFixedTransform(fixedTransform);
    metric->SetMovingTransform(Translation::New());
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    metric->Initialize();
  };
  const auto reference = MeanSquaresReference<Image2D>::New();
  const auto metric = MeanSquaresMetric<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  setUp(reference.GetPointer());
  setUp(metric.GetPointer());
  double     before = 0.0;
  const auto compare = [&](const char * modified) {
    const double expected = reference->GetValue();
    EXPECT_NE(expected, before) << modified;
    EXPECT_NEAR(metric->GetValue(), expected, 1e-11 * expected) << modified;
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints()) << modified;
    EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
    before = expected;
  };
  compare("nothing");
  images.fixed->GetBufferPointer()[images.fixed->GetBufferedRegion().GetNumberOfPixels() / 2] += 1000.0F;
  images.fixed->Modified();
  compare("the fixed image");
  images.moving->GetBufferPointer()[images.moving->GetBufferedRegion().GetNumberOfPixels() / 2] -= 500.0F;
  images.moving->Modified();
  compare("the moving image");
  auto offset = part->GetParameters();
  offset[0] = 3.0;
  part->SetParameters(offset);
  compare("a part of the fixed transform");
}

INSTANTIATE_TEST_SUITE_P(Backends, CudaMeanSquaresMetric, testing::Bool(), GpuOrHost);

} // namespace
