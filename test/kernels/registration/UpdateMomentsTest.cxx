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
// Updates of momentum and of Adam. Expected: the formulas of Kingma and Ba (2015) by plain loops in double, with the
// squared length of a vector instead of squared components. No update is longer than a step. Updates do not depend on
// the scale of forces, and mirrored axes mirror them. Alternating forces cancel each other. Host and device round
// identically, except for square roots.

#include "../fields/FieldCase.h"

#include "kernels/registration/forces/UpdateMoments.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class Moments : public FieldsOnBackend
{
protected:
  /** The updates of some forces. */
  static std::vector<std::vector<double>>
  MakeUpdates(const FieldShape &                       shape,
              const std::vector<std::vector<double>> & forces,
              FieldOptimizer                           optimizer,
              double                                   length,
              const Residence &                        residence)
  {
    UpdateMoments moments;
    moments.Reserve(shape, optimizer, residence);
    const ResidentArray              maximum(sizeof(double), residence);
    const ResidentArray              scratch(MaximumNormScratch, residence);
    std::vector<std::vector<double>> updates;
    for (const std::vector<double> & force : forces)
    {
      const auto update = Resident(force, shape.element, residence);
      FindMaximumNorm(shape, update.Data(), maximum.As<double>(), scratch.Data(), residence);
      moments.Reserve(shape, optimizer, residence); // existing moments are kept
      moments.MakeUpdate(shape, update.Data(), maximum.As<double>(), length, update.Data(), residence);
      updates.push_back(Numbers(update.Data(), force.size(), shape.element, residence));
    }
    return updates;
  }

  static double
  NormOf(const FieldGrid & grid, const std::vector<double> & field, std::int64_t sample)
  {
    double square = 0.0;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      square += std::pow(field[static_cast<std::size_t>(sample * grid.dimension + d)] / grid.spacing[d], 2.0);
    }
    return std::sqrt(square);
  }

  static double
  LargestOf(const FieldGrid & grid, const std::vector<double> & field)
  {
    double largest = 0.0;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      largest = std::max(largest, NormOf(grid, field, n));
    }
    return largest;
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, Moments, testing::Bool(), NameOfBackend);

constexpr FieldOptimizer OptimizersWithMoments[] = { FieldOptimizer::Momentum, FieldOptimizer::Adam };

} // namespace

TEST_P(Moments, AreThoseOfPlainLoops)
{
  FreshRandom      random;
  const Residence  residence = this->MakeResidence();
  constexpr double length = 0.4;
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const FieldOptimizer optimizer : OptimizersWithMoments)
      {
        SCOPED_TRACE(Describe(size, type));
        const FieldShape                 shape{ RandomGrid(size, random), type };
        const FieldGrid &                grid = shape.grid;
        std::vector<std::vector<double>> forces;
        for (int n = 0; n < 4; ++n)
        {
          forces.push_back(RandomField(grid, 7.0, n % 2 == 0, random));
        }
        const auto          updates = MakeUpdates(shape, forces, optimizer, length, residence);
        std::vector<double> mean(forces[0].size(), 0.0);
        std::vector<double> squares(static_cast<std::size_t>(grid.Count()), 0.0);
        for (std::size_t t = 0; t < forces.size(); ++t)
        {
          const double weight = 1.0 - std::pow(FirstDecay, static_cast<double>(t + 1));
          const double squareWeight = 1.0 - std::pow(SecondDecay, static_cast<double>(t + 1));
          const double largest = LargestOf(grid, forces[t]);
          for (std::int64_t n = 0; n < grid.Count(); ++n)
          {
            double &     square = squares[static_cast<std::size_t>(n)];
            const double norm = NormOf(grid, forces[t], n) / largest;
            square = SecondDecay * square + (1.0 - SecondDecay) * norm * norm;
            const double divisor =
              optimizer == FieldOptimizer::Adam ? std::sqrt(square / squareWeight) + AdamRegularization : 1.0;
            for (unsigned int d = 0; d < grid.dimension; ++d)
            {
              const auto i = static_cast<std::size_t>(n * grid.dimension + d);
              mean[i] = FirstDecay * mean[i] + (1.0 - FirstDecay) * forces[t][i] / largest;
            }
            const double scale = length / weight / divisor;
            const double longest = std::max(1.0, scale * NormOf(grid, mean, n) / length);
            for (unsigned int d = 0; d < grid.dimension; ++d)
            {
              const auto i = static_cast<std::size_t>(n * grid.dimension + d);
              ASSERT_NEAR(updates[t][i], scale * mean[i] / longest, type == ScalarType::Float32 ? 4e-6 : 1e-13);
            }
          }
          EXPECT_LE(LargestOf(grid, updates[t]), length * (1.0 + 1e-6));
        }
      }
    }
  }
}

TEST_P(Moments, DoNotDependOnScaleAndSignOfForces)
{
  FreshRandom                      random;
  const Residence                  residence = this->MakeResidence();
  const FieldShape                 shape{ RandomGrid({ 17, 13, 11 }, random), ScalarType::Float64 };
  std::vector<std::vector<double>> forces{ RandomField(shape.grid, 1.0, true, random),
                                           RandomField(shape.grid, 1.0, true, random) };
  auto                             scaled = forces;
  for (auto & force : scaled)
  {
    std::transform(force.begin(), force.end(), force.begin(), [](double number) { return -1024.0 * number; });
  }
  for (const FieldOptimizer optimizer : OptimizersWithMoments)
  {
    const auto updates = MakeUpdates(shape, forces, optimizer, 0.5, residence);
    const auto others = MakeUpdates(shape, scaled, optimizer, 0.5, residence);
    for (std::size_t i = 0; i < updates[1].size(); ++i)
    {
      ASSERT_EQ(others[1][i], -updates[1][i]);
    }
  }
}

TEST_P(Moments, BecomeShortWhereForcesAlternate)
{
  FreshRandom                      random;
  const Residence                  residence = this->MakeResidence();
  const FieldShape                 shape{ RandomGrid({ 17, 13, 11 }, random), ScalarType::Float32 };
  const auto                       force = RandomField(shape.grid, 1.0, true, random);
  auto                             opposite = force;
  std::vector<std::vector<double>> forces;
  std::transform(force.begin(), force.end(), opposite.begin(), [](double number) { return -number; });
  for (int n = 0; n < 30; ++n)
  {
    forces.push_back(n % 2 == 0 ? force : opposite);
  }
  for (const FieldOptimizer optimizer : OptimizersWithMoments)
  {
    const auto updates = MakeUpdates(shape, forces, optimizer, 0.5, residence);
    EXPECT_GT(LargestOf(shape.grid, updates.front()), 0.4);
    EXPECT_LT(LargestOf(shape.grid, updates.back()), 0.05);
  }
}

TEST_P(Moments, OfNoForceAreZero)
{
  FreshRandom               random;
  const Residence           residence = this->MakeResidence();
  const FieldShape          shape{ RandomGrid({ 9, 7 }, random), ScalarType::Float32 };
  const std::vector<double> none(static_cast<std::size_t>(shape.Numbers()), 0.0);
  for (const FieldOptimizer optimizer : OptimizersWithMoments)
  {
    EXPECT_EQ(MakeUpdates(shape, { none, none }, optimizer, 0.5, residence)[1], none);
  }
}
