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
// Batches of points on the host, compared with sums in long double, with single evaluations, and with resampling.

#include "PointsCase.h"
#include "ReferenceSpline.h"

#include "itkCudaSpline/math/Geometry.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{
bool
IsInside(const PointsCase & test, const std::vector<double> & place)
{
  for (unsigned int d = 0; d < test.Dimension(); ++d)
  {
    if (!(place[d] >= test.points.lower[d] && place[d] < test.points.upper[d]))
    {
      return false;
    }
  }
  return true;
}
} // namespace

TEST(SamplePoints, SplinesOfAllOrdersWithDerivatives)
{
  FreshRandom random;
  for (const auto & shape : PointsShapes)
  {
    for (unsigned int order = 0; order <= 5; ++order)
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        const PointsCase test = MakePointsCase(shape, Interpolation::BSpline, order, element, 300, random);
        SCOPED_TRACE(testing::Message() << shape.size() << "D, order " << order << ", " << NameOf(element));
        std::vector<double>    coefficients;
        std::vector<Extension> extensions;
        for (std::int64_t i = 0; i < test.source.Count(); ++i)
        {
          coefficients.push_back(LoadScalar<double>(test.pixels.data(), test.source.pixel, i));
        }
        const std::vector<std::int64_t> start(test.source.start.begin(), test.source.start.begin() + shape.size());
        for (unsigned int d = 0; d < shape.size(); ++d)
        {
          extensions.push_back(test.source.extension[d]);
        }
        const ReferenceSpline reference(shape, coefficients, order, extensions, start, true);
        const PointsResult    result = Compute(test, Derivatives::Second, ExecutionContext());
        const unsigned int    D = test.Dimension();
        std::int64_t          seen = 0;
        for (std::int64_t i = 0; i < test.points.count; ++i)
        {
          const auto place = test.PlaceOf(i);
          const auto n = static_cast<std::size_t>(i);
          if (!IsInside(test, place))
          {
            EXPECT_EQ(result.inside[n], 0);
            EXPECT_EQ(result.values[n], -12345.5);
            EXPECT_EQ(result.gradients[n * D], 0.0);
            EXPECT_EQ(result.hessians[n * SymmetricEntries(D)], 0.0);
            continue;
          }
          ++seen;
          EXPECT_EQ(result.inside[n], 1);
          EXPECT_NEAR(result.values[n], static_cast<double>(reference.Value(place)), PointsAgreement(test, 0));
          for (unsigned int r = 0; r < D; ++r)
          {
            EXPECT_NEAR(result.gradients[n * D + r],
                        static_cast<double>(reference.Derivative(place, r)),
                        PointsAgreement(test, 1));
            for (unsigned int c = r; c < D; ++c)
            {
              EXPECT_NEAR(result.hessians[n * SymmetricEntries(D) + SymmetricEntry(r, c, D)],
                          static_cast<double>(reference.SecondDerivative(place, r, c)),
                          PointsAgreement(test, 2));
            }
          }
          if (testing::Test::HasNonfatalFailure())
          {
            ADD_FAILURE() << "at " << testing::PrintToString(place) << " of " << testing::PrintToString(shape)
                          << " from " << testing::PrintToString(start) << ", " << testing::PrintToString(extensions);
            return;
          }
        }
        EXPECT_GT(seen, 50);
      }
    }
  }
}

// The value does not depend on the derivatives that are also evaluated, nor does the gradient depend on the Hessian.
TEST(SamplePoints, DerivativesChangeNoOtherBit)
{
  FreshRandom random;
  for (const Interpolation interpolation : { Interpolation::BSpline, Interpolation::CubicConvolution })
  {
    const PointsCase test = MakePointsCase({ 23, 17, 19 }, interpolation, 3, ScalarType::Float32, 2500, random);
    const auto       second = Compute(test, Derivatives::Second, ExecutionContext());
    const auto       first = Compute(test, Derivatives::First, ExecutionContext());
    const auto       value = Compute(test, Derivatives::None, ExecutionContext());
    EXPECT_EQ(value.values, second.values);
    EXPECT_EQ(first.values, second.values);
    EXPECT_EQ(first.gradients, second.gradients);
    EXPECT_EQ(value.inside, second.inside);
  }
}

TEST(SamplePoints, ThreadsChangeNoBit)
{
  FreshRandom      random;
  const PointsCase test = MakePointsCase({ 23, 17, 19 }, Interpolation::BSpline, 3, ScalarType::Float64, 70001, random);
  const ThreadExecutor threads(16);
  ExecutionContext     context;
  context.host = &threads;
  const auto many = Compute(test, Derivatives::Second, context, 1.0);
  const auto one = Compute(test, Derivatives::Second, ExecutionContext(), 2.0);
  EXPECT_EQ(many.values, one.values);
  EXPECT_EQ(many.gradients, one.gradients);
  EXPECT_EQ(many.hessians, one.hessians);
}

// Compares with Mitchell and Netravali's filter as printed in the paper, summed here. B and C are random, B often 0
// (Catmull-Rom).
TEST(SamplePoints, CubicConvolutionIsItsFormula)
{
  FreshRandom random;
  for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
  {
    const PointsCase   test = MakePointsCase({ 31, 27 }, Interpolation::CubicConvolution, 0, element, 500, random);
    const PointsResult result = Compute(test, Derivatives::First, ExecutionContext());
    const double       b = test.points.cubic.b;
    const double       c = test.points.cubic.c;
    const auto         kernel = [b, c](double s) {
      const double x = std::abs(s);
      return (x < 1.0 ? (12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b
                              : (-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) /
             6;
    };
    for (std::int64_t i = 0; i < test.points.count; ++i)
    {
      const auto place = test.PlaceOf(i);
      if (!IsInside(test, place))
      {
        continue;
      }
      double       weight[2][4];
      std::int64_t first[2];
      for (int d = 0; d < 2; ++d)
      {
        first[d] = static_cast<std::int64_t>(std::floor(place[d])) - 1;
        const double t = place[d] - std::floor(place[d]);
        for (int k = 0; k < 4; ++k)
        {
          weight[d][k] = kernel(t + 1 - k);
        }
      }
      double sum = 0.0;
      for (int y = 0; y < 4; ++y)
      {
        for (int x = 0; x < 4; ++x)
        {
          const auto at = [&](int d, int k) {
            return FoldIndex(first[d] + k - test.source.start[d], test.source.size[d], test.source.extension[d]);
          };
          sum += weight[0][x] * weight[1][y] *
                 LoadScalar<double>(test.pixels.data(), test.source.pixel, at(0, x) + test.source.size[0] * at(1, y));
        }
      }
      ASSERT_NEAR(result.values[static_cast<std::size_t>(i)], sum, PointsAgreement(test, 0));
    }
  }
}

// Points become ITK's indices, and derivatives are rotated and scaled by the given matrix.
TEST(SamplePoints, PhysicalPointsAndTheGradientMap)
{
  FreshRandom random;
  PointsCase  indices = MakePointsCase({ 23, 17, 19 }, Interpolation::BSpline, 3, ScalarType::Float64, 400, random);
  indices.points.pointType = ScalarType::Float64;
  indices.points.singleCoordinates = false;
  PointsCase points = indices;
  points.points.physical = true;
  double origin[3], matrix[3][3], map[3][3];
  for (unsigned int r = 0; r < 3; ++r)
  {
    origin[r] = random.Uniform(-50.0, 50.0);
    points.points.origin[r] = origin[r];
    for (unsigned int c = 0; c < 3; ++c)
    {
      matrix[r][c] = (r == c ? 0.7 : 0.0) + random.Uniform(-0.1, 0.1);
      map[r][c] = random.Uniform(-2.0, 2.0);
      points.points.pointToIndex[r][c] = matrix[r][c];
      points.points.gradientMap[r][c] = map[r][c];
    }
  }
  for (std::int64_t i = 0; i < points.points.count; ++i)
  {
    double place[3], index[3];
    for (unsigned int d = 0; d < 3; ++d)
    {
      place[d] = origin[d] + random.Uniform(points.points.lower[d] - 3.0, points.points.upper[d] + 3.0) / 0.7;
    }
    PointToContinuousIndex(origin, matrix, place, index);
    for (unsigned int d = 0; d < 3; ++d)
    {
      points.places[static_cast<std::size_t>(3 * i + d)] = place[d];
      indices.places[static_cast<std::size_t>(3 * i + d)] = index[d];
    }
  }
  const auto direct = Compute(indices, Derivatives::Second, ExecutionContext());
  const auto mapped = Compute(points, Derivatives::Second, ExecutionContext());
  EXPECT_EQ(mapped.values, direct.values);
  EXPECT_EQ(mapped.inside, direct.inside);
  EXPECT_GT(std::count(mapped.inside.begin(), mapped.inside.end(), 1), 5);
  for (std::size_t i = 0; i < static_cast<std::size_t>(points.points.count); ++i)
  {
    for (unsigned int r = 0; r < 3; ++r)
    {
      double gradient = 0.0;
      for (unsigned int c = 0; c < 3; ++c)
      {
        gradient += map[r][c] * direct.gradients[3 * i + c];
      }
      EXPECT_NEAR(mapped.gradients[3 * i + r], gradient, 1e-12 * Largest(points));
      for (unsigned int c = r; c < 3; ++c)
      {
        double sum = 0.0;
        for (unsigned int j = 0; j < 3; ++j)
        {
          for (unsigned int k = 0; k < 3; ++k)
          {
            sum += map[r][j] * direct.hessians[6 * i + SymmetricEntry(std::min(j, k), std::max(j, k), 3)] * map[c][k];
          }
        }
        EXPECT_NEAR(mapped.hessians[6 * i + SymmetricEntry(r, c, 3)], sum, 1e-11 * Largest(points));
      }
    }
  }
}

// Labels of 64 bits are kept completely; nearest neighbours in resampling equal those of the batch.
TEST(SamplePoints, NearestMovesBits)
{
  FreshRandom random;
  PointsCase  test = MakePointsCase({ 31, 27 }, Interpolation::Nearest, 0, ScalarType::Float64, 300, random);
  test.source.pixel = test.source.element = ScalarType::UInt64;
  test.pixels = RandomPixels(ScalarType::UInt64, test.source.Count(), random);
  test.points.output = ScalarType::UInt64;
  test.points.defaultPixel = 0xFEDCBA9876543210ULL;
  std::vector<std::uint64_t> labels(300, 1);
  PointsDescriptor           points = test.points;
  points.pointType = ScalarType::Float64;
  points.points = test.places.data();
  points.values = labels.data();
  SamplePoints(points, *MakeSource(test.source, test.pixels.data(), ExecutionContext()), ExecutionContext());
  std::int64_t seen = 0;
  for (std::int64_t i = 0; i < 300; ++i)
  {
    const auto place = test.PlaceOf(i);
    if (!IsInside(test, place))
    {
      EXPECT_EQ(labels[static_cast<std::size_t>(i)], 0xFEDCBA9876543210ULL);
      continue;
    }
    ++seen;
    std::int64_t at = 0;
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < 2; ++d)
    {
      const std::int64_t nearest =
        test.points.singleCoordinates ? NearestIndex(static_cast<float>(place[d])) : NearestIndex(place[d]);
      at += FoldIndex(nearest - test.source.start[d], test.source.size[d], test.source.extension[d]) * stride;
      stride *= test.source.size[d];
    }
    std::uint64_t expected = 0;
    std::memcpy(&expected, test.pixels.data() + 8 * at, 8);
    EXPECT_EQ(labels[static_cast<std::size_t>(i)], expected);
  }
  EXPECT_GT(seen, 50);
}

TEST(SamplePoints, BadArgumentsAreRefused)
{
  FreshRandom random;
  const auto  refused = [](const PointsCase & test, const auto & change) {
    PointsDescriptor    points = test.points;
    std::vector<double> values(static_cast<std::size_t>(points.count) * 9);
    points.points = test.places.data();
    points.pointType = ScalarType::Float64;
    points.values = values.data();
    points.gradients = values.data();
    const auto source = MakeSource(test.source, test.pixels.data(), ExecutionContext());
    SamplePoints(points, *source, ExecutionContext()); // it works before
    change(points);
    EXPECT_THROW(SamplePoints(points, *source, ExecutionContext()), std::invalid_argument);
  };
  const PointsCase spline = MakePointsCase({ 9, 9 }, Interpolation::BSpline, 3, ScalarType::Float64, 10, random);
  refused(spline, [](PointsDescriptor & points) { points.values = nullptr; });
  refused(spline, [](PointsDescriptor & points) { points.points = nullptr; });
  refused(spline, [](PointsDescriptor & points) { points.onDevice = true; });
  refused(spline, [](PointsDescriptor & points) { points.pointType = ScalarType::Int16; });
  refused(spline, [](PointsDescriptor & points) {
    points.derivatives = Derivatives::First;
    points.output = ScalarType::Int32;
  });
  const PointsCase linear = MakePointsCase({ 9, 9 }, Interpolation::Linear, 0, ScalarType::Float64, 10, random);
  refused(linear, [](PointsDescriptor & points) { points.derivatives = Derivatives::First; });
  const PointsCase sinc = MakePointsCase({ 9, 9 }, Interpolation::WindowedSinc, 0, ScalarType::Float64, 10, random);
  refused(sinc, [](PointsDescriptor & points) { points.radius = MaximumSincRadius + 1; });
  refused(sinc, [](PointsDescriptor & points) { points.radius = 0; });

  // The caller's arrays have one number per point.
  SourceDescriptor pairs = linear.source;
  pairs.components = 2;
  const std::vector<double> pixels(static_cast<std::size_t>(pairs.Elements()), 1.0);
  std::vector<double>       values(static_cast<std::size_t>(linear.points.count) * 2);
  PointsDescriptor          points = linear.points;
  points.points = linear.places.data();
  points.pointType = ScalarType::Float64;
  points.values = values.data();
  const auto source = MakeSource(pairs, pixels.data(), ExecutionContext());
  EXPECT_THROW(SamplePoints(points, *source, ExecutionContext()), std::invalid_argument);
}

TEST(SamplePoints, AnAbortStops)
{
  FreshRandom      random;
  const PointsCase test = MakePointsCase({ 9, 9 }, Interpolation::BSpline, 3, ScalarType::Float64, 200000, random);
  ExecutionContext context;
  context.progress = [](double fraction) { return fraction < 0.5; };
  EXPECT_THROW(Compute(test, Derivatives::None, context), OperationAborted);
}

TEST(SamplePoints, PlansFitTheirBudget)
{
  SourceDescriptor source = MakeDescriptor({ 100, 100, 100 }, ScalarType::Float32, ScalarType::Float32, 3);
  PointsDescriptor points;
  double           value = 0.0;
  points.count = 1000000000;
  points.values = &value;
  points.gradients = &value;
  const std::size_t room = std::size_t{ 1 } << 20;
  const MemoryPlan  small = PlanPoints(source, points, source.Bytes() + room);
  EXPECT_TRUE(small.fits);
  EXPECT_LE(small.PeakBytes(), source.Bytes() + room);
  EXPECT_GT(small.slabLines, 1000);
  EXPECT_EQ(small.slabLines % 16, 0);
  EXPECT_FALSE(PlanPoints(source, points, source.Bytes() + 100).fits);
  points.count = 5;
  EXPECT_EQ(PlanPoints(source, points, std::size_t{ 1 } << 30).slabLines, 16);
}
