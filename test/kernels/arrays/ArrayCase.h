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
#ifndef ArrayCase_h
#define ArrayCase_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include "RandomData.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief Interpolations of arrays of random numbers. */

namespace CudaSplineTest
{

using namespace itk::CudaSpline;

using Shape = std::vector<std::int64_t>;

inline const std::vector<ArrayMode> Modes{ ArrayMode::Mirror,  ArrayMode::Reflect,      ArrayMode::GridWrap,
                                           ArrayMode::Nearest, ArrayMode::GridConstant, ArrayMode::Constant,
                                           ArrayMode::Wrap };

inline constexpr double Border = 1.25;

inline StridedArray
ArrayOf(const Shape & shape, const double * data)
{
  StridedArray array;
  array.data = data;
  array.dimension = static_cast<unsigned int>(shape.size());
  std::copy(shape.begin(), shape.end(), array.size.begin());
  array.SetContiguous();
  return array;
}

inline std::vector<double>
RandomNumbers(std::int64_t count, Random & random)
{
  std::vector<double> numbers(static_cast<std::size_t>(count));
  std::generate(numbers.begin(), numbers.end(), [&random] { return random.Uniform(-1.0, 1.0); });
  return numbers;
}

inline std::int64_t
CountOf(const Shape & shape)
{
  std::int64_t count = 1;
  for (const std::int64_t size : shape)
  {
    count *= size;
  }
  return count;
}

struct ArrayCase
{
  std::vector<double> samples;
  ArrayInterpolation  interpolation;
  std::vector<double> values;

  ArrayCase(const Shape & shape, const Shape & output, Random & random)
    : samples(RandomNumbers(CountOf(shape), random))
    , values(static_cast<std::size_t>(CountOf(output)), std::nan(""))
  {
    interpolation.input = ArrayOf(shape, samples.data());
    interpolation.output = ArrayOf(output, values.data());
    interpolation.border = Border;
    interpolation.padding = Border;
  }
};

inline const ThreadExecutor Threads(3);

inline ExecutionContext
OnHost()
{
  ExecutionContext context;
  context.host = &Threads;
  return context;
}

} // namespace CudaSplineTest

#endif
