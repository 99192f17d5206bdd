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
// The truncated recursion along a line, FilterSegment().
//
// Expected values: (a) the interpolation equations on the folded extension, solved directly in long double; (b) the
// convolution of the infinite extension with the impulse response of the inverse, in long double. Neither has a
// recursion, an initial value or a segment. Tolerance: the truncation that RecursionWarmUp promises (6e-8 or 1.1e-16 of
// max|c|) plus a first-order bound of all rounding errors (RoundingBound() below, which follows the magnitudes and the
// errors through the stages).

#include "itkCudaSpline/math/LineRecursion.h"

#include "RandomData.h"
#include "ReferenceSpline.h"
#include "TestOrders.h"

#include "itkCudaSpline/math/FirTaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Extension;
using itk::CudaSpline::FilterSegment;
using itk::CudaSpline::FirCoefficient;
using itk::CudaSpline::FoldIndex;
using itk::CudaSpline::LineSegmentLength;
using itk::CudaSpline::RecursionWarmUp;
using itk::CudaSpline::SplinePoles;

const std::vector<std::int64_t> lengths{ 1, 2, 3, 4, 5, 31, 32, 33, 64, 100, 1000 };

/** Coefficients of a whole line, segment by segment. */
template <unsigned int VOrder, typename T>
std::vector<T>
FilterLine(const std::vector<T> & line, Extension extension)
{
  const auto     size = static_cast<std::int64_t>(line.size());
  std::vector<T> coefficients(line.size());
  for (std::int64_t begin = 0; begin < size; begin += LineSegmentLength)
  {
    FilterSegment<VOrder, T, T>(
      begin,
      [&](std::int64_t n) { return line[static_cast<std::size_t>(FoldIndex(n, size, extension))]; },
      [&](int k, T value) {
        if (begin + k < size)
        {
          coefficients[static_cast<std::size_t>(begin + k)] = value;
        }
      });
  }
  return coefficients;
}

/** Largest rounding error of a coefficient for samples of absolute value 1, in units of rounding, to first order.
 *
 * A stage y = x + z y' rounds its product, its sum and its pole (at most |z| + 1 + |z| units of the magnitude of y),
 * and passes errors and magnitudes on by at most 1 / (1 - |z|). At the end the gain is rounded and multiplied. */
double
RoundingBound(const std::vector<double> & poles, double gain)
{
  double magnitude = 1;
  double error = 0;
  for (int direction = 0; direction < 2; ++direction)
  {
    for (const double pole : poles)
    {
      const double z = std::abs(pole);
      magnitude /= 1 - z;
      error = (error + (1 + 2 * z) * magnitude) / (1 - z);
    }
  }
  return gain * (error + 2 * magnitude);
}

template <unsigned int VOrder>
double
RoundingBound()
{
  std::vector<double> poles;
  for (unsigned int k = 0; k < SplinePoles<VOrder>::Count; ++k)
  {
    poles.push_back(SplinePoles<VOrder>::Pole(k));
  }
  return RoundingBound(poles, SplinePoles<VOrder>::Gain());
}

template <typename T>
constexpr double Truncation = sizeof(T) == 4 ? 6e-8 : 1.1e-16;

template <typename T>
std::vector<T>
RandomLine(Random & random, std::int64_t size)
{
  std::vector<T> line;
  for (const double value : random.Values(static_cast<std::size_t>(size), -1.0, 1.0))
  {
    line.push_back(static_cast<T>(value));
  }
  return line;
}

template <typename T>
void
ExpectInterpolationEquations()
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (const Extension extension : AllExtensions())
    {
      for (const std::int64_t size : lengths)
      {
        const std::vector<T>  line = RandomLine<T>(random, size);
        const ReferenceSpline reference({ size }, std::vector<double>(line.begin(), line.end()), n, { extension });
        const std::vector<T>  coefficients = FilterLine<n>(line, extension);
        const double          bound =
          Truncation<T> * static_cast<double>(reference.LargestCoefficient()) + RoundingBound<n>() * UnitOfRounding<T>;
        for (std::size_t i = 0; i < line.size(); ++i)
        {
          ASSERT_NEAR(coefficients[i], static_cast<double>(reference.Coefficients()[i]), bound)
            << "size " << size << ", extension " << static_cast<int>(extension) << ", sample " << i;
        }
      }
    }
  });
}

TEST(LineRecursion, SolvesTheEquationsInDouble)
{
  ExpectInterpolationEquations<double>();
}

TEST(LineRecursion, SolvesTheEquationsInFloat)
{
  ExpectInterpolationEquations<float>();
}

TEST(LineRecursion, IsTheInfiniteConvolution)
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    constexpr int          reach = 60; // the largest pole to this power is 1e-22
    for (const Extension extension : AllExtensions())
    {
      for (const std::int64_t size : lengths)
      {
        const std::vector<double>       line = RandomLine<double>(random, size);
        const std::vector<double>       coefficients = FilterLine<n>(line, extension);
        const std::vector<std::int64_t> period = ExtensionPeriod(size, extension);
        // The taps are computed in double, with errors of a few units of the norm.
        const double bound = 1.1e-16 * SplinePoles<n>::Norm() +
                             (RoundingBound<n>() + 16 * SplinePoles<n>::Norm()) * UnitOfRounding<double>;
        for (std::int64_t i = 0; i < size; ++i)
        {
          long double sum = 0;
          for (int k = -reach; k <= reach; ++k)
          {
            sum += static_cast<long double>(FirCoefficient<n>(k)) *
                   line[static_cast<std::size_t>(ReferenceFold(i + k, period))];
          }
          ASSERT_NEAR(coefficients[static_cast<std::size_t>(i)], static_cast<double>(sum), bound)
            << "size " << size << ", extension " << static_cast<int>(extension) << ", sample " << i;
        }
      }
    }
  });
}

// The largest possible error of a line of absolute value 1: the samples have the signs of the response.
TEST(LineRecursion, WorstCaseSignals)
{
  ForOrders<2, 5>([](auto order) {
    constexpr unsigned int n = order();
    for (std::int64_t at = 0; at < 2 * LineSegmentLength; ++at)
    {
      std::vector<float> line(96);
      for (std::size_t i = 0; i < line.size(); ++i)
      {
        line[i] = FirCoefficient<n>(static_cast<int>(static_cast<std::int64_t>(i) - at)) < 0 ? -1.0F : 1.0F;
      }
      const ReferenceSpline    reference({ 96 }, std::vector<double>(line.begin(), line.end()), n);
      const std::vector<float> coefficients = FilterLine<n>(line, Extension::Mirror);
      const double             bound = Truncation<float> * static_cast<double>(reference.LargestCoefficient()) +
                           RoundingBound<n>() * UnitOfRounding<float>;
      for (std::size_t i = 0; i < line.size(); ++i)
      {
        ASSERT_NEAR(coefficients[i], static_cast<double>(reference.Coefficients()[i]), bound)
          << "at " << at << ", sample " << i;
      }
    }
  });
}

// The spline of the coefficients at the samples equals the samples.
template <typename T>
void
ExpectReconstruction()
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    for (const Extension extension : AllExtensions())
    {
      for (const std::int64_t size : lengths)
      {
        const std::vector<T>            line = RandomLine<T>(random, size);
        const std::vector<T>            coefficients = FilterLine<n>(line, extension);
        const std::vector<std::int64_t> period = ExtensionPeriod(size, extension);
        const double bound = Truncation<T> * SplinePoles<n>::Norm() + RoundingBound<n>() * UnitOfRounding<T>;
        for (std::int64_t i = 0; i < size; ++i)
        {
          long double sum = 0;
          for (int k = -2; k <= 2; ++k)
          {
            sum += BSpline(n, static_cast<long double>(k)) *
                   coefficients[static_cast<std::size_t>(ReferenceFold(i + k, period))];
          }
          ASSERT_NEAR(static_cast<double>(sum), line[static_cast<std::size_t>(i)], bound)
            << "size " << size << ", sample " << i;
        }
      }
    }
  });
}

TEST(LineRecursion, ReconstructsTheSamples)
{
  ExpectReconstruction<double>();
  ExpectReconstruction<float>();
}

TEST(LineRecursion, ConstantsPass)
{
  ForOrders<2, 5>([](auto order) {
    for (const std::int64_t size : { 1, 2, 40 })
    {
      for (const double coefficient :
           FilterLine<order()>(std::vector<double>(static_cast<std::size_t>(size), 1000.0), Extension::Mirror))
      {
        EXPECT_NEAR(coefficient, 1000.0, 1000.0 * (1.1e-16 + RoundingBound<order()>() * UnitOfRounding<double>));
      }
    }
  });
}

// A segment depends only on its samples and those within the warm-up, not on its position in the line.
TEST(LineRecursion, SegmentsAreIndependent)
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int n = order();
    constexpr int          warmUp = RecursionWarmUp<n, float>::Samples;
    std::vector<float>     line = RandomLine<float>(random, 400);
    const auto             load = [&line](std::int64_t at) { return line[static_cast<std::size_t>(at)]; };
    const std::int64_t     begin = 5 * LineSegmentLength;
    std::vector<float>     first(LineSegmentLength);
    std::vector<float>     second(LineSegmentLength);
    std::vector<float>     third(LineSegmentLength);
    FilterSegment<n, float, float>(
      begin, load, [&](int k, float value) { first[static_cast<std::size_t>(k)] = value; });
    FilterSegment<n, float, float>(
      std::int64_t(0),
      [&](std::int64_t at) { return load(at + begin); },
      [&](int k, float value) { second[static_cast<std::size_t>(k)] = value; });
    EXPECT_EQ(first, second) << "moved with its samples";
    for (std::int64_t i = 0; i < 400; ++i)
    {
      if (i < begin - warmUp || i >= begin + LineSegmentLength + warmUp)
      {
        line[static_cast<std::size_t>(i)] = std::numeric_limits<float>::quiet_NaN();
      }
    }
    FilterSegment<n, float, float>(
      begin, load, [&](int k, float value) { third[static_cast<std::size_t>(k)] = value; });
    EXPECT_EQ(first, third) << "samples beyond the warm-up do not count";
  });
}

TEST(LineRecursion, LoadsAndStoresInOrder)
{
  ForOrders<2, 5>([](auto order) {
    constexpr int warmUp = RecursionWarmUp<order(), double>::Samples;
    std::int64_t  nextLoad = 64 - warmUp;
    int           nextStore = LineSegmentLength - 1;
    FilterSegment<order(), double, double>(
      std::int64_t(64),
      [&](std::int64_t n) {
        EXPECT_EQ(n, nextLoad++);
        return 1.0;
      },
      [&](int k, double) { EXPECT_EQ(k, nextStore--); });
    EXPECT_EQ(nextLoad, 64 + LineSegmentLength + warmUp);
    EXPECT_EQ(nextStore, -1);
  });
}

TEST(LineRecursion, NotANumberStaysNear)
{
  ForOrders<2, 5>([](auto order) {
    constexpr unsigned int   n = order();
    constexpr std::int64_t   reach = LineSegmentLength + RecursionWarmUp<n, float>::Samples;
    const std::vector<float> clean(500, 2.0F);
    const std::vector<float> expected = FilterLine<n>(clean, Extension::Mirror);
    for (const std::int64_t at : { 0, 1, 31, 32, 250, 255, 256, 499 })
    {
      for (const float bad : { std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity() })
      {
        std::vector<float> line = clean;
        line[static_cast<std::size_t>(at)] = bad;
        const std::vector<float> coefficients = FilterLine<n>(line, Extension::Mirror);
        EXPECT_FALSE(std::isfinite(coefficients[static_cast<std::size_t>(at)])) << at;
        for (std::int64_t i = 0; i < 500; ++i)
        {
          if (std::abs(i - at) > reach)
          {
            EXPECT_EQ(coefficients[static_cast<std::size_t>(i)], expected[static_cast<std::size_t>(i)])
              << at << ' ' << i;
          }
        }
      }
    }
  });
}

/** Two lines side by side, with the arithmetic that FilterSegment() uses. */
struct Pair
{
  float a;
  float b;
};
Pair
operator+(Pair x, Pair y)
{
  return { x.a + y.a, x.b + y.b };
}
Pair
operator*(float z, Pair x)
{
  return { z * x.a, z * x.b };
}

TEST(LineRecursion, PacksOfLinesGiveTheSameBits)
{
  Random random(__LINE__);
  ForOrders<2, 5>([&](auto order) {
    constexpr unsigned int   n = order();
    const std::vector<float> a = RandomLine<float>(random, 200);
    const std::vector<float> b = RandomLine<float>(random, 200);
    std::vector<float>       alone(LineSegmentLength);
    std::vector<float>       packed(LineSegmentLength);
    for (const bool second : { false, true })
    {
      FilterSegment<n, float, float>(
        std::int64_t(64),
        [&](std::int64_t k) { return (second ? b : a)[static_cast<std::size_t>(k)]; },
        [&](int k, float value) { alone[static_cast<std::size_t>(k)] = value; });
      FilterSegment<n, float, Pair>(
        std::int64_t(64),
        [&](std::int64_t k) {
          return Pair{ a[static_cast<std::size_t>(k)], b[static_cast<std::size_t>(k)] };
        },
        [&](int k, Pair value) { packed[static_cast<std::size_t>(k)] = second ? value.b : value.a; });
      EXPECT_EQ(alone, packed);
    }
  });
}

} // namespace
