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
// Integrals of velocity fields, and smoothing along time, on both backends.
//
// Expected: a velocity that is linear in space is interpolated exactly, so the integral is the matrix exponential up to
// the error of the method, (step^5 / 120) for each step. A velocity that is constant in space has the integral of a
// piecewise linear function of time, which the method integrates exactly. The integral backward in time inverts the one
// forward. Host and device have the same body.

#include "FieldCase.h"

#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"

#include <cmath>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class VelocityFields : public FieldsOnBackend
{
protected:
  /** A velocity field from its numbers at each time point, in the memory of a backend. */
  struct OnResidence
  {
    std::vector<ResidentArray> arrays;
    TimeVaryingVelocity        velocity;

    OnResidence(const FieldShape & shape, const std::vector<std::vector<double>> & fields, const Residence & residence)
    {
      velocity.shape = shape;
      for (const std::vector<double> & field : fields)
      {
        arrays.push_back(Resident(field, shape.element, residence));
        velocity.fields.push_back(arrays.back().Data());
      }
    }
  };

  static std::vector<double>
  Integrate(const FieldShape &                       shape,
            const std::vector<std::vector<double>> & fields,
            unsigned int                             from,
            unsigned int                             to,
            unsigned int                             steps,
            const Residence &                        residence)
  {
    const OnResidence   resident(shape, fields, residence);
    const ResidentArray output(shape.Bytes(), residence);
    IntegrateVelocity(resident.velocity, from, to, steps, output.Data(), residence);
    return Numbers(output.Data(), static_cast<std::size_t>(shape.Numbers()), shape.element, residence);
  }

  /** Returns smooth fields that change in time. */
  static std::vector<std::vector<double>>
  MakeSmooth(const FieldGrid & grid, unsigned int timePoints, double size)
  {
    FreshRandom                      random;
    std::vector<std::vector<double>> fields;
    for (unsigned int time = 0; time < timePoints; ++time)
    {
      fields.push_back(RandomField(grid, size, true, random));
    }
    return fields;
  }

  static FieldGrid
  MakeRotatedGrid(const std::vector<std::int64_t> & size)
  {
    FreshRandom random;
    return RandomGrid(size, random);
  }
};

/** v = w x (x - c): points rotate about c by the angle w per unit of time. */
TEST_P(VelocityFields, RotateAboutAPoint)
{
  constexpr double angle = 0.4;
  const Residence  residence = this->MakeResidence();
  const FieldGrid  grid = MakeRotatedGrid({ 41, 37 });
  const FieldShape shape{ grid, ScalarType::Float64 };
  const auto       placeOf = [&](std::int64_t n) {
    std::array<double, 2> place{ grid.origin[0], grid.origin[1] };
    const double          index[2] = { static_cast<double>(grid.start[0] + n % grid.size[0]),
                                       static_cast<double>(grid.start[1] + n / grid.size[0]) };
    for (unsigned int r = 0; r < 2; ++r)
    {
      place[r] += grid.indexToPoint[r][0] * index[0] + grid.indexToPoint[r][1] * index[1];
    }
    return place;
  };
  const std::array<double, 2> centre = placeOf(18 * 41 + 20);
  std::vector<double>         velocity;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const auto place = placeOf(n);
    velocity.push_back(-angle * (place[1] - centre[1]));
    velocity.push_back(angle * (place[0] - centre[0]));
  }
  const std::vector<std::vector<double>> fields(4, velocity);
  for (const double sign : { 1.0, -1.0 })
  {
    const unsigned int from = sign > 0.0 ? 0 : 3;
    const auto         moved = Integrate(shape, fields, from, 3 - from, 4, residence);
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const auto   place = placeOf(n);
      const double x = place[0] - centre[0];
      const double y = place[1] - centre[1];
      const double radius = std::hypot(x, y);
      if (radius < 16.0 * *std::min_element(grid.spacing.begin(), grid.spacing.begin() + 2))
      {
        const double rotated[2] = { std::cos(angle) * x - sign * std::sin(angle) * y,
                                    sign * std::sin(angle) * x + std::cos(angle) * y };
        const double error = 12.0 * std::pow(angle / 12.0, 5) / 120.0 * radius + 1e-12 * radius;
        ASSERT_NEAR(moved[static_cast<std::size_t>(2 * n)], rotated[0] - x, error);
        ASSERT_NEAR(moved[static_cast<std::size_t>(2 * n + 1)], rotated[1] - y, error);
      }
    }
  }
}

/** A velocity that is constant in space: trapezoids between the time points, for any number of steps. */
TEST_P(VelocityFields, AreLinearBetweenTimePoints)
{
  const Residence           residence = this->MakeResidence();
  const FieldGrid           grid = MakeRotatedGrid({ 9, 8, 7 });
  const std::vector<double> speeds{ 0.3, -1.1, 0.7, 2.5, 0.0 };
  for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
  {
    const FieldShape                 shape{ grid, element };
    std::vector<std::vector<double>> fields;
    for (const double speed : speeds)
    {
      fields.emplace_back(static_cast<std::size_t>(shape.Numbers()), speed);
    }
    for (unsigned int from = 0; from < speeds.size(); ++from)
    {
      for (unsigned int to = 0; to < speeds.size(); ++to)
      {
        double expected = 0.0;
        for (unsigned int time = std::min(from, to); time < std::max(from, to); ++time)
        {
          expected += 0.5 * (speeds[time] + speeds[time + 1]) / 4.0 * (to < from ? -1.0 : 1.0);
        }
        for (const unsigned int steps : { 1U, 3U })
        {
          for (const double number : Integrate(shape, fields, from, to, steps, residence))
          {
            ASSERT_NEAR(number, expected, element == ScalarType::Float64 ? 1e-14 : 1e-6);
          }
        }
      }
    }
  }
}

/** The integral backward in time inverts the one forward. Samples whose paths leave the grid are excluded. */
TEST_P(VelocityFields, BackwardIsTheInverseOfForward)
{
  const Residence  residence = this->MakeResidence();
  const FieldGrid  grid = MakeRotatedGrid({ 40, 36, 32 });
  const FieldShape shape{ grid, ScalarType::Float32 };
  const double     spacing = *std::min_element(grid.spacing.begin(), grid.spacing.end());
  const auto       fields = MakeSmooth(grid, 4, 4.0 * spacing);
  const auto       forward = Integrate(shape, fields, 0, 3, 4, residence);
  const auto       backward = Integrate(shape, fields, 3, 0, 4, residence);
  const auto       one = Resident(forward, shape.element, residence);
  const auto       other = Resident(backward, shape.element, residence);
  ComposeFields(shape, other.Data(), shape, one.Data(), one.Data(), residence);
  const auto   rest = Numbers(one.Data(), forward.size(), shape.element, residence);
  double       longest = 0.0;
  std::int64_t count = 0;
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const std::int64_t index[3] = { n % grid.size[0],
                                    n / grid.size[0] % grid.size[1],
                                    n / grid.size[0] / grid.size[1] };
    bool               isInside = true;
    for (unsigned int d = 0; d < 3; ++d)
    {
      isInside = isInside && index[d] >= 12 && index[d] < grid.size[d] - 12;
    }
    if (isInside)
    {
      const auto at = static_cast<std::size_t>(3 * n);
      longest = std::max(longest, std::hypot(forward[at], std::hypot(forward[at + 1], forward[at + 2])));
      ASSERT_LT(std::hypot(rest[at], std::hypot(rest[at + 1], rest[at + 2])), 0.05 * spacing);
      ++count;
    }
  }
  EXPECT_GT(longest, 0.5 * spacing);
  EXPECT_GT(count, 1000);
}

/** The same bits with any number of threads. Host and device differ by roundings. */
TEST_P(VelocityFields, DoNotDependOnThreads)
{
  for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
  {
    const FieldShape     shape{ MakeRotatedGrid({ 23, 19, 11 }), element };
    const auto           fields = MakeSmooth(shape.grid, 3, 2.0);
    const auto           found = Integrate(shape, fields, 0, 2, 2, this->MakeResidence());
    const ThreadExecutor oneThread{ 1 };
    ExecutionContext     host;
    host.host = &oneThread;
    const auto onHost = Integrate(shape, fields, 0, 2, 2, Residence(host));
    for (std::size_t n = 0; n < found.size(); ++n)
    {
      if (this->GetParam())
      {
        ASSERT_NEAR(found[n], onHost[n], element == ScalarType::Float64 ? 1e-12 : 1e-4);
      }
      else
      {
        ASSERT_EQ(found[n], onHost[n]);
      }
    }
  }
}

/** Non-finite vectors do not cause access outside of the memory. */
TEST_P(VelocityFields, StayWithinTheGrid)
{
  const Residence  residence = this->MakeResidence();
  const FieldShape shape{ MakeRotatedGrid({ 7, 6, 5 }), ScalarType::Float32 };
  for (const double number : { std::numeric_limits<double>::quiet_NaN(), 1e30, -1e30 })
  {
    std::vector<std::vector<double>> fields(2, std::vector<double>(static_cast<std::size_t>(shape.Numbers()), number));
    EXPECT_EQ(Integrate(shape, fields, 0, 1, 3, residence).size(), fields.front().size());
  }
}

/** Weighted sums along time, with the first and the last field repeated outside. */
TEST_P(VelocityFields, AreSmoothedAlongTime)
{
  const Residence           residence = this->MakeResidence();
  const FieldShape          shape{ MakeRotatedGrid({ 5, 4, 3 }), ScalarType::Float64 };
  const auto                fields = MakeSmooth(shape.grid, 4, 3.0);
  const std::vector<double> weights = MakeTimeWeights(0.6, 4);
  double                    sum = weights[0];
  for (std::size_t lag = 1; lag < weights.size(); ++lag)
  {
    sum += 2.0 * weights[lag];
  }
  EXPECT_NEAR(sum, 1.0, 1e-15);
  ASSERT_GT(weights.size(), 1u);
  EXPECT_EQ(MakeTimeWeights(0.0, 4), std::vector<double>{ 1.0 });
  for (const bool adds : { false, true })
  {
    const OnResidence   input(shape, fields, residence);
    std::vector<void *> inPlace;
    for (const ResidentArray & array : input.arrays)
    {
      inPlace.push_back(array.Data());
    }
    SmoothInTime(shape, input.velocity.fields, { weights, 0.5, adds ? 2.0 : 0.0, true }, inPlace, residence);
    for (int time = 0; time < 4; ++time)
    {
      const auto at = static_cast<std::size_t>(time);
      const auto found = Numbers(inPlace[at], fields[at].size(), shape.element, residence);
      for (std::size_t n = 0; n < found.size(); ++n)
      {
        double expected = adds ? 2.0 * fields[at][n] : 0.0;
        for (int lag = 1 - static_cast<int>(weights.size()); lag < static_cast<int>(weights.size()); ++lag)
        {
          const int other = std::min(3, std::max(0, time + lag));
          expected +=
            0.5 * weights[static_cast<std::size_t>(std::abs(lag))] * fields[static_cast<std::size_t>(other)][n];
        }
        ASSERT_NEAR(found[n], IsBorder(shape.grid, static_cast<std::int64_t>(n / 3)) ? 0.0 : expected, 1e-14);
      }
    }
  }
}

TEST_P(VelocityFields, RefuseWhatIsNotAllowed)
{
  const Residence  residence = this->MakeResidence();
  const FieldShape shape{ MakeRotatedGrid({ 5, 4 }), ScalarType::Float32 };
  EXPECT_THROW(Integrate(shape, MakeSmooth(shape.grid, 1, 1.0), 0, 0, 1, residence), std::invalid_argument);
  EXPECT_THROW(Integrate(shape, MakeSmooth(shape.grid, MaxTimePoints + 1, 1.0), 0, 1, 1, residence),
               std::invalid_argument);
  EXPECT_THROW(Integrate(shape, MakeSmooth(shape.grid, 3, 1.0), 0, 3, 1, residence), std::invalid_argument);
  EXPECT_THROW(Integrate(shape, MakeSmooth(shape.grid, 3, 1.0), 0, 2, 0, residence), std::invalid_argument);
  const OnResidence input(shape, MakeSmooth(shape.grid, 3, 1.0), residence);
  EXPECT_THROW(SmoothInTime(shape, input.velocity.fields, TimeSmoothing(), {}, residence), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Backends, VelocityFields, testing::Bool(), NameOfBackend);

} // namespace
