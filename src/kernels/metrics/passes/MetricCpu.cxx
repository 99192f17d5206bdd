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
#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/passes/MetricBody.h"
#include "kernels/metrics/samples/MetricMovingValues.h"
#include "kernels/metrics/samples/MetricSpline.h"
#include "kernels/metrics/mutual_information/HostHistogram.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

/** \file
 * \brief EvaluateMetric() on the threads of the host. */

namespace itk::CudaSpline
{

namespace
{

constexpr std::int64_t SumBlock = 2048; // samples: enough for a thread, and few enough that all threads have work

/** Returns the sum of the sums of blocks, added with a tree. */
template <unsigned int VDimension, unsigned int VSets>
MetricResult
AddPairwise(std::vector<MetricSums<VDimension, VSets>> & partial)
{
  for (std::size_t stride = 1; stride < partial.size(); stride *= 2)
  {
    for (std::size_t at = 0; at + stride < partial.size(); at += 2 * stride)
    {
      partial[at].Add(partial[at + stride]);
    }
  }
  return partial.empty() ? MetricResult() : MakeMetricResult(partial[0]);
}

/** Returns sums over samples. They are added with a tree that depends on the number of samples alone: in order in a
 * block, then pairs of blocks. */
template <SampleMove VMove, typename TValues, unsigned int VSets, unsigned int VDimension>
MetricResult
SumOnCpu(const MetricArguments<VDimension> & arguments, const ExecutionContext & context)
{
  const std::int64_t                         blocks = (arguments.count + SumBlock - 1) / SumBlock;
  std::vector<MetricSums<VDimension, VSets>> partial(static_cast<std::size_t>(blocks));
  context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
    {
      MetricSums<VDimension, VSets> sums;
      const std::int64_t            last = std::min(arguments.count, (b + 1) * SumBlock);
      for (MetricCursor<VDimension> cursor(arguments, b * SumBlock); cursor.sample < last; cursor.Advance(arguments))
      {
        AddMetricSample<VMove, TValues>(arguments, cursor, sums, NoHistogram());
      }
      partial[static_cast<std::size_t>(b)] = sums;
    }
  });
  return AddPairwise(partial);
}

/** Returns the same sums, and stores the force of each sample on its own displacement. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
MetricResult
ForcesOnCpu(const MetricArguments<VDimension> &  arguments,
            const SplineParameters<VDimension> & parameters,
            const ExecutionContext &             context,
            double *                             wanted)
{
  const std::int64_t                     blocks = (arguments.count + SumBlock - 1) / SumBlock;
  std::vector<MetricSums<VDimension, 0>> partial(static_cast<std::size_t>(blocks));
  std::vector<double> own(wanted != nullptr ? 0 : static_cast<std::size_t>(arguments.count) * VDimension);
  double * const      forces = wanted != nullptr ? wanted : own.data();
  context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
    {
      SampleForce<VDimension> sums(parameters);
      const std::int64_t      last = std::min(arguments.count, (b + 1) * SumBlock);
      for (MetricCursor<VDimension> cursor(arguments, b * SumBlock); cursor.sample < last; cursor.Advance(arguments))
      {
        AddMetricSample<VMove, TValues>(arguments, cursor, sums, NoHistogram());
        sums.Store(forces + cursor.sample * static_cast<std::int64_t>(VDimension));
      }
      partial[static_cast<std::size_t>(b)] = sums.GetSums();
    }
  });
  MetricResult result = AddPairwise(partial);
  result.derivatives[0] = std::move(own);
  return result;
}

/** Returns the count and the histogram. */
template <SampleMove VMove, typename TValues, unsigned int VDimension>
MetricResult
CountOnCpu(const MetricArguments<VDimension> & arguments, const ExecutionContext & context)
{
  const auto                bins = static_cast<std::size_t>(arguments.HistogramPass::bins.bins);
  const auto                size = bins * bins;
  HostHistogram             histogram(size, DigitsOfParzenWeight{ arguments.moving.element == ScalarType::Float64 });
  std::atomic<std::int64_t> count{ 0 };
  histogram.AddSamples(arguments.count, context, [&](std::int64_t begin, std::int64_t end, auto & own) {
    MetricSums<VDimension, 0> sums;
    for (MetricCursor<VDimension> cursor(arguments, begin); cursor.sample < end; cursor.Advance(arguments))
    {
      AddMetricSample<VMove, TValues>(arguments, cursor, sums, own);
    }
    count += static_cast<std::int64_t>(sums.numbers[0]);
  });
  MetricResult result;
  result.count = count;
  for (std::size_t bin = 0; bin < size; ++bin)
  {
    result.histogram.push_back(histogram.GetWeight(bin));
  }
  return result;
}

/** Returns the number of blocks of samples that have their own coefficients. It is large enough to keep all threads
 * busy, if the number of coefficients is small. It depends on the numbers of samples and coefficients alone. */
std::int64_t
CountSplineBlocks(std::int64_t samples, std::int64_t numbers)
{
  constexpr std::int64_t least = 2048;
  constexpr std::int64_t most = 64;
  constexpr std::int64_t mostNumbers = std::int64_t{ 1 } << 25; // 256 MiB
  return std::clamp<std::int64_t>(std::min((samples + least - 1) / least, mostNumbers / numbers), 1, most);
}

/** Returns sums, and derivatives by the coefficients of a stage. These are computed for blocks of samples, and added in
 * the order of the blocks. */
template <typename TValues, unsigned int VSets, unsigned int VDimension>
MetricResult
ScatterOnCpu(const MetricArguments<VDimension> &  arguments,
             const SplineParameters<VDimension> & parameters,
             const ExecutionContext &             context,
             double *                             wanted)
{
  const std::int64_t                     plane = VDimension * parameters.nodes;
  const std::int64_t                     numbers = VSets * plane;
  const std::int64_t                     blocks = CountSplineBlocks(arguments.count, numbers);
  std::vector<MetricSums<VDimension, 0>> partial(static_cast<std::size_t>(blocks));
  std::vector<std::vector<double>>       coefficients(static_cast<std::size_t>(blocks));
  context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
    {
      auto & own = coefficients[static_cast<std::size_t>(b)];
      own.assign(static_cast<std::size_t>(numbers), 0.0);
      SplineSums<VDimension, VSets> sums(parameters, own.data());
      const std::int64_t            last = (b + 1) * arguments.count / blocks;
      for (MetricCursor<VDimension> cursor(arguments, b * arguments.count / blocks); cursor.sample < last;
           cursor.Advance(arguments))
      {
        AddMetricSample<SampleMove::AnyWithJacobian, TValues>(arguments, cursor, sums, NoHistogram());
      }
      partial[static_cast<std::size_t>(b)] = sums.GetSums();
    }
  });
  context.ParallelFor(numbers, [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t b = 1; b < coefficients.size(); ++b)
    {
      for (std::int64_t number = begin; number < end; ++number)
      {
        const auto n = static_cast<std::size_t>(number);
        coefficients[0][n] += coefficients[b][n];
      }
    }
  });
  for (std::size_t b = 1; b < partial.size(); ++b)
  {
    partial[0].Add(partial[b]);
  }
  MetricResult result = MakeMetricResult(partial[0]);
  if (wanted != nullptr)
  {
    std::copy(coefficients[0].begin(), coefficients[0].end(), wanted);
    return result;
  }
  for (std::size_t set = 0; set < VSets; ++set)
  {
    const double * const first = coefficients[0].data() + static_cast<std::int64_t>(set) * plane;
    result.derivatives[set].assign(first, first + plane);
  }
  return result;
}

} // namespace

MetricResult
EvaluateMetricOnCpu(const MetricDescriptor & descriptor,
                    const MetricSources &    sources,
                    const ExecutionContext & context,
                    MetricWorkspace *        workspace)
{
  MetricResult result;
  const auto   left =
    MakeMovingValues(descriptor, context, CountMetricSamples(sources), workspace, [](std::size_t bytes) {
      return std::shared_ptr<void>(new std::byte[bytes], std::default_delete<std::byte[]>());
    });
  const auto & kept = left != nullptr || !descriptor.sharesValues ? left : workspace->values;
  // Calls \p run with the arguments of the descriptor.
  const auto withArguments = [&](auto dimension, const auto & run) {
    constexpr unsigned int                  VDimension = decltype(dimension)::value;
    auto                                    arguments = MakeMetricArguments<VDimension>(descriptor, sources);
    std::vector<TransformStage<VDimension>> stages;
    for (const TransformChain::Stage & stage : descriptor.chain.stages)
    {
      stages.push_back(MakeStage<VDimension>(stage, DisplacementsOf(stage)));
    }
    arguments.moving.stages = stages.data();
    if (!stages.empty())
    {
      arguments.Lead(stages[0]);
    }
    arguments.kept = kept != nullptr ? kept->memory.get() : nullptr;
    arguments.valid = left != nullptr ? static_cast<std::uint8_t *>(left->valid.get()) : nullptr;
    if (arguments.valid != nullptr)
    {
      context.ParallelFor(arguments.count, [&](std::int64_t begin, std::int64_t end) {
        std::fill(arguments.valid + begin, arguments.valid + end, std::uint8_t{ 0 });
      });
    }
    arguments.SetStride(1);
    result = run(arguments);
  };
  const ScalarType element = sources.moving->GetDescriptor().element;
  if (descriptor.gradient == MetricGradient::None)
  {
    DispatchMetricSums(descriptor, sources, [&](auto dimension, auto values, auto move) {
      withArguments(dimension, [&](const auto & arguments) {
        constexpr SampleMove VMove = decltype(move)::value;
        return IsPass<HistogramPass>(descriptor.pass) ? CountOnCpu<VMove, decltype(values)>(arguments, context)
                                                      : SumOnCpu<VMove, decltype(values), 0>(arguments, context);
      });
    });
  }
  else if (descriptor.GetField() != nullptr)
  {
    DispatchMetricForces(descriptor, sources, [&](auto dimension, auto values, auto move) {
      withArguments(dimension, [&](const auto & arguments) {
        const auto parameters = MakeSplineParameters(descriptor, arguments.moving.stages);
        return ForcesOnCpu<decltype(move)::value, decltype(values)>(arguments, parameters, context, descriptor.forces);
      });
    });
  }
  else if (descriptor.GetSpline() != nullptr)
  {
    DispatchMetricCoefficients(descriptor, element, [&](auto dimension, auto values, auto sets) {
      withArguments(dimension, [&](const auto & arguments) {
        const auto parameters = MakeSplineParameters(descriptor, arguments.moving.stages);
        return ScatterOnCpu<decltype(values), decltype(sets)::value>(arguments, parameters, context, descriptor.forces);
      });
    });
  }
  else
  {
    DispatchMetricDerivatives(descriptor, element, [&](auto dimension, auto values, auto sets, auto move) {
      withArguments(dimension, [&](const auto & arguments) {
        return SumOnCpu<decltype(move)::value, decltype(values), decltype(sets)::value>(arguments, context);
      });
    });
  }
  if (left != nullptr)
  {
    workspace->values = left;
  }
  return result;
}

} // namespace itk::CudaSpline
