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
// Energies of B-splines on both backends. Expected: a cubic spline whose coefficients are a polynomial of degree 2 at
// its nodes equals that polynomial up to a constant, so its second derivatives are known; one with linear coefficients
// has a constant gradient. This holds on grids with any spacing and rotation. The gradient agrees with central
// differences of the energy up to rounding, because the energy is a quadratic form. Total variation and Jacobian
// penalty of a constant gradient are closed forms. Their gradients are compared with central differences of order 4,
// also where determinants are negative.

#include "../fields/FieldCase.h"

#include "kernels/registration/spline/SplinePointEnergy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class SplineEnergies : public FieldsOnBackend
{
protected:
  /** A rotated grid of nodes. */
  static TransformChain::Stage
  MakeSpline(const std::vector<std::int64_t> & size)
  {
    FreshRandom           random;
    const FieldGrid       grid = RandomGrid(size, random, false);
    TransformChain::Stage spline;
    spline.kind = TransformKind::BSpline;
    spline.order = 3;
    spline.size = grid.size;
    spline.origin = grid.origin;
    spline.pointToIndex = grid.pointToIndex;
    return spline;
  }

  static double
  Evaluate(const TransformChain::Stage & spline,
           const std::vector<double> &   coefficients,
           const Regularizers &          weights,
           std::vector<double> *         gradient,
           const Residence &             residence)
  {
    const auto          dimension = static_cast<unsigned int>(coefficients.size() / CountNodes(spline));
    const ResidentArray numbers = Resident(coefficients, ScalarType::Float64, residence);
    const ResidentArray derivative =
      Resident(gradient != nullptr ? *gradient : coefficients, ScalarType::Float64, residence);
    double * const derivatives = gradient != nullptr ? derivative.As<double>() : nullptr;
    double value = SplineEnergy(spline, dimension, weights, residence).Evaluate(numbers.As<double>(), derivatives);
    if (weights.HasPoints())
    {
      value += SplinePointEnergy(spline, dimension, weights, residence).Evaluate(numbers.As<double>(), derivatives);
    }
    if (gradient != nullptr)
    {
      *gradient = Numbers(derivative.Data(), gradient->size(), ScalarType::Float64, residence);
    }
    return value;
  }

  static std::size_t
  CountNodes(const TransformChain::Stage & spline)
  {
    return static_cast<std::size_t>(spline.size[0] * spline.size[1] * spline.size[2]);
  }

  static std::vector<double>
  MakeRandom(const TransformChain::Stage & spline, unsigned int dimension, double maximum = 2.0)
  {
    FreshRandom         random;
    std::vector<double> coefficients(CountNodes(spline) * dimension);
    for (double & coefficient : coefficients)
    {
      coefficient = random.Uniform(-maximum, maximum);
    }
    return coefficients;
  }
};

/** u_c = x' A_c x + b' x: the Hessian of a component is A_c + A_c'. */
TEST_P(SplineEnergies, OfQuadraticDisplacements)
{
  const Residence residence = this->MakeResidence();
  for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 4, 7 }, { 9, 4, 6 }, { 5, 6, 4 } })
  {
    const TransformChain::Stage spline = MakeSpline(size);
    const auto                  dimension = static_cast<unsigned int>(size.size());
    const FieldGrid::Matrix     toPoint = Inverse(spline.pointToIndex, dimension);
    FreshRandom                 random;
    std::vector<double>         coefficients;
    double                      expected = 0.0;
    for (unsigned int component = 0; component < dimension; ++component)
    {
      double matrix[3][3];
      double vector[3];
      for (unsigned int r = 0; r < 3; ++r)
      {
        vector[r] = random.Uniform(-1.0, 1.0);
        for (double & number : matrix[r])
        {
          number = random.Uniform(-0.1, 0.1);
        }
      }
      for (unsigned int r = 0; r < dimension; ++r)
      {
        for (unsigned int c = 0; c < dimension; ++c)
        {
          expected += (matrix[r][c] + matrix[c][r]) * (matrix[r][c] + matrix[c][r]);
        }
      }
      for (std::size_t node = 0; node < CountNodes(spline); ++node)
      {
        const auto n = static_cast<std::int64_t>(node);
        double     index[3] = { static_cast<double>(n % size[0]),
                                static_cast<double>(n / size[0] % size[1]),
                                static_cast<double>(n / size[0] / size[1]) };
        double     place[3] = {};
        double     value = 0.0;
        for (unsigned int r = 0; r < dimension; ++r)
        {
          for (unsigned int c = 0; c < dimension; ++c)
          {
            place[r] += toPoint[r][c] * index[c];
          }
        }
        for (unsigned int r = 0; r < dimension; ++r)
        {
          value += vector[r] * place[r];
          for (unsigned int c = 0; c < dimension; ++c)
          {
            value += place[r] * matrix[r][c] * place[c];
          }
        }
        coefficients.push_back(value);
      }
    }
    EXPECT_NEAR(Evaluate(spline, coefficients, { 1.0, 0.0 }, nullptr, residence), expected, 1e-10 * expected);
  }
}

/** u = A x + b: the strain is the symmetric part of A. A rotation of all displacements changes the energy, a rotation
 * of the grid does not. */
TEST_P(SplineEnergies, OfLinearDisplacements)
{
  const Residence residence = this->MakeResidence();
  for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 4, 7 }, { 5, 6, 4 } })
  {
    const TransformChain::Stage spline = MakeSpline(size);
    const auto                  dimension = static_cast<unsigned int>(size.size());
    const FieldGrid::Matrix     toPoint = Inverse(spline.pointToIndex, dimension);
    FreshRandom                 random;
    FieldGrid::Matrix           matrix{};
    double                      expected = 0.0;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      for (unsigned int c = 0; c < dimension; ++c)
      {
        matrix[r][c] = random.Uniform(-0.3, 0.3);
      }
    }
    std::vector<double> coefficients;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      for (std::size_t node = 0; node < CountNodes(spline); ++node)
      {
        const auto   n = static_cast<std::int64_t>(node);
        const double index[3] = { static_cast<double>(n % size[0]),
                                  static_cast<double>(n / size[0] % size[1]),
                                  static_cast<double>(n / size[0] / size[1]) };
        double       value = 7.0;
        for (unsigned int c = 0; c < dimension; ++c)
        {
          for (unsigned int k = 0; k < dimension; ++k)
          {
            value += matrix[r][c] * toPoint[c][k] * index[k];
          }
        }
        coefficients.push_back(value);
      }
      for (unsigned int c = 0; c < dimension; ++c)
      {
        expected += std::pow(0.5 * (matrix[r][c] + matrix[c][r]), 2);
      }
    }
    EXPECT_NEAR(Evaluate(spline, coefficients, { 0.0, 1.0 }, nullptr, residence), expected, 1e-10 * expected);
    EXPECT_NEAR(Evaluate(spline, coefficients, { 1.0, 0.0 }, nullptr, residence), 0.0, 1e-12);
    double squares = VariationSmoothing * VariationSmoothing;
    for (unsigned int n = 0; n < dimension * dimension; ++n)
    {
      squares += std::pow(matrix[n / dimension][n % dimension], 2);
      matrix[n / dimension][n % dimension] += n / dimension == n % dimension ? 1.0 : 0.0;
    }
    const double plane = matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0];
    const double determinant = dimension == 2
                                 ? plane
                                 : matrix[2][2] * plane -
                                     matrix[1][2] * (matrix[0][0] * matrix[2][1] - matrix[0][1] * matrix[2][0]) +
                                     matrix[0][2] * (matrix[1][0] * matrix[2][1] - matrix[1][1] * matrix[2][0]);
    const double variation = std::sqrt(squares) - VariationSmoothing;
    EXPECT_NEAR(Evaluate(spline, coefficients, { 0.0, 0.0, 1.0, 0.0 }, nullptr, residence), variation, 1e-12);
    EXPECT_NEAR(Evaluate(spline, coefficients, { 0.0, 0.0, 0.0, 1.0 }, nullptr, residence),
                determinant + 1.0 / determinant - 2.0,
                1e-10);
  }
}

/** Gradients are added with their weights. */
TEST_P(SplineEnergies, HaveTheGradientOfDifferences)
{
  const Residence residence = this->MakeResidence();
  for (const Regularizers & weights : { Regularizers{ 0.5, 0.0 }, { 0.0, 3.0 }, { 0.7, 0.2 } })
  {
    for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 6, 5 }, { 5, 4, 6 } })
    {
      const TransformChain::Stage spline = MakeSpline(size);
      std::vector<double>         coefficients = MakeRandom(spline, static_cast<unsigned int>(size.size()));
      std::vector<double>         gradient(coefficients.size(), 3.0);
      EXPECT_GT(Evaluate(spline, coefficients, weights, &gradient, residence), 0.0);
      for (std::size_t n = 0; n < coefficients.size(); n += 7)
      {
        const double at = coefficients[n];
        const auto   energyAt = [&](double number) {
          coefficients[n] = number;
          return Evaluate(spline, coefficients, weights, nullptr, residence);
        };
        const double difference = energyAt(at + 0.5) - energyAt(at - 0.5);
        coefficients[n] = at;
        ASSERT_NEAR(gradient[n], 3.0 + difference, 1e-6 * (1.0 + std::abs(difference)));
      }
    }
  }
}

/** Small displacements, and displacements with folds. */
TEST_P(SplineEnergies, OfPointsHaveTheGradientOfDifferences)
{
  const Residence residence = this->MakeResidence();
  for (const double largest : { 0.1, 3.0 })
  {
    for (const Regularizers & weights :
         { Regularizers{ 0.0, 0.0, 0.5, 0.0 }, { 0.0, 0.0, 0.0, 3.0 }, { 0.1, 0.2, 0.7, 0.2 } })
    {
      for (const std::vector<std::int64_t> & size : { std::vector<std::int64_t>{ 6, 5 }, { 5, 4, 6 } })
      {
        const TransformChain::Stage spline = MakeSpline(size);
        std::vector<double>         coefficients = MakeRandom(spline, static_cast<unsigned int>(size.size()), largest);
        std::vector<double>         gradient(coefficients.size(), 3.0);
        EXPECT_GT(Evaluate(spline, coefficients, weights, &gradient, residence), 0.0);
        double scale = 1.0;
        for (const double number : gradient)
        {
          scale = std::max(scale, std::abs(number));
        }
        for (std::size_t n = 0; n < coefficients.size(); n += 7)
        {
          const double at = coefficients[n];
          const auto   difference = [&](double step) {
            coefficients[n] = at + step;
            const double after = Evaluate(spline, coefficients, weights, nullptr, residence);
            coefficients[n] = at - step;
            const double before = Evaluate(spline, coefficients, weights, nullptr, residence);
            coefficients[n] = at;
            return (after - before) / (2.0 * step);
          };
          constexpr double step = 1e-5;
          ASSERT_NEAR(gradient[n] - 3.0, (4.0 * difference(step) - difference(2.0 * step)) / 3.0, 1e-6 * scale);
        }
      }
    }
  }
}

/** Any number of threads gives the same bits; a device adds the same numbers in the same order. */
TEST_P(SplineEnergies, DoNotDependOnThreads)
{
  const Regularizers          weights{ 1.0, 0.5, 0.3, 0.2 };
  const TransformChain::Stage spline = MakeSpline({ 9, 8, 7 });
  const std::vector<double>   coefficients = MakeRandom(spline, 3);
  std::vector<double>         gradient(coefficients.size(), 0.0);
  std::vector<double>         onHost = gradient;
  const ThreadExecutor        oneThread{ 1 };
  ExecutionContext            host;
  host.host = &oneThread;
  const double found = Evaluate(spline, coefficients, weights, &gradient, this->MakeResidence());
  const double expected = Evaluate(spline, coefficients, weights, &onHost, Residence(host));
  EXPECT_NEAR(found, expected, this->GetParam() ? 1e-12 * expected : 0.0);
  for (std::size_t n = 0; n < gradient.size(); ++n)
  {
    ASSERT_NEAR(gradient[n], onHost[n], this->GetParam() ? 1e-10 : 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, SplineEnergies, testing::Bool(), NameOfBackend);

} // namespace
