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
#include "itkCudaSpline/pipeline/RegistrationForecast.h"
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Forecasts of registrations from the grids of their images, and the number of masks of stages. */

namespace
{

using namespace itk::CudaSpline;

/** Images of a size without pixels. */
RegistrationInput
MakeInput(std::int64_t size)
{
  ImagePair pair;
  for (MaskedImage * const image : { &pair.fixed, &pair.moving })
  {
    image->grid.dimension = 3;
    image->grid.size = { { size, size, size } };
    image->grid.spacing = { { 1.0, 1.0, 1.0 } };
    for (unsigned int d = 0; d < 3; ++d)
    {
      image->grid.indexToPoint[d][d] = image->grid.pointToIndex[d][d] = 1.0;
    }
  }
  RegistrationInput input;
  input.pairs.push_back(pair);
  return input;
}

std::vector<StageForecast>
Forecast(const std::string & stages, std::int64_t size)
{
  const RegistrationSpec spec = ReadSpec(R"({ "cudaspline_registration": 1, "stages": )" + stages + " }");
  return ForecastRegistration(MakeInput(size), spec, "cpu", ExecutionContext());
}

/** More voxels and iterations take more time and memory; fields need more memory than matrices. */
TEST(RegistrationForecast, GrowsWithTheWork)
{
  const std::string stages =
    R"([ "affine", { "kind": "bspline", "grid_spacing": 16 }, "syn", "greedy", "demons", "tvf", "discrete" ])";
  const auto small = Forecast(stages, 48);
  const auto large = Forecast(stages, 96);
  ASSERT_EQ(small.size(), 7u);
  ASSERT_EQ(large.size(), 7u);
  constexpr double pixels = 2.0 * 96 * 96 * 96 * sizeof(float);
  for (std::size_t stage = 0; stage < small.size(); ++stage)
  {
    EXPECT_EQ(large[stage].backend, Backend::Cpu);
    EXPECT_GT(static_cast<double>(large[stage].bytes), pixels) << stage;
    EXPECT_GT(large[stage].bytes, 3 * small[stage].bytes) << stage;
    EXPECT_GT(large[stage].seconds, 4.0 * small[stage].seconds) << stage;
  }
  EXPECT_GT(large[2].bytes, large[0].bytes);
  EXPECT_EQ(large[0].leastBytes, large[0].bytes); // there is no way with less memory
  EXPECT_EQ(large[1].leastBytes, large[1].bytes);
  EXPECT_LT(large[2].leastBytes, large[2].bytes);
  const auto few = Forecast(R"([ { "kind": "affine", "iterations": 10 } ])", 96);
  EXPECT_LT(few[0].seconds, 0.5 * large[0].seconds);
}

TEST(RegistrationForecast, ChecksTheSpecification)
{
  EXPECT_THROW(Forecast(R"([ { "kind": "bspline", "grid_spacing": [ 4, 5 ] } ])", 48), SpecError);
}

/** There is one mask for each stage. */
TEST(StageMasks, AreAsManyAsTheStages)
{
  RegistrationInput        input = MakeInput(4);
  const std::vector<float> pixels(64, 1.0F);
  input.pairs[0].fixed.pixels = input.pairs[0].moving.pixels = pixels.data();
  input.stageMasks.assign(1, input.pairs);
  const RegistrationSpec spec = ReadSpec(R"({ "cudaspline_registration": 1, "stages": [ "rigid", "affine" ] })");
  EXPECT_THROW(RunRegistration(input, spec, {}, "cpu", ExecutionContext()), std::invalid_argument);
}

} // namespace
