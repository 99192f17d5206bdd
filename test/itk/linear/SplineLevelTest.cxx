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
#include "RandomData.h"

#include "SplineRegistrationOfImages.h"

#include "itkBSplineTransformParametersAdaptor.h"
#include "itkEuler3DTransform.h"
#include "itkLBFGSOptimizerv4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Compares levels of B-spline registrations of the kernels with itk::ImageRegistrationMethodv4 and
 * itk::LBFGSOptimizerv4, with ITK's metric and with the module's.
 *
 * Images are oblique, have two spacings, and begin at other indices than 0. The value of each evaluation agrees with
 * ITK's to 1e-8 of the first one. This comes from the bounds of metrics (1e-12, derivatives 1e-10) and the rounding of
 * inner products. Steps propagate it, and a line search amplifies it by the ratio of curvatures, some hundred in a
 * dozen steps. Coefficients, of some mm, agree to 1e-5: in constant regions of the images the value hardly depends on
 * them. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::LbfgsEvaluation;
using itk::CudaSpline::LbfgsStop;
using itk::CudaSpline::SplineOptions;

/** Images with at least 32 samples per axis. */
template <unsigned int VDimension>
struct SplineImages : LinearImages<VDimension>
{
  using Image = typename LinearTypes<VDimension>::Image;

  explicit SplineImages(const LinearCase & what)
    : LinearImages<VDimension>(what)
  {
    if constexpr (VDimension == 3)
    {
      this->images.fixed = BlobImage<Image>({ 36, 33, 32 }, 1.4, 0.0);
      this->images.moving = BlobImage<Image>({ 34, 36, 33 }, 1.5, 1.5);
      if (what.hasMasks)
      {
        this->fixedMask = HalfMask(this->images.fixed.GetPointer(), false);
        this->movingMask = HalfMask(this->images.moving.GetPointer(), false);
      }
    }
  }
};

template <unsigned int VDimension>
using SplineOf = itk::BSplineTransform<double, VDimension, 3>;

/** Returns a B-spline transform on the domain of the fixed image without displacements. */
template <unsigned int VDimension>
typename SplineOf<VDimension>::Pointer
MakeItkSpline(const itk::Image<double, VDimension> * image, const std::vector<unsigned int> & cells)
{
  const auto                                            spline = SplineOf<VDimension>::New();
  typename SplineOf<VDimension>::OriginType             origin;
  typename SplineOf<VDimension>::PhysicalDimensionsType extent;
  typename SplineOf<VDimension>::MeshSizeType           mesh;
  const auto &                                          region = image->GetBufferedRegion();
  image->TransformIndexToPhysicalPoint(region.GetIndex(), origin);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    extent[d] = image->GetSpacing()[d] * static_cast<double>(region.GetSize(d) - 1);
    mesh[d] = cells[d];
  }
  spline->SetTransformDomainOrigin(origin);
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainDirection(image->GetDirection());
  spline->SetTransformDomainMeshSize(mesh);
  return spline;
}

/** Converts a B-spline transform to the grid of another one, as in ITK. */
template <unsigned int VDimension>
void
Adapt(SplineOf<VDimension> * transform, const SplineOf<VDimension> * to)
{
  const auto adaptor = itk::BSplineTransformParametersAdaptor<SplineOf<VDimension>>::New();
  adaptor->SetRequiredTransformDomainOrigin(to->GetTransformDomainOrigin());
  adaptor->SetRequiredTransformDomainDirection(to->GetTransformDomainDirection());
  adaptor->SetRequiredTransformDomainPhysicalDimensions(to->GetTransformDomainPhysicalDimensions());
  adaptor->SetRequiredTransformDomainMeshSize(to->GetTransformDomainMeshSize());
  adaptor->SetTransform(transform);
  adaptor->AdaptTransformParameters();
}

/** A registration with several levels: the values of all evaluations, and the resulting coefficients of each level. */
struct SplineCourse
{
  std::vector<double>              values;
  std::vector<std::vector<double>> coefficients;
};

std::vector<unsigned int>
CellsOf(std::size_t level)
{
  return level == 0 ? std::vector<unsigned int>{ 3, 2, 2 } : std::vector<unsigned int>{ 5, 4, 3 };
}

/** Runs ITK's method. Each level needs a new metric, see RegisterByItk(). */
template <unsigned int VDimension>
SplineCourse
RegisterSplineByItk(const LinearCase & what, const SplineImages<VDimension> & images, bool hasModulesMetric)
{
  using Types = LinearTypes<VDimension>;
  const auto   transform = MakeItkSpline<VDimension>(images.images.fixed, CellsOf(0));
  SplineCourse course;
  for (std::size_t level = 0; level < what.shrink.size(); ++level)
  {
    Adapt<VDimension>(transform, MakeItkSpline<VDimension>(images.images.fixed, CellsOf(level)));
    const auto metric = MakeItkMetric<VDimension>(what, images, hasModulesMetric);
    const auto optimizer = itk::LBFGSOptimizerv4::New();
    optimizer->SetGradientConvergenceTolerance(1e-12);
    optimizer->SetNumberOfIterations(what.iterations[level]);
    optimizer->SetDefaultStepLength(what.StepOf(level));
    const auto method = Types::Method::New();
    method->SetFixedImage(images.images.fixed);
    method->SetMovingImage(images.images.moving);
    method->SetMetric(metric);
    method->SetOptimizer(optimizer);
    method->SetInitialTransform(transform);
    method->InPlaceOn();
    method->InitializeCenterOfLinearOutputTransformOff();
    if (what.hasInitial)
    {
      method->SetMovingInitialTransform(MakeInitial<VDimension>());
    }
    method->SetNumberOfLevels(1);
    typename Types::Method::ShrinkFactorsArrayType   shrink(1);
    typename Types::Method::SmoothingSigmasArrayType sigmas(1);
    shrink[0] = what.shrink[level];
    sigmas[0] = what.sigmas[level];
    method->SetShrinkFactorsPerLevel(shrink);
    method->SetSmoothingSigmasPerLevel(sigmas);
    optimizer->AddObserver(itk::FunctionAndGradientEvaluationIterationEvent(), [&](const itk::EventObject &) {
      course.values.push_back(optimizer->GetCurrentMetricValue());
    });
    method->Update();
    course.coefficients.push_back(ParametersOf(transform.GetPointer()));
  }
  return course;
}

SplineOptions
MakeSplineOptions(const LinearCase & what)
{
  SplineOptions options;
  for (std::size_t level = 0; level < what.shrink.size(); ++level)
  {
    options.levels.push_back({ what.shrink[level], what.sigmas[level], what.iterations[level] });
  }
  options.sigmasInMm = true;
  options.metric = MakeLinearMetric(what);
  options.rules.gradientTolerance = 1e-12;
  return options;
}

/** Runs the kernels. */
template <unsigned int VDimension>
SplineCourse
RegisterSpline(const LinearCase & what, const SplineImages<VDimension> & images, const std::string & device)
{
  const auto    initial = MakeInitial<VDimension>();
  const auto    transform = MakeItkSpline<VDimension>(images.images.fixed, CellsOf(0));
  SplineOptions options = MakeSplineOptions(what);
  SplineCourse  course;
  options.rules.stepLength = what.step; // for all levels
  itk::CudaSplineDetail::SplineRegistrationOfImages<double, VDimension> registration(
    { images.images.fixed.GetPointer(),
      images.images.moving.GetPointer(),
      images.fixedMask.GetPointer(),
      images.movingMask.GetPointer(),
      what.hasInitial ? initial.GetPointer() : nullptr },
    options,
    device);
  for (std::size_t level = 0; level < what.shrink.size(); ++level)
  {
    Adapt<VDimension>(transform, MakeItkSpline<VDimension>(images.images.fixed, CellsOf(level)));
    registration.RunLevel(level, transform, [&](std::size_t of, const LbfgsEvaluation & evaluation) {
      EXPECT_EQ(of, level);
      course.values.push_back(evaluation.value);
      return true;
    });
    course.coefficients.push_back(ParametersOf(transform.GetPointer()));
  }
  return course;
}

class SplineLevels : public GpuOnAndOff
{
protected:
  template <unsigned int VDimension>
  void
  Compare(LinearCase what, double sameValues = 1e-8, double sameCoefficients = 1e-5) const
  {
    SCOPED_TRACE(std::to_string(VDimension) + " dimensions, " + what.Text());
    what.step = 1.0;
    what.iterations = { 14, 8 };
    if (VDimension == 3)
    {
      what.shrink = { 3, 2 }; // ITK's metric takes seconds for an evaluation with all samples
    }
    const SplineImages<VDimension> images(what);
    const SplineCourse             found = RegisterSpline<VDimension>(what, images, GetParam() ? "gpu" : "cpu");
    ASSERT_EQ(found.values.size(), 22U);
    EXPECT_LT(found.values[13], found.values[0]);
    for (const bool hasModulesMetric : { false, true })
    {
      SCOPED_TRACE(hasModulesMetric ? "the module's metric" : "ITK's metric");
      const SplineCourse expected = RegisterSplineByItk<VDimension>(what, images, hasModulesMetric);
      ASSERT_EQ(found.values.size(), expected.values.size());
      for (std::size_t n = 0; n < found.values.size(); ++n)
      {
        EXPECT_NEAR(found.values[n], expected.values[n], sameValues * std::abs(expected.values[0]))
          << "evaluation " << n;
      }
      for (std::size_t level = 0; level < 2; ++level)
      {
        double moved = 0.0;
        double away = 0.0;
        ASSERT_EQ(found.coefficients[level].size(), expected.coefficients[level].size());
        for (std::size_t i = 0; i < found.coefficients[level].size(); ++i)
        {
          moved = std::max(moved, std::abs(found.coefficients[level][i]));
          away = std::max(away, std::abs(found.coefficients[level][i] - expected.coefficients[level][i]));
        }
        EXPECT_GT(moved, 0.1);
        EXPECT_LE(away, sameCoefficients) << "level " << level;
      }
    }
  }
};

TEST_P(SplineLevels, GoItksWayByMeanSquares)
{
  LinearCase what;
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SplineLevels, GoItksWayByCorrelation)
{
  LinearCase what;
  what.metric = MetricKind::Correlation;
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SplineLevels, GoItksWayByMutualInformation)
{
  LinearCase what;
  what.metric = MetricKind::Mattes;
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SplineLevels, GoItksWayByLocalCorrelation)
{
  LinearCase what;
  what.metric = MetricKind::LocalCorrelation;
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SplineLevels, GoItksWayUnderMasksAndBeforeOthers)
{
  LinearCase what;
  what.hasMasks = true;
  what.gradient = MetricGradient::Image;
  this->Compare<2>(what);
  what.hasInitial = true;
  this->Compare<3>(what);
  what.metric = MetricKind::Mattes;
  this->Compare<2>(what);
}

/** On the grid of a spline that the kernels choose, ITK's transform moves every sample of the image: for oblique
 * images, far from the origin, of one slice. */
TEST(SplineGrids, HoldTheOutermostSamples)
{
  constexpr unsigned int VDimension = 3;
  using Image = itk::Image<double, VDimension>;
  CudaSplineTest::Random random(__LINE__);
  constexpr unsigned     images = 300;
  for (unsigned int i = 0; i < images; ++i)
  {
    const auto                         image = Image::New();
    Image::RegionType                  region;
    Image::SpacingType                 spacing;
    Image::PointType                   origin;
    SplineOf<VDimension>::MeshSizeType mesh;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetIndex(d, random.Integer(-9, 9));
      region.SetSize(d, static_cast<itk::SizeValueType>(random.Integer(1, 260)));
      spacing[d] = random.Uniform(0.3, 3.0);
      origin[d] = random.Uniform(-400.0, 400.0);
      mesh[d] = static_cast<itk::SizeValueType>(random.Integer(1, 12));
    }
    const auto turn = itk::Euler3DTransform<double>::New();
    turn->SetRotation(random.Uniform(-3.0, 3.0), random.Uniform(-3.0, 3.0), random.Uniform(-3.0, 3.0));
    image->SetRegions(region);
    image->SetSpacing(spacing);
    image->SetOrigin(origin);
    image->SetDirection(i % 3 == 0 ? Image::DirectionType::GetIdentity() : turn->GetMatrix());

    const auto spline = SplineOf<VDimension>::New();
    const auto grid = itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image.GetPointer(), region);
    itk::CudaSplineDetail::SetSplineGrid<VDimension>(spline.GetPointer(), grid, image->GetDirection(), mesh);
    auto parameters = spline->GetParameters();
    parameters.Fill(1.0);
    spline->SetParametersByValue(parameters);
    // ITK's filters convert a transform from level to level.
    const auto adapted = SplineOf<VDimension>::New();
    adapted->SetFixedParameters(spline->GetFixedParameters());
    Adapt<VDimension>(adapted.GetPointer(), spline.GetPointer());
    adapted->SetParametersByValue(parameters);
    for (unsigned int s = 0; s < 40; ++s)
    {
      auto index = region.GetIndex();
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const auto last = static_cast<itk::IndexValueType>(region.GetSize(d)) - 1;
        index[d] += s < 8 || d == s % VDimension ? ((s >> d) & 1U) * last : random.Integer(0, static_cast<int>(last));
      }
      Image::PointType place;
      image->TransformIndexToPhysicalPoint(index, place);
      EXPECT_NEAR((spline->TransformPoint(place) - place)[s % VDimension], 1.0, 1e-9) << i << ", " << s;
      EXPECT_NEAR((adapted->TransformPoint(place) - place)[s % VDimension], 1.0, 1e-9) << i << ", " << s;
    }
  }
}

/** The grid of a spline that the kernels choose is ITK's. */
TEST_P(SplineLevels, AreRefinedAsItk)
{
  const auto refine = [](auto image, const std::vector<unsigned int> & from, const std::vector<unsigned int> & to) {
    constexpr unsigned int VDimension = std::decay_t<decltype(*image)>::ImageDimension;
    const auto             spline = MakeItkSpline<VDimension>(image, from);
    const auto             finer = MakeItkSpline<VDimension>(image, to);
    auto                   parameters = spline->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] = 2.0 * std::cos(1.7 * p) + 0.3 * (p % 5);
    }
    spline->SetParametersByValue(parameters);
    const auto stageOf = [](const auto & transform) {
      itk::CudaSpline::TransformChain chain;
      itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(transform.GetPointer(), chain);
      return chain.stages.at(0);
    };
    const auto found = RefineSpline(stageOf(spline), ParametersOf(spline.GetPointer()), stageOf(finer), VDimension, {});
    const auto again = MakeItkSpline<VDimension>(image, from);
    again->SetParametersByValue(parameters);
    const auto grid = itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image, image->GetBufferedRegion());
    itk::CudaSplineDetail::RefineSplineTransform<VDimension>(
      again.GetPointer(), grid, image->GetDirection(), finer->GetTransformDomainMeshSize(), {});
    const auto ofAgain = ParametersOf(again.GetPointer());
    ASSERT_EQ(ofAgain.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
    {
      ASSERT_NEAR(ofAgain[i], found[i], 1e-10) << i;
    }
    Adapt<VDimension>(spline, finer);
    const auto expected = ParametersOf(spline.GetPointer());
    const auto ofKernels = MakeSplineGrid(grid, { to[0], to[1], to.back() });
    const auto ofItk = stageOf(finer);
    const auto ofTransform = stageOf(again);
    EXPECT_EQ(ofKernels.size, ofItk.size);
    EXPECT_EQ(ofKernels.start, ofItk.start);
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      EXPECT_NEAR(ofKernels.origin[r], ofItk.origin[r], 1e-12); // of some tens of mm
      EXPECT_EQ(ofKernels.origin[r], ofTransform.origin[r]);
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        EXPECT_NEAR(ofKernels.pointToIndex[r][c], ofItk.pointToIndex[r][c], 1e-14);
      }
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
    {
      // ITK's filter begins with sums that it truncates at 1e-10 of the coefficients.
      ASSERT_NEAR(found[i], expected[i], 1e-8) << i;
    }
  };
  const MetricImages<itk::Image<double, 2>> plane;
  const MetricImages<itk::Image<double, 3>> space;
  EXPECT_EQ(itk::CudaSpline::CellsOfLevel({ 9, 4, 1 }, 2, 3), (itk::CudaSpline::SplineCells{ 9, 4, 1 }));
  EXPECT_EQ(itk::CudaSpline::CellsOfLevel({ 9, 4, 1 }, 1, 3), (itk::CudaSpline::SplineCells{ 5, 2, 1 }));
  EXPECT_EQ(itk::CudaSpline::CellsOfLevel({ 9, 4, 1 }, 0, 3), (itk::CudaSpline::SplineCells{ 3, 1, 1 }));
  refine(plane.fixed.GetPointer(), { 1, 1 }, { 2, 1 });
  refine(plane.fixed.GetPointer(), { 4, 3 }, { 7, 6 });
  refine(space.fixed.GetPointer(), { 3, 2, 4 }, { 6, 3, 7 });
}

/** If a callback stops the search, the result is the best coefficients. */
TEST_P(SplineLevels, AreInterruptedAtTheBest)
{
  LinearCase what;
  what.shrink = { 1 };
  what.sigmas = { 0.0 };
  what.iterations = { 30 };
  const SplineImages<2> images(what);
  const auto            transform = MakeItkSpline<2>(images.images.fixed, { 4, 4 });
  SplineOptions         options = MakeSplineOptions(what);
  options.rules.stepLength = 8.0; // searches go too far first
  itk::CudaSplineDetail::SplineRegistrationOfImages<double, 2> registration(
    { images.images.fixed.GetPointer(), images.images.moving.GetPointer(), nullptr, nullptr, nullptr },
    options,
    GetParam() ? "gpu" : "cpu");
  double     lowest = std::numeric_limits<double>::max();
  const auto record = registration.RunLevel(0, transform, [&](std::size_t, const LbfgsEvaluation & evaluation) {
    lowest = std::min(lowest, evaluation.value);
    return evaluation.number < 9 || evaluation.value == lowest; // after an evaluation that is not the best
  });
  EXPECT_EQ(record.stop, LbfgsStop::None);
  EXPECT_EQ(record.best, lowest);
  EXPECT_GT(record.value, lowest);
  const auto metric = MakeItkMetric<2>(what, images, false);
  metric->SetFixedImage(images.images.fixed);
  metric->SetMovingImage(images.images.moving);
  metric->SetMovingTransform(transform);
  metric->Initialize();
  EXPECT_NEAR(metric->GetValue(), lowest, 1e-10 * lowest);
}

/** Only one B-spline transform can be optimized. */
TEST_P(SplineLevels, RefuseOtherTransforms)
{
  const LinearCase                                             what;
  const SplineImages<2>                                        images(what);
  const auto                                                   linear = itk::AffineTransform<double, 2>::New();
  itk::CudaSplineDetail::SplineRegistrationOfImages<double, 2> registration(
    { images.images.fixed.GetPointer(), images.images.moving.GetPointer(), nullptr, nullptr, nullptr },
    MakeSplineOptions(what),
    "cpu");
  EXPECT_THROW(registration.RunLevel(0, linear, {}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Backends, SplineLevels, testing::Bool(), GpuOrHost);

} // namespace
