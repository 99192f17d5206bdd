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
// Positions of the samples of a resampling: chains of transforms, and indices that the host provides. Expected: plain
// loops in double, with B-splines by their piecewise polynomials. The tolerance is 1e-9 of the largest pixel, for all
// samples whose continuous index is not within 1e-9 of the border, where rounding decides.

#include "TransformChainCase.h"

#include <algorithm>
#include <atomic>

using namespace CudaSplineTest;

namespace
{

class ResampleCoordinates : public ChainOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, ResampleCoordinates, testing::Bool(), [](const testing::TestParamInfo<bool> & test) {
  return std::string(test.param ? "Gpu" : "Cpu");
});

/** Linear interpolation by a loop over all samples; the default where the index is outside. */
double
LinearByLoops(const Case & test, const Numbers & index, double outside)
{
  double sum = 0.0;
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    if (!(index[d] >= test.resample.lower[d] && index[d] < test.resample.upper[d]))
    {
      return outside;
    }
  }
  for (std::int64_t i = 0; i < test.source.Count(); ++i)
  {
    std::int64_t rest = i;
    double       weight = 1.0;
    for (unsigned int d = 0; d < test.source.dimension && weight > 0.0; ++d)
    {
      const auto   first = static_cast<double>(test.source.start[d]);
      const double last = first + static_cast<double>(test.source.size[d] - 1);
      weight *= CentredSpline(
        1, std::min(last, std::max(first, index[d])) - first - static_cast<double>(rest % test.source.size[d]));
      rest /= test.source.size[d];
    }
    sum += weight > 0.0 ? weight * LoadScalar<double>(test.pixels.data(), ScalarType::Float64, i) : 0.0;
  }
  return sum;
}

/** Whether an index is so close to the border that rounding decides. */
bool
IsAtBorder(const Case & test, const Numbers & index, double margin)
{
  bool at = false;
  for (unsigned int d = 0; d < test.source.dimension; ++d)
  {
    at = at || std::abs(index[d] - test.resample.lower[d]) < margin ||
         std::abs(index[d] - test.resample.upper[d]) < margin;
  }
  return at;
}

std::vector<double>
Evaluate(const Case & test, const ResampleDescriptor & resample, const ExecutionContext & context)
{
  std::vector<double> output(static_cast<std::size_t>(resample.samples * resample.lines), 1e300);
  Resample(resample, *MakeSource(test.source, test.pixels.data(), context), output.data(), context);
  return output;
}

} // namespace

TEST_P(ResampleCoordinates, ChainsOfTransforms)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    for (const std::string stages : { "", "a", "1", "2", "3", "l", "n", "L", "N", "a3la2n1", "aLN2L" })
    {
      SCOPED_TRACE(std::to_string(shape.size()) + "D, stages " + stages);
      Case                 test = LinearCase(shape, random);
      const unsigned int   dimension = test.source.dimension;
      const TransformChain chain = RandomChain(test, stages, random);
      ResampleDescriptor   resample = test.resample;
      resample.chain = &chain;
      resample.samples = chain.regionSize[0];
      resample.lines = 1;
      for (unsigned int d = 1; d < dimension; ++d)
      {
        resample.lines *= chain.regionSize[d];
      }
      const auto output = Evaluate(test, resample, this->Context());
      // Displacements of float are added in float: some errors of 1e-7 mm.
      const double tolerance = stages.find('L') != std::string::npos ? 1e-5 : 1e-9;
      long         inside = 0;
      for (std::size_t i = 0; i < output.size(); ++i)
      {
        const Numbers index = Walk(chain, dimension, static_cast<std::int64_t>(i));
        const double  expected = LinearByLoops(test, index, Outside);
        inside += expected != Outside ? 1 : 0;
        ASSERT_TRUE(std::abs(output[i] - expected) <= tolerance * Largest(test) || IsAtBorder(test, index, tolerance))
          << i << ": " << output[i] << " and " << expected;
      }
      EXPECT_GT(inside, 5);
    }
  }
}

TEST_P(ResampleCoordinates, ProvidedIndices)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    Case                test = LinearCase(shape, random);
    const unsigned int  dimension = test.source.dimension;
    ResampleDescriptor  resample = test.resample;
    std::vector<double> indices;
    for (std::int64_t i = 0; i < resample.samples * resample.lines; ++i)
    {
      for (unsigned int d = 0; d < dimension; ++d)
      {
        indices.push_back(i % 101 == 5 ? std::numeric_limits<double>::quiet_NaN()
                                       : random.Uniform(test.resample.lower[d] - 1.0, test.resample.upper[d] + 1.0));
      }
    }
    std::atomic<std::int64_t> provided{ 0 };
    resample.indexProvider = [&](std::int64_t first, std::int64_t lines, double * to) {
      const std::int64_t numbers = resample.samples * dimension;
      std::copy_n(indices.data() + first * numbers, lines * numbers, to);
      provided += lines;
    };
    const ThreadExecutor executor(3);
    ExecutionContext     context = this->Context();
    context.host = &executor;
    const auto output = Evaluate(test, resample, context);
    EXPECT_EQ(provided, resample.lines);
    for (std::size_t i = 0; i < output.size(); ++i)
    {
      Numbers index{};
      std::copy_n(indices.data() + i * dimension, dimension, index.data());
      ASSERT_NEAR(output[i], LinearByLoops(test, index, Outside), 1e-12 * Largest(test)) << shape.size() << "D, " << i;
    }
  }
}
