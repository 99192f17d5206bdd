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
#include "FieldCase.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace CudaSplineTest;

namespace
{

class FieldInversions : public FieldsOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, FieldInversions, testing::Bool(), NameOfBackend);

} // namespace

TEST_P(FieldInversions, Invert)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  int             ended = 0; // before the maximum number of iterations
  for (const auto & size : FieldSizes)
  {
    for (const ScalarType type : FieldTypes)
    {
      for (const int most : { 0, 1, 2, 20 })
      {
        SCOPED_TRACE(Describe(size, type) + " iterations " + std::to_string(most));
        const FieldShape   shape{ RandomGrid(size, random, most == 2), type };
        const FieldGrid &  grid = shape.grid;
        const unsigned int dimension = grid.dimension;
        const auto         field = RandomField(grid, 1.0, true, random);
        const auto estimate = most == 1 ? RandomField(grid, 0.5, true, random) : std::vector<double>(field.size(), 0.0);
        FieldInversion rules;
        rules.maximumIterations = most;
        rules.enforcesBoundary = most == 2; // without it errors become small, and fewer iterations are made
        const auto          input = Resident(field, type, residence);
        const auto          output = Resident(estimate, type, residence);
        const ResidentArray scratch(CountInversionScratch(shape), residence);
        const ResidentArray stateOfBackend(sizeof(FieldInversionState), residence);
        InvertField(shape,
                    input.Data(),
                    output.Data(),
                    rules,
                    stateOfBackend.As<FieldInversionState>(),
                    scratch.Data(),
                    residence);
        FieldInversionState state;
        Download(&state, stateOfBackend.Data(), sizeof(state), residence);

        // ITK's algorithm.
        auto   inverse = estimate;
        double mean = std::numeric_limits<double>::max();
        double maximum = mean;
        int    iterations = 0;
        bool   decides = true; // no error is close to a tolerance
        bool   sure = true;    // no point is at the border of the buffer
        while (iterations < most && maximum > rules.maximumTolerance && mean > rules.meanTolerance)
        {
          ++iterations;
          std::vector<Vector> errors(static_cast<std::size_t>(grid.Count()));
          std::vector<double> norms(errors.size());
          mean = maximum = 0.0;
          for (std::size_t i = 0; i < errors.size(); ++i)
          {
            sure = ComposePlainly(grid, field, grid, inverse, static_cast<std::int64_t>(i), errors[i]) && sure;
            for (unsigned int d = 0; d < dimension; ++d)
            {
              norms[i] += std::pow(errors[i][d] / grid.spacing[d], 2.0);
            }
            norms[i] = std::sqrt(norms[i]);
            mean += norms[i] / static_cast<double>(errors.size());
            maximum = std::max(maximum, norms[i]);
          }
          decides =
            decides && std::abs(maximum - rules.maximumTolerance) > 1e-4 && std::abs(mean - rules.meanTolerance) > 1e-5;
          const double epsilon = iterations == 1 ? 0.75 : 0.5;
          for (std::size_t i = 0; i < errors.size(); ++i)
          {
            const double scale = norms[i] > epsilon * maximum ? epsilon * maximum / norms[i] : 1.0;
            for (unsigned int d = 0; d < dimension; ++d)
            {
              double & number = inverse[i * dimension + d];
              number = rules.enforcesBoundary && IsBorder(grid, static_cast<std::int64_t>(i))
                         ? 0.0
                         : number - errors[i][d] * scale * epsilon;
            }
          }
        }
        if (!decides || !sure)
        {
          continue;
        }
        ASSERT_EQ(state.iterations, iterations);
        ended += most == 20 && iterations < most ? 1 : 0;
        const auto   found = Numbers(output.Data(), field.size(), type, residence);
        const double bound = 4.0 * InterpolationBound(type, 1.0);
        for (std::size_t i = 0; i < found.size(); ++i)
        {
          ASSERT_NEAR(found[i], inverse[i], bound) << i;
        }
        if (most > 0)
        {
          EXPECT_NEAR(state.meanError, mean, bound);
          EXPECT_NEAR(state.maximumError, maximum, bound);
          EXPECT_EQ(state.isDone != 0, !(maximum > rules.maximumTolerance && mean > rules.meanTolerance));
        }
      }
    }
  }
  EXPECT_GT(ended, 0);
}

// Anderson mixing. Expected: fields whose displacements differ by less than a sample between neighbours have an
// inverse, so every sample is below the tolerance, according to simple loops in double. If a field folds, no error is
// larger than that of the estimate. Steps and errors are rounded in the same way on both backends.
namespace
{

/** An inverse, and its errors. */
struct FoundInverse
{
  std::vector<double> vectors;
  FieldInversionState state;
};

FoundInverse
InvertByMixing(const FieldShape &          shape,
               const std::vector<double> & field,
               const std::vector<double> & estimate,
               FieldInversion              rules,
               const Residence &           residence)
{
  rules.method = InversionMethod::Anderson;
  const auto          input = Resident(field, shape.element, residence);
  const auto          output = Resident(estimate, shape.element, residence);
  const ResidentArray scratch(CountInversionScratch(shape), residence);
  const ResidentArray state(sizeof(FieldInversionState), residence);
  InvertField(shape, input.Data(), output.Data(), rules, state.As<FieldInversionState>(), scratch.Data(), residence);
  FoundInverse found{ Numbers(output.Data(), field.size(), shape.element, residence), {} };
  Download(&found.state, state.Data(), sizeof(found.state), residence);
  return found;
}

/** Returns the norms of the composition of a field and an inverse (samples). */
std::vector<double>
ErrorNorms(const FieldGrid & grid, const std::vector<double> & field, const std::vector<double> & inverse)
{
  std::vector<double> norms(static_cast<std::size_t>(grid.Count()), 0.0);
  for (std::size_t n = 0; n < norms.size(); ++n)
  {
    Vector error{};
    if (ComposePlainly(
          grid, field, grid, inverse, static_cast<std::int64_t>(n), error)) // not at the border of the buffer
    {
      for (unsigned int d = 0; d < grid.dimension; ++d)
      {
        norms[n] += std::pow(error[d] / grid.spacing[d], 2.0);
      }
      norms[n] = std::sqrt(norms[n]);
    }
  }
  return norms;
}

/** Returns a field that is 0 at the border, so that all samples have an inverse. */
std::vector<double>
FieldOfBumps(const FieldGrid & grid, double size)
{
  constexpr double    pi = 3.14159265358979;
  std::vector<double> field(static_cast<std::size_t>(grid.Count()) * grid.dimension);
  for (std::size_t i = 0; i < field.size(); ++i)
  {
    const auto at = SampleOf(grid, static_cast<std::int64_t>(i / grid.dimension));
    double     number = size;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      number *= std::sin(pi * static_cast<double>(at[d]) / static_cast<double>(grid.size[d] - 1));
    }
    field[i] = static_cast<double>(static_cast<float>(number * (i % grid.dimension == 1 ? -1.0 : 1.0)));
  }
  return field;
}

} // namespace

TEST_P(FieldInversions, AndersonMixingEndsBelowTheToleranceEverywhere)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : std::vector<std::vector<std::int64_t>>{ { 67, 41 }, { 33, 29, 21 } })
  {
    for (const ScalarType type : FieldTypes)
    {
      SCOPED_TRACE(Describe(size, type));
      const FieldShape          shape{ RandomGrid(size, random, false), type };
      const auto                field = FieldOfBumps(shape.grid, 2.5);
      const std::vector<double> zero(field.size(), 0.0);
      const FieldInversion      rules;
      const auto                found = InvertByMixing(shape, field, zero, rules, residence);
      const auto                norms = ErrorNorms(shape.grid, field, found.vectors);
      EXPECT_LE(*std::max_element(norms.begin(), norms.end()), 1.05 * rules.meanTolerance); // rounding of indices
      EXPECT_LE(found.state.maximumError, rules.meanTolerance);
      EXPECT_NE(found.state.isDone, 0);
      EXPECT_EQ(found.state.iterations, 1);
      // Sums of float are contracted on a device: a sample may need more or fewer iterations there.
      const auto   onHost = InvertByMixing(shape, field, zero, rules, Residence{ ExecutionContext() }).vectors;
      const double allowed = type == ScalarType::Float64 ? 0.0 : 10.0 * rules.meanTolerance;
      for (std::size_t i = 0; i < onHost.size(); ++i)
      {
        ASSERT_NEAR(found.vectors[i], onHost[i], allowed) << i;
      }
      // Starting from its own result no work remains, and without iterations nothing is done.
      EXPECT_EQ(InvertByMixing(shape, field, found.vectors, rules, residence).vectors, found.vectors);
      FieldInversion none;
      none.maximumIterations = 0;
      EXPECT_EQ(InvertByMixing(shape, field, zero, none, residence).vectors, zero);
    }
  }
}

TEST_P(FieldInversions, AndersonMixingNeverIncreasesAnError)
{
  FreshRandom     random;
  const Residence residence = this->MakeResidence();
  for (const auto & size : std::vector<std::vector<std::int64_t>>{ { 41, 33 }, { 23, 19, 17 } })
  {
    const FieldShape          shape{ RandomGrid(size, random, false), ScalarType::Float64 };
    const auto                field = RandomField(shape.grid, 3.0, false, random); // it folds
    const std::vector<double> zero(field.size(), 0.0);
    FieldInversion            rules;
    rules.enforcesBoundary = false;
    const auto before = ErrorNorms(shape.grid, field, zero);
    const auto after = ErrorNorms(shape.grid, field, InvertByMixing(shape, field, zero, rules, residence).vectors);
    double     sumBefore = 0.0;
    double     sumAfter = 0.0;
    for (std::size_t n = 0; n < before.size(); ++n)
    {
      EXPECT_LE(after[n], before[n] + 1e-9) << n;
      sumBefore += before[n];
      sumAfter += after[n];
    }
    EXPECT_LT(sumAfter, 0.5 * sumBefore);
  }
}
