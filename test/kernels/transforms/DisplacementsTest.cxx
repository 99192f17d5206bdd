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
// How far transforms move the samples of a grid. Expected: plain loops in double, to 1e-10; between the ends of
// scanlines the formula itself, to the bit.

#include "../resampling/TransformChainCase.h"

#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include <cstddef>

using namespace CudaSplineTest;

namespace
{

class Displacements : public ChainOnBackend
{};

INSTANTIATE_TEST_SUITE_P(Backend, Displacements, testing::Bool(), [](const testing::TestParamInfo<bool> & test) {
  return std::string(test.param ? "Gpu" : "Cpu");
});

} // namespace

// The displacements of a chain are what it adds to the places of the output's samples.
TEST_P(Displacements, OfChains)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    for (const std::string stages : { "", "a", "3", "l", "N", "a3la2n1" })
    {
      SCOPED_TRACE(std::to_string(shape.size()) + "D, stages " + stages);
      const Case             test = LinearCase(shape, random);
      const unsigned int     dimension = test.source.dimension;
      TransformChain         chain = RandomChain(test, stages, random);
      DisplacementDescriptor descriptor;
      descriptor.dimension = dimension;
      descriptor.output = ScalarType::Float64;
      descriptor.chain = &chain;
      descriptor.samples = chain.regionSize[0];
      descriptor.lines = 1;
      for (unsigned int d = 1; d < dimension; ++d)
      {
        descriptor.lines *= chain.regionSize[d];
      }
      const std::int64_t  count = descriptor.samples * descriptor.lines;
      std::vector<double> output(static_cast<std::size_t>(count * dimension), 1e300);
      MakeDisplacements(descriptor, output.data(), this->Context());
      // Walk() ends at an index of the input: of this one, places are.
      chain.inputOrigin = {};
      chain.pointToIndex = {};
      for (unsigned int d = 0; d < dimension; ++d)
      {
        chain.pointToIndex[d][d] = 1.0;
      }
      TransformChain still = chain;
      still.stages.clear();
      for (std::int64_t i = 0; i < count; ++i)
      {
        const Numbers moved = Walk(chain, dimension, i);
        const Numbers place = Walk(still, dimension, i);
        for (unsigned int d = 0; d < dimension; ++d)
        {
          ASSERT_NEAR(output[i * dimension + d], moved[d] - place[d], 1e-10) << i;
        }
      }
    }
  }
}

// Between the ends of scanlines they are linear; in float they are rounded once.
TEST_P(Displacements, OfScanlines)
{
  FreshRandom random;
  for (unsigned int dimension = 1; dimension <= 3; ++dimension)
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      DisplacementDescriptor descriptor;
      descriptor.dimension = dimension;
      descriptor.output = type;
      descriptor.samples = 37;
      descriptor.lines = dimension == 1 ? 1 : 23;
      descriptor.lineOffset = 5;
      descriptor.lineLength = 44;
      std::vector<double> ends(static_cast<std::size_t>(descriptor.lines) * 2 * dimension);
      for (double & end : ends)
      {
        end = random.Uniform(-9.0, 9.0);
      }
      descriptor.scanlineEnds = ends.data();
      const std::int64_t     count = descriptor.samples * descriptor.lines * dimension;
      std::vector<std::byte> output(static_cast<std::size_t>(count) * SizeOf(type));
      MakeDisplacements(descriptor, output.data(), this->Context());
      for (std::int64_t i = 0; i < count; ++i)
      {
        const std::int64_t d = i % dimension;
        const std::int64_t line = i / dimension / descriptor.samples;
        const double       alpha = static_cast<double>(5 + i / dimension % descriptor.samples) / 44.0;
        const double       expected =
          (1.0 - alpha) * ends[line * 2 * dimension + d] + alpha * ends[(line * 2 + 1) * dimension + d];
        const double stored = LoadScalar<double>(output.data(), type, i);
        ASSERT_EQ(stored, type == ScalarType::Float32 ? static_cast<double>(static_cast<float>(expected)) : expected);
      }
    }
  }
}

// Affine maps give the same bits as the ends of their scanlines.
TEST_P(Displacements, OfAffineScanlines)
{
  FreshRandom            random;
  const Case             test = LinearCase({ 13, 11, 12 }, random);
  const TransformChain   chain = RandomChain(test, "aa", random);
  const auto             scanlines = ScanlinesOf<3>(chain);
  DisplacementDescriptor descriptor;
  descriptor.output = ScalarType::Float64;
  descriptor.samples = chain.regionSize[0];
  descriptor.lines = chain.regionSize[1] * chain.regionSize[2];
  descriptor.lineLength = descriptor.samples;
  std::vector<ScanlineEnds<3>> ends(static_cast<std::size_t>(descriptor.lines));
  for (std::int64_t line = 0; line < descriptor.lines; ++line)
  {
    scanlines.DisplacementsOf(line, ends[static_cast<std::size_t>(line)]);
  }
  const auto          count = static_cast<std::size_t>(descriptor.samples * descriptor.lines * 3);
  std::vector<double> expected(count);
  std::vector<double> output(count);
  descriptor.scanlineEnds = ends.front().start;
  MakeDisplacements(descriptor, expected.data(), this->Context());
  descriptor.scanlineEnds = nullptr;
  descriptor.scanlineChain = &chain;
  MakeDisplacements(descriptor, output.data(), this->Context());
  EXPECT_EQ(output, expected);
}

TEST(DisplacementErrors, AreInvalidArguments)
{
  TransformChain         chain;
  DisplacementDescriptor descriptor;
  std::vector<double>    output(3);
  descriptor.samples = 1;
  descriptor.lines = 1;
  descriptor.output = ScalarType::Float64;
  EXPECT_THROW(MakeDisplacements(descriptor, output.data(), ExecutionContext()), std::invalid_argument);
  descriptor.chain = &chain;
  descriptor.output = ScalarType::Int16;
  EXPECT_THROW(MakeDisplacements(descriptor, output.data(), ExecutionContext()), std::invalid_argument);
  descriptor.output = ScalarType::Float64;
  descriptor.dimension = 4;
  EXPECT_THROW(MakeDisplacements(descriptor, output.data(), ExecutionContext()), std::invalid_argument);
  descriptor.dimension = 3;
  MakeDisplacements(descriptor, output.data(), ExecutionContext()); // without a stage nothing moves
  EXPECT_EQ(output, std::vector<double>(3, 0.0));
}
