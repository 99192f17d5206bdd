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
// The evaluation of splines.
//
// Expected values: polynomials up to the order from their exact coefficients (Appell polynomials of the B-spline's
// moments); sums over the folded support in long double (ReferenceSpline.h). Tolerance: what SplineValue() documents,
// VDimension (VOrder + 4) units of rounding of max|c|. Derivatives: their weights' absolute values sum to at most 2,
// and each is a difference: twice that, and 2 (VOrder + 1) units more.

#include "SplineGrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::SplineValue;
using itk::CudaSpline::SplineValueAndDerivative;

/** The coefficient at u of the spline of order n that equals u^m: from E[(u + S)^m] of the B-spline as a density. */
long double
AppellPolynomial(unsigned int n, unsigned int m, long double u)
{
  const long double second = (n + 1) / 12.0L;
  const long double fourth = 3 * second * second - (n + 1) / 120.0L;
  switch (m)
  {
    case 0:
      return 1;
    case 1:
      return u;
    case 2:
      return u * u - second;
    case 3:
      return u * (u * u - 3 * second);
    case 4:
      return u * u * (u * u - 6 * second) + 6 * second * second - fourth;
    default:
      return u * (u * u * (u * u - 10 * second) + 30 * second * second - 5 * fourth);
  }
}

/** Products of one random polynomial of degree \p order per axis; each value is at most about 1. */
template <unsigned int VDimension, unsigned int VOrder, typename T>
void
ExpectPolynomials()
{
  SCOPED_TRACE("dimension " + std::to_string(VDimension));
  Random                          random(__LINE__ + VDimension);
  const std::int64_t              size = 2 * VOrder + 4;
  const std::vector<std::int64_t> start = [&] {
    std::vector<std::int64_t> values;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      values.push_back(random.Integer(-20, 20));
    }
    return values;
  }();
  Grid<VDimension, T>              grid(std::vector<std::int64_t>(VDimension, size), start);
  const long double                scale = 0.5L * size;
  std::vector<std::vector<double>> factors;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    factors.push_back(random.Values(VOrder + 1, -1.0, 1.0));
  }
  double largest = 0;
  for (std::size_t at = 0; at < grid.elements.size(); ++at)
  {
    long double product = 1;
    std::size_t rest = at;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const long double u = static_cast<long double>(rest % static_cast<std::size_t>(size)) - scale;
      rest /= static_cast<std::size_t>(size);
      long double sum = 0;
      for (unsigned int m = 0; m <= VOrder; ++m)
      {
        sum += factors[d][m] * AppellPolynomial(VOrder, m, u) / std::pow(scale, static_cast<long double>(m));
      }
      product *= sum;
    }
    grid.elements[at] = static_cast<T>(product);
    largest = std::max(largest, static_cast<double>(std::abs(product)));
  }
  for (int trial = 0; trial < 100; ++trial)
  {
    double                              index[VDimension];
    std::array<long double, VDimension> value;
    std::array<long double, VDimension> slope;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = static_cast<double>(start[d]) + random.Uniform(VOrder, static_cast<double>(size - 1 - VOrder));
      const long double y = (index[d] - static_cast<long double>(start[d]) - scale) / scale;
      value[d] = 0;
      slope[d] = 0;
      for (unsigned int m = VOrder + 1; m-- > 0;)
      {
        slope[d] = slope[d] * y + value[d];
        value[d] = value[d] * y + factors[d][m];
      }
      slope[d] /= scale;
    }
    long double expected = 1;
    for (const long double factor : value)
    {
      expected *= factor;
    }
    // One unit more: the coefficients are rounded once.
    const T computed = SplineValue<VOrder, T>(grid.grid, index);
    EXPECT_NEAR(computed,
                static_cast<double>(expected),
                ValueBound<T>(VOrder, VDimension, largest) + UnitOfRounding<T> * largest);
    T both;
    T derivative[VDimension];
    SplineValueAndDerivative<VOrder>(grid.grid, index, both, derivative);
    EXPECT_EQ(both, computed);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      long double expectedDerivative = slope[d];
      for (unsigned int e = 0; e < VDimension; ++e)
      {
        expectedDerivative *= e == d ? 1 : value[e];
      }
      EXPECT_NEAR(derivative[d],
                  static_cast<double>(expectedDerivative),
                  DerivativeBound<T>(VOrder, VDimension, largest) + 2 * UnitOfRounding<T> * largest);
    }
  }
}

TEST(SplineEvaluation, PolynomialsUpToTheOrder)
{
  ForOrders<0, 5>([](auto order) {
    ExpectPolynomials<1, order(), double>();
    ExpectPolynomials<2, order(), double>();
    ExpectPolynomials<3, order(), double>();
    ExpectPolynomials<2, order(), float>();
  });
  ExpectPolynomials<4, 3, double>();
}

/** Axes of 1 sample and more, any extension for each axis, points inside, outside and far outside. */
template <unsigned int VDimension, unsigned int VOrder, typename T>
void
ExpectFolded(int grids)
{
  SCOPED_TRACE("dimension " + std::to_string(VDimension));
  Random random(__LINE__ + VDimension);
  for (int trial = 0; trial < grids; ++trial)
  {
    std::vector<std::int64_t> size;
    std::vector<std::int64_t> start;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      size.push_back(random.Integer(1, random.Integer(1, 8)));
      start.push_back(random.Integer(-5, 5));
    }
    Grid<VDimension, T> grid(size, start);
    grid.Fill(random);
    const ReferenceSpline reference = grid.Reference(VOrder);
    for (int point = 0; point < 20; ++point)
    {
      const double margin = point % 4 == 0 ? 25.0 : 0.5;
      double       index[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] =
          random.Uniform(static_cast<double>(start[d]) - margin, static_cast<double>(start[d] + size[d] - 1) + margin);
      }
      const std::vector<double> at(index, index + VDimension);
      T                         value;
      T                         derivative[VDimension];
      SplineValueAndDerivative<VOrder>(grid.grid, index, value, derivative);
      EXPECT_NEAR(value, static_cast<double>(reference.Value(at)), ValueBound<T>(VOrder, VDimension, 1.0));
      EXPECT_EQ(value, (SplineValue<VOrder, T>(grid.grid, index)));
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        EXPECT_NEAR(
          derivative[d], static_cast<double>(reference.Derivative(at, d)), DerivativeBound<T>(VOrder, VDimension, 1.0));
      }
    }
  }
}

TEST(SplineEvaluation, FoldedReference)
{
  ForOrders<0, 5>([](auto order) {
    ExpectFolded<1, order(), double>(100);
    ExpectFolded<2, order(), double>(50);
    ExpectFolded<3, order(), double>(20);
    ExpectFolded<1, order(), float>(100);
    ExpectFolded<3, order(), float>(20);
  });
  ExpectFolded<4, 3, double>(5);
}

} // namespace
