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
// Energies of displacement fields on both backends. Expected: differences of linear displacements are exact, and second
// differences of quadratic ones too, on grids with any spacing and rotation. Forces are compared with central
// differences of the energy: of order 2 where it is a quadratic form, of order 4 else, also where determinants are
// negative. Fields that are stored with their axes in another order and direction have the same energy and forces.

#include "../fields/FieldCase.h"

#include "kernels/registration/spline/FieldEnergy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class FieldEnergies : public FieldsOnBackend
{
protected:
  using Sizes = std::vector<std::int64_t>;

  static FieldGrid
  MakeGrid(const Sizes & size)
  {
    FreshRandom random;
    return RandomGrid(size, random, false);
  }

  /** \param[in,out] forces to which the field's are added; null: not computed */
  static double
  Evaluate(const FieldGrid &           grid,
           const std::vector<double> & field,
           const Regularizers &        weights,
           std::vector<double> *       forces,
           const Residence &           residence,
           ScalarType                  element = ScalarType::Float64)
  {
    const FieldEnergy   energy({ grid, element }, weights, residence);
    const ResidentArray vectors = Resident(field, element, residence);
    const ResidentArray sum = Resident(forces != nullptr ? *forces : field, element, residence);
    const ResidentArray valid(sizeof(std::int64_t), residence); // all samples: forces are derivatives of the sum
    const std::int64_t  count = grid.Count();
    Upload(valid.Data(), &count, sizeof(count), residence);
    energy.Add(vectors.Data(), forces != nullptr ? sum.Data() : nullptr, valid.As<std::int64_t>());
    const double value = energy.GetValue();
    if (forces != nullptr)
    {
      *forces = Numbers(sum.Data(), forces->size(), element, residence);
    }
    return value;
  }

  /** The displacements at the samples: the result of a function of a point, component by component. */
  template <typename TFunction>
  static std::vector<double>
  MakeField(const FieldGrid & grid, const TFunction & function)
  {
    std::vector<double> field;
    for (std::int64_t sample = 0; sample < grid.Count(); ++sample)
    {
      const double index[3] = { static_cast<double>(grid.start[0] + sample % grid.size[0]),
                                static_cast<double>(grid.start[1] + sample / grid.size[0] % grid.size[1]),
                                static_cast<double>(grid.start[2] + sample / grid.size[0] / grid.size[1]) };
      double       point[3] = {};
      for (unsigned int r = 0; r < grid.dimension; ++r)
      {
        for (unsigned int c = 0; c < grid.dimension; ++c)
        {
          point[r] += grid.indexToPoint[r][c] * index[c];
        }
      }
      for (unsigned int component = 0; component < grid.dimension; ++component)
      {
        field.push_back(function(component, point));
      }
    }
    return field;
  }

  static std::vector<double>
  MakeRandom(const FieldGrid & grid, double largest)
  {
    FreshRandom         random;
    std::vector<double> field(static_cast<std::size_t>(grid.Count()) * grid.dimension);
    for (double & number : field)
    {
      number = random.Uniform(-largest, largest);
    }
    return field;
  }
};

/** u = A x: the energies are functions of A. Bending is 0. */
TEST_P(FieldEnergies, OfLinearDisplacements)
{
  const Residence residence = this->MakeResidence();
  for (const Sizes & size : { Sizes{ 4, 7 }, { 5, 6, 4 }, { 5, 6, 1 } })
  {
    const FieldGrid grid = MakeGrid(size);
    const auto      dimension = grid.dimension;
    FreshRandom     random;
    double          matrix[3][3] = {};
    for (unsigned int n = 0; n < dimension * dimension; ++n)
    {
      matrix[n / dimension][n % dimension] = random.Uniform(-0.2, 0.2);
    }
    const std::vector<double> field = MakeField(grid, [&](unsigned int component, const double(&x)[3]) {
      return 3.0 + matrix[component][0] * x[0] + matrix[component][1] * x[1] + matrix[component][2] * x[2];
    });
    EXPECT_NEAR(Evaluate(grid, field, { 1.0, 0.0, 0.0, 0.0 }, nullptr, residence), 0.0, 1e-18);
    if (dimension == 3 && size[2] == 1) // no derivative across the slice
    {
      EXPECT_GT(Evaluate(grid, field, { 0.0, 1.0, 0.0, 0.0 }, nullptr, residence), 0.0);
      continue;
    }
    double strain = 0.0;
    double square = VariationSmoothing * VariationSmoothing;
    double stretched[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
    for (unsigned int n = 0; n < 9; ++n)
    {
      strain += std::pow(0.5 * (matrix[n / 3][n % 3] + matrix[n % 3][n / 3]), 2);
      square += std::pow(matrix[n / 3][n % 3], 2);
      stretched[n / 3][n % 3] += matrix[n / 3][n % 3];
    }
    double determinant = 0.0;
    for (unsigned int c = 0; c < 3; ++c)
    {
      determinant += stretched[0][c] * (stretched[1][(c + 1) % 3] * stretched[2][(c + 2) % 3] -
                                        stretched[1][(c + 2) % 3] * stretched[2][(c + 1) % 3]);
    }
    EXPECT_NEAR(Evaluate(grid, field, { 0.0, 2.0, 0.0, 0.0 }, nullptr, residence), 2.0 * strain, 1e-10 * strain);
    EXPECT_NEAR(
      Evaluate(grid, field, { 0.0, 0.0, 1.0, 0.0 }, nullptr, residence), std::sqrt(square) - VariationSmoothing, 1e-10);
    EXPECT_NEAR(
      Evaluate(grid, field, { 0.0, 0.0, 0.0, 1.0 }, nullptr, residence), determinant + 1.0 / determinant - 2.0, 1e-10);
  }
}

/** u_c = x' A_c x: the Hessian of a component is A_c + A_c'. Samples at an end of an axis have no second difference
 * along it. */
TEST_P(FieldEnergies, OfQuadraticDisplacements)
{
  const Residence residence = this->MakeResidence();
  for (const Sizes & size : { Sizes{ 4, 7 }, { 9, 4, 6 } })
  {
    const FieldGrid grid = MakeGrid(size);
    FreshRandom     random;
    double          matrix[3][3][3] = {};
    for (unsigned int n = 0; n < 27; ++n)
    {
      const bool isUsed = std::max({ n / 9, n / 3 % 3, n % 3 }) < grid.dimension;
      matrix[n / 9][n / 3 % 3][n % 3] = isUsed ? random.Uniform(-0.1, 0.1) : 0.0;
    }
    const std::vector<double> field = MakeField(grid, [&](unsigned int component, const double(&x)[3]) {
      double sum = 0.0;
      for (unsigned int n = 0; n < 9; ++n)
      {
        sum += x[n / 3] * matrix[component][n / 3][n % 3] * x[n % 3];
      }
      return sum;
    });
    // The Hessian in the axes of the grid, whose unit vectors are orthogonal.
    double expected = 0.0;
    for (unsigned int component = 0; component < grid.dimension; ++component)
    {
      for (unsigned int a = 0; a < grid.dimension; ++a)
      {
        for (unsigned int b = 0; b < grid.dimension; ++b)
        {
          double second = 0.0;
          for (unsigned int n = 0; n < 9; ++n)
          {
            second += (matrix[component][n / 3][n % 3] + matrix[component][n % 3][n / 3]) *
                      grid.indexToPoint[n / 3][a] / grid.spacing[a] * grid.indexToPoint[n % 3][b] / grid.spacing[b];
          }
          double share = 1.0; // of the samples that have this difference
          for (const unsigned int axis : { a, b })
          {
            share *= static_cast<double>(grid.size[axis] - 2) / static_cast<double>(grid.size[axis]);
          }
          share = a == b ? std::sqrt(share) : share;
          expected += share * second * second;
        }
      }
    }
    EXPECT_NEAR(Evaluate(grid, field, { 1.0, 0.0, 0.0, 0.0 }, nullptr, residence), expected, 1e-9 * expected);
  }
}

/** Forces are added, and are those of the sum over all samples. */
TEST_P(FieldEnergies, HaveTheForcesOfDifferences)
{
  const Residence residence = this->MakeResidence();
  for (const double largest : { 0.1, 3.0 })
  {
    for (const Regularizers & weights : { Regularizers{ 0.5, 0.0, 0.0, 0.0 },
                                          { 0.0, 3.0, 0.0, 0.0 },
                                          { 0.0, 0.0, 0.5, 0.0 },
                                          { 0.0, 0.0, 0.0, 3.0 },
                                          { 0.1, 0.2, 0.7, 0.2 } })
    {
      for (const Sizes & size : { Sizes{ 6, 5 }, { 5, 4, 6 }, { 2, 5, 1 } })
      {
        const FieldGrid     grid = MakeGrid(size);
        std::vector<double> field = MakeRandom(grid, largest);
        std::vector<double> forces(field.size(), 3.0);
        const auto          count = static_cast<double>(grid.Count());
        EXPECT_GE(Evaluate(grid, field, weights, &forces, residence), 0.0);
        double scale = 1.0;
        for (const double force : forces)
        {
          scale = std::max(scale, std::abs(force));
        }
        for (std::size_t n = 0; n < field.size(); ++n)
        {
          const double at = field[n];
          const auto   difference = [&](double step) {
            field[n] = at + step;
            const double after = Evaluate(grid, field, weights, nullptr, residence);
            field[n] = at - step;
            const double before = Evaluate(grid, field, weights, nullptr, residence);
            field[n] = at;
            return count * (after - before) / (2.0 * step);
          };
          constexpr double step = 1e-5;
          ASSERT_NEAR(3.0 - forces[n], (4.0 * difference(step) - difference(2.0 * step)) / 3.0, 1e-6 * scale);
        }
      }
    }
  }
}

/** The same field, stored with its axes in the order z, x, y, and z from the other end. */
TEST_P(FieldEnergies, DoNotDependOnStorage)
{
  const Residence           residence = this->MakeResidence();
  const Regularizers        weights{ 0.3, 0.2, 0.7, 0.2 };
  const FieldGrid           grid = MakeGrid({ 5, 4, 6 });
  const std::vector<double> field = MakeRandom(grid, 1.0);
  FieldGrid                 other = grid;
  const unsigned int        axes[3] = { 2, 0, 1 };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const double sign = axis == 0 ? -1.0 : 1.0;
    other.size[axis] = grid.size[axes[axis]];
    other.spacing[axis] = grid.spacing[axes[axis]];
    for (unsigned int d = 0; d < 3; ++d)
    {
      other.indexToPoint[d][axis] = sign * grid.indexToPoint[d][axes[axis]];
      other.pointToIndex[axis][d] = sign * grid.pointToIndex[axes[axis]][d];
    }
  }
  const auto offsetIn = [&](std::int64_t sample) { // offset in the first field of a sample of the other one
    std::int64_t at[3];
    at[2] = grid.size[2] - 1 - sample % other.size[0];
    at[0] = sample / other.size[0] % other.size[1];
    at[1] = sample / other.size[0] / other.size[1];
    return static_cast<std::size_t>((at[2] * grid.size[1] + at[1]) * grid.size[0] + at[0]);
  };
  std::vector<double> stored;
  for (std::int64_t sample = 0; sample < grid.Count(); ++sample)
  {
    const auto from = field.begin() + static_cast<std::ptrdiff_t>(3 * offsetIn(sample));
    stored.insert(stored.end(), from, from + 3);
  }
  std::vector<double> forces(field.size(), 0.0);
  std::vector<double> found(field.size(), 0.0);
  const double        expected = Evaluate(grid, field, weights, &forces, residence);
  EXPECT_NEAR(Evaluate(other, stored, weights, &found, residence), expected, 1e-12 * expected);
  for (std::size_t n = 0; n < found.size(); ++n)
  {
    const double force = forces[3 * offsetIn(static_cast<std::int64_t>(n / 3)) + n % 3];
    ASSERT_NEAR(found[n], force, 1e-12 * (1.0 + std::abs(force)));
  }
}

/** Any number of threads gives the same bits; a device adds the same numbers in the same order. */
TEST_P(FieldEnergies, DoNotDependOnThreads)
{
  const Regularizers   weights{ 1.0, 0.5, 0.3, 0.2 };
  const ThreadExecutor oneThread{ 1 };
  ExecutionContext     host;
  host.host = &oneThread;
  for (const ScalarType element : { ScalarType::Float64, ScalarType::Float32 })
  {
    const FieldGrid           grid = MakeGrid({ 9, 8, 7 });
    const std::vector<double> field = MakeRandom(grid, 1.0);
    std::vector<double>       forces(field.size(), 0.0);
    std::vector<double>       onHost = forces;
    const double              found = Evaluate(grid, field, weights, &forces, this->MakeResidence(), element);
    const double              expected = Evaluate(grid, field, weights, &onHost, Residence(host), element);
    EXPECT_NEAR(found, expected, this->GetParam() ? 1e-12 * expected : 0.0);
    const double tolerance = element == ScalarType::Float64 ? 1e-10 : 1e-5;
    for (std::size_t n = 0; n < forces.size(); ++n)
    {
      ASSERT_NEAR(forces[n], onHost[n], this->GetParam() ? tolerance * (1.0 + std::abs(onHost[n])) : 0.0);
    }
  }
}

TEST_P(FieldEnergies, RefuseWrongWeights)
{
  const FieldShape shape{ MakeGrid({ 5, 4 }), ScalarType::Float64 };
  for (const double weight : { -1.0, std::nan(""), HUGE_VAL })
  {
    EXPECT_THROW(FieldEnergy(shape, { 0.0, weight, 0.0, 0.0 }, this->MakeResidence()), std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FieldEnergies, testing::Bool(), NameOfBackend);

} // namespace
