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
  int             ended = 0; // before the most iterations
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
        rules.enforcesBoundary = most == 2; // without it errors become small, and fewer iterations do
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
        bool   decides = true; // no error is at a tolerance
        bool   sure = true;    // no place is at the border of the buffer
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
