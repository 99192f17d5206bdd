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
// Linear levels and their optimizers on both backends. Expected: values by plain loops where a transform moves samples
// exactly to samples; derivatives by differences of values, for splines whose gradient is exact; known transforms,
// which optimizers find. Any number of threads gives the same bits. Comparisons with ITK are in
// test/itk/linear/LinearLevelTest.cxx.

#include "LevelCase.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** A transform of a kind, close to the identity, with its centre in the fixed image. */
LinearTransform
SomeTransform(LinearKind kind, unsigned int dimension)
{
  LinearTransform transform(kind, dimension, { 8.0, 9.0, dimension == 3 ? 7.0 : 0.0 });
  auto            parameters = transform.GetParameters();
  for (std::size_t p = 0; p < transform.CountParameters(); ++p)
  {
    parameters[p] += 0.03 * std::cos(2.0 * static_cast<double>(p) + 1.0);
  }
  transform.SetParameters(parameters);
  return transform;
}

class Linear : public OnMetricBackend
{
protected:
  /** Differences of values at h and 2 h have a truncation error of order h^4 and rounding errors of order 1/h: 1e-6 of
   * the largest one. With h alone the truncation error is of order h^2, which is as large where gradients of edges
   * change direction within a thousandth of a sample. */
  void
  ExpectDerivativeOfValues(LinearLevel & level, const LinearTransform & transform)
  {
    constexpr double h = 1e-4;
    const auto       found = level.Evaluate(transform, true);
    ASSERT_EQ(found.count, level.GetGrid().Count()); // otherwise values are discontinuous
    double              longest = 0.0;
    std::vector<double> differences;
    for (std::size_t p = 0; p < transform.CountParameters(); ++p)
    {
      const auto at = [&](double step) {
        LinearTransform moved = transform;
        auto            parameters = transform.GetParameters();
        parameters[p] += step;
        moved.SetParameters(parameters);
        return level.Evaluate(moved, false).value;
      };
      // The sign of ITK: the value decreases along the derivative.
      differences.push_back(-(8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h));
      longest = std::max(longest, std::abs(differences.back()));
    }
    EXPECT_GT(longest, 0.0);
    for (std::size_t p = 0; p < transform.CountParameters(); ++p)
    {
      EXPECT_NEAR(found.derivative[p], differences[p], 1e-6 * longest) << NameOf(transform.GetKind()) << ' ' << p;
    }
  }

  void
  ExpectDerivativesOf(MetricKind kind)
  {
    const Residence residence(this->OnBackend());
    for (const unsigned int dimension : { 2U, 3U })
    {
      const Pair images(dimension);
      const auto alone = images.Level(SplineMetric(kind), residence);
      const auto before = images.Level(SplineMetric(kind), residence, { Shear(dimension) });
      const auto bent = images.Level(SplineMetric(kind), residence, { Shear(dimension), Bend(dimension) });
      for (const LinearKind of :
           { LinearKind::Translation, LinearKind::Rigid, LinearKind::Similarity, LinearKind::Affine })
      {
        SCOPED_TRACE(dimension);
        this->ExpectDerivativeOfValues(*alone, SomeTransform(of, dimension));
        this->ExpectDerivativeOfValues(*before, SomeTransform(of, dimension));
        this->ExpectDerivativeOfValues(*bent, SomeTransform(of, dimension));
      }
    }
  }
};

TEST_P(Linear, DerivativesOfMeanSquaresAreThoseOfValues)
{
  this->ExpectDerivativesOf(MetricKind::MeanSquares);
}

TEST_P(Linear, DerivativesOfCorrelationAreThoseOfValues)
{
  this->ExpectDerivativesOf(MetricKind::Correlation);
}

TEST_P(Linear, DerivativesOfMutualInformationAreThoseOfValues)
{
  this->ExpectDerivativesOf(MetricKind::Mattes);
}

TEST_P(Linear, DerivativesOfExactCorrelationAreThoseOfValues)
{
  this->ExpectDerivativesOf(MetricKind::ExactCorrelation);
}

TEST_P(Linear, DerivativesOfGradientFieldsAreThoseOfValues)
{
  this->ExpectDerivativesOf(MetricKind::GradientFields);
}

TEST_P(Linear, LandmarksAddTheirSquaredDistances)
{
  const Residence residence(this->OnBackend());
  for (const unsigned int dimension : { 2U, 3U })
  {
    const Pair         images(dimension);
    const LinearMetric alone = SplineMetric(MetricKind::MeanSquares);
    LinearMetric       metric = alone;
    metric.landmarks = SomeLandmarks(dimension);
    const auto   transform = SomeTransform(LinearKind::Affine, dimension);
    const auto   shear = Shear(dimension);
    const auto   level = images.Level(metric, residence, { shear });
    double       expected = 0.0;
    const double found = level->Evaluate(transform, true).value -
                         images.Level(alone, residence, { shear })->Evaluate(transform, true).value;
    for (const Landmark & landmark : metric.landmarks.points)
    {
      const auto moved = transform.Apply(landmark.fixed);
      for (unsigned int r = 0; r < dimension; ++r)
      {
        double distance = shear.offset[r] - landmark.moving[r];
        for (unsigned int c = 0; c < dimension; ++c)
        {
          distance += shear.matrix[r][c] * moved[c];
        }
        expected += metric.landmarks.weight * distance * distance / 4.0;
      }
    }
    EXPECT_NEAR(found, expected, 1e-9 * expected);
    this->ExpectDerivativeOfValues(*level, transform);
    this->ExpectDerivativeOfValues(*images.Level(metric, residence, { shear, Bend(dimension) }), transform);
    metric.landmarks.weight = 0.0;
    EXPECT_EQ(images.Level(metric, residence)->Evaluate(transform, true).derivative,
              images.Level(alone, residence)->Evaluate(transform, true).derivative);
  }
}

TEST_P(Linear, LandmarksMustBeFiniteAndNotTooMany)
{
  const Residence residence(this->OnBackend());
  const Pair      images(2);
  LinearMetric    metric = SplineMetric(MetricKind::MeanSquares);
  metric.landmarks = SomeLandmarks(2);
  metric.landmarks.points[1].moving[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(images.Level(metric, residence), std::invalid_argument);
  metric.landmarks.points.assign(MaxLandmarks + 1, Landmark());
  EXPECT_THROW(images.Level(metric, residence), std::invalid_argument);
}

TEST_P(Linear, AdditionalPairsAddTheirMeanSquares)
{
  const Residence residence(this->OnBackend());
  const Pair      images(3);
  const auto      metric = SplineMetric(MetricKind::MeanSquares);
  const auto      sides = images.Sides(residence, { Shear(3) });
  LinearLevel level(images.inner, sides[0], sides[1], metric, residence, images.Others(0.75, residence, { Shear(3) }));
  const auto  transform = SomeTransform(LinearKind::Rigid, 3);
  const auto  alone = images.Level(metric, residence, { Shear(3) })->Evaluate(transform, true);
  EXPECT_DOUBLE_EQ(level.Evaluate(transform, true).value, 1.75 * alone.value);
  this->ExpectDerivativeOfValues(level, transform);
}

TEST_P(Linear, GradientFieldsDoNotDependOnContrast)
{
  // Offset, gain and sign of either image have no effect; the edge parameters of both images are scaled with their
  // gradients.
  const Residence residence(this->OnBackend());
  const auto      valueOf = [&](double fixedGain, double movingGain) {
    Pair images(3);
    for (double & pixel : images.fixed)
    {
      pixel = 30.0 + fixedGain * pixel;
    }
    for (double & pixel : images.moving)
    {
      pixel = -70.0 + movingGain * pixel;
    }
    return images.Level(SplineMetric(MetricKind::GradientFields), residence)
      ->Evaluate(SomeTransform(LinearKind::Affine, 3), false)
      .value;
  };
  const double expected = valueOf(1.0, 1.0);
  EXPECT_GT(expected, 0.01);
  EXPECT_LT(expected, 0.99);
  EXPECT_NEAR(valueOf(16.0, 1.0), expected, 1e-10);
  EXPECT_NEAR(valueOf(1.0, -0.125), expected, 1e-10);
  EXPECT_NEAR(valueOf(-4.0, 8.0), expected, 1e-10);
}

TEST_P(Linear, EdgeFactorsMakeGradientsNoise)
{
  const Residence residence(this->OnBackend());
  const Pair      images(3);
  const auto      valueOf = [&](double factor) {
    LinearMetric metric = SplineMetric(MetricKind::GradientFields);
    metric.edgeFactor = factor;
    return images.Level(metric, residence)->Evaluate(SomeTransform(LinearKind::Rigid, 3), false).value;
  };
  const double without = valueOf(0.0);
  EXPECT_GT(valueOf(0.5), without);
  EXPECT_GT(valueOf(2.0), valueOf(0.5));
  EXPECT_GT(valueOf(1000.0), 0.999); // the edge parameters exceed all gradients by this factor
}

TEST_P(Linear, VarianceFloorsArePartsOfTheRangesOfValues)
{
  const Residence residence(this->OnBackend());
  const Pair      images(3);
  const auto      valueOf = [&](double floor) {
    LinearMetric metric = SplineMetric(MetricKind::ExactCorrelation);
    metric.varianceFloor = floor;
    return images.Level(metric, residence)->Evaluate(SomeTransform(LinearKind::Rigid, 3), false).value;
  };
  const double without = valueOf(0.0);
  EXPECT_LT(without, valueOf(0.05));
  EXPECT_LT(valueOf(0.05), valueOf(1.0));
  EXPECT_GT(valueOf(1.0), 0.1 * without); // the variances of windows are small compared with the squared range
}

TEST_P(Linear, MeanSquaresAreThoseOfAPlainLoop)
{
  // For a shift by whole samples values are pixels, and their sums are sums of integers.
  const FieldGrid           grid = MakeGrid(3, 11);
  FreshRandom               random;
  std::vector<double>       fixed;
  std::vector<double>       moving;
  std::vector<std::uint8_t> fixedMask;
  std::vector<std::uint8_t> movingMask;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    fixed.push_back(std::floor(random.Uniform(-50.0, 50.0)));
    moving.push_back(std::floor(random.Uniform(-50.0, 50.0)));
    fixedMask.push_back(random.Uniform(0.0, 1.0) < 0.8 ? 1 : 0);
    movingMask.push_back(random.Uniform(0.0, 1.0) < 0.7 ? 255 : 0);
  }
  const std::int64_t shift[3] = { 2, -3, 1 };
  LinearTransform    transform(LinearKind::Translation, 3);
  transform.SetParameters({ 2.0, -3.0, 1.0 });
  for (const bool hasMasks : { false, true })
  {
    std::int64_t count = 0;
    double       sum = 0.0;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const std::int64_t to[3] = { n % 11 + shift[0], n / 11 % 11 + shift[1], n / 121 + shift[2] };
      const bool         isIn = std::all_of(to, to + 3, [](std::int64_t at) { return at >= 0 && at < 11; });
      const auto         from = static_cast<std::size_t>(n);
      const auto         at = isIn ? static_cast<std::size_t>(to[0] + 11 * (to[1] + 11 * to[2])) : 0;
      if (isIn && (!hasMasks || (fixedMask[from] != 0 && movingMask[at] != 0)))
      {
        ++count;
        sum += (fixed[from] - moving[at]) * (fixed[from] - moving[at]);
      }
    }
    const Residence residence(this->OnBackend());
    SynSide         fixedSide;
    SynSide         movingSide;
    fixedSide.image = MakeImage(grid, fixed, residence);
    movingSide.image = MakeImage(grid, moving, residence);
    if (hasMasks)
    {
      fixedSide.mask = MakeImage(grid, fixedMask, residence);
      movingSide.mask = MakeImage(grid, movingMask, residence);
    }
    LinearMetric metric;
    metric.kind = MetricKind::MeanSquares;
    for (const ScalarType arithmetic : { ScalarType::Float32, ScalarType::Float64 })
    {
      metric.arithmetic = arithmetic;
      LinearLevel level(grid, fixedSide, movingSide, metric, residence);
      const auto  found = level.Evaluate(transform, false);
      EXPECT_EQ(found.count, count);
      EXPECT_EQ(found.value, sum / static_cast<double>(count));
      EXPECT_EQ(found.derivative, LinearTransform::Parameters());
    }
  }
}

TEST_P(Linear, FixedStagesLeadToTheFixedImage)
{
  // Both images are moved by the same transform: the virtual domain changes, but the images remain aligned.
  const Pair      images(3);
  const Residence residence(this->OnBackend());
  LinearMetric    metric;
  metric.kind = MetricKind::MeanSquares;
  metric.arithmetic = ScalarType::Float64;
  SynSide side;
  side.image = MakeImage(images.outer, images.moving, residence);
  side.stages = { Shear(3), Bend(3) };
  side.stages = MakeResidentStages(side.stages, 3, residence);
  LinearLevel level(images.inner, side, side, metric, residence);
  const auto  found = level.Evaluate(LinearTransform(LinearKind::Affine, 3), true);
  EXPECT_EQ(found.count, images.inner.Count());
  EXPECT_NEAR(found.value, 0.0, 1e-20); // squared rounding errors of positions
}

TEST_P(Linear, DescentsFindWhatIsKnown)
{
  // The moving image shows the waves of the fixed one, moved by the inverse of a transform, which is found to a
  // hundredth of a sample: the error of linear interpolation is smaller for waves of 13 or more samples.
  const Residence residence(this->OnBackend());
  for (const unsigned int dimension : { 2U, 3U })
  {
    for (const LinearDescent descent :
         { LinearDescent::RegularStep, LinearDescent::GradientDescent, LinearDescent::ConjugateGradient })
    {
      for (const LinearKind kind :
           { LinearKind::Translation, LinearKind::Rigid, LinearKind::Similarity, LinearKind::Affine })
      {
        SCOPED_TRACE(std::string(NameOf(kind)) + ", descent " + std::to_string(static_cast<int>(descent)));
        Pair                  images(dimension);
        const LinearTransform known = SomeTransform(kind, dimension);
        images.fixed =
          MakePixels(images.inner, [&](const LinearTransform::Vector & x) { return Waves(known.Apply(x)); });
        images.moving = MakePixels(images.outer, Waves);
        LinearMetric metric = SplineMetric(MetricKind::MeanSquares);
        const auto   level = images.Level(metric, residence);
        LinearRules  rules;
        rules.descent = descent;
        rules.iterations = 300;
        rules.maximumStep = descent == LinearDescent::GradientDescent ? 0.01 : 0.5;
        rules.minimumStep = 1e-5;
        rules.convergence = 0.0;
        LinearOptimizer optimizer(*level, LinearTransform(kind, dimension, known.GetCentre()), rules);
        double          last = std::numeric_limits<double>::max();
        while (const auto iteration = optimizer.Iterate())
        {
          EXPECT_EQ(iteration->number, optimizer.GetIterations());
          last = iteration->value;
        }
        EXPECT_NE(optimizer.GetStop(), LinearStop::None);
        EXPECT_LE(optimizer.GetBestValue(), last);
        const auto corners =
          std::vector<LinearTransform::Vector>{ { 0.0, 0.0, 0.0 }, { 17.0, 17.0, dimension == 3 ? 17.0 : 0.0 } };
        for (const auto & corner : corners)
        {
          const auto expected = known.Apply(corner);
          const auto found = optimizer.GetBest().Apply(corner);
          for (unsigned int d = 0; d < dimension; ++d)
          {
            EXPECT_NEAR(found[d], expected[d], 0.02);
          }
        }
      }
    }
  }
}

TEST_P(Linear, HasTheSameBitsOnAnyNumberOfThreads)
{
  const Pair   images(3);
  LinearMetric metric;
  metric.arithmetic = ScalarType::Float64;
  const auto run = [&](const ExecutionContext & context) {
    const auto  level = images.Level(metric, Residence(context));
    LinearRules rules;
    rules.iterations = 8;
    LinearOptimizer optimizer(*level, LinearTransform(LinearKind::Affine, 3, { 8.0, 8.0, 8.0 }), rules);
    while (optimizer.Iterate())
    {}
    return optimizer.GetTransform().GetParameters();
  };
  const auto           several = run(this->OnBackend());
  const ThreadExecutor one{ 1 };
  ExecutionContext     context = this->OnBackend();
  context.host = &one;
  EXPECT_EQ(run(context), several);
  // Host and device add in different orders; eight steps from the same start have the same result.
  context.backend = Backend::Cpu;
  const auto onHost = run(context);
  for (std::size_t p = 0; p < onHost.size(); ++p)
  {
    EXPECT_NEAR(onHost[p], several[p], 1e-8) << p;
  }
}

TEST_P(Linear, SaysWhyItEnds)
{
  const Pair      images(2);
  const Residence residence(this->OnBackend());
  LinearMetric    metric;
  metric.kind = MetricKind::MeanSquares;
  const auto level = images.Level(metric, residence);
  const auto end = [&](LinearLevel & of, LinearTransform start, const LinearRules & rules) {
    LinearOptimizer optimizer(of, start, rules);
    while (optimizer.Iterate())
    {}
    EXPECT_FALSE(optimizer.Iterate().has_value());
    return optimizer.GetStop();
  };
  const LinearTransform start(LinearKind::Translation, 2);
  LinearRules           rules;
  rules.iterations = 2;
  EXPECT_EQ(end(*level, start, rules), LinearStop::Iterations);
  rules.iterations = 0;
  EXPECT_EQ(end(*level, start, rules), LinearStop::Iterations);
  rules.iterations = 50;
  rules.minimumStep = 100.0;
  EXPECT_EQ(end(*level, start, rules), LinearStop::ShortStep);
  rules.minimumStep = 0.0;
  rules.descent = LinearDescent::GradientDescent;
  rules.convergence = std::numeric_limits<double>::max() / 2.0;
  EXPECT_EQ(end(*level, start, rules), LinearStop::Converged);
  LinearTransform far(LinearKind::Translation, 2);
  far.SetParameters({ 1000.0, 0.0 });
  EXPECT_EQ(end(*level, far, rules), LinearStop::NoSamples);
  EXPECT_EQ(level->Evaluate(far, true).value, std::numeric_limits<double>::max());
  SynSide side;
  side.image = MakeImage(images.inner, images.fixed, residence);
  LinearLevel same(images.inner, side, side, metric, residence);
  rules.descent = LinearDescent::RegularStep;
  EXPECT_EQ(end(same, start, rules), LinearStop::NoGradient);
}

TEST_P(Linear, IsInterruptedAtTheBest)
{
  const Pair      images(2);
  const Residence residence(this->OnBackend());
  LinearMetric    metric;
  metric.kind = MetricKind::MeanSquares;
  metric.arithmetic = ScalarType::Float64;
  const auto  level = images.Level(metric, residence);
  LinearRules rules;
  rules.descent = LinearDescent::GradientDescent; // its steps of constant length pass the optimum and return
  rules.maximumStep = 1.0;
  LinearOptimizer optimizer(*level, LinearTransform(LinearKind::Translation, 2), rules);
  double          lowest = std::numeric_limits<double>::max();
  for (int n = 0; n < 8; ++n)
  {
    const auto iteration = optimizer.Iterate();
    ASSERT_TRUE(iteration.has_value());
    lowest = std::min(lowest, iteration->value);
    EXPECT_EQ(optimizer.GetBestValue(), lowest);
    EXPECT_EQ(level->Evaluate(optimizer.GetBest(), false).value, lowest);
  }
}

TEST_P(Linear, RefusesWhatDoesNotFit)
{
  const Pair      images(2);
  const Residence residence(this->OnBackend());
  const auto      expectRefusal = [&](const char * what, const auto & change) {
    SCOPED_TRACE(what);
    FieldGrid    grid = images.inner;
    SynSide      fixed;
    SynSide      moving;
    LinearMetric metric;
    fixed.image = MakeImage(images.inner, images.fixed, residence);
    moving.image = MakeImage(images.outer, images.moving, residence);
    change(grid, fixed, moving, metric);
    EXPECT_THROW(LinearLevel(grid, fixed, moving, metric, residence), std::invalid_argument);
  };
  expectRefusal("no image",
                [](FieldGrid &, SynSide & fixed, SynSide &, LinearMetric &) { fixed.image.data = nullptr; });
  expectRefusal("two types", [&](FieldGrid &, SynSide &, SynSide & moving, LinearMetric &) {
    moving.image = MakeImage(images.outer, std::vector<float>(images.moving.begin(), images.moving.end()), residence);
  });
  expectRefusal("bins", [](FieldGrid &, SynSide &, SynSide &, LinearMetric & metric) { metric.bins = 4; });
  expectRefusal("many bins", [](FieldGrid &, SynSide &, SynSide &, LinearMetric & metric) { metric.bins = 161; });
  expectRefusal("order", [](FieldGrid &, SynSide &, SynSide &, LinearMetric & metric) { metric.order = 6; });
  expectRefusal(
    "analytic gradients of linear interpolation",
    [](FieldGrid &, SynSide &, SynSide &, LinearMetric & metric) { metric.gradient = MetricGradient::Analytic; });
  expectRefusal("dimension", [](FieldGrid & grid, SynSide &, SynSide &, LinearMetric &) { grid = MakeGrid(3, 5); });
  expectRefusal("an image of one value for mutual information",
                [&](FieldGrid &, SynSide & fixed, SynSide &, LinearMetric &) {
                  fixed.image = MakeImage(images.inner, std::vector<double>(images.fixed.size(), 7.0), residence);
                });
  const auto level = images.Level(LinearMetric(), residence);
  EXPECT_THROW(level->Evaluate(LinearTransform(LinearKind::Rigid, 3), false), std::invalid_argument);
  EXPECT_THROW(LinearOptimizer(*level, LinearTransform(LinearKind::Rigid, 3), LinearRules()), std::invalid_argument);
  LinearRules rules;
  rules.relaxation = 1.0;
  EXPECT_THROW(LinearOptimizer(*level, LinearTransform(LinearKind::Rigid, 2), rules), std::invalid_argument);
  rules = LinearRules();
  rules.window = 1;
  EXPECT_THROW(LinearOptimizer(*level, LinearTransform(LinearKind::Rigid, 2), rules), std::invalid_argument);
}

TEST_P(Linear, SaysThatThereIsNoFixedSample)
{
  const Pair      images(2);
  const Residence residence(this->OnBackend());
  SynSide         fixed;
  SynSide         moving;
  fixed.image = MakeImage(images.inner, images.fixed, residence);
  moving.image = MakeImage(images.outer, images.moving, residence);
  fixed.mask = MakeImage(images.inner, std::vector<std::uint8_t>(images.fixed.size(), 0), residence);
  EXPECT_THROW(LinearLevel(images.inner, fixed, moving, LinearMetric(), residence), std::invalid_argument);
  FieldGrid elsewhere = images.inner;
  elsewhere.origin = { 500.0, 500.0, 0.0 };
  fixed.mask = ResidentImage();
  EXPECT_THROW(LinearLevel(elsewhere, fixed, moving, LinearMetric(), residence), std::invalid_argument);
}

/** A registration with two levels on images that were smoothed for the first one. */
struct TwoLevels
{
  LinearOptions options;

  TwoLevels()
  {
    options.levels = { { 2, 1.5, 12 }, { 1, 0.0, 6 } };
    options.metric.kind = MetricKind::MeanSquares;
    options.metric.arithmetic = ScalarType::Float64;
  }

  LinearRegistration
  Make(const Pair & images, const Residence & residence) const
  {
    SynSide fixed;
    SynSide moving;
    fixed.image = MakeImage(images.inner, images.fixed, residence);
    moving.image = MakeImage(images.outer, images.moving, residence);
    return LinearRegistration(fixed, moving, options, residence);
  }
};

TEST_P(Linear, LevelsGoOnFromEachOther)
{
  const Pair      images(3);
  const Residence residence(this->OnBackend());
  const TwoLevels two;
  const auto      registration = two.Make(images, residence);
  LinearTransform transform(LinearKind::Rigid, 3, { 8.0, 8.0, 8.0 });

  std::vector<std::size_t>  levels;
  std::vector<unsigned int> numbers;
  const auto                records =
    registration.Run(transform, [&](std::size_t level, const LinearIteration & iteration, const LinearTransform &) {
      levels.push_back(level);
      numbers.push_back(iteration.number);
      return true;
    });
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].iterations, 12U);
  EXPECT_EQ(records[0].evaluations, 12U);
  EXPECT_EQ(records[1].iterations, 6U);
  EXPECT_EQ(records[1].stop, LinearStop::Iterations);
  EXPECT_EQ(levels.size(), 18U);
  EXPECT_EQ(levels[12], 1U);
  EXPECT_EQ(numbers[12], 1U);

  // Separate runs of the levels have the same result.
  LinearTransform again(LinearKind::Rigid, 3, { 8.0, 8.0, 8.0 });
  registration.RunLevel(0, again, {});
  const auto last = registration.RunLevel(1, again, {});
  EXPECT_EQ(again.GetParameters(), transform.GetParameters());
  EXPECT_EQ(last.value, records[1].value);
}

TEST_P(Linear, AWatchEndsARegistration)
{
  const Pair      images(3);
  const Residence residence(this->OnBackend());
  const auto      registration = TwoLevels().Make(images, residence);
  LinearTransform transform(LinearKind::Rigid, 3, { 8.0, 8.0, 8.0 });
  LinearTransform third = transform; // the transform at the start of the best of three iterations
  double          lowest = std::numeric_limits<double>::max();
  LinearTransform before = transform;
  const auto      records =
    registration.Run(transform, [&](std::size_t, const LinearIteration & iteration, const LinearTransform & now) {
      if (iteration.value < lowest)
      {
        lowest = iteration.value;
        third = before;
      }
      before = now;
      return iteration.number < 3;
    });
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].stop, LinearStop::Stopped);
  EXPECT_EQ(records[0].iterations, 3U);
  EXPECT_EQ(transform.GetParameters(), third.GetParameters());
}

TEST_P(Linear, AnotherBackendGoesOn)
{
  const Pair                images(3);
  const Residence           residence(this->OnBackend());
  const auto                registration = TwoLevels().Make(images, residence);
  LinearTransform           transform(LinearKind::Rigid, 3, { 8.0, 8.0, 8.0 });
  std::vector<unsigned int> numbers;
  const auto                watch = [&](std::size_t, const LinearIteration & iteration, const LinearTransform &) {
    numbers.push_back(iteration.number);
    if (numbers.size() == 4)
    {
      throw DeviceError(DeviceError::Kind::Lost, "as if");
    }
    return true;
  };
  EXPECT_THROW(registration.RunLevel(0, transform, watch), DeviceError);
  const LinearTransform there = transform;
  EXPECT_NE(there.GetParameters(), LinearTransform(LinearKind::Rigid, 3).GetParameters());
  const auto record = registration.RunLevel(0, transform, watch, 4);
  EXPECT_EQ(record.iterations, 12U);
  ASSERT_EQ(numbers.size(), 12U);
  EXPECT_EQ(numbers[4], 5U);
}

TEST_P(Linear, SmoothsThinImagesAlongTheirOtherAxes)
{
  Pair            images(3);
  const Residence residence(this->OnBackend());
  LinearTransform transform(LinearKind::Rigid, 3);
  TwoLevels       two;
  two.options.levels.clear();
  EXPECT_THROW(two.Make(images, residence).Run(transform, {}), std::invalid_argument);
  images.inner.size[2] = 3;
  EXPECT_EQ(TwoLevels().Make(images, residence).Run(transform, {}).size(), 2u);
}

TEST_P(Linear, PlansWhatADeviceHolds)
{
  const FieldGrid grid = MakeGrid(3, 64);
  LinearMetric    metric;
  const auto      plan = [&](std::size_t budget) {
    return PlanLinearLevel(grid, metric, grid, ScalarType::Float32, std::size_t(8) << 20, budget);
  };
  EXPECT_TRUE(plan(std::size_t(1) << 30).fits);
  EXPECT_FALSE(plan(std::size_t(1) << 20).fits);
  // Gradients of Gaussians need three more volumes, and splines one of coefficients.
  const std::size_t plain = plan(std::size_t(1) << 30).PeakBytes();
  metric.gradient = MetricGradient::Image;
  EXPECT_GE(plan(std::size_t(1) << 30).PeakBytes(), plain + 3 * sizeof(float) * 64 * 64 * 64);
  const auto once = CountLinearWork(grid, metric, grid, 1, 1000);
  const auto tenfold = CountLinearWork(grid, metric, grid, 10, 1000);
  EXPECT_EQ(tenfold.sums, 10.0 * once.sums);
  EXPECT_EQ(tenfold.uploadBytes, once.uploadBytes);
}

INSTANTIATE_TEST_SUITE_P(Backends, Linear, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
