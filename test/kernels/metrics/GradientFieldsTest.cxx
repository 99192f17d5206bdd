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
// Normalized gradient fields on both backends.
//
// Expected: plain loops in extended precision, which scatter what each sample's part of the value changes with its
// neighbours; differences of the value by each pixel, and by each displacement of a field into a spline whose gradient
// is the derivative itself. What must not change the value changes it by roundings: differences and sums are double,
// the numbers of samples have the type of the pixels.

#include "LocalCase.h"
#include "MetricCase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Value and derivatives by simple loops. */
struct PlainFields
{
  std::int64_t        count{ 0 };
  double              value{ 0.0 };
  std::vector<double> moving; ///< factors
  std::vector<double> fixed;
  double              meanMagnitude{ 0.0 }; ///< of the gradients of the fixed image

  explicit PlainFields(const LocalCase & pair)
    : m_Pair(pair)
  {
    const auto & floors = pair.descriptor.varianceFloors;
    Real         sum = 0;
    Real         magnitudes = 0;
    m_ByMoving.assign(pair.Count(), 0);
    m_ByFixed.assign(pair.Count(), 0);
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      if (!this->IsValid(i))
      {
        continue;
      }
      ++count;
      std::array<Difference, 3> differences;
      Real                      n = 0, a = floors[0], b = floors[1], square = 0;
      for (unsigned int d = 0; d < 3; ++d)
      {
        differences[d] = this->Find(i, d);
        const Real f = differences[d].Of(pair.fixed);
        const Real m = differences[d].Of(pair.moving);
        n += f * m;
        a += f * f;
        b += m * m;
        square += f * f;
      }
      magnitudes += std::sqrt(square);
      const bool isFlat = a == 0 || b == 0;
      sum += isFlat ? 1 : 1 - n * n / (a * b);
      for (unsigned int d = 0; d < 3 && !isFlat; ++d)
      {
        const Real f = differences[d].Of(pair.fixed);
        const Real m = differences[d].Of(pair.moving);
        differences[d].Scatter(2 * n / (a * b) * (f - n / b * m), m_ByMoving);
        differences[d].Scatter(2 * n / (a * b) * (m - n / a * f), m_ByFixed);
      }
    }
    value = count > 0 ? static_cast<double>(sum / static_cast<Real>(count)) : 0.0;
    meanMagnitude = count > 0 ? static_cast<double>(magnitudes / static_cast<Real>(count)) : 0.0;
    moving.assign(m_ByMoving.begin(), m_ByMoving.end());
    fixed.assign(m_ByFixed.begin(), m_ByFixed.end());
  }

private:
  using Real = long double;

  struct Difference
  {
    std::size_t below;
    std::size_t above;
    Real        weight;

    Real
    Of(const std::vector<double> & image) const
    {
      return below == above ? 0 : weight * (static_cast<Real>(image[above]) - static_cast<Real>(image[below]));
    }
    void
    Scatter(Real slope, std::vector<Real> & to) const
    {
      to[above] += weight * slope;
      to[below] -= weight * slope;
    }
  };

  bool
  IsValid(std::size_t i) const
  {
    return (m_Pair.fixedInside.empty() || m_Pair.fixedInside[i] != 0) &&
           (m_Pair.movingInside.empty() || m_Pair.movingInside[i] != 0) && std::isfinite(m_Pair.fixed[i]) &&
           std::isfinite(m_Pair.moving[i]);
  }

  Difference
  Find(std::size_t i, unsigned int d) const
  {
    const FieldGrid & grid = m_Pair.descriptor.grid;
    std::size_t       step = 1;
    for (unsigned int k = 0; k < d; ++k)
    {
      step *= static_cast<std::size_t>(grid.size[k]);
    }
    const auto at = i / step % static_cast<std::size_t>(grid.size[d]);
    Difference found{ i, i, 0 };
    int        steps = 0;
    if (at > 0 && this->IsValid(i - step))
    {
      found.below = i - step;
      ++steps;
    }
    if (at + 1 < static_cast<std::size_t>(grid.size[d]) && this->IsValid(i + step))
    {
      found.above = i + step;
      ++steps;
    }
    found.weight = steps > 0 ? 1 / (static_cast<Real>(steps) * static_cast<Real>(grid.spacing[d])) : 0;
    return found;
  }

  const LocalCase & m_Pair;
  std::vector<Real> m_ByMoving;
  std::vector<Real> m_ByFixed;
};

class GradientFields : public OnMetricBackend
{
protected:
  static LocalCase
  MakeCase(const std::vector<std::int64_t> & size, ScalarType pixel)
  {
    LocalCase pair;
    pair.comparesGradients = true;
    pair.descriptor.grid = MakeGrid(size, { 0.5, 2.0, 1.25 });
    pair.descriptor.pixel = pixel;
    pair.descriptor.derivative = pixel;
    pair.descriptor.factorsAlone = true;
    pair.descriptor.varianceFloors = { { 900.0, 200.0 } }; // gradients are some 50 a mm, and 20
    return pair;
  }

  /** Compares factors with simple loops. */
  void
  ExpectLoops(const LocalCase & pair) const
  {
    const LocalOutcome found = pair.Run(this->OnBackend());
    const PlainFields  expected(pair);
    const bool         isSingle =
      pair.descriptor.pixel == ScalarType::Float32 || pair.descriptor.derivative == ScalarType::Float32;
    const double tolerance = isSingle ? 1e-6 : 1e-13; // some roundings of a float or of a double
    EXPECT_EQ(found.differences.count, expected.count);
    if (expected.count > 0)
    {
      EXPECT_NEAR(found.Value(), expected.value, tolerance);
    }
    EXPECT_LE(RelativeDistance(found.moving, expected.moving), tolerance);
    EXPECT_LE(RelativeDistance(found.fixed, expected.fixed), tolerance);
  }

  /** Compares differences of the value by each pixel of either image with the factors. */
  void
  ExpectDifferences(LocalCase pair) const
  {
    const LocalOutcome found = pair.Run(OnBackend());
    const auto         count = static_cast<double>(found.differences.count);
    double             longest = 0.0;
    constexpr double   step = 1e-3; // with the floors the third derivative leaves less than 1e-8
    for (std::size_t i = 0; i < pair.Count(); ++i)
    {
      for (std::vector<double> * image : { &pair.moving, &pair.fixed })
      {
        const double old = (*image)[i];
        (*image)[i] = old + step;
        const double above = pair.Run(OnBackend(), false, false).Value();
        (*image)[i] = old - step;
        const double below = pair.Run(OnBackend(), false, false).Value();
        (*image)[i] = old;
        const double factor = image == &pair.moving ? found.moving[i] : found.fixed[i];
        ASSERT_NEAR((below - above) / (2.0 * step) * count, factor, 1e-6);
        longest = std::max(longest, std::abs(factor));
      }
    }
    EXPECT_GT(longest, 1e-3);
  }
};

TEST_P(GradientFields, AgreesWithPlainLoops)
{
  FreshRandom                                  random;
  const std::vector<std::vector<std::int64_t>> sizes{ { 37, 23 },    { 19, 17, 13 }, { 5, 41, 3 }, { 2, 2, 2 },
                                                      { 67, 5, 37 }, { 31, 29, 1 },  { 1, 9, 40 }, { 1, 1, 1 } };
  int                                          choice = 0;
  for (const auto & size : sizes)
  {
    for (const double likelihood : { 1.0, 0.9, 0.4 })
    {
      ++choice;
      LocalCase pair = MakeCase(size, choice % 2 == 0 ? ScalarType::Float32 : ScalarType::Float64);
      pair.descriptor.derivative = choice % 3 == 0 ? ScalarType::Float32 : ScalarType::Float64;
      pair.Fill(random, 100.0);
      if (likelihood < 1.0)
      {
        pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), likelihood);
        pair.movingInside = LocalCase::RandomMask(random, pair.Count(), 0.8);
      }
      const testing::ScopedTrace trace(__FILE__, __LINE__, "choice " + std::to_string(choice));
      ExpectLoops(pair);
    }
  }
}

TEST_P(GradientFields, IsTheDerivativeOfTheValue)
{
  FreshRandom random;
  for (const auto & size : std::vector<std::vector<std::int64_t>>{ { 9, 7 }, { 6, 5, 4 } })
  {
    LocalCase pair = MakeCase(size, ScalarType::Float64);
    pair.Fill(random, 100.0);
    ExpectDifferences(pair);
    pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), 0.9);
    pair.movingInside = LocalCase::RandomMask(random, pair.Count(), 0.9);
    ExpectDifferences(pair);
  }
}

TEST_P(GradientFields, ForcesAreFactorsTimesGradients)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 15, 12, 9 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  for (std::size_t i = 0; i < 3 * pair.Count(); ++i)
  {
    pair.fixedGradient.push_back(random.Uniform(-1.0, 1.0));
    pair.movingGradient.push_back(random.Uniform(-1.0, 1.0));
  }
  const LocalOutcome factors = pair.Run(OnBackend());
  pair.descriptor.factorsAlone = false;
  const LocalOutcome forces = pair.Run(OnBackend());
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    for (std::size_t d = 0; d < 3; ++d)
    {
      ASSERT_EQ(forces.moving[3 * i + d], factors.moving[i] * pair.movingGradient[3 * i + d]);
      ASSERT_EQ(forces.fixed[3 * i + d], factors.fixed[i] * pair.fixedGradient[3 * i + d]);
    }
  }
  pair.fixedGradient.clear();
  pair.movingGradient.clear();
  const LocalOutcome differences = pair.Run(OnBackend());
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    for (std::size_t d = 0; d < 3; ++d)
    {
      const double expected = factors.moving[i] * pair.Difference(pair.moving, i, d);
      ASSERT_NEAR(differences.moving[3 * i + d], expected, 1e-13 * (1.0 + std::abs(expected)));
    }
  }
}

// Each sample of a field moves its own value, which also occurs in the gradients of its neighbours.
TEST_P(GradientFields, ForcesOnDisplacementsAreDerivativesOfTheValue)
{
  FreshRandom                 random;
  constexpr std::int64_t      size[3] = { 6, 5, 4 };
  constexpr std::int64_t      margin = 4; // samples of the moving image around them, so that all remain valid
  constexpr std::int64_t      count = size[0] * size[1] * size[2];
  MetricDescriptor            descriptor;
  SourceDescriptor            volume;
  TransformChain::Stage       field;
  std::int64_t                pixels = 1;
  const std::array<double, 3> spacing{ { 1.0, 1.5, 0.75 } };
  field.kind = TransformKind::DisplacementField;
  field.goesOn = false;
  for (unsigned int d = 0; d < 3; ++d)
  {
    volume.size[d] = size[d] + 2 * margin;
    pixels *= volume.size[d];
    field.size[d] = size[d];
    field.pointToIndex[d][d] = 1.0 / spacing[d];
    descriptor.interpolation.lower[d] = -0.5;
    descriptor.interpolation.upper[d] = static_cast<double>(volume.size[d]) - 0.5;
    descriptor.chain.indexToPoint[d][d] = spacing[d];
    descriptor.chain.pointToIndex[d][d] = 1.0 / spacing[d];
    descriptor.chain.regionSize[d] = size[d];
    descriptor.chain.inputOrigin[d] = -spacing[d] * static_cast<double>(margin);
    descriptor.mask.matrix[d][d] = 1.0;
    descriptor.spacing[d] = 1.0; // of an image: differences are those of the virtual grid
  }
  volume.order = 3;
  volume.pixel = volume.element = ScalarType::Float64;
  std::vector<double> fixed;
  std::vector<double> moving;
  std::vector<double> moves;
  for (std::int64_t i = 0; i < pixels; ++i)
  {
    moving.push_back(random.Uniform(-50.0, 50.0));
  }
  for (std::int64_t i = 0; i < count; ++i)
  {
    fixed.push_back(random.Uniform(-50.0, 50.0));
    for (const double step : spacing)
    {
      moves.push_back(step * random.Uniform(-0.9, 0.9));
    }
  }
  field.data = std::shared_ptr<const double>(moves.data(), [](const double *) {});
  descriptor.pass = GradientFieldsPass{ { { 900.0, 400.0 } } };
  descriptor.interpolation.interpolation = Interpolation::BSpline;
  descriptor.chain.stages = { field };
  descriptor.derivative = FieldDisplacements{ 0 };
  const ExecutionContext context = OnBackend();
  MetricSources          sources;
  sources.fixed =
    MakeSource(IntegerMetric::List(fixed.size(), ScalarType::Float64, ScalarType::Float64), fixed.data(), context);
  sources.moving = MakeSource(volume, moving.data(), context);
  descriptor.gradient = MetricGradient::Analytic;
  const MetricResult found = EvaluateMetric(descriptor, sources, context);
  ASSERT_EQ(found.count, count);
  ASSERT_EQ(found.derivatives[0].size(), moves.size());
  descriptor.gradient = MetricGradient::None;
  double longest = 0.0;
  // Roundings of sums of 120 leave 1e-9 of the longest, and a third derivative that jumps at a knot 1e-7.
  constexpr double step = 1e-5;
  for (const double force : found.derivatives[0])
  {
    longest = std::max(longest, std::abs(force));
  }
  EXPECT_GT(longest, 1e-2);
  for (std::size_t n = 0; n < moves.size(); ++n)
  {
    const auto sumAt = [&](double move) {
      const double old = moves[n];
      moves[n] = old + move;
      const double sum = EvaluateMetric(descriptor, sources, context).values[0];
      moves[n] = old;
      return sum;
    };
    ASSERT_NEAR(found.derivatives[0][n], (sumAt(-step) - sumAt(step)) / (2.0 * step), 1e-6 * longest) << n;
  }
}

TEST_P(GradientFields, OffsetsGainsAndSignsChangeNothing)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 43, 29, 31 }, ScalarType::Float64);
  pair.descriptor.factorsAlone = false;
  pair.Fill(random, 0.0);
  const LocalOutcome without = pair.Run(OnBackend());
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    pair.fixed[i] = 4096.0 + 8.0 * pair.fixed[i];
    pair.moving[i] = -2048.0 - 0.25 * pair.moving[i];
  }
  pair.descriptor.varianceFloors[0] *= 64.0; // edge parameters are scaled with gains
  pair.descriptor.varianceFloors[1] /= 16.0;
  const LocalOutcome with = pair.Run(OnBackend());
  EXPECT_NEAR(with.Value(), without.Value(), 1e-10);
  EXPECT_LE(RelativeDistance(with.moving, without.moving),
            1e-9); // a gain divides the factor, and multiplies the gradient
  EXPECT_LE(RelativeDistance(with.fixed, without.fixed), 1e-9);
}

TEST_P(GradientFields, ExchangedImagesHaveTheSameValue)
{
  FreshRandom random;
  for (const ScalarType pixel : { ScalarType::Float32, ScalarType::Float64 })
  {
    LocalCase pair = MakeCase({ 37, 41, 29 }, pixel);
    pair.Fill(random, 0.0);
    pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), 0.9);
    const LocalOutcome both = pair.Run(OnBackend());
    EXPECT_EQ(pair.Run(OnBackend(), true, false).moving, both.moving);
    EXPECT_EQ(pair.Run(OnBackend(), false, true).fixed, both.fixed);
    EXPECT_EQ(pair.Run(OnBackend(), false, false).differences.squares, both.differences.squares);
    std::swap(pair.fixed, pair.moving);
    std::swap(pair.fixedInside, pair.movingInside);
    std::swap(pair.descriptor.varianceFloors[0], pair.descriptor.varianceFloors[1]);
    const LocalOutcome exchanged = pair.Run(OnBackend());
    EXPECT_EQ(exchanged.differences.squares, both.differences.squares);
    const double tolerance = pixel == ScalarType::Float32 ? 1e-6 : 1e-14;
    EXPECT_LE(RelativeDistance(exchanged.moving, both.fixed), tolerance);
    EXPECT_LE(RelativeDistance(exchanged.fixed, both.moving), tolerance);
  }
}

TEST_P(GradientFields, PermutedAxesChangeNothing)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 13, 11, 9 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), 0.9);
  const auto permute = [](const auto & image) { // to (z, x, y)
    auto permuted = image;
    for (std::size_t i = 0; i < image.size(); ++i)
    {
      permuted[(i / 13 % 11 * 13 + i % 13) * 9 + i / 143] = image[i];
    }
    return permuted;
  };
  const LocalOutcome expected = pair.Run(OnBackend());
  pair.descriptor.grid = MakeGrid({ 9, 13, 11 }, { 1.25, 0.5, 2.0 });
  pair.fixed = permute(pair.fixed);
  pair.moving = permute(pair.moving);
  pair.fixedInside = permute(pair.fixedInside);
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_NEAR(found.Value(), expected.Value(), 1e-13);
  EXPECT_LE(RelativeDistance(found.moving, permute(expected.moving)), 1e-12);
  EXPECT_LE(RelativeDistance(found.fixed, permute(expected.fixed)), 1e-12);
}

TEST_P(GradientFields, DirectionsOfGridsChangeNothing)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 17, 14, 11 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  const LocalOutcome expected = pair.Run(OnBackend());
  FieldGrid &        grid = pair.descriptor.grid;
  const double       c = std::cos(0.4);
  const double       s = std::sin(0.4);
  const double       rotation[3][3] = { { c, -s, 0.0 }, { -s, -c, 0.0 }, { 0.0, 0.0, 1.0 } }; // and a reflection
  for (unsigned int r = 0; r < 3; ++r)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      grid.indexToPoint[r][d] = rotation[r][d] * grid.spacing[d];
      grid.pointToIndex[d][r] = rotation[r][d] / grid.spacing[d];
    }
  }
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_NEAR(found.Value(), expected.Value(), 1e-13);
  EXPECT_LE(RelativeDistance(found.moving, expected.moving), 1e-12);
}

TEST_P(GradientFields, AlignedEdgesHaveTheLeastValue)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 23, 19, 17 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  pair.descriptor.varianceFloors = { { 0.0, 0.0 } };
  pair.moving = pair.fixed;
  EXPECT_NEAR(pair.Run(OnBackend()).Value(), 0.0, 1e-15);
  for (double & pixel : pair.moving)
  {
    pixel = 7.0 - 3.0 * pixel;
  }
  EXPECT_NEAR(pair.Run(OnBackend()).Value(), 0.0, 1e-12); // roundings of pixels
}

TEST_P(GradientFields, ConstantImagesHaveNothingInCommon)
{
  FreshRandom     random;
  const Residence residence(OnBackend());
  for (const ScalarType pixel : { ScalarType::Float32, ScalarType::Float64 })
  {
    LocalCase pair = MakeCase({ 13, 11, 9 }, pixel);
    pair.Fill(random, 300.0);
    std::fill(pair.fixed.begin(), pair.fixed.end(), 17.0);
    for (const double edge : { 0.0, 1.0 })
    {
      pair.descriptor.varianceFloors = { { 0.0, edge } };
      const LocalOutcome found = pair.Run(OnBackend());
      EXPECT_EQ(found.differences.count, 13 * 11 * 9);
      EXPECT_EQ(found.Value(), 1.0);
      EXPECT_EQ(found.moving, std::vector<double>(pair.Count(), 0.0));
    }
    std::fill(pair.moving.begin(), pair.moving.end(), -2.0);
    EXPECT_EQ(pair.Run(OnBackend()).Value(), 1.0);
    EXPECT_EQ(pair.Run(OnBackend()).fixed, std::vector<double>(pair.Count(), 0.0));
  }
}

TEST_P(GradientFields, ValuesThatAreNotFiniteAreMasked)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 17, 13, 11 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  LocalCase masked = pair;
  masked.fixedInside.assign(pair.Count(), 1);
  const double invalid[] = { std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity() };
  for (const std::size_t at : { std::size_t{ 0 }, std::size_t{ 700 }, std::size_t{ 701 }, std::size_t{ 1500 } })
  {
    masked.fixedInside[at] = 0;
    (at % 2 == 0 ? pair.fixed : pair.moving)[at] = invalid[at / 700 % 2];
  }
  const LocalOutcome expected = masked.Run(OnBackend());
  const LocalOutcome found = pair.Run(OnBackend());
  EXPECT_EQ(found.differences.count, static_cast<std::int64_t>(pair.Count()) - 4);
  EXPECT_EQ(found.differences.squares, expected.differences.squares);
  EXPECT_EQ(found.moving, expected.moving);
  EXPECT_EQ(found.fixed, expected.fixed);
  // Forces use gradients of the images, which are not finite next to such values.
  pair.descriptor.factorsAlone = false;
  const LocalOutcome forces = pair.Run(OnBackend());
  for (const std::vector<double> * field : { &forces.moving, &forces.fixed })
  {
    EXPECT_TRUE(std::all_of(field->begin(), field->end(), [](double force) { return std::isfinite(force); }));
  }
  // Voxels that are masked in both images are never read.
  for (std::size_t i = 0; i < pair.Count(); ++i)
  {
    masked.moving[i] = masked.fixedInside[i] == 0 ? 1e30 : masked.moving[i];
  }
  EXPECT_EQ(masked.Run(OnBackend()).differences.squares, expected.differences.squares);
  EXPECT_EQ(masked.Run(OnBackend()).moving, expected.moving);
  masked.fixedInside.assign(pair.Count(), 0);
  EXPECT_EQ(masked.Run(OnBackend()).differences.count, 0);
}

TEST_P(GradientFields, HasTheSameBitsOnAnyNumberOfThreads)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 71, 67, 73 }, ScalarType::Float32);
  pair.descriptor.factorsAlone = false;
  pair.Fill(random, 300.0);
  const LocalOutcome expected = pair.Run(OnBackend());
  for (const unsigned int threads : { 1U, 2U, 7U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context = OnBackend();
    context.host = &executor;
    const LocalOutcome found = pair.Run(context);
    EXPECT_EQ(found.differences.squares, expected.differences.squares);
    EXPECT_EQ(found.moving, expected.moving);
    EXPECT_EQ(found.fixed, expected.fixed);
  }
}

TEST_P(GradientFields, EdgeParametersAreMeanMagnitudes)
{
  FreshRandom     random;
  const Residence residence(OnBackend());
  for (const ScalarType pixel : { ScalarType::Float32, ScalarType::Float64 })
  {
    LocalCase pair = MakeCase({ 23, 17, 13 }, pixel);
    pair.Fill(random, 50.0);
    pair.moving = pair.fixed;
    pair.fixedInside = LocalCase::RandomMask(random, pair.Count(), 0.7);
    pair.fixed[100] = pair.moving[100] = std::numeric_limits<double>::quiet_NaN();
    ResidentImage image;
    image.grid = pair.descriptor.grid;
    image.pixel = pixel;
    const auto pixels = std::make_shared<ResidentArray>(pair.Count() * SizeOf(pixel), residence);
    image.data = std::shared_ptr<const void>(pixels, pixels->Data());
    const std::vector<float> single(pair.fixed.begin(), pair.fixed.end());
    const void * const       from = pixel == ScalarType::Float32 ? static_cast<const void *>(single.data())
                                                                 : static_cast<const void *>(pair.fixed.data());
    Upload(pixels->Data(), from, pixels->Bytes(), residence);
    const ResidentArray mask(pair.Count(), residence);
    Upload(mask.Data(), pair.fixedInside.data(), mask.Bytes(), residence);
    const PixelRange found = FindGradientRange(image, mask.As<std::uint8_t>(), residence);
    EXPECT_EQ(found.lowest, 0.0);
    const double expected = PlainFields(pair).meanMagnitude;
    EXPECT_NEAR(found.highest, expected, (pixel == ScalarType::Float32 ? 1e-7 : 1e-14) * expected);
    ClearResident(mask.Data(), mask.Bytes(), residence);
    const PixelRange empty = FindGradientRange(image, mask.As<std::uint8_t>(), residence);
    EXPECT_GT(empty.lowest, empty.highest);
  }
}

TEST_P(GradientFields, AreAMetricOfFields)
{
  FreshRandom      random;
  const Residence  residence(OnBackend());
  LocalCase        pair = MakeCase({ 15, 13, 11 }, ScalarType::Float64);
  FieldMetricSetup setup;
  setup.options.kind = MetricKind::GradientFields;
  setup.options.edgeFactor = 0.5;
  setup.shape.grid = pair.descriptor.grid;
  setup.shape.element = setup.pixel = ScalarType::Float64;
  setup.ranges = { { PixelRange{ 0.0, 40.0 }, PixelRange{ 0.0, 20.0 } } };
  pair.descriptor.varianceFloors = { { 400.0, 100.0 } };
  pair.descriptor.factorsAlone = false;
  pair.Fill(random, 0.0);
  const LocalOutcome  expected = pair.Run(OnBackend());
  const auto          metric = MakeFieldMetric(setup, residence);
  const std::size_t   bytes = pair.Count() * sizeof(double);
  const ResidentArray fixed(bytes, residence);
  const ResidentArray moving(bytes, residence);
  const ResidentArray forces(3 * bytes, residence);
  const ResidentArray sums(sizeof(FieldMetricSums), residence);
  Upload(fixed.Data(), pair.fixed.data(), bytes, residence);
  Upload(moving.Data(), pair.moving.data(), bytes, residence);
  ComparedPair compared;
  compared.moved.fixed = fixed.Data();
  compared.moved.moving = moving.Data();
  metric->Compare(compared, sums.As<FieldMetricSums>(), forces.Data(), nullptr, nullptr);
  FieldMetricSums     found;
  std::vector<double> read(3 * pair.Count());
  Download(&found, sums.Data(), sizeof(found), residence);
  Download(read.data(), forces.Data(), forces.Bytes(), residence);
  EXPECT_EQ(metric->ValuesOf(found)[0], expected.Value());
  EXPECT_EQ(metric->ValuesOf(found)[1], expected.Value());
  EXPECT_EQ(metric->ValuesOf(FieldMetricSums())[0], std::numeric_limits<double>::max());
  EXPECT_EQ(read, expected.moving);
  EXPECT_FALSE(metric->ExchangesGradients());
  EXPECT_GE(CountFieldMetricBytes(setup), CountGradientFieldsScratch(pair.GetGradients()));
}

TEST_P(GradientFields, RefusesInvalidArguments)
{
  FreshRandom random;
  LocalCase   pair = MakeCase({ 5, 6, 7 }, ScalarType::Float64);
  pair.Fill(random, 0.0);
  EXPECT_NO_THROW(pair.Run(OnBackend()));
  for (const double square : { -1.0, std::numeric_limits<double>::infinity(), std::nan("") })
  {
    LocalCase refused = pair;
    refused.descriptor.varianceFloors[1] = square;
    EXPECT_THROW(refused.Run(OnBackend()), std::invalid_argument);
  }
  const Residence residence(OnBackend());
  PointSums       sums;
  EXPECT_THROW(EvaluateGradientFields(pair.GetGradients(), {}, &sums, nullptr, nullptr, &sums, residence),
               std::invalid_argument);
  pair.descriptor.pixel = ScalarType::Int16;
  EXPECT_THROW(EvaluateGradientFields(pair.GetGradients(), {}, &sums, nullptr, nullptr, &sums, residence),
               std::invalid_argument);
  EXPECT_THROW(FindGradientRange({}, nullptr, residence), std::invalid_argument);
}

// Four numbers per sample in addition to images and results, and less than two hundredths of a volume for sums.
TEST_P(GradientFields, TakesFourVolumes)
{
  constexpr std::size_t samples = std::size_t{ 256 } * 256 * 256;
  const LocalCase       pair = MakeCase({ 256, 256, 256 }, ScalarType::Float32);
  const std::size_t     bytes = CountGradientFieldsScratch(pair.GetGradients());
  EXPECT_GE(bytes, 4 * samples * sizeof(float));
  EXPECT_LE(bytes, 4 * samples * sizeof(float) + 2 * samples * sizeof(float) / 100);
  MetricDescriptor metric;
  metric.pass = GradientFieldsPass();
  metric.singleMoving = metric.singleFixed = true;
  metric.gradient = MetricGradient::CentralDifferences;
  // A pass also needs moving values, whether they are valid, and weights.
  EXPECT_GE(CountMetricBytes(metric, static_cast<std::int64_t>(samples), ScalarType::Float32),
            bytes + samples * (sizeof(float) + 1 + sizeof(float)));
}

INSTANTIATE_TEST_SUITE_P(Backends, GradientFields, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
