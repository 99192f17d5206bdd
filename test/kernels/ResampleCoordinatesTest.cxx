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
// Where the samples of a resampling are: chains of transforms, and indices that the host provides. Expected: plain
// loops in double, with B-splines by their piecewise polynomials. Tolerance 1e-9 of the largest pixel, for all samples
// whose continuous index is not within 1e-9 of the border, where either answer may stand.

#include "ResampleCase.h"

#include "itkCudaSpline/kernels/Displacements.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstddef>
#include <memory>

using namespace CudaSplineTest;

namespace
{

using Numbers = std::array<double, 3>;

class ResampleCoordinates : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (this->GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  ExecutionContext
  Context() const
  {
    return this->GetParam() ? Cuda() : ExecutionContext();
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, ResampleCoordinates, testing::Bool(), [](const testing::TestParamInfo<bool> & info) {
  return std::string(info.param ? "Gpu" : "Cpu");
});

double
CentredSpline(int order, double x)
{
  const double a = std::abs(x);
  switch (order)
  {
    case 1:
      return a < 1.0 ? 1.0 - a : 0.0;
    case 2:
      return a < 0.5 ? 0.75 - a * a : (a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0.0);
    default:
      return a < 1.0 ? (4.0 - 6.0 * a * a + 3.0 * a * a * a) / 6.0 : (a < 2.0 ? std::pow(2.0 - a, 3) / 6.0 : 0.0);
  }
}

/** A matrix near a multiple of the identity. */
TransformChain::Matrix
RandomMatrix(unsigned int dimension, double scale, FreshRandom & random)
{
  TransformChain::Matrix matrix{};
  for (unsigned int r = 0; r < dimension; ++r)
  {
    for (unsigned int c = 0; c < dimension; ++c)
    {
      matrix[r][c] = scale * ((r == c ? 1.0 : 0.0) + random.Uniform(-0.1, 0.1));
    }
  }
  return matrix;
}

/** A stage about [0, 20] mm along each axis. */
TransformChain::Stage
RandomStage(unsigned int dimension, TransformKind kind, int order, bool nearest, FreshRandom & random)
{
  TransformChain::Stage stage;
  stage.kind = kind;
  stage.order = order;
  stage.nearest = nearest;
  stage.matrix = RandomMatrix(dimension, 1.0, random);
  stage.pointToIndex = RandomMatrix(dimension, 0.4, random);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    stage.offset[d] = random.Uniform(-1.0, 1.0);
    stage.origin[d] = random.Uniform(-1.0, 1.0);
    stage.size[d] = 8 + static_cast<std::int64_t>(random.Engine()() % 4);
    if (kind == TransformKind::DisplacementField)
    {
      stage.start[d] = static_cast<std::int64_t>(random.Engine()() % 5) - 2;
    }
  }
  if (kind != TransformKind::Affine)
  {
    const auto                    count = static_cast<std::size_t>(TransformChain::CountOf(stage, dimension));
    const std::shared_ptr<double> data(new double[count], std::default_delete<double[]>());
    for (std::size_t i = 0; i < count; ++i)
    {
      data.get()[i] = random.Uniform(-1.5, 1.5);
    }
    stage.data = data;
  }
  return stage;
}

/** A number of a stage's displacements. */
double
NumberOf(const TransformChain::Stage & stage, std::int64_t i)
{
  return stage.singleData != nullptr ? static_cast<double>(stage.singleData.get()[i]) : stage.data.get()[i];
}

/** The displacement of a stage at a continuous index of its grid, by a loop over all samples of it; false: outside. */
bool
Displace(const TransformChain::Stage & stage, unsigned int dimension, const Numbers & index, Numbers & point)
{
  const bool   isSpline = stage.kind == TransformKind::BSpline;
  const double margin = isSpline ? 0.5 * (stage.order - 1) : -0.5;
  for (unsigned int d = 0; d < dimension && !stage.goesOn; ++d)
  {
    const double first = static_cast<double>(stage.start[d]);
    if (!(index[d] >= first + margin && index[d] < first + static_cast<double>(stage.size[d]) - 1.0 - margin))
    {
      return false;
    }
  }
  const std::int64_t count = stage.size[0] * stage.size[1] * stage.size[2];
  Numbers            sum{};
  for (std::int64_t i = 0; i < count; ++i)
  {
    std::int64_t rest = i;
    double       weight = 1.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const auto sample = static_cast<double>(stage.start[d] + rest % stage.size[d]);
      rest /= stage.size[d];
      const double last = static_cast<double>(stage.start[d] + stage.size[d] - 1);
      const double clamped =
        isSpline ? index[d] : std::min(last, std::max(static_cast<double>(stage.start[d]), index[d]));
      weight *= stage.nearest && !isSpline ? (std::floor(clamped + 0.5) == sample ? 1.0 : 0.0)
                                           : CentredSpline(isSpline ? stage.order : 1, clamped - sample);
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      sum[d] += weight * NumberOf(stage, isSpline ? d * count + i : i * dimension + d);
    }
  }
  for (unsigned int d = 0; d < dimension; ++d)
  {
    point[d] += sum[d];
  }
  return true;
}

Numbers
Multiply(const TransformChain::Matrix & matrix, const Numbers & x, unsigned int dimension)
{
  Numbers y{};
  for (unsigned int r = 0; r < dimension; ++r)
  {
    for (unsigned int c = 0; c < dimension; ++c)
    {
      y[r] += matrix[r][c] * x[c];
    }
  }
  return y;
}

/** Continuous input index of an output sample. */
Numbers
Walk(const TransformChain & chain, unsigned int dimension, std::int64_t sample)
{
  Numbers point{};
  for (unsigned int d = 0; d < dimension; ++d)
  {
    point[d] = static_cast<double>(chain.regionStart[d] + sample % chain.regionSize[d]);
    sample /= chain.regionSize[d];
  }
  point = Multiply(chain.indexToPoint, point, dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    point[d] += chain.outputOrigin[d];
  }
  for (const TransformChain::Stage & stage : chain.stages)
  {
    if (stage.kind == TransformKind::Affine)
    {
      point = Multiply(stage.matrix, point, dimension);
      for (unsigned int d = 0; d < dimension; ++d)
      {
        point[d] += stage.offset[d];
      }
      continue;
    }
    Numbers relative{};
    for (unsigned int d = 0; d < dimension; ++d)
    {
      relative[d] = point[d] - stage.origin[d];
    }
    Displace(stage, dimension, Multiply(stage.pointToIndex, relative, dimension), point);
  }
  for (unsigned int d = 0; d < dimension; ++d)
  {
    point[d] -= chain.inputOrigin[d];
  }
  return Multiply(chain.pointToIndex, point, dimension);
}

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

/** Whether an index is so near to the border that either answer may stand. */
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

constexpr double Outside = -77.0;

/** Real samples, linear interpolation. */
Case
LinearCase(const std::vector<std::int64_t> & shape, FreshRandom & random)
{
  Case test =
    MakeCase(shape, ScalarType::Float64, ScalarType::Float64, Interpolation::Linear, 0, ScalarType::Float64, random);
  test.resample.singleCoordinates = false;
  std::memcpy(&test.resample.defaultPixel, &Outside, sizeof(Outside));
  return test;
}

std::vector<double>
Evaluate(const Case & test, const ResampleDescriptor & resample, const ExecutionContext & context)
{
  std::vector<double> output(static_cast<std::size_t>(resample.samples * resample.lines), 1e300);
  Resample(resample, *MakeSource(test.source, test.pixels.data(), context), output.data(), context);
  return output;
}

const std::vector<std::vector<std::int64_t>> Shapes{ { 23 }, { 17, 19 }, { 13, 11, 12 } };

/** A chain of some stages for a case, by a letter each: affine, 1, 2, 3: order of a B-spline, linear or nearest field;
 * L and N: fields that go on outside, L of float. */
TransformChain
RandomChain(const Case & test, const std::string & stages, FreshRandom & random)
{
  const unsigned int dimension = test.source.dimension;
  TransformChain     chain;
  chain.indexToPoint = RandomMatrix(dimension, 1.3, random);
  chain.pointToIndex = RandomMatrix(dimension, 0.6, random);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    chain.outputOrigin[d] = random.Uniform(-4.0, 0.0);
    chain.inputOrigin[d] = random.Uniform(-1.0, 1.0) - static_cast<double>(test.source.start[d]) / 0.6;
    chain.regionStart[d] = static_cast<std::int64_t>(random.Engine()() % 5) - 2;
    chain.regionSize[d] = 19 + static_cast<std::int64_t>(d);
  }
  for (const char letter : stages)
  {
    const auto            kind = letter == 'a'
                                   ? TransformKind::Affine
                                   : (std::isdigit(letter) ? TransformKind::BSpline : TransformKind::DisplacementField);
    TransformChain::Stage stage = RandomStage(
      dimension, kind, kind == TransformKind::BSpline ? letter - '0' : 3, letter == 'n' || letter == 'N', random);
    stage.goesOn = letter == 'L' || letter == 'N';
    if (letter == 'L')
    {
      const auto                   count = static_cast<std::size_t>(TransformChain::CountOf(stage, dimension));
      const std::shared_ptr<float> numbers(new float[count], std::default_delete<float[]>());
      std::transform(stage.data.get(), stage.data.get() + count, numbers.get(), [](double number) {
        return static_cast<float>(number);
      });
      stage.singleData = numbers;
      stage.data = nullptr;
    }
    chain.stages.push_back(stage);
  }
  return chain;
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
      // Displacements of float are summed up in float: 1e-7 of a millimetre, some of them one after the other.
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

// The displacements of a chain are what it adds to the places of the output's samples.
TEST_P(ResampleCoordinates, DisplacementsOfChains)
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
TEST_P(ResampleCoordinates, DisplacementsOfScanlines)
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

TEST(Displacements, Errors)
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
