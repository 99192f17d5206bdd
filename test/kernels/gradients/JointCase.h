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
#ifndef JointCase_h
#define JointCase_h

#include "itkCudaSpline/kernels/gradients/JointHistogram.h"

#include "../arrays/ArrayCase.h"
#include "../common/KernelTestData.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Samples of two images for joint histograms. */

namespace CudaSplineTest
{

/** Noise in [-1, 1], some of it beyond the ends, and weights of the bins. */
template <typename TReal>
struct JointCase
{
  JointSamples              samples;
  std::vector<TReal>        fixed;
  std::vector<TReal>        moving;
  std::vector<std::uint8_t> mask;
  std::vector<TReal>        ends{ TReal(-0.75), TReal(0.9), TReal(-1.5), TReal(1.25) };
  std::vector<TReal>        weights;

  JointCase(std::int64_t count, std::int64_t bins, bool isMasked, FreshRandom & random)
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      fixed.push_back(static_cast<TReal>(random.Uniform(-1.0, 1.0)));
      moving.push_back(static_cast<TReal>(random.Uniform(-1.0, 1.0)));
      mask.push_back(random.Uniform(0.0, 1.0) < 0.7 ? 3 : 0);
    }
    for (std::int64_t i = 0; i < bins * bins; ++i)
    {
      weights.push_back(static_cast<TReal>(random.Uniform(-1.0, 1.0)));
    }
    samples.count = count;
    samples.bins = bins;
    samples.element = ScalarTypeOf<TReal>();
    samples.fixed = fixed.data();
    samples.moving = moving.data();
    samples.mask = isMasked ? mask.data() : nullptr;
    samples.ends = ends.data();
  }

  std::vector<TReal>
  OnTheHost(const HostExecutor * executor = nullptr) const
  {
    std::vector<TReal> joint(weights.size());
    ExecutionContext   context;
    context.host = executor;
    AccumulateJointHistogram(samples, joint.data(), context);
    return joint;
  }

  /** \param[out] ofFixed, ofMoving null: not computed */
  void
  GradientsOnTheHost(std::vector<TReal> * ofFixed, std::vector<TReal> * ofMoving) const
  {
    for (auto * const gradient : { ofFixed, ofMoving })
    {
      if (gradient != nullptr)
      {
        gradient->resize(fixed.size());
      }
    }
    DifferentiateJointHistogram(samples,
                                weights.data(),
                                ofFixed == nullptr ? nullptr : ofFixed->data(),
                                ofMoving == nullptr ? nullptr : ofMoving->data(),
                                ExecutionContext());
  }
};

} // namespace CudaSplineTest

#endif
