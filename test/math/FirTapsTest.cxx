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
// The prefilter as a finite impulse response.
//
// Expected values: the table of tap counts and errors by order that the module documents (sums of absolute differences
// of the impulse responses), Proposition 1 of Champagnat and Le Sant (sqrt(3) (sqrt(3)-2)^|k|, order 3), and the
// definition: convolved with the B-spline sampled at the integers the response is a unit impulse. Tolerance: two digits
// for figures of the table, as it prints them; 32 units of rounding for the convolution, whose terms' absolute values
// sum to the norm of the prefilter (at most 7.5); counts exactly.

#include "itkCudaSpline/math/FirTaps.h"

#include "ReferenceBSpline.h"
#include "TestOrders.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::FirCoefficient;
using itk::CudaSpline::FirTapCount;
using itk::CudaSpline::FirTaps;
using itk::CudaSpline::FirTruncationError;
using itk::CudaSpline::SplinePoles;

struct TableRow
{
  int    raw3, normalized3, raw5, normalized5, rawFloat, normalizedFloat, rawDouble;
  double rawError15, normalizedError15;
};

// Orders 2 to 5: taps for 1e-3, 1e-5, 6e-8 and 1.1e-16, and the error that 15 taps leave.
constexpr TableRow table[] = {
  { 9, 11, 15, 15, 21, 21, 43, 2.6e-6, 6.2e-6 },
  { 13, 15, 19, 21, 27, 29, 59, 1.3e-4, 3.4e-4 },
  { 17, 19, 27, 29, 37, 39, 77, 2.1e-3, 6.8e-3 },
  { 23, 25, 33, 37, 45, 49, 93, 1.3e-2, 5.1e-2 },
};

TEST(FirTaps, CountsByTolerance)
{
  ForOrders<2, 5>([](auto order) {
    const TableRow & row = table[order() - 2];
    EXPECT_EQ(FirTapCount<order()>(1e-3, false), row.raw3);
    EXPECT_EQ(FirTapCount<order()>(1e-3, true), row.normalized3);
    EXPECT_EQ(FirTapCount<order()>(1e-5, false), row.raw5);
    EXPECT_EQ(FirTapCount<order()>(1e-5, true), row.normalized5);
    EXPECT_EQ(FirTapCount<order()>(6e-8, false), row.rawFloat);
    EXPECT_EQ(FirTapCount<order()>(6e-8, true), row.normalizedFloat);
    EXPECT_EQ(FirTapCount<order()>(1.1e-16, false), row.rawDouble);
  });
}

TEST(FirTaps, CountIsTheFewest)
{
  ForOrders<2, 5>([](auto order) {
    for (const bool normalize : { false, true })
    {
      for (const double tolerance : { 0.3, 1e-2, 1e-4, 1e-7, 1e-11 })
      {
        const int count = FirTapCount<order()>(tolerance, normalize);
        EXPECT_LE(FirTruncationError<order()>(count, normalize), tolerance);
        if (count > 1)
        {
          EXPECT_GT(FirTruncationError<order()>(count - 2, normalize), tolerance);
        }
      }
    }
  });
}

// Normalised taps differ from raw ones by the relative error of a constant, so a few taps more are enough, however
// small the tolerance.
TEST(FirTaps, NormalizedCountOfSmallTolerances)
{
  ForOrders<2, 5>([](auto order) {
    for (const double tolerance : { 1e-14, 1e-15, 1.1e-16 })
    {
      EXPECT_LE(FirTapCount<order()>(tolerance, true), FirTapCount<order()>(tolerance, false) + 6) << tolerance;
    }
  });
}

TEST(FirTaps, ErrorOfFifteenTaps)
{
  ForOrders<2, 5>([](auto order) {
    const TableRow & row = table[order() - 2];
    EXPECT_NEAR(FirTruncationError<order()>(15, false), row.rawError15, 0.05 * row.rawError15);
    EXPECT_NEAR(FirTruncationError<order()>(15, true), row.normalizedError15, 0.05 * row.normalizedError15);
  });
}

TEST(FirTaps, WhatNormalizingDoesToTheCubic)
{
  // The worst case grows by 2.73 (its limit is 1 + sqrt(3)); the error of a constant, 7.3e-5 with 15 raw taps, is gone.
  for (int count = 11; count <= 27; count += 2)
  {
    EXPECT_NEAR(FirTruncationError<3>(count, true) / FirTruncationError<3>(count, false), 1.0 + std::sqrt(3.0), 0.01)
      << count;
  }
  const std::vector<double> raw = FirTaps<3>(15, false);
  EXPECT_NEAR(std::abs(std::accumulate(raw.begin(), raw.end(), 0.0) - 1.0), 7.3e-5, 0.05e-5);
}

TEST(FirTaps, PropositionOne)
{
  for (int k = 0; k <= 40; ++k)
  {
    const double expected =
      static_cast<double>(std::sqrt(3.0L) * std::pow(std::sqrt(3.0L) - 2.0L, static_cast<long double>(k)));
    // A power of the pole carries the pole's rounding k times.
    EXPECT_NEAR(FirCoefficient<3>(k), expected, (k + 4) * 2 * UnitOfRounding<double> * std::abs(expected)) << k;
    EXPECT_EQ(FirCoefficient<3>(-k), FirCoefficient<3>(k));
  }
}

TEST(FirTaps, InvertTheSampledSpline)
{
  ForOrders<0, 5>([](auto order) {
    for (int i = -60; i <= 60; ++i)
    {
      long double sum = 0;
      for (int k = -2; k <= 2; ++k)
      {
        sum += BSpline(order(), static_cast<long double>(k)) * FirCoefficient<order()>(i - k);
      }
      EXPECT_NEAR(static_cast<double>(sum), i == 0 ? 1.0 : 0.0, 32 * UnitOfRounding<double>) << i;
    }
  });
}

TEST(FirTaps, TapsAreTheResponse)
{
  ForOrders<0, 5>([](auto order) {
    for (int count = 1; count <= 31; count += 2)
    {
      const std::vector<double> raw = FirTaps<order()>(count, false);
      const std::vector<double> normalized = FirTaps<order()>(count, true);
      ASSERT_EQ(raw.size(), static_cast<std::size_t>(count));
      ASSERT_EQ(normalized.size(), raw.size());
      const double sum = std::accumulate(raw.begin(), raw.end(), 0.0);
      for (int k = 0; k < count; ++k)
      {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_EQ(raw[at], FirCoefficient<order()>(k - count / 2));
        EXPECT_EQ(raw[at], raw[raw.size() - 1 - at]) << "symmetric";
        EXPECT_NEAR(normalized[at] * sum, raw[at], 4 * UnitOfRounding<double> * std::abs(raw[at]));
      }
      const double total = std::accumulate(normalized.begin(), normalized.end(), 0.0);
      EXPECT_NEAR(total, 1.0, (count + 8) * SplinePoles<order()>::Norm() * UnitOfRounding<double>);
    }
  });
}

TEST(FirTaps, OrdersWithoutPrefilterNeedOneTap)
{
  EXPECT_EQ(FirTapCount<0>(1e-300, false), 1);
  EXPECT_EQ(FirTapCount<1>(1e-300, true), 1);
  EXPECT_EQ(FirTruncationError<1>(1, false), 0.0);
  EXPECT_EQ(FirTaps<0>(3, true), (std::vector<double>{ 0.0, 1.0, 0.0 }));
}

// The sum of the absolute taps is the norm of the prefilter; the error of a single tap is the rest.
TEST(FirTaps, ErrorOfOneTap)
{
  ForOrders<2, 5>([](auto order) {
    EXPECT_NEAR(
      FirTruncationError<order()>(1, false), SplinePoles<order()>::Norm() - FirCoefficient<order()>(0), 1e-14);
  });
}

TEST(FirTaps, InvalidArguments)
{
  for (const int count : { 0, -1, -3, 2, 14, -2, std::numeric_limits<int>::min() })
  {
    EXPECT_THROW(FirTaps<3>(count, false), std::invalid_argument) << count;
    EXPECT_THROW(FirTaps<3>(count, true), std::invalid_argument) << count;
    EXPECT_THROW(FirTruncationError<3>(count, false), std::invalid_argument) << count;
  }
  for (const double tolerance : { 0.0, -1.0, -0.0, std::numeric_limits<double>::quiet_NaN() })
  {
    EXPECT_THROW(FirTapCount<3>(tolerance, false), std::invalid_argument) << tolerance;
  }
  try
  {
    FirTaps<3>(14, true);
    FAIL() << "an even number of taps was taken";
  }
  catch (const std::invalid_argument & error)
  {
    EXPECT_NE(std::string(error.what()).find("14"), std::string::npos) << "the message has the given value";
  }
}

} // namespace
