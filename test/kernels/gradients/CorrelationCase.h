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
#ifndef CorrelationCase_h
#define CorrelationCase_h

#include "itkCudaSpline/kernels/gradients/LocalCorrelationLoss.h"

#include "../arrays/ArrayCase.h"
#include "../common/KernelTestData.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

/** \file
 * \brief Pairs of random images for local correlation with gradients. */

namespace CudaSplineTest
{

/** Sums and gradients. Those that are not computed remain NaN. */
template <typename TReal>
struct CorrelationResult
{
  std::vector<TReal> sums;
  std::vector<TReal> fixed;
  std::vector<TReal> moving;

  explicit CorrelationResult(std::int64_t images, std::size_t samples)
    : sums(static_cast<std::size_t>(images), std::numeric_limits<TReal>::quiet_NaN())
    , fixed(samples, std::numeric_limits<TReal>::quiet_NaN())
    , moving(fixed)
  {}
};

/** Images that have masks. */
enum class Masks
{
  None,
  OneForAll,
  Own
};

/** Noise about offsets; the moving image is correlated with the fixed one. A corner of the fixed image is constant, far
 * from the noise: there, a window with one sample of noise has a variance much larger than its rounding error. */
template <typename TReal>
struct CorrelationCase
{
  LocalCorrelationPairs     pairs;
  std::vector<TReal>        fixed;
  std::vector<TReal>        moving;
  std::vector<std::uint8_t> mask;

  CorrelationCase(const Shape & shape,
                  const Shape & radius,
                  std::int64_t  images,
                  Masks         masks,
                  double        offset,
                  FreshRandom & random)
  {
    pairs.dimension = static_cast<unsigned int>(shape.size());
    std::copy(shape.begin(), shape.end(), pairs.size.begin());
    std::copy(radius.begin(), radius.end(), pairs.radius.begin());
    pairs.images = images;
    pairs.element = ScalarTypeOf<TReal>();
    const std::int64_t plane = CountOf(shape);
    for (std::int64_t i = 0; i < images * plane; ++i)
    {
      const bool isConstant = i % plane < plane / 4;
      fixed.push_back(static_cast<TReal>(offset + (isConstant ? 3.0 : random.Uniform(-1.0, 1.0))));
      moving.push_back(static_cast<TReal>(0.5 * (static_cast<double>(fixed.back()) - offset) - 2.0 * offset +
                                          random.Uniform(-1.0, 1.0)));
    }
    const std::int64_t marks = masks == Masks::None ? 0 : (masks == Masks::Own ? images : 1) * plane;
    for (std::int64_t i = 0; i < marks; ++i)
    {
      mask.push_back(random.Uniform(0.0, 1.0) < 0.7 ? 7 : 0);
    }
    pairs.maskStride = masks == Masks::Own ? plane : 0;
    pairs.fixed = fixed.data();
    pairs.moving = moving.data();
    pairs.mask = mask.empty() ? nullptr : mask.data();
  }

  CorrelationResult<TReal>
  OnTheHost(bool ofFixed = true, bool ofMoving = true, const HostExecutor * executor = nullptr) const
  {
    CorrelationResult<TReal> result(pairs.images, fixed.size());
    LocalCorrelationPairs    asked = pairs;
    asked.sums = result.sums.data();
    asked.fixedGradient = ofFixed ? result.fixed.data() : nullptr;
    asked.movingGradient = ofMoving ? result.moving.data() : nullptr;
    ExecutionContext context;
    context.host = executor;
    EvaluateLocalCorrelationLoss(asked, context);
    return result;
  }
};

} // namespace CudaSplineTest

#endif
