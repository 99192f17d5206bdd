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
// The FIR prefilter for kernels: HalfTaps, FirCoefficientAt(), FirTapCountOf(), and the segment filters.
//
// Expected values: the documented table of taps by tolerance and of the error of 15 taps (normalised columns); the
// convolution in long double on the written-out extension; where samples are read and coefficients are stored, the
// order that SegmentFilter.h documents. Tolerance of a convolution: (reach + 2) units of rounding of the sum of the
// absolute taps, as FirCoefficientAt() documents: a product of a sum rounds twice, and at most reach additions follow.
// Filters whose reach is a compile-time constant have the same bits as those with a run-time reach.

#include "itkCudaSpline/math/SegmentFilter.h"

#include "RandomData.h"
#include "ReferenceSpline.h"
#include "TestOrders.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::CheckHalfTapCount;
using itk::CudaSpline::FirCoefficient;
using itk::CudaSpline::FirCoefficientAt;
using itk::CudaSpline::FirSegment;
using itk::CudaSpline::FirTapCountOf;
using itk::CudaSpline::FirTaps;
using itk::CudaSpline::FirTruncationError;
using itk::CudaSpline::HalfTaps;
using itk::CudaSpline::IsRecursive;
using itk::CudaSpline::ItkHorizon;
using itk::CudaSpline::LineSegmentLength;
using itk::CudaSpline::MakeHalfTaps;
using itk::CudaSpline::MaximumFirTaps;
using itk::CudaSpline::RecursionWarmUp;
using itk::CudaSpline::RecursiveSegment;
using itk::CudaSpline::SplinePoles;

/** The text of the exception that a call throws. */
template <typename TCall>
std::string
ErrorOf(const TCall & call)
{
  try
  {
    call();
  }
  catch (const std::invalid_argument & error)
  {
    return error.what();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

template <typename TReal>
double
SumOfAbsolute(const HalfTaps<TReal> & taps)
{
  double sum = std::abs(static_cast<double>(taps.tap[0]));
  for (int k = 1; k <= taps.reach; ++k)
  {
    sum += 2.0 * std::abs(static_cast<double>(taps.tap[k]));
  }
  return sum;
}

TEST(FirFilter, HalfTapsAreHalfOfTheNormalisedTaps)
{
  ForOrders<0, 5>([](auto order) {
    for (const int count : { 1, 3, 15, 27, MaximumFirTaps })
    {
      const std::vector<double> taps = FirTaps<order()>(count, true);
      const HalfTaps<double>    exact = MakeHalfTaps<order(), double>(count);
      const HalfTaps<float>     single = MakeHalfTaps<order(), float>(count);
      ASSERT_EQ(exact.reach, count / 2);
      ASSERT_EQ(single.reach, count / 2);
      for (int k = 0; k <= count / 2; ++k)
      {
        EXPECT_EQ(exact.tap[k], taps[static_cast<std::size_t>(count / 2 + k)]);
        EXPECT_EQ(exact.tap[k], taps[static_cast<std::size_t>(count / 2 - k)]);
        EXPECT_EQ(single.tap[k], static_cast<float>(exact.tap[k]));
      }
    }
  });
}

TEST(FirFilter, NumbersOfTapsThatAreRefused)
{
  for (const int count : { 0, -1, -15, 2, 14, 126, 128, 129, std::numeric_limits<int>::max() })
  {
    SCOPED_TRACE(count);
    EXPECT_NE(ErrorOf([count] { MakeHalfTaps<3, float>(count); }).find(std::to_string(count)), std::string::npos);
    EXPECT_NE(ErrorOf([count] { CheckHalfTapCount(count); }).find(std::to_string(count)), std::string::npos);
  }
  // Not its value truncated to an int.
  EXPECT_NE(ErrorOf([] { CheckHalfTapCount((std::int64_t{ 1 } << 32) + 15); }).find("4294967311"), std::string::npos);
  EXPECT_NO_THROW(CheckHalfTapCount(1));
  EXPECT_NO_THROW(CheckHalfTapCount(MaximumFirTaps));
}

TEST(FirFilter, TapsByTolerance)
{
  constexpr int    table[4][3] = { { 11, 15, 21 }, { 15, 21, 29 }, { 19, 29, 39 }, { 25, 37, 49 } };
  constexpr double tolerances[3] = { 1e-3, 1e-5, 6e-8 };
  for (unsigned int order = 2; order <= 5; ++order)
  {
    for (int column = 0; column < 3; ++column)
    {
      EXPECT_EQ(FirTapCountOf(order, tolerances[column]), table[order - 2][column]) << order << ", " << column;
    }
  }
  EXPECT_EQ(FirTapCountOf(0, 1e-300), 1);
  EXPECT_EQ(FirTapCountOf(1, 1e-300), 1);
  EXPECT_EQ(FirTapCountOf(5, 1e9), 1);
  // The limit is large enough for double precision.
  EXPECT_LE(FirTapCountOf(5, 1.1e-16), MaximumFirTaps);
}

TEST(FirFilter, TolerancesThatAreRefused)
{
  for (const double tolerance : { 0.0, -0.0, -1.0, -1e-9, std::numeric_limits<double>::quiet_NaN() })
  {
    EXPECT_THROW(FirTapCountOf(3, tolerance), std::invalid_argument) << tolerance;
  }
  EXPECT_NE(ErrorOf([] { FirTapCountOf(3, -1e-9); }).find("-1e-09"), std::string::npos);
  const std::string tooSmall = ErrorOf([] { FirTapCountOf(5, 1e-40); });
  EXPECT_NE(tooSmall.find("1e-40"), std::string::npos) << tooSmall;
  EXPECT_NE(tooSmall.find(std::to_string(MaximumFirTaps)), std::string::npos) << tooSmall;
  EXPECT_THROW(FirTapCountOf(3, std::numeric_limits<double>::min()), std::invalid_argument);
  EXPECT_NE(ErrorOf([] { FirTapCountOf(6, 1e-3); }).find("order is 6"), std::string::npos);
}

template <typename T>
void
ExpectConvolution()
{
  Random random(sizeof(T));
  ForOrders<2, 5>([&random](auto order) {
    for (const Extension extension : AllExtensions())
    {
      for (const std::int64_t size : { 1, 2, 3, 5, 14, 40 })
      {
        std::vector<T> line;
        for (const double value : random.Values(static_cast<std::size_t>(size), -1.0, 1.0))
        {
          line.push_back(static_cast<T>(value));
        }
        const std::vector<std::int64_t> period = ExtensionPeriod(size, extension);
        const auto load = [&](std::int64_t n) { return line[static_cast<std::size_t>(ReferenceFold(n, period))]; };
        for (const int count : { 1, 3, 15, 27, MaximumFirTaps })
        {
          const HalfTaps<T> taps = MakeHalfTaps<order(), T>(count);
          // One per cent for the errors of errors.
          const double bound = 1.01 * (taps.reach + 2) * UnitOfRounding<T> * SumOfAbsolute(taps);
          for (std::int64_t n = 0; n < size; ++n)
          {
            long double expected = 0;
            for (int k = -taps.reach; k <= taps.reach; ++k)
            {
              expected += static_cast<long double>(taps.tap[std::abs(k)]) * load(n + k);
            }
            ASSERT_NEAR(FirCoefficientAt<T>(n, taps, load), static_cast<double>(expected), bound)
              << "size " << size << ", taps " << count << ", extension " << NameOf(extension) << ", sample " << n;
          }
        }
      }
    }
  });
}

TEST(FirFilter, CoefficientIsTheConvolution)
{
  ExpectConvolution<double>();
  ExpectConvolution<float>();
}

TEST(FirFilter, ConstantsPass)
{
  ForOrders<0, 5>([](auto order) {
    for (int count = 1; count <= MaximumFirTaps; count += 2)
    {
      const HalfTaps<double> taps = MakeHalfTaps<order(), double>(count);
      // The taps are rounded twice (the sum, the division), which their sum carries.
      EXPECT_NEAR(FirCoefficientAt<double>(0, taps, [](std::int64_t) { return 1.0; }),
                  1.0,
                  (2 * count + 8) * UnitOfRounding<double> * SumOfAbsolute(taps));
    }
  });
}

// Samples of absolute value 1 with the signs of the difference of the two responses: the error equals the bound, so the
// bound is the worst case. It is the last column of the table.
TEST(FirFilter, WorstCaseSignalAttainsTheBound)
{
  constexpr double errorOfFifteen[4] = { 6.2e-6, 3.4e-4, 6.8e-3, 5.1e-2 };
  ForOrders<2, 5>([&errorOfFifteen](auto order) {
    constexpr int       far = 200;
    std::vector<double> response;
    for (int k = 0; k <= far; ++k)
    {
      response.push_back(FirCoefficient<order()>(k));
    }
    for (const int count : { 1, 7, 9, 11, 13, 15, 19, 27 })
    {
      const HalfTaps<double> taps = MakeHalfTaps<order(), double>(count);
      const auto             sample = [&](std::int64_t n) {
        const auto   distance = static_cast<std::size_t>(std::abs(n));
        const double tap = std::abs(n) <= taps.reach ? taps.tap[distance] : 0.0;
        return tap < response[distance] ? -1.0 : 1.0;
      };
      long double exact = 0;
      for (int k = -far; k <= far; ++k)
      {
        exact += static_cast<long double>(response[static_cast<std::size_t>(std::abs(k))]) * sample(k);
      }
      const double error = static_cast<double>(FirCoefficientAt<double>(0, taps, sample) - exact);
      const double bound = FirTruncationError<order()>(count, true);
      // Taps and responses carry a few units of the norm, at most 7.5.
      EXPECT_NEAR(error, bound, (taps.reach + 20) * SplinePoles<order()>::Norm() * UnitOfRounding<double>) << count;
      if (count == 15)
      {
        EXPECT_NEAR(error, errorOfFifteen[order() - 2], 0.05 * error);
      }
    }
  });
}

/** The coefficients of two segments by a filter; checks that each is stored once. */
template <typename TReal, typename TFilter>
std::vector<TReal>
TwoSegments(const TFilter & filter, const std::vector<TReal> & line)
{
  std::vector<TReal> coefficients(2 * LineSegmentLength);
  std::vector<int>   stored(coefficients.size());
  for (int begin = 0; begin < 2 * LineSegmentLength; begin += LineSegmentLength)
  {
    filter.template Run<TReal>(
      begin,
      [&line](std::int64_t n) { return line[static_cast<std::size_t>(n + MaximumFirTaps)]; },
      [&, begin](int k, TReal value) {
        coefficients.at(static_cast<std::size_t>(begin + k)) = value;
        ++stored[static_cast<std::size_t>(begin + k)];
      });
  }
  EXPECT_EQ(stored, std::vector<int>(stored.size(), 1));
  return coefficients;
}

template <typename TReal, int VReach>
void
ExpectSameBits(Random & random)
{
  SCOPED_TRACE("reach " + std::to_string(VReach));
  std::vector<TReal> line;
  for (const double value : random.Values(2 * (LineSegmentLength + MaximumFirTaps), -1.0, 1.0))
  {
    line.push_back(static_cast<TReal>(value));
  }
  const HalfTaps<TReal>           taps = MakeHalfTaps<3, TReal>(2 * VReach + 1);
  const FirSegment<TReal, VReach> known{ taps };
  const FirSegment<TReal>         unknown{ taps };
  EXPECT_EQ(known.GetReach(), VReach);
  EXPECT_EQ(unknown.GetReach(), VReach);
  static_assert(known.IsUnrolled && !unknown.IsUnrolled, "by whether the compiler knows the reach");
  static_assert(!IsRecursive<FirSegment<TReal, VReach>> && !IsRecursive<FirSegment<TReal>>, "no recursion");
  const std::vector<TReal> coefficients = TwoSegments<TReal>(known, line);
  EXPECT_EQ(coefficients, TwoSegments<TReal>(unknown, line));
  for (std::size_t n = 0; n < coefficients.size(); ++n)
  {
    EXPECT_EQ(coefficients[n], FirCoefficientAt<TReal>(static_cast<std::int64_t>(n), taps, [&line](std::int64_t i) {
                return line[static_cast<std::size_t>(i + MaximumFirTaps)];
              }));
  }
}

TEST(FirFilter, SegmentsOfKnownReachGiveTheSameBits)
{
  Random random(__LINE__);
  ExpectSameBits<float, 0>(random);
  ExpectSameBits<float, 3>(random);
  ExpectSameBits<float, 4>(random);
  ExpectSameBits<float, 5>(random);
  ExpectSameBits<float, 6>(random);
  ExpectSameBits<double, 7>(random);
  ExpectSameBits<float, 9>(random);
  ExpectSameBits<double, 13>(random);
  ExpectSameBits<float, MaximumFirTaps / 2>(random);
}

/** Unrolled filters read each sample once and in order. Readers that load several samples at once rely on this. */
template <typename TReal, typename TFilter>
void
ExpectConsecutiveLoads(const TFilter & filter, std::int64_t begin)
{
  static_assert(TFilter::IsUnrolled && TFilter::Reach >= 0, "only these promise it");
  EXPECT_EQ(filter.GetReach(), TFilter::Reach);
  std::int64_t next = begin - filter.GetReach();
  filter.template Run<TReal>(
    begin,
    [&next](std::int64_t n) {
      EXPECT_EQ(n, next);
      ++next;
      return TReal{ 1 };
    },
    [](int, TReal) {});
  EXPECT_EQ(next, begin + LineSegmentLength + filter.GetReach());
}

TEST(FirFilter, UnrolledFiltersReadOneSampleAfterTheOther)
{
  ForOrders<2, 5>([](auto order) {
    for (const std::int64_t begin : { std::int64_t{ 0 }, std::int64_t{ 32 }, std::int64_t{ 1 } << 40 })
    {
      using Exact = RecursiveSegment<order(), float, RecursionWarmUp<order(), float>::Samples>;
      using LikeItk = RecursiveSegment<order(), double, ItkHorizon<order()>::Samples>;
      static_assert(IsRecursive<Exact> && IsRecursive<LikeItk>, "recursions");
      ExpectConsecutiveLoads<float>(Exact(), begin);
      ExpectConsecutiveLoads<double>(LikeItk(), begin);
      ExpectConsecutiveLoads<float>(FirSegment<float, 7>{ MakeHalfTaps<order(), float>(15) }, begin);
    }
  });
}

// ceil(ln 1e-10 / ln |z|) of the largest pole, which is what ITK computes from its tolerance.
TEST(FirFilter, HorizonOfItk)
{
  ForOrders<2, 5>([](auto order) {
    const double pole = std::abs(SplinePoles<order()>::Pole(0));
    EXPECT_EQ(ItkHorizon<order()>::Samples, static_cast<int>(std::ceil(std::log(1e-10) / std::log(pole))));
  });
  EXPECT_EQ(ItkHorizon<0>::Samples, 0);
  EXPECT_EQ(ItkHorizon<1>::Samples, 0);
}

} // namespace
