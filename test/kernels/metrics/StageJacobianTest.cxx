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
#include "../common/KernelTestData.h"
#include "kernels/metrics/samples/OuterStages.h"
#include "kernels/transforms/TransformStages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Jacobians by position of stages: of B-splines against differences of the way itself, of displacement fields
 * against ITK's formula, written plainly. */

namespace
{

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

/** The numbers of a field or grid, and where it is: oblique, of other spacings along each axis. */
template <unsigned int VDimension>
struct OwnStage
{
  TransformChain::Stage      description;
  std::vector<double>        numbers;
  double                     indexToPoint[VDimension][VDimension]{};
  TransformStage<VDimension> stage;

  OwnStage(TransformKind kind, int order, FreshRandom & random)
  {
    description.kind = kind;
    description.order = order;
    double       inverse[VDimension][VDimension]{};
    const double angle = random.Uniform(0.2, 0.6);
    std::int64_t count = VDimension;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double spacing = random.Uniform(1.0, 3.0); // mm
      double       axis[VDimension]{};
      axis[d] = 1.0;
      if (d < 2)
      {
        axis[d] = std::cos(angle);
        axis[1 - d] = d == 0 ? std::sin(angle) : -std::sin(angle);
      }
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        indexToPoint[r][d] = spacing * axis[r];
        inverse[d][r] = axis[r] / spacing;
      }
      description.size[d] = 7 + d;
      description.start[d] = kind == TransformKind::DisplacementField ? 3 - static_cast<std::int64_t>(d) : 0;
      description.origin[d] = random.Uniform(-2.0, 2.0);
      count *= description.size[d];
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      std::copy_n(inverse[r], VDimension, description.pointToIndex[r].begin());
    }
    for (std::int64_t n = 0; n < count; ++n)
    {
      numbers.push_back(random.Uniform(-1.0, 1.0)); // mm
    }
    stage = MakeStage<VDimension>(description, numbers.data());
  }

  /** The place of a continuous index (mm). */
  void
  PlaceOf(const double (&index)[VDimension], double (&point)[VDimension]) const
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      point[r] = description.origin[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        point[r] += indexToPoint[r][c] * index[c];
      }
    }
  }

  /** A number of a field's sample, at an offset from the first one. */
  double
  Number(const std::int64_t (&at)[VDimension], unsigned int component) const
  {
    std::int64_t sample = 0;
    for (unsigned int d = VDimension; d-- > 0;)
    {
      sample = sample * description.size[d] + at[d];
    }
    return numbers[static_cast<std::size_t>(sample * VDimension + component)];
  }
};

template <unsigned int VDimension>
void
ExpectIdentity(const double (&jacobian)[VDimension][VDimension])
{
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      EXPECT_EQ(jacobian[r][c], r == c ? 1.0 : 0.0);
    }
  }
}

template <unsigned int VDimension>
void
CompareField(FreshRandom & random)
{
  const OwnStage<VDimension> field(TransformKind::DisplacementField, 0, random);
  int                        inner = 0;
  for (int trial = 0; trial < 400; ++trial)
  {
    double       index[VDimension];
    double       point[VDimension];
    double       moved[VDimension];
    double       jacobian[VDimension][VDimension];
    std::int64_t at[VDimension];
    bool         isInner = true;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto size = field.description.size[d];
      const auto start = static_cast<double>(field.description.start[d]);
      at[d] = -1 + static_cast<std::int64_t>(random.Engine()() % static_cast<std::uint64_t>(size + 2));
      index[d] = start + static_cast<double>(at[d]) + random.Uniform(-0.49, 0.49); // at is the nearest sample
      isInner = isInner && at[d] > 0 && at[d] < size - 1;
    }
    field.PlaceOf(index, point);
    std::copy_n(point, VDimension, moved);
    WalkWithJacobian(&field.stage, 1, point, jacobian);
    field.stage.Apply(moved);
    EXPECT_TRUE(std::equal(moved, moved + VDimension, point));
    if (!isInner)
    {
      ExpectIdentity<VDimension>(jacobian);
      continue;
    }
    ++inner;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      double expected[VDimension]{};
      expected[r] = 1.0;
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        const auto value = [&](std::int64_t step) {
          std::int64_t there[VDimension];
          std::copy_n(at, VDimension, there);
          there[axis] = std::clamp<std::int64_t>(at[axis] + step, 0, field.description.size[axis] - 1);
          return field.Number(there, r);
        };
        const double slope = (value(-2) - 8.0 * value(-1) + 8.0 * value(1) - value(2)) / 12.0;
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          expected[c] += slope * field.description.pointToIndex[axis][c];
        }
      }
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        EXPECT_NEAR(jacobian[r][c], expected[c], 1e-14); // some roundings of numbers of about 1
      }
    }
  }
  EXPECT_GT(inner, 50);
  double nowhere[VDimension];
  double jacobian[VDimension][VDimension];
  for (const double far : { std::numeric_limits<double>::quiet_NaN(), 1e300, -1e300 })
  {
    std::fill_n(nowhere, VDimension, far);
    WalkWithJacobian(&field.stage, 1, nowhere, jacobian);
    ExpectIdentity<VDimension>(jacobian);
  }
}

TEST(StageJacobian, OfFieldsIsItksDifference)
{
  FreshRandom random;
  CompareField<2>(random);
  CompareField<3>(random);
}

/** An affine stage, splines of an order, and an affine stage again. */
template <unsigned int VDimension>
void
CompareSplines(int order, FreshRandom & random)
{
  const OwnStage<VDimension>              grid(TransformKind::BSpline, order, random);
  std::vector<TransformStage<VDimension>> stages(3);
  stages[1] = grid.stage;
  for (const std::size_t i : { 0, 2 })
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      stages[i].map.offset[r] = random.Uniform(-0.5, 0.5);
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        stages[i].map.matrix[r][c] = (r == c ? 1.0 : 0.0) + random.Uniform(-0.05, 0.05);
      }
    }
  }
  // Central differences of cubic pieces: 1e-10, and roundings of 1e-15 by the step.
  constexpr double h = 1e-5;
  int              inner = 0;
  for (int trial = 0; trial < 300; ++trial)
  {
    double index[VDimension];
    double point[VDimension];
    double jacobian[VDimension][VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = random.Uniform(-1.0, static_cast<double>(grid.description.size[d]));
    }
    grid.PlaceOf(index, point);
    // Pieces meet at integers, or halves of even orders; there, and at the borders, differences are of two of them.
    double entering[VDimension];
    bool   isWithin = true;
    bool   isOnePiece = true;
    std::copy_n(point, VDimension, entering);
    WalkStages(stages.data(), 1, entering);
    double own[VDimension];
    PointToContinuousIndex(grid.stage.origin, grid.stage.pointToIndex, entering, own);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double margin = 0.5 * (order - 1);
      const double piece = own[d] + (order % 2 == 0 ? 0.5 : 0.0);
      isOnePiece = isOnePiece && std::abs(piece - std::round(piece)) > 10.0 * h;
      isWithin = isWithin && own[d] >= margin && own[d] < static_cast<double>(grid.description.size[d]) - 1.0 - margin;
    }
    if (!isOnePiece)
    {
      continue;
    }
    inner += isWithin ? 1 : 0;
    double walked[VDimension];
    double expectedWalk[VDimension];
    std::copy_n(point, VDimension, walked);
    std::copy_n(point, VDimension, expectedWalk);
    WalkWithJacobian(stages.data(), 3, walked, jacobian);
    WalkStages(stages.data(), 3, expectedWalk);
    EXPECT_TRUE(std::equal(walked, walked + VDimension, expectedWalk));
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double above[VDimension];
      double below[VDimension];
      std::copy_n(point, VDimension, above);
      std::copy_n(point, VDimension, below);
      above[c] += h;
      below[c] -= h;
      WalkStages(stages.data(), 3, above);
      WalkStages(stages.data(), 3, below);
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        EXPECT_NEAR(jacobian[r][c], (above[r] - below[r]) / (2.0 * h), 2e-9);
      }
    }
  }
  EXPECT_GT(inner, 20);
}

TEST(StageJacobian, OfSplinesIsTheirDerivative)
{
  FreshRandom random;
  for (const int order : { 1, 2, 3 })
  {
    SCOPED_TRACE("order " + std::to_string(order));
    CompareSplines<2>(order, random);
    CompareSplines<3>(order, random);
  }
}

} // namespace
