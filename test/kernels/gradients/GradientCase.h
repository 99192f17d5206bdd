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
#ifndef GradientCase_h
#define GradientCase_h

#include "itkCudaSpline/kernels/gradients/SplineGradients.h"

#include "../arrays/ArrayCase.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief Batches of random images with points, and simple sums as references of the operations at points. */

namespace CudaSplineTest
{

/** Returns numbers of a type. */
template <typename TReal>
std::vector<TReal>
RandomOf(std::int64_t count, Random & random)
{
  std::vector<TReal> numbers(static_cast<std::size_t>(count));
  std::generate(numbers.begin(), numbers.end(), [&random] { return static_cast<TReal>(random.Uniform(-1.0, 1.0)); });
  return numbers;
}

/** A batch: coefficients, points within and far outside, some at samples and halfway, and numbers of points. */
template <typename TReal>
struct GradientCase
{
  SplinePoints       points;
  std::vector<TReal> places;
  std::vector<TReal> coefficients;
  std::vector<TReal> weights;

  GradientCase(const Shape & shape,
               unsigned int  order,
               ArrayMode     mode,
               unsigned int  derivatives,
               Random &      random,
               bool          atHalves = true)
  {
    points.dimension = static_cast<unsigned int>(shape.size());
    std::copy(shape.begin(), shape.end(), points.size.begin());
    points.batches = random.Integer(1, 2);
    points.channels = random.Integer(1, 3);
    points.count = random.Integer(1, 12);
    points.order = order;
    points.mode = mode;
    points.derivatives = derivatives;
    points.element = ScalarTypeOf<TReal>();
    for (std::int64_t i = 0; i < points.batches * points.count; ++i)
    {
      for (const std::int64_t size : shape)
      {
        // Derivatives of low orders jump at half samples, and so does order 0. In these cases other points are used.
        const auto length = static_cast<double>(size);
        places.push_back(static_cast<TReal>(atHalves && derivatives == 0 && order > 0 && i % 5 == 0
                                              ? 0.5 * static_cast<double>(random.Integer(-2 * size, 3 * size))
                                              : random.Uniform(-length, 2.0 * length)));
      }
    }
    coefficients = RandomOf<TReal>(points.batches * points.channels * CountOf(shape), random);
    weights = RandomOf<TReal>(this->Numbers(derivatives), random);
    for (std::size_t i = 3; i < weights.size(); i += 5)
    {
      weights[i] = TReal(-0.0); // like products with 0, whose bits are not the smallest
    }
    points.points = places.data();
    points.pointStride = points.count * points.dimension;
    points.coefficients = coefficients.data();
    points.coefficientStride = points.channels * CountOf(shape);
    points.weights = weights.data();
  }

  std::int64_t
  Samples() const
  {
    return points.size[0] * points.size[1] * points.size[2];
  }

  /** Returns the count of numbers of all points for derivatives of an order. */
  std::int64_t
  Numbers(unsigned int derivatives) const
  {
    std::int64_t numbers = points.batches * points.channels * points.count;
    for (unsigned int i = 0; i < derivatives; ++i)
    {
      numbers *= points.dimension;
    }
    return numbers;
  }
};

} // namespace CudaSplineTest

#endif
