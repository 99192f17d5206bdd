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
#ifndef TransformChainCase_h
#define TransformChainCase_h

#include "ResampleCase.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>

/** \file
 * \brief Random chains of transforms, and plain loops in double that evaluate them: B-splines by their piecewise
 * polynomials. */

namespace CudaSplineTest
{

using Numbers = std::array<double, 3>;

/** Tests run on the Cpu backend, and on the GPU if there is one. */
class ChainOnBackend : public testing::TestWithParam<bool>
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

inline constexpr double Outside = -77.0;

inline const std::vector<std::vector<std::int64_t>> Shapes{ { 23 }, { 17, 19 }, { 13, 11, 12 } };

/** Real samples, linear interpolation. */
inline Case
LinearCase(const std::vector<std::int64_t> & shape, FreshRandom & random)
{
  Case test =
    MakeCase(shape, ScalarType::Float64, ScalarType::Float64, Interpolation::Linear, 0, ScalarType::Float64, random);
  test.resample.singleCoordinates = false;
  std::memcpy(&test.resample.defaultPixel, &Outside, sizeof(Outside));
  return test;
}

inline double
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

/** A matrix close to a multiple of the identity. */
inline TransformChain::Matrix
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

/** A stage whose domain is about [0, 20] mm along each axis. */
inline TransformChain::Stage
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

/** A component of the displacements of a stage. */
inline double
NumberOf(const TransformChain::Stage & stage, std::int64_t i)
{
  return stage.singleData != nullptr ? static_cast<double>(stage.singleData.get()[i]) : stage.data.get()[i];
}

/** The displacement of a stage at a continuous index of its grid, by a loop over all samples; false: outside. */
inline bool
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

inline Numbers
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
inline Numbers
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

/** A random chain for a case, with one letter per stage: affine; 1, 2, 3: order of a B-spline; linear or nearest field;
 * L and N: fields with extension, where L has float displacements. */
inline TransformChain
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

} // namespace CudaSplineTest

#endif
