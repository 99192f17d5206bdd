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
// Windowed sinc interpolation.
//
// Expected values: windows and sinc by their definitions in long double, each distance separately; identities (the
// value at a sample is the sample, mirrored positions have mirrored weights); sums over samples that are folded or
// outside one by one. (itk/WindowedSincTest.cxx compares with ITK.) Tolerance: 32 units of rounding for a weight
// (derived in WindowedSinc.h); for a value, the errors of its weights and additions.

#include "itkCudaSpline/math/WindowedSinc.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::MaximumSincRadius;
using itk::CudaSpline::NameOf;
using itk::CudaSpline::SincWindow;
using itk::CudaSpline::WindowedSincValue;
using itk::CudaSpline::WindowedSincWeights;

constexpr double unit = UnitOfRounding<double>;

template <typename TBody>
void
ForWindows(const TBody & body)
{
  for (const SincWindow window :
       { SincWindow::Cosine, SincWindow::Hamming, SincWindow::Welch, SincWindow::Lanczos, SincWindow::Blackman })
  {
    for (int radius = 1; radius <= MaximumSincRadius; ++radius)
    {
      SCOPED_TRACE(std::string(NameOf(window)) + ", radius " + std::to_string(radius));
      body(window, radius);
    }
  }
}

long double
ReferenceSinc(long double x)
{
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  return x == 0 ? 1.0L : std::sin(pi * x) / (pi * x);
}

/** The kernel at distance x: window times sinc. */
double
ReferenceKernel(SincWindow window, long double radius, long double x)
{
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  long double           factor = 0;
  switch (window)
  {
    case SincWindow::Cosine:
      factor = std::cos(pi * x / (2 * radius));
      break;
    case SincWindow::Hamming:
      factor = 0.54L + 0.46L * std::cos(pi * x / radius);
      break;
    case SincWindow::Welch:
      factor = 1 - x * x / (radius * radius);
      break;
    case SincWindow::Lanczos:
      factor = ReferenceSinc(x / radius);
      break;
    case SincWindow::Blackman:
      factor = 0.42L + 0.5L * std::cos(pi * x / radius) + 0.08L * std::cos(2 * pi * x / radius);
      break;
  }
  return static_cast<double>(factor * ReferenceSinc(x));
}

/** Positions in [0, 1), next to its ends and its middle, and slightly below 0, as FloorIndex() may leave them. */
double
RandomDistance(Random & random)
{
  switch (random.Integer(0, 5))
  {
    case 0:
      return std::ldexp(random.Uniform(0.5, 1.0), -static_cast<int>(random.Integer(0, 60)));
    case 1:
      return 1.0 - std::ldexp(random.Uniform(0.5, 1.0), -static_cast<int>(random.Integer(0, 50)));
    case 2:
      return random.Near(0.5, 4);
    case 3:
      return -std::ldexp(random.Uniform(0.5, 1.0), -53);
    default:
      return random.Uniform(0.0, 1.0);
  }
}

TEST(WindowedSincWeights, Definition)
{
  Random random(__LINE__);
  ForWindows([&](SincWindow window, int radius) {
    for (int trial = 0; trial < 500; ++trial)
    {
      const double distance = RandomDistance(random);
      double       w[2 * MaximumSincRadius];
      WindowedSincWeights(distance, radius, window, w);
      double absolute = 0;
      for (int k = 0; k < 2 * radius; ++k)
      {
        const long double x = static_cast<long double>(distance) + radius - 1 - k;
        EXPECT_NEAR(w[k], distance == 0 ? (x == 0 ? 1.0 : 0.0) : ReferenceKernel(window, radius, x), 32 * unit)
          << "distance " << distance << ", weight " << k;
        absolute += std::abs(w[k]);
      }
      EXPECT_LE(absolute, 2.28) << distance;
    }
  });
}

TEST(WindowedSincWeights, SamplesAreMet)
{
  ForWindows([](SincWindow window, int radius) {
    double w[2 * MaximumSincRadius];
    WindowedSincWeights(0.0, radius, window, w);
    for (int k = 0; k < 2 * radius; ++k)
    {
      EXPECT_EQ(w[k], k == radius - 1 ? 1.0 : 0.0);
    }
    // And nearly so from either side: the kernel is even and smooth.
    WindowedSincWeights(0x1p-40, radius, window, w);
    EXPECT_NEAR(w[radius - 1], 1.0, 32 * unit);
    WindowedSincWeights(1.0 - 0x1p-40, radius, window, w);
    EXPECT_NEAR(w[radius], 1.0, 32 * unit);
  });
}

// A coordinate just below 0 is at 1 - 2^-55 of its floor, which is rounded to 1.
TEST(WindowedSincWeights, DistanceThatIsRoundedToOne)
{
  ForWindows([&](SincWindow window, int radius) {
    double w[2 * MaximumSincRadius];
    WindowedSincWeights(1.0, radius, window, w);
    for (int k = 0; k < 2 * radius; ++k)
    {
      EXPECT_EQ(w[k], k == radius ? 1.0 : 0.0) << NameOf(window) << " " << radius;
    }
  });
}

TEST(WindowedSincWeights, SymmetryIsExact)
{
  Random random(__LINE__);
  ForWindows([&](SincWindow window, int radius) {
    for (int trial = 0; trial < 200; ++trial)
    {
      const double distance = static_cast<double>(random.Integer(1, (1 << 20) - 1)) * 0x1p-20;
      double       w[2 * MaximumSincRadius];
      double       mirrored[2 * MaximumSincRadius];
      WindowedSincWeights(distance, radius, window, w);
      WindowedSincWeights(1.0 - distance, radius, window, mirrored);
      for (int k = 0; k < 2 * radius; ++k)
      {
        if (distance != 0.5) // whose nearest sample is the lower one
        {
          EXPECT_EQ(w[k], mirrored[2 * radius - 1 - k]) << distance;
        }
        EXPECT_NEAR(w[k], mirrored[2 * radius - 1 - k], 64 * unit) << distance;
      }
    }
  });
}

// The number in the documentation: weights are not normalised.
TEST(WindowedSincWeights, SumOfHamming)
{
  double largest = 0;
  for (int step = 0; step < 1000; ++step)
  {
    double w[2 * MaximumSincRadius];
    double sum = -1;
    WindowedSincWeights(step / 1000.0, 3, SincWindow::Hamming, w);
    for (int k = 0; k < 6; ++k)
    {
      sum += w[k];
    }
    largest = std::max(largest, std::abs(sum));
  }
  EXPECT_GT(largest, 0.002);
  EXPECT_LT(largest, 0.003);
}

/** Fold rules as the callers have them: a line of \p size samples. */
std::int64_t
Clamp(std::int64_t index, std::int64_t size)
{
  return std::min(std::max<std::int64_t>(index, 0), size - 1);
}
std::int64_t
Outside(std::int64_t index, std::int64_t size)
{
  return index < 0 || index >= size ? -1 : index;
}
std::int64_t
Wrap(std::int64_t index, std::int64_t size)
{
  return (index % size + size) % size;
}

template <unsigned int VDimension, typename TSample>
void
ExpectSums(std::int64_t (*rule)(std::int64_t, std::int64_t))
{
  Random random(__LINE__ + VDimension);
  ForWindows([&](SincWindow window, int radius) {
    for (int trial = 0; trial < 5; ++trial)
    {
      GridExtent<VDimension> extent;
      double                 index[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        extent.start[d] = random.Integer(-9, 9);
        extent.size[d] = random.Integer(1, 6);
        index[d] =
          static_cast<double>(extent.start[d]) + random.Uniform(-3.0, static_cast<double>(extent.size[d]) + 2.0);
      }
      std::vector<TSample> data(static_cast<std::size_t>(extent.Count()));
      for (TSample & sample : data)
      {
        sample = static_cast<TSample>(random.Uniform(-100.0, 100.0));
      }
      const double border = random.Uniform(-100.0, 100.0);
      const auto   fold = [&](std::int64_t at, unsigned int axis) { return rule(at, extent.size[axis]); };
      const double value = WindowedSincValue(data.data(), extent, index, radius, window, fold, border);

      long double  expected = 0;
      std::int64_t taps = 1;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        taps *= 2 * radius;
      }
      for (std::int64_t tap = 0; tap < taps; ++tap)
      {
        std::int64_t rest = tap;
        std::int64_t offset = 0;
        std::int64_t stride = 1;
        bool         outside = false;
        long double  weight = 1;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const auto at = static_cast<std::int64_t>(std::floor(index[d])) - radius + 1 + rest % (2 * radius);
          weight *= ReferenceKernel(window, radius, static_cast<long double>(index[d]) - static_cast<long double>(at));
          const std::int64_t folded = rule(at - extent.start[d], extent.size[d]);
          outside = outside || folded < 0;
          offset += folded * stride;
          stride *= extent.size[d];
          rest /= 2 * radius;
        }
        expected += weight * (outside ? border : static_cast<double>(data[static_cast<std::size_t>(offset)]));
      }
      const double bound = VDimension * (66 * radius + 1) * std::pow(2.28, VDimension) * unit * 100.0;
      EXPECT_NEAR(value, static_cast<double>(expected), bound) << index[0] << ", dimension " << VDimension;
    }
  });
}

TEST(WindowedSincValue, FoldedAndOutside)
{
  for (const auto rule : { Clamp, Outside, Wrap })
  {
    ExpectSums<1, double>(rule);
    ExpectSums<2, float>(rule);
    ExpectSums<3, double>(rule);
  }
}

// On samples along some axes: the same without the taps of weight 0, except NaN and infinity.
TEST(WindowedSincValue, ZeroWeights)
{
  Random        random(__LINE__);
  GridExtent<2> extent;
  extent.size[0] = 7;
  extent.size[1] = 6;
  std::vector<double> data = random.Values(42, -10.0, 10.0);
  const auto          fold = [&](std::int64_t at, unsigned int axis) { return Clamp(at, extent.size[axis]); };
  ForWindows([&](SincWindow window, int radius) {
    const double onRow[2] = { random.Uniform(0.0, 6.0), static_cast<double>(random.Integer(0, 5)) };
    const double onColumn[2] = { static_cast<double>(random.Integer(0, 6)), random.Uniform(0.0, 5.0) };
    for (const auto & index : { onRow, onColumn })
    {
      const double at[2] = { index[0], index[1] };
      EXPECT_EQ(WindowedSincValue(data.data(), extent, at, radius, window, fold, 0.0, true),
                WindowedSincValue(data.data(), extent, at, radius, window, fold));
    }
  });
  data[3 * 7 + 3] = std::numeric_limits<double>::quiet_NaN();
  const double beside[2] = { 4.0, 3.0 };
  EXPECT_TRUE(std::isnan(WindowedSincValue(data.data(), extent, beside, 3, SincWindow::Welch, fold)));
  EXPECT_EQ(WindowedSincValue(data.data(), extent, beside, 3, SincWindow::Welch, fold, 0.0, true), data[3 * 7 + 4]);
}

} // namespace
