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
// Identities of tensor-product sums and of the evaluation of splines.
//
// Expected values: the same sum by the other path (folded or not), in a shifted index space, in the other coordinate
// type: the same bits; central differences; linear interpolation and the nearest sample for orders 1 and 0; sums in
// long double for arbitrary weights. Tolerance: where bits are not the same, what SplineValue() documents
// (SplineGrid.h) and the bound in the test.

#include "itkCudaSpline/math/LinearEvaluation.h"

#include "SplineGrid.h"

#include <cmath>
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::ContiguousTaps;
using itk::CudaSpline::FoldedTaps;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::LinearValue;
using itk::CudaSpline::NearestIndex;
using itk::CudaSpline::SplineValue;
using itk::CudaSpline::SplineValueAndDerivative;
using itk::CudaSpline::BasisSupport;
using itk::CudaSpline::Derivatives;
using itk::CudaSpline::Jet;
using itk::CudaSpline::SplineBasis;
using itk::CudaSpline::SplineDerivativeWeights;
using itk::CudaSpline::SplineSecondDerivativeWeights;
using itk::CudaSpline::SplineWeights;
using itk::CudaSpline::SumOverSupport;
using itk::CudaSpline::TensorProductSum;
using itk::CudaSpline::TensorWeights;

// Both ways to sum have the same bits where no tap needs folding: folding does not change the order of the sum.
TEST(SplineEvaluation, FoldingChangesNoBitInside)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    Grid<2, float>         grid({ 12, 9 }, { -3, 4 });
    grid.Fill(random);
    for (int trial = 0; trial < 50; ++trial)
    {
      const double                           index[2] = { random.Uniform(0.0, 5.0), random.Uniform(7.0, 9.0) };
      BasisSupport<SplineBasis<n>, 2, float> support(index, grid.grid.extent);
      TensorWeights<2, n + 1, Derivatives::Second, float> weights;
      for (unsigned int d = 0; d < 2; ++d)
      {
        SplineWeights<n>(support.position[d], weights.value[d]);
        SplineDerivativeWeights<n>(support.position[d], weights.first[d]);
        SplineSecondDerivativeWeights<n>(support.position[d], weights.second[d]);
      }
      ASSERT_TRUE(support.inside);
      Jet<2, float> direct;
      Jet<2, float> folded;
      SumOverSupport(grid.grid, support, weights, direct);
      support.inside = false;
      SumOverSupport(grid.grid, support, weights, folded);
      EXPECT_EQ(folded.value, direct.value);
      EXPECT_TRUE(std::equal(std::begin(folded.gradient), std::end(folded.gradient), direct.gradient));
      EXPECT_TRUE(std::equal(std::begin(folded.hessian), std::end(folded.hessian), direct.hessian));
    }
  });
}

TEST(SplineEvaluation, InsideMeansThatNoTapLeaves)
{
  ForOrders<0, 5>([](auto order) {
    constexpr unsigned int n = order();
    GridExtent<1>          extent;
    extent.start[0] = -2;
    extent.size[0] = 8;
    for (double x = -4.0; x < 8.0; x += 0.125)
    {
      const double                                  index[1] = { x };
      const BasisSupport<SplineBasis<n>, 1, double> support(index, extent);
      const std::int64_t                            first = ReferenceSupportStart(n, x);
      EXPECT_EQ(support.start[0], first + 2) << x;
      EXPECT_EQ(support.inside, first >= -2 && first + static_cast<std::int64_t>(n) <= 5) << x;
    }
  });
}

// A shift of the index space does not change values; the type of a coordinate only rounds the coordinate.
TEST(SplineEvaluation, IndexSpaceAndCoordinateType)
{
  Random random(__LINE__);
  ForOrders<0, 5>([&](auto order) {
    constexpr unsigned int n = order();
    Grid<2, double>        grid({ 7, 5 }, { 0, 0 });
    grid.Fill(random);
    Grid<2, double> moved({ 7, 5 }, { -100, 57 });
    moved.elements = grid.elements;
    moved.grid.data = moved.elements.data();
    for (unsigned int d = 0; d < 2; ++d)
    {
      moved.grid.extension[d] = grid.grid.extension[d];
    }
    for (int trial = 0; trial < 100; ++trial)
    {
      const double x = static_cast<double>(random.Integer(-512, 6 * 1024)) / 1024;
      const double y = static_cast<double>(random.Integer(-512, 4 * 1024)) / 1024;
      const double here[2] = { x, y };
      const double there[2] = { x - 100, y + 57 };
      const float  single[2] = { static_cast<float>(x), static_cast<float>(y) };
      const double value = SplineValue<n, double>(grid.grid, here);
      EXPECT_EQ((SplineValue<n, double>(moved.grid, there)), value);
      EXPECT_EQ((SplineValue<n, double>(grid.grid, single)), value);
    }
  });
}

// Central differences: their error is h^2/6 max|f'''|, at most h^2/6 8 max|c|, and the rounding of the values over h.
TEST(SplineEvaluation, FiniteDifferences)
{
  Random random(__LINE__);
  ForOrders<3, 5>([&](auto order) {
    constexpr unsigned int n = order();
    Grid<3, double>        grid({ 6, 7, 5 }, { 1, -2, 0 });
    grid.Fill(random);
    const double step = 0x1p-13;
    for (int trial = 0; trial < 100; ++trial)
    {
      const double index[3] = { random.Uniform(0.5, 6.5), random.Uniform(-2.5, 4.5), random.Uniform(-0.5, 4.5) };
      double       value;
      double       derivative[3];
      SplineValueAndDerivative<n>(grid.grid, index, value, derivative);
      for (unsigned int d = 0; d < 3; ++d)
      {
        double up[3] = { index[0], index[1], index[2] };
        double down[3] = { index[0], index[1], index[2] };
        up[d] += step;
        down[d] -= step;
        const double difference =
          (SplineValue<n, double>(grid.grid, up) - SplineValue<n, double>(grid.grid, down)) / (up[d] - down[d]);
        EXPECT_NEAR(difference, derivative[d], step * step * 8 / 6 + 2 * ValueBound<double>(n, 3, 1.0) / step);
      }
    }
  });
}

TEST(SplineEvaluation, OrderOneIsLinear)
{
  Random          random(__LINE__);
  Grid<3, double> grid({ 5, 6, 4 }, { 3, -3, 0 });
  grid.Fill(random);
  for (int trial = 0; trial < 500; ++trial)
  {
    const double index[3] = { random.Uniform(3.0, 7.0), random.Uniform(-3.0, 2.0), random.Uniform(0.0, 3.0) };
    // A nested interpolation a + (b - a) t rounds values of up to 2 three times per axis.
    EXPECT_NEAR((SplineValue<1, double>(grid.grid, index)),
                LinearValue(grid.grid.data, grid.grid.extent, index),
                ValueBound<double>(1, 3, 1.0) + 3 * 5 * UnitOfRounding<double>);
  }
}

TEST(SplineEvaluation, OrderZeroIsTheNearestSample)
{
  Random          random(__LINE__);
  Grid<2, double> grid({ 9, 7 }, { -4, 2 });
  grid.Fill(random);
  for (int trial = 0; trial < 500; ++trial)
  {
    // On a lattice that has no halves, so that the float floor of the support decides as the nearest index does.
    const double index[2] = { static_cast<double>(random.Integer(-4 * 16 - 7, 4 * 16 + 7)) / 16,
                              static_cast<double>(random.Integer(2 * 16 - 7, 8 * 16 + 7)) / 16 };
    if (index[0] - std::floor(index[0]) == 0.5 || index[1] - std::floor(index[1]) == 0.5)
    {
      continue;
    }
    const std::int64_t at = NearestIndex(index[0]) + 4 + 9 * (NearestIndex(index[1]) - 2);
    EXPECT_EQ((SplineValue<0, double>(grid.grid, index)), grid.elements[static_cast<std::size_t>(at)]);
  }
}

// Value, gradient and Hessian against sums in long double, with any weights, strides and offsets, and a border value.
TEST(TensorProduct, AnyWeightsStridesAndOffsets)
{
  Random                    random(__LINE__);
  const std::vector<double> data = random.Values(1000, -1.0, 1.0);
  for (int trial = 0; trial < 100; ++trial)
  {
    ContiguousTaps<3, double> contiguous;
    FoldedTaps<3, 4, double>  folded;
    const std::int64_t        base = random.Integer(0, 100);
    contiguous.data = data.data() + base;
    folded.data = data.data() + base;
    folded.border = random.Uniform(-1.0, 1.0);
    TensorWeights<3, 4, Derivatives::Second, double> weights;
    for (unsigned int d = 0; d < 3; ++d)
    {
      contiguous.stride[d] = d == 0 ? 1 : random.Integer(0, 90);
      for (unsigned int k = 0; k < 4; ++k)
      {
        weights.value[d][k] = random.Uniform(-1.0, 1.0);
        weights.first[d][k] = random.Uniform(-1.0, 1.0);
        weights.second[d][k] = random.Uniform(-1.0, 1.0);
        folded.offset[d][k] = contiguous.Offset(d, k);
      }
    }
    const bool isBordered = trial % 2 == 1;
    if (isBordered)
    {
      folded.offset[random.Integer(0, 2)][random.Integer(0, 3)] = itk::CudaSpline::OffsetOutside;
    }
    // orders[axis] of the derivative along each axis
    const auto sum = [&](std::array<int, 3> orders) {
      long double all = 0;
      for (unsigned int tap = 0; tap < 64; ++tap)
      {
        const unsigned int k[3] = { tap % 4, tap / 4 % 4, tap / 16 };
        std::int64_t       at = 0;
        long double        weight = 1;
        for (unsigned int d = 0; d < 3; ++d)
        {
          const auto & ofAxis =
            orders[d] == 0 ? weights.value[d] : (orders[d] == 1 ? weights.first[d] : weights.second[d]);
          weight *= ofAxis[k[d]];
          at += folded.offset[d][k[d]];
        }
        all += weight * (at < 0 ? folded.border : folded.data[at]);
      }
      return static_cast<double>(all);
    };
    Jet<3, double> jet;
    TensorProductSum(folded, weights, jet);
    // At most 64 products of absolute value up to 1, each rounded at most 3 + 12 times.
    const double bound = 64 * 15 * UnitOfRounding<double>;
    EXPECT_NEAR(jet.value, sum({ 0, 0, 0 }), bound);
    for (unsigned int r = 0; r < 3; ++r)
    {
      std::array<int, 3> first{};
      ++first[r];
      EXPECT_NEAR(jet.gradient[r], sum(first), bound);
      for (unsigned int c = r; c < 3; ++c)
      {
        std::array<int, 3> second = first;
        ++second[c];
        EXPECT_NEAR(jet.hessian[itk::CudaSpline::SymmetricEntry(r, c, 3)], sum(second), bound) << r << c;
      }
    }
    if (!isBordered)
    {
      Jet<3, double> direct;
      TensorProductSum(contiguous, weights, direct);
      EXPECT_EQ(direct.value, jet.value);
      EXPECT_TRUE(std::equal(std::begin(direct.hessian), std::end(direct.hessian), jet.hessian));
    }
  }
}

} // namespace
