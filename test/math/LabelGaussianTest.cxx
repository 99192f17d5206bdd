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
// The label whose Gaussian neighbourhood weighs most.
//
// Expected values: the rule with std::map, with the weights of the window, so that sums have the same bits: exact,
// including ties, for few and many labels; differences of erfl() for weights, within 2 units of 2^-53 and the rounding
// of their arguments; cases with a known winner. (itk/LabelGaussianTest.cxx compares with ITK.)

#include "itkCudaSpline/math/LabelGaussian.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::LabelGaussian;
using itk::CudaSpline::LabelGaussianWindow;
using itk::CudaSpline::LabelGaussianWinner;
using itk::CudaSpline::LabelReader;
using itk::CudaSpline::LabelSums;
using itk::CudaSpline::LoadBits;
using itk::CudaSpline::ScalarType;
using itk::CudaSpline::ScalarTypeOf;

template <unsigned int VDimension>
LabelGaussian<VDimension>
Rule(double sigma, double cutOff)
{
  LabelGaussian<VDimension> rule;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    rule.sigma[d] = sigma;
    rule.cutOff[d] = cutOff;
  }
  return rule;
}

template <typename TPixel>
LabelReader
Labels(const std::vector<TPixel> & pixels)
{
  return { pixels.data(), ScalarTypeOf<TPixel>() };
}

/** The winning label by a map of running sums; \p found is false where no weight is positive. */
template <unsigned int VDimension>
std::uint64_t
ReferenceWinner(const LabelGaussianWindow<VDimension> & window,
                const GridExtent<VDimension> &          extent,
                const std::vector<std::uint64_t> &      pixels,
                bool &                                  found)
{
  std::map<std::uint64_t, double> sums;
  std::int64_t                    samples = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    samples *= window.count[d];
  }
  double        largest = 0;
  std::uint64_t winner = 0;
  found = false;
  for (std::int64_t sample = 0; sample < samples; ++sample)
  {
    std::int64_t at[VDimension];
    std::int64_t rest = sample;
    std::int64_t stride = 1;
    std::int64_t offset = 0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      at[d] = rest % window.count[d];
      rest /= window.count[d];
      offset += (window.first[d] + at[d]) * stride;
      stride *= extent.size[d];
    }
    double outer = 1;
    for (unsigned int d = VDimension - 1; d > 0; --d)
    {
      outer *= window.Weight(d, at[d]);
    }
    const std::uint64_t label = pixels[static_cast<std::size_t>(offset)];
    double &            sum = sums[label];
    sum += window.Weight(0, at[0]) * outer;
    if (sum > largest)
    {
      largest = sum;
      winner = label;
      found = true;
    }
  }
  return winner;
}

template <unsigned int VDimension>
void
ExpectReference(double sigma, double cutOff, std::int64_t longest)
{
  Random random(__LINE__ + 10 * VDimension + static_cast<std::uint64_t>(cutOff));
  for (int trial = 0; trial < 100; ++trial)
  {
    GridExtent<VDimension> extent;
    double                 index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent.start[d] = random.Integer(-30, 30);
      extent.size[d] = random.Integer(1, longest);
      // Half of the points have pairs of equal weights, so that sums are equal.
      const double at = random.Uniform(-0.5, static_cast<double>(extent.size[d]) - 0.5);
      index[d] = static_cast<double>(extent.start[d]) + (trial % 2 == 0 ? at : std::round(2 * at) / 2);
    }
    const std::int64_t         kinds = trial % 3 == 0 ? 3 : (trial % 3 == 1 ? 40 : 1000);
    std::vector<std::uint64_t> pixels(static_cast<std::size_t>(extent.Count()));
    for (std::uint64_t & pixel : pixels)
    {
      // Neighbours beyond 2^53: converted to double they would be the same label.
      pixel = (std::uint64_t(1) << 63) + static_cast<std::uint64_t>(random.Integer(0, kinds - 1));
    }
    const auto                            rule = Rule<VDimension>(sigma, cutOff);
    const LabelGaussianWindow<VDimension> window(rule, extent, index);
    bool                                  found = false;
    const std::uint64_t                   expected = ReferenceWinner(window, extent, pixels, found);
    const std::int64_t                    winner = LabelGaussianWinner(rule, extent, index, Labels(pixels));
    ASSERT_EQ(winner >= 0, found);
    if (found)
    {
      ASSERT_EQ(pixels[static_cast<std::size_t>(winner)], expected) << kinds << " labels, " << index[0];
    }
  }
}

TEST(LabelGaussian, FewAndManyLabels)
{
  ExpectReference<1>(1.0, 1.0, 20);
  ExpectReference<2>(0.7, 2.0, 12);
  ExpectReference<3>(1.0, 1.0, 9);
  ExpectReference<3>(1.5, 4.0, 9);
}

// More samples per axis than the table of weights has.
TEST(LabelGaussian, WideWindows)
{
  ExpectReference<1>(30.0, 40.0, 100);
  ExpectReference<2>(8.0, 16.0, 60);
}

TEST(LabelGaussian, Weights)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 300; ++trial)
  {
    GridExtent<1> extent;
    extent.size[0] = 50;
    const double                 sigma = random.Uniform(0.2, 6.0);
    const double                 index[1] = { random.Uniform(-0.5, 49.5) };
    const auto                   rule = Rule<1>(sigma, sigma * random.Uniform(0.5, 5.0));
    const LabelGaussianWindow<1> window(rule, extent, index);
    EXPECT_EQ(window.first[0], std::max(0.0, std::floor(index[0] + 0.5 - rule.cutOff[0])));
    EXPECT_EQ(window.first[0] + window.count[0], std::min(50.0, std::ceil(index[0] + 0.5 + rule.cutOff[0])));
    for (std::int64_t k = 0; k < window.count[0]; ++k)
    {
      const long double scale = 1 / (std::sqrt(2.0L) * sigma);
      const long double from = static_cast<long double>(window.first[0] + k) - 0.5L - index[0];
      // Arguments: three roundings, of the scale, the difference (up to 50) and the product; t erf'(t) < 1/2.
      const double bound = (2 + 2 * 2 + 50 * 2 * 1.2 * static_cast<double>(scale)) * 0x1p-53;
      EXPECT_NEAR(
        window.Weight(0, k), static_cast<double>(std::erf((from + 1) * scale) - std::erf(from * scale)), bound);
    }
  }
}

TEST(LabelGaussian, PlainWinners)
{
  GridExtent<1> extent;
  extent.start[0] = -2;
  extent.size[0] = 6;
  const std::vector<short> line{ 7, 7, -3, 7, 5, 5 };
  const auto               at = [&](double x, double sigma, double cutOff) {
    const double       index[1] = { x };
    const std::int64_t winner = LabelGaussianWinner(Rule<1>(sigma, cutOff), extent, index, Labels(line));
    return winner < 0 ? 0 : line[static_cast<std::size_t>(winner)];
  };
  EXPECT_EQ(at(0.0, 0.3, 1.0), -3); // narrow: the sample itself
  EXPECT_EQ(at(0.0, 2.0, 3.0), 7);  // wide: its neighbours outweigh it
  EXPECT_EQ(at(2.5, 1.0, 1.0), 5);
  // Half-way between two labels the sums are equal; the first label is the result.
  EXPECT_EQ(at(0.5, 0.2, 0.5), -3);
  EXPECT_EQ(at(1.5, 0.2, 0.5), 7);
  // Outside by more than the window; so narrow and far that the weights round to 0.
  EXPECT_EQ(at(40.0, 1.0, 1.0), 0);
  EXPECT_EQ(at(-40.0, 1.0, 1.0), 0);
  EXPECT_EQ(at(3.5 + 30.0, 0.1, 40.0), 0);
  EXPECT_EQ(at(0.0, 0.3, std::numeric_limits<double>::infinity()), -3);
}

// Two samples have equal weights in a window of 32 labels: the first one wins, although the second pass finds its
// label.
TEST(LabelGaussian, TiesAcrossPasses)
{
  GridExtent<1> extent;
  extent.size[0] = 32;
  std::vector<std::uint16_t> line;
  for (std::uint16_t k = 0; k < 32; ++k)
  {
    line.push_back(static_cast<std::uint16_t>(1000 - k));
  }
  const double index[1] = { 15.5 };
  EXPECT_EQ(LabelGaussianWinner(Rule<1>(6.0, 20.0), extent, index, Labels(line)), 15);
  std::swap(line[15], line[16]);
  EXPECT_EQ(LabelGaussianWinner(Rule<1>(6.0, 20.0), extent, index, Labels(line)), 15);
}

TEST(LabelGaussian, Parameters)
{
  LabelGaussian<2> rule;
  rule.SetAxis(0, 1.5, 4.0, 0.5);
  rule.SetAxis(1, 1.5, 4.0, 3.0);
  EXPECT_EQ(rule.sigma[0], 3.0);
  EXPECT_EQ(rule.cutOff[0], 12.0);
  EXPECT_EQ(rule.sigma[1], 0.5);
  EXPECT_EQ(rule.cutOff[1], 2.0);
}

TEST(LabelGaussian, BitsOfLabels)
{
  const std::vector<double>        reals{ -0.0, 0.0, 1.5 };
  const std::vector<float>         singles{ -0.0F, -1.5F };
  const std::vector<signed char>   bytes{ -1, -128 };
  const std::vector<std::int64_t>  longs{ std::numeric_limits<std::int64_t>::min() };
  const std::vector<std::uint16_t> shorts{ 1, 65535 };
  const std::vector<std::uint32_t> words{ 1, 0x80000000U };
  EXPECT_EQ(Labels(reals)(0), 0U);
  EXPECT_EQ(Labels(reals)(1), 0U);
  EXPECT_EQ(Labels(reals)(2), 0x3ff8000000000000U);
  EXPECT_EQ(Labels(singles)(0), 0U);
  EXPECT_EQ(Labels(singles)(1), 0xbfc00000U);
  EXPECT_EQ(Labels(bytes)(0), 255U);
  EXPECT_EQ(Labels(bytes)(1), 128U);
  EXPECT_EQ(Labels(longs)(0), std::uint64_t(1) << 63);
  EXPECT_EQ(Labels(shorts)(1), 65535U);
  EXPECT_EQ(Labels(words)(1), 0x80000000U);
  EXPECT_EQ(LoadBits(words.data(), 1, 4), 0x80000000U);
}

} // namespace
