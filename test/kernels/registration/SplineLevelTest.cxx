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
// Levels of B-spline registrations on both backends. Expected: gradients by differences of values, for splines whose
// gradient is exact; values by the passes of a metric on the host; known displacements, which the levels find; always
// the best coefficients. Any number of threads gives the same bits. Comparisons with ITK are in
// test/itk/linear/SplineLevelTest.cxx.

#include "LevelCase.h"
#include "RandomData.h"

#include "kernels/registration/spline/NodeShares.h"
#include "kernels/transforms/TransformStages.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** A cubic grid with some cells along each axis of a box, without coefficients. */
TransformChain::Stage
MakeSpline(const FieldGrid & grid, const std::array<std::int64_t, 3> & cells)
{
  TransformChain::Stage stage;
  stage.kind = TransformKind::BSpline;
  stage.order = 3;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    const double spacing = static_cast<double>(grid.size[d] - 1) / static_cast<double>(cells[d]);
    stage.size[d] = cells[d] + 3;
    stage.origin[d] = grid.origin[d] - spacing;
    stage.pointToIndex[d][d] = 1.0 / spacing;
  }
  return stage;
}

/** Small coefficients that are all different. */
std::vector<double>
SomeCoefficients(const TransformChain::Stage & spline, unsigned int dimension, double most)
{
  std::vector<double> coefficients;
  for (std::int64_t n = 0; n < TransformChain::CountOf(spline, dimension); ++n)
  {
    coefficients.push_back(most * std::cos(1.7 * static_cast<double>(n) + 0.4));
  }
  return coefficients;
}

/** Coefficients on a backend. */
class Coefficients
{
public:
  Coefficients(const std::vector<double> & numbers, const Residence & residence)
    : m_Residence(residence)
    , m_Array(numbers.size() * sizeof(double), residence)
  {
    this->Set(numbers);
  }

  void
  Set(const std::vector<double> & numbers)
  {
    Upload(m_Array.Data(), numbers.data(), m_Array.Bytes(), m_Residence);
    m_Residence.Wait();
  }

  std::vector<double>
  ToHost() const
  {
    std::vector<double> numbers(m_Array.Bytes() / sizeof(double));
    Download(numbers.data(), m_Array.Data(), m_Array.Bytes(), m_Residence);
    return numbers;
  }

  double *
  Get() const
  {
    return m_Array.As<double>();
  }

private:
  const Residence & m_Residence;
  ResidentArray     m_Array;
};

class SplineLevels : public OnMetricBackend
{
protected:
  /** Differences of values at h have a truncation error of order h^2 and rounding errors of order 1/h: 1e-6 of the
   * largest one. */
  void
  ExpectGradientOfValues(SplineLevel & level, const std::vector<double> & at, const Residence & residence)
  {
    constexpr double   h = 1e-4;
    Coefficients       place(at, residence);
    const Coefficients gradient(std::vector<double>(at.size(), 7.0), residence);
    const auto         found = level.Evaluate(place.Get(), gradient.Get());
    ASSERT_EQ(found.count, level.GetGrid().Count()); // otherwise values are discontinuous
    // On the host, evaluations with a gradient add values in other blocks.
    EXPECT_NEAR(level.Evaluate(place.Get(), nullptr).value, found.value, 1e-12 * std::abs(found.value));
    const auto slopes = gradient.ToHost();
    double     longest = 0.0;
    for (const double slope : slopes)
    {
      longest = std::max(longest, std::abs(slope));
    }
    EXPECT_GT(longest, 0.0);
    for (std::size_t n = 0; n < at.size(); n += 7)
    {
      const auto valueAt = [&](double step) {
        auto moved = at;
        moved[n] += step;
        place.Set(moved);
        return level.Evaluate(place.Get(), nullptr).value;
      };
      EXPECT_NEAR(slopes[n], (valueAt(h) - valueAt(-h)) / (2.0 * h), 1e-6 * longest) << n;
    }
  }

  std::unique_ptr<SplineLevel>
  MakeLevel(const Pair &                       images,
            const LinearMetric &               metric,
            const TransformChain::Stage &      spline,
            const Residence &                  residence,
            std::vector<TransformChain::Stage> behind = {}) const
  {
    auto sides = images.Sides(residence, std::move(behind));
    return std::make_unique<SplineLevel>(images.inner, sides[0], sides[1], metric, spline, residence);
  }
};

TEST_P(SplineLevels, GradientsAreThoseOfValues)
{
  const Residence residence(this->OnBackend());
  for (const MetricKind kind : { MetricKind::MeanSquares,
                                 MetricKind::Correlation,
                                 MetricKind::Mattes,
                                 MetricKind::ExactCorrelation,
                                 MetricKind::GradientFields })
  {
    for (const unsigned int dimension : { 2U, 3U })
    {
      SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + ", dimension " + std::to_string(dimension));
      const Pair images(dimension);
      const auto spline = MakeSpline(images.inner, { 3, 2, 2 });
      const auto at = SomeCoefficients(spline, dimension, 0.4);
      const auto metric = SplineMetric(kind);
      this->ExpectGradientOfValues(*this->MakeLevel(images, metric, spline, residence), at, residence);
      this->ExpectGradientOfValues(
        *this->MakeLevel(images, metric, spline, residence, { Shear(dimension), Bend(dimension) }), at, residence);
    }
  }
}

TEST_P(SplineLevels, LandmarksAndAdditionalPairsHaveTheGradientOfTheirValues)
{
  const Residence residence(this->OnBackend());
  for (const unsigned int dimension : { 2U, 3U })
  {
    const Pair   images(dimension);
    const auto   spline = MakeSpline(images.inner, { 3, 2, 2 });
    const auto   at = SomeCoefficients(spline, dimension, 0.4);
    LinearMetric metric = SplineMetric(MetricKind::Correlation);
    metric.landmarks = SomeLandmarks(dimension);
    const std::vector<TransformChain::Stage> behind{ Shear(dimension), Bend(dimension) };
    const auto                               sides = images.Sides(residence, behind);
    SplineLevel                              level(
      images.inner, sides[0], sides[1], metric, spline, residence, {}, images.Others(0.002, residence, behind));
    this->ExpectGradientOfValues(level, at, residence);
  }
}

TEST_P(SplineLevels, LandmarksAddTheirSquaredDistances)
{
  const Residence    residence(this->OnBackend());
  const Pair         images(3);
  const auto         spline = MakeSpline(images.inner, { 3, 2, 2 });
  const auto         at = SomeCoefficients(spline, 3, 0.4);
  const Coefficients place(at, residence);
  LinearMetric       metric = SplineMetric(MetricKind::MeanSquares);
  const double       alone = this->MakeLevel(images, metric, spline, residence)->Evaluate(place.Get(), nullptr).value;
  metric.landmarks = SomeLandmarks(3);
  const auto   level = this->MakeLevel(images, metric, spline, residence);
  double       expected = 0.0;
  const double found = level->Evaluate(place.Get(), nullptr).value - alone;
  for (const Landmark & landmark : metric.landmarks.points)
  {
    // The last one is outside of the domain: it does not move.
    const auto moved =
      &landmark == &metric.landmarks.points.back() ? landmark.fixed : MoveBySpline(spline, at, landmark.fixed, 3);
    for (unsigned int d = 0; d < 3; ++d)
    {
      expected += 0.25 * metric.landmarks.weight * std::pow(moved[d] - landmark.moving[d], 2);
    }
  }
  EXPECT_NEAR(found, expected, 1e-9 * expected);
}

TEST_P(SplineLevels, HaveOneCellAnAxis)
{
  const Residence residence(this->OnBackend());
  const Pair      images(3);
  const auto      spline = MakeSpline(images.inner, { 1, 1, 1 });
  const auto      level = this->MakeLevel(images, SplineMetric(MetricKind::MeanSquares), spline, residence);
  this->ExpectGradientOfValues(*level, SomeCoefficients(spline, 3, 0.3), residence);
}

/** A registration with one level and the metric mean squares of splines. */
struct OneLevel
{
  Pair                  images;
  TransformChain::Stage spline;
  SplineOptions         options;

  explicit OneLevel(unsigned int dimension)
    : images(dimension)
    , spline(MakeSpline(images.inner, { 2, 2, 2 }))
  {
    options.levels = { { 1, 0.0, 200 } };
    options.metric = SplineMetric(MetricKind::MeanSquares);
    options.rules.gradientTolerance = 1e-8;
    options.rules.stepLength = 1.0;
  }

  SplineRegistration
  Make(const Residence & residence) const
  {
    auto sides = images.Sides(residence, {});
    return SplineRegistration(sides[0], sides[1], options, residence);
  }
};

TEST_P(SplineLevels, FindWhatIsKnown)
{
  // The fixed image shows the waves of the moving one through a spline on the same grid. Waves with this curvature
  // determine the displacement to a tenth of a voxel everywhere.
  for (const unsigned int dimension : { 2U, 3U })
  {
    SCOPED_TRACE(dimension);
    OneLevel   what(dimension);
    const auto known = SomeCoefficients(what.spline, dimension, 0.5);
    const auto shared = std::make_shared<std::vector<double>>(known);
    auto       stage = what.spline;
    stage.data = std::shared_ptr<const double>(shared, shared->data());
    what.images.moving = MakePixels(what.images.outer, Waves);
    what.images.fixed = MakePixels(what.images.inner, [&](const LinearTransform::Vector & x) {
      return Waves(MoveBySpline(stage, known, x, dimension));
    });
    const Residence     residence(this->OnBackend());
    const auto          registration = what.Make(residence);
    std::vector<double> found(known.size(), 0.0);
    const SplineRecord  record = registration.RunLevel(0, what.spline, found, {});
    EXPECT_LT(record.best, 1e-3); // squared differences of waves with amplitudes of 20 and more
    for (const double x : { 2.0, 8.0, 15.0 })
    {
      const LinearTransform::Vector place{ x, 0.5 * x + 1.0, dimension == 3 ? 14.0 - 0.5 * x : 0.0 };
      const auto                    expected = MoveBySpline(stage, known, place, dimension);
      const auto                    moved = MoveBySpline(stage, found, place, dimension);
      for (unsigned int d = 0; d < dimension; ++d)
      {
        EXPECT_NEAR(moved[d], expected[d], 0.1);
      }
    }
  }
}

/** Nodes with a large penalty stay. */
TEST_P(SplineLevels, KeepNodesWithPenalties)
{
  OneLevel            what(3);
  const Residence     residence(this->OnBackend());
  const auto          nodes = static_cast<std::size_t>(CountSplineNodes(what.spline));
  std::vector<double> free(3 * nodes, 0.0);
  const double        lowest = what.Make(residence).RunLevel(0, what.spline, free, {}).best;
  for (std::size_t n = 0; n < nodes; ++n)
  {
    what.options.nodePenalties.push_back(n < nodes / 2 ? 1e6 : 0.0);
  }
  std::vector<double> found(3 * nodes, 0.0);
  const SplineRecord  record = what.Make(residence).RunLevel(0, what.spline, found, {});
  double              moved = 0.0;
  for (std::size_t n = 0; n < found.size(); ++n)
  {
    const bool isKept = n % nodes < nodes / 2;
    EXPECT_LT(isKept ? std::abs(found[n]) : 0.0, 1e-3);
    moved = std::max(moved, isKept ? 0.0 : std::abs(found[n]));
  }
  EXPECT_GT(moved, 0.1);
  EXPECT_GT(record.best, lowest);
  what.options.nodePenalties.pop_back();
  EXPECT_THROW(what.Make(residence).RunLevel(0, what.spline, found, {}), std::invalid_argument);
}

TEST(SplineNodeShares, OfMasks)
{
  for (const unsigned int dimension : { 2U, 3U })
  {
    const Pair                images(dimension);
    const FieldGrid &         grid = images.inner;
    const auto                spline = MakeSpline(grid, { 3, 4, 2 });
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(grid.Count()), 1);
    const auto                measure = [&] {
      return MeasureNodeShares(spline, grid, SpatialMask(grid, mask.data()), ExecutionContext());
    };
    for (const double share : measure().shares)
    {
      EXPECT_NEAR(share, 1.0, 1e-12);
    }
    std::int64_t inside = 0;
    for (std::size_t n = 0; n < mask.size(); ++n)
    {
      mask[n] = static_cast<std::int64_t>(n) % grid.size[0] < 6 ? 1 : 0; // the first cell along x
      inside += mask[n];
    }
    const NodeShares found = measure();
    ASSERT_EQ(found.shares.size(), static_cast<std::size_t>(CountSplineNodes(spline)));
    double all = 0.0;
    double underMask = 0.0;
    for (std::size_t n = 0; n < found.shares.size(); ++n)
    {
      all += found.weights[n];
      underMask += found.weights[n] * found.shares[n];
    }
    EXPECT_NEAR(all, 1.0, 1e-12); // basis functions add to 1 at each sample
    EXPECT_NEAR(underMask, static_cast<double>(inside) / static_cast<double>(grid.Count()), 1e-12);
    EXPECT_NEAR(found.shares.front(), 1.0, 1e-12); // this node moves only samples of the first cell
    EXPECT_EQ(found.shares[static_cast<std::size_t>(spline.size[0]) - 1], 0.0);
  }
}

TEST_P(SplineLevels, HaveTheSameBitsOnAnyNumberOfThreads)
{
  OneLevel what(3);
  what.options.levels[0].iterations = 9;
  const auto run = [&](const ExecutionContext & context) {
    const Residence     residence(context);
    std::vector<double> found(static_cast<std::size_t>(TransformChain::CountOf(what.spline, 3)), 0.0);
    what.Make(residence).RunLevel(0, what.spline, found, [&found](std::size_t, const LbfgsEvaluation & evaluation) {
      found.push_back(evaluation.value); // after the final coefficients
      return true;
    });
    return found;
  };
  const auto           several = run(this->OnBackend());
  const ThreadExecutor one{ 1 };
  const ThreadExecutor four{ 4 };
  ExecutionContext     context = this->OnBackend();
  for (const ThreadExecutor * const threads : { &one, &four })
  {
    context.host = threads;
    EXPECT_EQ(run(context), several);
  }
}

TEST_P(SplineLevels, GoOnAtTheBestWhereADeviceFails)
{
  OneLevel what(2);
  what.options.levels[0].iterations = 12;
  const Residence     residence(this->OnBackend());
  const auto          registration = what.Make(residence);
  const auto          count = static_cast<std::size_t>(TransformChain::CountOf(what.spline, 2));
  std::vector<double> found(count, 0.0);
  double              lowest = std::numeric_limits<double>::max();
  const auto          fail = [&](std::size_t, const LbfgsEvaluation & evaluation) {
    lowest = std::min(lowest, evaluation.value);
    if (evaluation.number == 7)
    {
      throw DeviceError(DeviceError::Kind::OutOfMemory, "no memory");
    }
    return true;
  };
  EXPECT_THROW(registration.RunLevel(0, what.spline, found, fail), DeviceError);
  ASSERT_EQ(found.size(), count);
  // A continued level starts at the best coefficients and executes the remaining iterations.
  std::vector<double> values;
  const auto          record = registration.RunLevel(
    0,
    what.spline,
    found,
    [&](std::size_t, const LbfgsEvaluation & evaluation) {
      EXPECT_EQ(evaluation.number, 8 + values.size());
      values.push_back(evaluation.value);
      return true;
    },
    7);
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(values.front(), lowest);
  EXPECT_EQ(record.evaluations, 12U);
  EXPECT_EQ(record.stop, LbfgsStop::Evaluations);
  EXPECT_LT(record.best, lowest);
}

TEST_P(SplineLevels, FollowEachOtherOnFinerGrids)
{
  OneLevel what(2);
  what.options.levels = { { 2, 1.0, 9 }, { 1, 0.0, 7 } };
  const Residence          residence(this->OnBackend());
  const auto               registration = what.Make(residence);
  const SplineCells        cells{ 5, 2, 1 };
  std::vector<double>      found;
  std::vector<std::size_t> levels;
  const auto               records = registration.Run(cells, found, [&](std::size_t level, const LbfgsEvaluation &) {
    levels.push_back(level);
    return true;
  });
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].evaluations, 9U);
  EXPECT_EQ(records[1].evaluations, 7U);
  EXPECT_EQ(std::count(levels.begin(), levels.end(), 0U), 9);

  // Separate runs of the levels have the same result.
  const auto          coarse = MakeSplineGrid(what.images.inner, { 3, 1, 1 });
  const auto          fine = MakeSplineGrid(what.images.inner, cells);
  std::vector<double> again(static_cast<std::size_t>(TransformChain::CountOf(coarse, 2)), 0.0);
  registration.RunLevel(0, coarse, again, {});
  again = RefineSpline(coarse, again, fine, 2, residence.GetContext());
  EXPECT_EQ(registration.RunLevel(1, fine, again, {}).best, records[1].best);
  EXPECT_EQ(found, again);

  // Coefficients of a stopped registration are on the last grid, too.
  const auto stopped = registration.Run(
    cells, found, [](std::size_t, const LbfgsEvaluation & evaluation) { return evaluation.number < 4; });
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].stop, LbfgsStop::None);
  EXPECT_EQ(found.size(), again.size());
  EXPECT_THROW(MakeSplineGrid(what.images.inner, { 0, 1, 1 }), std::invalid_argument);
}

/** Every sample of an image is in the domain of its grid, also for oblique images, images far from the origin, and
 * single slices. */
TEST(SplineGrids, HoldTheOutermostSamples)
{
  CudaSplineTest::Random random(__LINE__);
  for (int i = 0; i < 300; ++i)
  {
    FieldGrid    grid;
    SplineCells  cells{ 1, 1, 1 };
    const double turn = i % 3 == 0 ? 0.0 : random.Uniform(-3.0, 3.0);
    const double tilt = i % 3 == 0 ? 0.0 : random.Uniform(-3.0, 3.0);
    // A rotation about z, then one about x.
    const FieldGrid::Matrix direction{
      { { std::cos(turn), -std::sin(turn), 0.0 },
        { std::cos(tilt) * std::sin(turn), std::cos(tilt) * std::cos(turn), -std::sin(tilt) },
        { std::sin(tilt) * std::sin(turn), std::sin(tilt) * std::cos(turn), std::cos(tilt) } }
    };
    for (unsigned int c = 0; c < 3; ++c)
    {
      grid.start[c] = random.Integer(-9, 9);
      grid.size[c] = random.Integer(1, 260);
      grid.origin[c] = random.Uniform(-400.0, 400.0);
      grid.spacing[c] = random.Uniform(0.3, 3.0);
      cells[c] = random.Integer(1, 12);
      for (unsigned int r = 0; r < 3; ++r)
      {
        grid.indexToPoint[r][c] = direction[r][c] * grid.spacing[c];
      }
    }
    grid.pointToIndex = InvertGridMatrix(grid.indexToPoint, 3);
    const auto                spline = MakeSplineGrid(grid, cells);
    const std::vector<double> ones(static_cast<std::size_t>(TransformChain::CountOf(spline, 3)), 1.0);
    const auto                stage = MakeStage<3>(spline, ones.data());
    for (unsigned int s = 0; s < 40; ++s)
    {
      FieldGrid::Vector index{};
      for (unsigned int d = 0; d < 3; ++d)
      {
        const std::int64_t last = grid.size[d] - 1;
        const std::int64_t at = s < 8 || d == s % 3 ? ((s >> d) & 1U) * last : random.Integer(0, last);
        index[d] = static_cast<double>(grid.start[d] + at);
      }
      const auto place = PlaceOfIndex(grid, index);
      double     moved[3] = { place[0], place[1], place[2] };
      stage.Apply(moved);
      EXPECT_NEAR(moved[s % 3] - place[s % 3], 1.0, 1e-9) << i << ", " << s;
    }
  }
}

TEST_P(SplineLevels, StayWhereNoSampleIsValid)
{
  OneLevel  what(2);
  FieldGrid away = what.images.outer;
  away.origin = { 500.0, 500.0, 0.0 };
  what.images.outer = away;
  const Residence     residence(this->OnBackend());
  const auto          count = static_cast<std::size_t>(TransformChain::CountOf(what.spline, 2));
  std::vector<double> found(count, 0.25);
  const auto          record = what.Make(residence).RunLevel(0, what.spline, found, {});
  EXPECT_EQ(record.evaluations, 1U);
  EXPECT_EQ(record.best, std::numeric_limits<double>::max());
  EXPECT_EQ(found, std::vector<double>(count, 0.25));
}

/** Pixels outside of the mask have no effect, even if they are NaN. */
TEST_P(SplineLevels, LeaveOutWhatMasksLeaveOut)
{
  OneLevel what(2);
  what.options.levels[0].iterations = 10;
  const Residence           residence(this->OnBackend());
  const auto                count = static_cast<std::size_t>(TransformChain::CountOf(what.spline, 2));
  std::vector<std::uint8_t> mask(what.images.fixed.size(), 1);
  const auto                run = [&](double hidden) {
    auto sides = what.images.Sides(residence, {});
    auto fixed = what.images.fixed;
    for (std::size_t n = 0; n < fixed.size(); n += 3)
    {
      fixed[n] = hidden;
      mask[n] = 0;
    }
    sides[0].image = MakeImage(what.images.inner, fixed, residence);
    sides[0].mask = MakeImage(what.images.inner, mask, residence);
    std::vector<double> found(count, 0.0);
    SplineRegistration(sides[0], sides[1], what.options, residence).RunLevel(0, what.spline, found, {});
    return found;
  };
  const auto found = run(0.0);
  EXPECT_EQ(run(1e30), found);
  EXPECT_EQ(run(std::numeric_limits<double>::quiet_NaN()), found);
}

TEST_P(SplineLevels, RefuseWhatDoesNotFit)
{
  const OneLevel      what(2);
  const Residence     residence(this->OnBackend());
  const auto          registration = what.Make(residence);
  std::vector<double> found(3, 0.0);
  EXPECT_THROW(registration.RunLevel(0, what.spline, found, {}), std::invalid_argument);
  const auto make = [&](const TransformChain::Stage & spline) {
    this->MakeLevel(what.images, what.options.metric, spline, residence);
  };
  EXPECT_NO_THROW(make(what.spline));
  EXPECT_THROW(make(Shear(2)), std::invalid_argument);
  auto spline = what.spline;
  spline.size[1] = 3; // no cell
  EXPECT_THROW(make(spline), std::invalid_argument);
  SplineOptions options = what.options;
  options.levels.clear();
  auto sides = what.images.Sides(residence, {});
  EXPECT_THROW(SplineRegistration(sides[0], sides[1], options, residence), std::invalid_argument);
  options = what.options;
  options.metric.kind = MetricKind::LocalCorrelation;
  options.samples.choice = SampleChoice::Random;
  EXPECT_THROW(SplineRegistration(sides[0], sides[1], options, residence), std::invalid_argument);
  EXPECT_THROW(RefineSpline(what.spline, found, what.spline, 2, ExecutionContext()), std::invalid_argument);
}

TEST(SplineLevelsAlone, RefinedSplinesMoveAsBefore)
{
  // Cells are halved: the finer grid has the same splines as the coarser one, except near its border, where both are
  // mirrored, which affects the second ring of nodes.
  const FieldGrid grid = MakeGrid(2, 33);
  const auto      from = MakeSpline(grid, { 8, 4, 1 });
  const auto      to = MakeSpline(grid, { 16, 8, 1 });
  const auto      coefficients = SomeCoefficients(from, 2, 1.0);
  const auto      refined = RefineSpline(from, coefficients, to, 2, ExecutionContext());
  ASSERT_EQ(refined.size(), static_cast<std::size_t>(TransformChain::CountOf(to, 2)));
  for (const double x : { 14.0, 16.3, 18.7 })
  {
    const LinearTransform::Vector place{ x, 33.0 - x, 0.0 };
    const auto                    before = MoveBySpline(from, coefficients, place, 2);
    const auto                    after = MoveBySpline(to, refined, place, 2);
    for (unsigned int d = 0; d < 2; ++d)
    {
      // The effect of the border decreases by a factor of 0.27 per node: 4 nodes along y.
      EXPECT_NEAR(after[d], before[d], 0.02);
    }
  }
  EXPECT_EQ(RefineSpline(from, std::vector<double>(coefficients.size(), 0.0), to, 2, ExecutionContext()),
            std::vector<double>(refined.size(), 0.0));
}

TEST(SplineLevelsAlone, ArePlannedWithTheirVectors)
{
  const FieldGrid    grid = MakeGrid(3, 40);
  const auto         coarse = MakeSpline(grid, { 2, 2, 2 });
  const auto         fine = MakeSpline(grid, { 20, 20, 20 });
  const LinearMetric metric;
  constexpr auto     all = std::size_t{ 1 } << 40;
  const auto         planOf = [&](const TransformChain::Stage & spline, std::size_t budget) {
    return PlanSplineLevel(spline, grid, metric, grid, ScalarType::Float32, 1000, budget);
  };
  const auto small = planOf(coarse, all);
  const auto large = planOf(fine, all);
  EXPECT_TRUE(small.fits);
  EXPECT_TRUE(large.fits);
  const std::size_t more = Lbfgs::CountBytes(23 * 23 * 23, 3) - Lbfgs::CountBytes(5 * 5 * 5, 3);
  EXPECT_GE(large.PeakBytes(), small.PeakBytes() + more);
  EXPECT_FALSE(planOf(fine, large.PeakBytes() - 1).fits);
  const auto once = CountSplineWork(fine, grid, metric, grid, 1, 1000);
  const auto tenfold = CountSplineWork(fine, grid, metric, grid, 10, 1000);
  EXPECT_EQ(tenfold.sums, 10.0 * once.sums);
  EXPECT_GT(once.taps, CountLinearWork(grid, metric, grid, 1, 1000).taps);
}

INSTANTIATE_TEST_SUITE_P(Backends, SplineLevels, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
