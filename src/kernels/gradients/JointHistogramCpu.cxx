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
#include "kernels/gradients/JointHistogramBody.h"
#include "kernels/metrics/mutual_information/HostHistogram.h"

#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

template <typename TReal>
void
Accumulate(const JointSamples & samples, TReal * joint, const ExecutionContext & context)
{
  const JointArguments<TReal> arguments = JointArgumentsOf<TReal>(samples);
  const auto                  size = static_cast<std::size_t>(samples.bins * samples.bins);
  HostHistogram               histogram(size, OneDigit(samples.count));
  histogram.AddSamples(samples.count, context, [&](std::int64_t begin, std::int64_t end, auto & own) {
    const BinScale<TReal> ofFixed(arguments.ends, arguments.bins);
    const BinScale<TReal> ofMoving(arguments.ends + 2, arguments.bins);
    for (std::int64_t i = begin; i < end; ++i)
    {
      SpreadSample(arguments, ofFixed, ofMoving, i, own);
    }
  });
  for (std::size_t bin = 0; bin < size; ++bin)
  {
    joint[bin] = static_cast<TReal>(histogram.GetWeight(bin));
  }
}

template <typename TReal>
void
Differentiate(const JointSamples &     samples,
              const TReal *            weights,
              TReal *                  fixedGradient,
              TReal *                  movingGradient,
              const ExecutionContext & context)
{
  const JointArguments<TReal> arguments = JointArgumentsOf<TReal>(samples);
  context.ParallelFor(samples.count, [&](std::int64_t begin, std::int64_t end) {
    const BinScale<TReal> ofFixed(arguments.ends, arguments.bins);
    const BinScale<TReal> ofMoving(arguments.ends + 2, arguments.bins);
    for (std::int64_t i = begin; i < end; ++i)
    {
      DifferentiateSample(arguments, ofFixed, ofMoving, i, weights, fixedGradient, movingGradient);
    }
  });
}

} // namespace

void
AccumulateJointHistogramOnCpu(const JointSamples & samples, void * joint, const ExecutionContext & context)
{
  if (samples.element == ScalarType::Float32)
  {
    Accumulate(samples, static_cast<float *>(joint), context);
  }
  else
  {
    Accumulate(samples, static_cast<double *>(joint), context);
  }
}

void
DifferentiateJointHistogramOnCpu(const JointSamples &     samples,
                                 const void *             weights,
                                 void *                   fixedGradient,
                                 void *                   movingGradient,
                                 const ExecutionContext & context)
{
  const auto run = [&](auto zero) {
    using Real = decltype(zero);
    Differentiate(samples,
                  static_cast<const Real *>(weights),
                  static_cast<Real *>(fixedGradient),
                  static_cast<Real *>(movingGradient),
                  context);
  };
  if (samples.element == ScalarType::Float32)
  {
    run(0.0F);
  }
  else
  {
    run(0.0);
  }
}

} // namespace itk::CudaSpline
