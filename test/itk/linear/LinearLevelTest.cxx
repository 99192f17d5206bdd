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
#include "LinearTestSupport.h"

#include "GpuOnAndOff.h"

#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include "itkPointSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Compares linear levels of the kernels with itk::ImageRegistrationMethodv4, with ITK's metric and with the
 * module's.
 *
 * Images are oblique, have two spacings, and begin at other indices than 0. The value of each iteration agrees with
 * ITK's to 1e-9: the bounds of metrics (1e-12, derivatives 1e-10), amplified by the steps. Parameters agree to 1e-7:
 * angles and matrices of some tenths, translations of some mm. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::LinearTransform;
using itk::CudaSpline::Residence;

class LinearLevels : public GpuOnAndOff
{
protected:
  Residence
  Here() const
  {
    itk::CudaSpline::ExecutionContext context;
    context.backend = GetParam() ? Backend::Cuda : Backend::Cpu;
    return Residence(context);
  }

  template <unsigned int VDimension>
  void
  CompareCourses(const LinearCase & what, double sameValues = 1e-9)
  {
    SCOPED_TRACE(what.Text());
    const LinearImages<VDimension> images(what);
    this->CompareWithItk<VDimension>(
      what, images, RegisterByKernels<VDimension>(what, images, this->Here()), sameValues);
  }

  /** The same with grids and smooth images of the kernels. */
  template <unsigned int VDimension>
  void
  CompareRegistrations(LinearCase what)
  {
    SCOPED_TRACE(what.Text());
    what.step = 2.5;
    what.shrink = { 3, 2, 1 };
    what.sigmas = { 3.0, 1.7, 0.0 };
    what.iterations = { 6, 6, 4 };
    const LinearImages<VDimension> images(what);
    this->CompareWithItk<VDimension>(
      what, images, RegisterImages<VDimension>(what, images, GetParam() ? "gpu" : "cpu"), 1e-9);
  }

  template <unsigned int VDimension>
  void
  CompareWithItk(const LinearCase &               what,
                 const LinearImages<VDimension> & images,
                 const LinearCourse &             found,
                 double                           sameValues)
  {
    ASSERT_GE(found.steps.size(), 4U);
    for (const bool hasModulesMetric : { false, true })
    {
      SCOPED_TRACE(hasModulesMetric ? "the module's metric" : "ITK's metric");
      const LinearCourse expected = RegisterByItk<VDimension>(what, images, hasModulesMetric);
      ASSERT_EQ(found.steps.size(), expected.steps.size());
      for (std::size_t n = 0; n < found.steps.size(); ++n)
      {
        EXPECT_NEAR(found.steps[n].value, expected.steps[n].value, sameValues * std::abs(expected.steps[n].value))
          << "iteration " << n;
        this->ExpectSame(found.steps[n].parameters, expected.steps[n].parameters);
      }
      this->ExpectSame(found.parameters, expected.parameters);
    }
    double moved = 0.0;
    for (const double parameter : found.parameters)
    {
      moved = std::max(moved, std::abs(parameter - std::round(parameter)));
    }
    EXPECT_GT(moved, 0.01); // the identity would not be a test
  }

  template <unsigned int VDimension>
  void
  CompareAllKinds(LinearCase what)
  {
    for (const LinearKind kind :
         { LinearKind::Translation, LinearKind::Rigid, LinearKind::Similarity, LinearKind::Affine })
    {
      what.kind = kind;
      this->CompareCourses<VDimension>(what);
    }
  }

  void
  ExpectSame(const std::vector<double> & found, const std::vector<double> & expected)
  {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t p = 0; p < found.size(); ++p)
    {
      EXPECT_NEAR(found[p], expected[p], 1e-7) << "parameter " << p;
    }
  }
};

TEST_P(LinearLevels, TakeItksRegularSteps)
{
  LinearCase what;
  this->CompareAllKinds<2>(what);
  this->CompareAllKinds<3>(what);
}

TEST_P(LinearLevels, TakeThemByEachMetric)
{
  for (const MetricKind metric : { MetricKind::Correlation, MetricKind::Mattes })
  {
    LinearCase what;
    what.metric = metric;
    this->CompareCourses<2>(what);
    what.kind = LinearKind::Similarity;
    this->CompareCourses<3>(what);
  }
}

TEST_P(LinearLevels, TakeThemByLocalCorrelation)
{
  LinearCase what;
  what.metric = MetricKind::LocalCorrelation;
  what.kind = LinearKind::Rigid;
  what.iterations = { 8, 4 };
  this->CompareCourses<2>(what, 1e-8);
  this->CompareCourses<3>(what, 1e-8);
}

TEST_P(LinearLevels, TakeThemWithGradientsOfGaussians)
{
  LinearCase what;
  what.gradient = MetricGradient::Image;
  this->CompareAllKinds<2>(what);
  what.metric = MetricKind::Mattes;
  this->CompareCourses<3>(what);
}

TEST_P(LinearLevels, TakeThemUnderMasksAndBehindOthers)
{
  LinearCase what;
  what.hasMasks = true;
  this->CompareAllKinds<3>(what);
  what.hasInitial = true;
  this->CompareAllKinds<2>(what);
  what.metric = MetricKind::Mattes;
  this->CompareCourses<2>(what);
  this->CompareCourses<3>(what);
}

TEST_P(LinearLevels, DescendAsItk)
{
  LinearCase what;
  what.descent = LinearDescent::GradientDescent;
  this->CompareAllKinds<2>(what);
  this->CompareCourses<3>(what);
  what.metric = MetricKind::Mattes;
  what.hasInitial = true;
  this->CompareCourses<3>(what);
}

TEST_P(LinearLevels, SearchAlongLinesAsItk)
{
  LinearCase what;
  what.descent = LinearDescent::ConjugateGradient;
  what.iterations = { 6, 4 };
  this->CompareAllKinds<2>(what);
  this->CompareCourses<3>(what);
  what.metric = MetricKind::Correlation;
  this->CompareCourses<3>(what);
}

TEST_P(LinearLevels, FollowFromImages)
{
  LinearCase what;
  what.kind = LinearKind::Rigid;
  this->CompareRegistrations<2>(what);
  what.kind = LinearKind::Similarity;
  what.hasMasks = true;
  this->CompareRegistrations<3>(what);
  what.metric = MetricKind::Mattes;
  what.hasInitial = true;
  this->CompareRegistrations<2>(what);
  what.kind = LinearKind::Affine;
  this->CompareRegistrations<3>(what);
}

TEST_P(LinearLevels, EndWhereValuesDoNotFall)
{
  // Ten values at the optimum end a level long before the maximum of iterations, in ITK, too.
  LinearCase what;
  what.kind = LinearKind::Translation;
  what.shrink = { 1 };
  what.sigmas = { 0.0 };
  what.descent = LinearDescent::ConjugateGradient;
  what.iterations = { 60 };
  const LinearImages<2> images(what);
  const LinearCourse    found = RegisterByKernels<2>(what, images, this->Here());
  const LinearCourse    expected = RegisterByItk<2>(what, images, false);
  EXPECT_LT(found.steps.size(), 60U);
  EXPECT_EQ(found.steps.size(), expected.steps.size());
  // Near the optimum a search ends anywhere within its width, a hundredth of the step.
  for (std::size_t p = 0; p < found.parameters.size(); ++p)
  {
    EXPECT_NEAR(found.parameters[p], expected.parameters[p], 1e-3);
  }
}

/** B-splines follow the transform: gradients are pulled back through them. ITK's own metric does not support that
 * Jacobian. */
TEST_P(LinearLevels, EvaluateBeforeSplines)
{
  LinearCase what;
  what.shrink = { 1 };
  what.sigmas = { 0.0 };
  const LinearImages<3> images(what);
  const auto            spline = WavySpline<3, 3>();
  const auto            level = MakeLevel<3>(what, 0, images, MakeLinearMetric(what), this->Here(), spline);
  const auto            metric = MakeItkMetric<3>(what, images, true);
  const auto            composite = itk::CompositeTransform<double, 3>::New();
  const auto            affine = MakeItkLinear<3>(LinearKind::Affine, images.centre);
  composite->AddTransform(spline);
  composite->AddTransform(affine);
  composite->SetOnlyMostRecentTransformToOptimizeOn();
  metric->SetFixedImage(images.images.fixed);
  metric->SetMovingImage(images.images.moving);
  metric->SetMovingTransform(composite);
  metric->Initialize();
  double                      value = 0.0;
  typename itk::Array<double> derivative(12);
  metric->GetValueAndDerivative(value, derivative);
  const auto found = level->Evaluate(MakeLinear<3>(LinearKind::Affine, images.centre), true);
  EXPECT_EQ(found.count, static_cast<std::int64_t>(metric->GetNumberOfValidPoints()));
  EXPECT_NEAR(found.value, value, 1e-12 * std::abs(value));
  const double length = derivative.two_norm();
  for (unsigned int p = 0; p < 12; ++p)
  {
    EXPECT_NEAR(found.derivative[p], derivative[p], 1e-10 * length);
  }
}

/** Given points are used instead of the grid. */
TEST_P(LinearLevels, EvaluateAtPlaces)
{
  for (const MetricKind kind : { MetricKind::MeanSquares, MetricKind::Mattes })
  {
    LinearCase what;
    what.metric = kind;
    what.shrink = { 1 };
    what.sigmas = { 0.0 };
    what.hasMasks = true;
    SCOPED_TRACE(what.Text());
    const LinearImages<3> images(what);
    auto                  metric = MakeItkMetric<3>(what, images, false);
    auto                  own = MakeLinearMetric(what);
    const auto            points = LinearTypes<3>::Metric::FixedSampledPointSetType::New();
    std::vector<double>   places;
    itk::ImageRegionIteratorWithIndex<LinearTypes<3>::Image> it(images.images.fixed,
                                                                images.images.fixed->GetBufferedRegion());
    unsigned int                                             number = 0;
    for (unsigned int n = 0; !it.IsAtEnd(); ++it, ++n)
    {
      if (n % 3 == 0)
      {
        itk::Point<double, 3> place;
        images.images.fixed->TransformIndexToPhysicalPoint(it.GetIndex(), place);
        place[0] += 0.2; // between samples, closest to this one
        LinearTypes<3>::Metric::FixedSampledPointSetType::PointType point;
        point.CastFrom(place); // floats, by default
        points->SetPoint(number++, point);
        if (images.fixedMask->IsInsideInWorldSpace(itk::Point<double, 3>(point)))
        {
          places.insert(places.end(), { point[0], point[1], point[2] });
        }
      }
    }
    if (kind == MetricKind::Mattes)
    {
      // ITK uses the range of all points, with or without a mask. Here all points are under the mask.
      metric->SetFixedImageMask(LinearTypes<3>::Mask::Pointer());
      const auto under = LinearTypes<3>::Metric::FixedSampledPointSetType::New();
      for (std::size_t n = 0; n < places.size() / 3; ++n)
      {
        LinearTypes<3>::Metric::FixedSampledPointSetType::PointType point;
        for (unsigned int d = 0; d < 3; ++d)
        {
          point[d] = static_cast<float>(places[3 * n + d]);
        }
        under->SetPoint(static_cast<unsigned int>(n), point);
      }
      metric->SetFixedSampledPointSet(under);
    }
    else
    {
      metric->SetFixedSampledPointSet(points);
    }
    own.places = std::make_shared<const std::vector<double>>(std::move(places));
    metric->SetUseSampledPointSet(true);
    const auto transform = MakeItkLinear<3>(LinearKind::Rigid, images.centre);
    metric->SetFixedImage(images.images.fixed);
    metric->SetMovingImage(images.images.moving);
    metric->SetMovingTransform(transform);
    metric->Initialize();
    double             value = 0.0;
    itk::Array<double> derivative(6);
    metric->GetValueAndDerivative(value, derivative);
    const auto level = MakeLevel<3>(what, 0, images, own, this->Here(), nullptr);
    const auto found = level->Evaluate(MakeLinear<3>(LinearKind::Rigid, images.centre), true);
    EXPECT_EQ(found.count, static_cast<std::int64_t>(metric->GetNumberOfValidPoints()));
    EXPECT_NEAR(found.value, value, 1e-11 * std::abs(value));
    const double length = derivative.two_norm();
    for (unsigned int p = 0; p < 6; ++p)
    {
      EXPECT_NEAR(found.derivative[p], derivative[p], 1e-9 * length);
    }
  }
}

/** The samples of a level are those that itk::ImageRegistrationMethodv4 draws, whose points are floats. */
template <unsigned int VDimension>
void
CompareDrawnPlaces(itk::CudaSpline::SampleChoice choice)
{
  using Types = LinearTypes<VDimension>;
  using Method = typename Types::Method;
  const bool isRandom = choice == itk::CudaSpline::SampleChoice::Random;
  SCOPED_TRACE(std::to_string(VDimension) + (isRandom ? ", random" : ", regular"));
  LinearCase what;
  what.kind = LinearKind::Translation;
  const LinearImages<VDimension>  images(what);
  const std::vector<unsigned int> factors{ 2, 1 };
  for (unsigned int levels = 1; levels <= 2; ++levels)
  {
    const auto metric = MakeItkMetric<VDimension>(what, images, false);
    const auto optimizer = MakeItkDescent(LinearDescent::RegularStep);
    optimizer->SetNumberOfIterations(1);
    const auto estimator = itk::RegistrationParameterScalesFromPhysicalShift<typename Types::Metric>::New();
    estimator->SetMetric(metric);
    optimizer->SetScalesEstimator(estimator);
    const auto method = Method::New();
    method->SetFixedImage(images.images.fixed);
    method->SetMovingImage(images.images.moving);
    method->SetMetric(metric);
    method->SetOptimizer(optimizer);
    method->SetInitialTransform(MakeItkLinear<VDimension>(what.kind, images.centre));
    method->SetNumberOfLevels(levels);
    typename Method::ShrinkFactorsArrayType   shrink(levels);
    typename Method::SmoothingSigmasArrayType sigmas(levels);
    std::copy_n(factors.begin(), levels, shrink.begin());
    sigmas.Fill(0.0);
    method->SetShrinkFactorsPerLevel(shrink);
    method->SetSmoothingSigmasPerLevel(sigmas);
    method->SetMetricSamplingStrategy(isRandom ? itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy::RANDOM
                                               : itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy::REGULAR);
    method->SetMetricSamplingPercentage(0.3);
    method->MetricSamplingReinitializeSeed(20240607);
    method->Update();

    // The metric keeps those of the last level.
    const auto * const           points = metric->GetVirtualSampledPointSet();
    itk::CudaSpline::SampleRules rules;
    rules.choice = choice;
    rules.fraction = 0.3;
    rules.seed = 20240607;
    const auto whole = itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(images.images.fixed.GetPointer(),
                                                                            images.images.fixed->GetBufferedRegion());
    const auto grid = itk::CudaSpline::ShrinkGrid(whole, factors[levels - 1]);
    const auto places = itk::CudaSpline::DrawPlaces(grid, rules, levels - 1);
    ASSERT_EQ(places.size(), VDimension * points->GetNumberOfPoints());
    for (std::size_t n = 0; n < places.size(); ++n)
    {
      const auto at = points->GetPoint(n / VDimension)[n % VDimension];
      // ITK adds in floats: one rounding each for the origin, the axes and the displacement, of numbers of some tens.
      EXPECT_NEAR(places[n], at, (VDimension + 2) * 64.0 * std::numeric_limits<float>::epsilon());
    }
  }
}

TEST(LinearSamples, AreThoseThatItkDraws)
{
  for (const auto choice : { itk::CudaSpline::SampleChoice::Regular, itk::CudaSpline::SampleChoice::Random })
  {
    CompareDrawnPlaces<2>(choice);
    CompareDrawnPlaces<3>(choice);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LinearLevels, testing::Bool(), GpuOrHost);

} // namespace
