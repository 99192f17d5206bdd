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
// B-splines by linear fetches.
//
// Expected: sums over the folded support in long double (ReferenceSpline.h). With exact fetches, the value is that sum
// except for rounding and the table: TextureFractionError() without the 2^-9 of the hardware's fraction, times the
// largest differences of neighbours. With fetches of the model it is within TextureErrorBound(), on noise and on smooth
// data; on noise the difference is close to the bound.

#include "itkCudaSpline/math/TextureBound.h"
#include "itkCudaSpline/math/TextureModel.h"

#include "RandomData.h"
#include "ReferenceSpline.h"
#include "TestOrders.h"
#include "TextureCase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

/** Random sizes, start, extensions and coefficients. */
template <unsigned int VDimension>
struct RandomGrid
{
  GridExtent<VDimension>    extent;
  Extension                 extension[VDimension];
  std::vector<float>        coefficients;
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> start;
  double                    largest{ 0.0 };

  RandomGrid(Random & random, bool smooth)
  {
    const Extension all[]{ Extension::Mirror, Extension::Reflect, Extension::GridWrap };
    std::int64_t    count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      size.push_back(random.Integer(1, VDimension == 1 ? 60 : 9));
      start.push_back(random.Integer(-30, 30));
      extent.size[d] = size[d];
      extent.start[d] = start[d];
      extension[d] = all[random.Integer(0, 2)];
      count *= size[d];
    }
    for (std::int64_t i = 0; i < count; ++i)
    {
      double       value = random.Uniform(-1.0, 1.0);
      std::int64_t rest = i;
      for (unsigned int d = 0; smooth && d < VDimension; ++d)
      {
        value = (d == 0 ? 1.0 : value) * std::cos(0.3 * static_cast<double>(rest % size[d]) + d);
        rest /= size[d];
      }
      coefficients.push_back(static_cast<float>(1000.0 * value));
      largest = std::max(largest, std::abs(static_cast<double>(coefficients.back())));
    }
  }

  ReferenceSpline
  Reference(unsigned int order) const
  {
    return ReferenceSpline(size,
                           std::vector<double>(coefficients.begin(), coefficients.end()),
                           order,
                           std::vector<Extension>(extension, extension + VDimension),
                           start,
                           true);
  }
};

/** Random indices: most near the grid, some far away, some at samples and half-way between samples. */
template <unsigned int VDimension>
void
RandomIndex(Random & random, const RandomGrid<VDimension> & grid, double (&index)[VDimension])
{
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const auto   first = static_cast<double>(grid.start[d]);
    const auto   size = static_cast<double>(grid.size[d]);
    const double reach = random.Integer(0, 3) == 0 ? 4.0 * size : 0.5;
    index[d] = random.Uniform(first - reach, first + size - 1.0 + reach);
    if (random.Integer(0, 9) == 0)
    {
      index[d] = std::floor(2.0 * index[d]) / 2.0;
    }
  }
}

template <unsigned int VDimension, unsigned int VOrder, typename TPaired>
void
ExpectWithinBounds(const TPaired & paired, int entries, bool smooth)
{
  SCOPED_TRACE(std::to_string(VDimension) + "D, order " + std::to_string(VOrder) + ", " + std::to_string(entries) +
               " entries");
  Random random(__LINE__ + 100 * VDimension + 10 * VOrder + entries);
  double most = 0.0;
  for (int repetition = 0; repetition < 12; ++repetition)
  {
    const RandomGrid<VDimension> grid(random, smooth);
    const TexelGrid<VDimension>  texels(grid.extent, grid.extension, grid.coefficients, VOrder);
    const ReferenceSpline        reference = grid.Reference(VOrder);
    const auto                   differences = texels.Differences();
    double bound = TextureErrorBound(VOrder, VDimension, grid.size, differences, grid.largest, entries);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      bound -= itk::CudaSpline::TextureWeightError(VDimension) *
               differences[d]; // an error that the corners of the model do not have
    }
    double hardware = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      hardware += 0x1p-9 * differences[d];
    }
    const TextureModel<VDimension> model = texels.Model();
    const auto exact = [&texels](const float(&at)[VDimension]) { return static_cast<float>(texels.Exact(at)); };
    for (int i = 0; i < 150; ++i)
    {
      double index[VDimension];
      RandomIndex(random, grid, index);
      const auto  expected = static_cast<double>(reference.Value(std::vector<double>(index, index + VDimension)));
      const float byFetches = TextureSplineValue(paired, grid.extent, texels.extension, index, exact);
      const float byModel = TextureSplineValue(paired, grid.extent, texels.extension, index, model);
      ASSERT_LE(std::abs(static_cast<double>(byFetches) - expected), bound - hardware) << "exact fetches";
      ASSERT_LE(std::abs(static_cast<double>(byModel) - expected), bound) << "8 bits";
      most = std::max(most, std::abs(static_cast<double>(byModel) - expected) / bound);
    }
  }
  EXPECT_GT(most, smooth ? 0.0 : 0.1) << "the bound is idle";
}

template <unsigned int VOrder>
void
ExpectOrder()
{
  for (const bool smooth : { false, true })
  {
    ExpectWithinBounds<1, VOrder>(PairedWeights<VOrder>(), 0, smooth);
    ExpectWithinBounds<2, VOrder>(PairedWeights<VOrder>(), 0, smooth);
    ExpectWithinBounds<3, VOrder>(PairedWeights<VOrder>(), 0, smooth);
    if constexpr (VOrder > 1)
    {
      for (const int entries : { 128, 1000 })
      {
        std::vector<PairedTableEntry<FetchesOf(VOrder)>> table(static_cast<std::size_t>(entries));
        FillPairedTable<VOrder>(table.data(), entries);
        const PairedTable<FetchesOf(VOrder)> paired{ table.data(), entries - 1, VOrder };
        ExpectWithinBounds<1, VOrder>(paired, entries, smooth);
        ExpectWithinBounds<2, VOrder>(paired, entries, smooth);
        ExpectWithinBounds<3, VOrder>(paired, entries, smooth);
      }
    }
  }
}

TEST(TextureSpline, Order1)
{
  ExpectOrder<1>();
}

TEST(TextureSpline, Order2)
{
  ExpectOrder<2>();
}

TEST(TextureSpline, Order3)
{
  ExpectOrder<3>();
}

TEST(TextureSpline, Order4)
{
  ExpectOrder<4>();
}

TEST(TextureSpline, Order5)
{
  ExpectOrder<5>();
}

TEST(TextureSpline, FetchesAreTheCeilingOfHalfTheTaps)
{
  for (unsigned int order = 1; order <= 5; ++order)
  {
    EXPECT_EQ(FetchesOf(order), (order + 1 + 1) / 2);
  }
}

// Offsets of a pair are between its taps, and the weights sum to 1: a fetch never leaves the support.
template <unsigned int VOrder>
void
ExpectPairs()
{
  for (int i = 0; i <= 4096; ++i)
  {
    const auto taps = PairedWeights<VOrder>().At(static_cast<float>(i) / 4096.0F);
    float      sum = 0.0F;
    for (unsigned int k = 0; k < FetchesOf(VOrder); ++k)
    {
      EXPECT_GE(taps.offset[k], static_cast<float>(2 * k) - 1e-6F);
      EXPECT_LE(taps.offset[k], static_cast<float>(std::min(2 * k + 1, VOrder)) + 1e-6F);
      EXPECT_GE(taps.weight[k], -1e-6F);
      sum += taps.weight[k];
    }
    EXPECT_NEAR(sum, 1.0F, 1e-6F);
  }
}

TEST(TextureSpline, PairsStayWithinTheSupport)
{
  ExpectPairs<1>();
  ExpectPairs<2>();
  ExpectPairs<3>();
  ExpectPairs<4>();
  ExpectPairs<5>();
}

// TextureFractionError() of a table with few entries, where rounding is negligible.
template <unsigned int VOrder>
void
ExpectTable()
{
  constexpr int                                    entries = 17;
  std::vector<PairedTableEntry<FetchesOf(VOrder)>> table(entries);
  FillPairedTable<VOrder>(table.data(), entries);
  const PairedTable<FetchesOf(VOrder)> paired{ table.data(), entries - 1, VOrder };
  double                               worst = 0.0;
  for (int i = 0; i <= 20000; ++i)
  {
    const float fraction = static_cast<float>(i) / 20000.0F;
    const auto  exact = PairedWeights<VOrder>().At(fraction);
    const auto  looked = paired.At(fraction);
    double      moved = 0.0;
    double      offset = 0.0;
    for (unsigned int k = 0; k < FetchesOf(VOrder); ++k)
    {
      moved += k + 1 < FetchesOf(VOrder) ? std::abs(static_cast<double>(looked.weight[k] - exact.weight[k])) : 0.0;
      offset = std::max(offset, std::abs(static_cast<double>(looked.offset[k] - exact.offset[k])));
    }
    worst = std::max(worst, VOrder * moved + offset);
  }
  EXPECT_LE(worst, 1.0 / (16.0 * 16.0) + 1e-5);
  EXPECT_GT(worst, 0.3 / (16.0 * 16.0)) << "the bound is idle";
}

TEST(TextureSpline, TablesErrAsDerived)
{
  ExpectTable<2>();
  ExpectTable<3>();
  ExpectTable<4>();
  ExpectTable<5>();
}

TEST(TextureSpline, CoordinatesFoldAsIndicesDo)
{
  Random random(__LINE__);
  for (const Extension extension : { Extension::Mirror, Extension::Reflect, Extension::GridWrap, Extension::Nearest })
  {
    for (const std::int64_t size : { 1, 2, 3, 7 })
    {
      for (std::int64_t i = -40; i <= 40; ++i)
      {
        EXPECT_EQ(FoldCoordinate(static_cast<double>(i), size, extension),
                  static_cast<double>(FoldIndex(i, size, extension)))
          << NameOf(extension) << ' ' << i << " of " << size;
        const double at = FoldCoordinate(random.Uniform(-1e15, 1e15), size, extension);
        EXPECT_GE(at, -0.5);
        EXPECT_LE(at, static_cast<double>(size) - (extension == Extension::GridWrap ? 0.0 : 0.5));
      }
    }
  }
}

// Linear interpolation that continues with the end samples.
TEST(TextureSpline, NearestIsTheEndOfTheLine)
{
  Random             random(__LINE__);
  RandomGrid<1>      grid(random, false);
  const Extension    nearest[1]{ Extension::Nearest };
  const TexelGrid<1> texels(grid.extent, nearest, grid.coefficients, 1);
  const auto         exact = [&texels](const float(&at)[1]) { return static_cast<float>(texels.Exact(at)); };
  for (const double outside : { 0.1, 0.5, 1.0, 3.7, 1e6 })
  {
    const double below[1]{ static_cast<double>(grid.start[0]) - outside };
    const double above[1]{ static_cast<double>(grid.start[0] + grid.size[0] - 1) + outside };
    EXPECT_EQ(TextureSplineValue(PairedWeights<1>(), grid.extent, nearest, below, exact), grid.coefficients.front());
    EXPECT_EQ(TextureSplineValue(PairedWeights<1>(), grid.extent, nearest, above, exact), grid.coefficients.back());
  }
}

TEST(TextureModel, HasEightBitsAndClamps)
{
  const float     texels[]{ 0.0F, 1.0F, 5.0F };
  TextureModel<1> model;
  model.texels = texels;
  model.size[0] = 3;
  const auto at = [&model](float x) {
    const float place[1]{ x };
    return model(place);
  };
  EXPECT_EQ(at(0.5F), 0.0F);
  EXPECT_EQ(at(1.5F), 1.0F);
  EXPECT_EQ(at(2.5F), 5.0F);
  EXPECT_EQ(at(2.0F), 3.0F);
  EXPECT_EQ(at(-7.0F), 0.0F);
  EXPECT_EQ(at(0.1F), 0.0F);
  EXPECT_EQ(at(11.0F), 5.0F);
  double worst = 0.0;
  for (int i = 0; i <= 10000; ++i)
  {
    const float alpha = static_cast<float>(i) / 10000.0F;
    const float value = at(0.5F + alpha);
    EXPECT_EQ(value * 256.0F, std::round(value * 256.0F));
    worst = std::max(worst, std::abs(static_cast<double>(value) - static_cast<double>(alpha)));
  }
  EXPECT_LE(worst, 0x1p-9 + 1e-6);
  EXPECT_GT(worst, 0.9 * 0x1p-9);
}

} // namespace
