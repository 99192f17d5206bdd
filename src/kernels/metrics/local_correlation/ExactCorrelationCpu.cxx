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
#include "kernels/metrics/local_correlation/ExactCorrelationBody.h"
#include "kernels/metrics/local_correlation/WindowMarch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Exact local correlation on the threads of the host: the means of the images, then two marches, over the images
 * and over the numbers of their windows. */

namespace itk::CudaSpline
{

namespace
{

/** Calls \p body with a pair, a part of it, and the number of the part among all. */
template <typename TBody>
void
ForParts(std::int64_t pairs, std::int64_t parts, const ExecutionContext & context, const TBody & body)
{
  context.ParallelFor(pairs * parts, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      body(i / parts, i % parts, i);
    }
  });
}

/** The means of the images over the samples that count: their centres. */
template <typename TReal>
void
FindCentres(const ExactArguments<TReal> & arguments,
            std::int64_t                  pairs,
            const ExecutionContext &      context,
            double *                      centres)
{
  constexpr std::int64_t ofPart = 1 << 16;
  const std::int64_t     parts = (arguments.plane + ofPart - 1) / ofPart;
  struct Sums
  {
    double       fixed{ 0.0 };
    double       moving{ 0.0 };
    std::int64_t count{ 0 };
  };
  std::fill_n(centres, 2 * pairs, 0.0);
  std::vector<Sums> partial(static_cast<std::size_t>(pairs * parts));
  ForParts(pairs, parts, context, [&](std::int64_t number, std::int64_t part, std::int64_t to) {
    const CentredPair<TReal> pair(arguments, number);
    Sums                     sums;
    for (std::int64_t i = part * ofPart; i < std::min(arguments.plane, (part + 1) * ofPart); ++i)
    {
      if (pair.IsValid(i))
      {
        sums.fixed += static_cast<double>(pair.fixed[i]);
        sums.moving += static_cast<double>(pair.moving[i]);
        ++sums.count;
      }
    }
    partial[static_cast<std::size_t>(to)] = sums;
  });
  for (std::int64_t number = 0; number < pairs; ++number)
  {
    Sums all;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      const Sums & sums = partial[static_cast<std::size_t>(number * parts + part)];
      all.fixed += sums.fixed;
      all.moving += sums.moving;
      all.count += sums.count;
    }
    const auto count = static_cast<double>(std::max<std::int64_t>(all.count, 1));
    centres[2 * number] = CentreOf(all.fixed / count, arguments.keepsNonFinite);
    centres[2 * number + 1] = CentreOf(all.moving / count, arguments.keepsNonFinite);
  }
}

/** The windows of a task.
 *
 * \tparam VMasked the number of valid samples is summed, too */
template <bool VMasked, typename TReal>
LocalCorrelationSums
EvaluateWindows(const ExactArguments<TReal> & arguments,
                const WindowTasks &           tasks,
                std::int64_t                  number,
                std::int64_t                  task)
{
  constexpr int            VNumbers = WindowSums + (VMasked ? 1 : 0);
  const CentredPair<TReal> pair(arguments, number);
  LocalCorrelationSums     total;
  MarchWindows<VNumbers>(
    tasks,
    task,
    [&](std::int64_t offset, double * to) {
      const bool isValid = !VMasked || pair.IsValid(offset);
      for (int n = 0; n < WindowSums; ++n)
      {
        to[n] = isValid ? WindowNumberOf<FusedWindowProduct>(
                            n, static_cast<double>(pair.Fixed(offset)), static_cast<double>(pair.Moving(offset)))
                        : 0.0;
      }
      if constexpr (VMasked)
      {
        to[WindowSums] = isValid ? 1.0 : 0.0;
      }
    },
    [&](std::int64_t y, std::int64_t z, const double * windowsOfRow) {
      const double ofOthers =
        CountAlong(y, tasks.radius[1], tasks.size[1]) * CountAlong(z, tasks.radius[2], tasks.size[2]);
      const std::int64_t   first = (z * tasks.size[1] + y) * tasks.size[0];
      LocalCorrelationSums ofRow;
      for (std::int64_t x = 0; x < tasks.size[0]; ++x)
      {
        double sums[WindowSums];
        std::copy_n(windowsOfRow + x * VNumbers, WindowSums, sums);
        const double count = VMasked ? windowsOfRow[x * VNumbers + VNumbers - 1]
                                     : ofOthers * CountAlong(x, tasks.radius[0], tasks.size[0]);
        EvaluateWindow(arguments, pair, number * arguments.plane + first + x, first + x, sums, count, ofRow);
      }
      Add(ofRow, total);
    });
  return total;
}

/** Writes the derivative of a sample by the displacement of an image, or by its value. */
template <typename TReal>
void
StoreDerivative(const CentredPair<TReal> & pair,
                void *                     derivative,
                double                     byValue,
                const TReal *              image,
                const void *               gradients,
                const std::int64_t (&at)[3],
                std::int64_t offset)
{
  if (derivative == nullptr)
  {
    return;
  }
  double gradient[3] = {};
  if (byValue != 0.0) // a gradient that is not finite adds nothing to others
  {
    pair.GradientOf(image, gradients, at, offset, gradient);
  }
  for (int d = 0; d < pair.numbers; ++d)
  {
    pair.Store(derivative, offset * pair.numbers + d, byValue * gradient[d]);
  }
}

/** The derivatives of a task.
 *
 * \tparam VNumbers of a window that they take */
template <int VNumbers, typename TReal>
void
SumFactors(const ExactArguments<TReal> & arguments,
           const TReal * const (&factors)[VNumbers],
           const WindowTasks & tasks,
           std::int64_t        number,
           std::int64_t        task)
{
  const CentredPair<TReal> pair(arguments, number);
  const std::int64_t       firstOfPair = number * arguments.plane;
  MarchWindows<VNumbers>(
    tasks,
    task,
    [&](std::int64_t offset, double * to) {
      for (int n = 0; n < VNumbers; ++n)
      {
        to[n] = static_cast<double>(factors[n][firstOfPair + offset]);
      }
    },
    [&](std::int64_t y, std::int64_t z, const double * windowsOfRow) {
      const std::int64_t first = (z * tasks.size[1] + y) * tasks.size[0];
      for (std::int64_t x = 0; x < tasks.size[0]; ++x)
      {
        const std::int64_t at[3] = { x, y, z };
        double             sums[VNumbers];
        double             byFixed = 0.0;
        double             byMoving = 0.0;
        std::copy_n(windowsOfRow + x * VNumbers, VNumbers, sums);
        if (pair.IsValid(first + x))
        {
          MakeValueGradients<VNumbers>(static_cast<double>(pair.Fixed(first + x)),
                                       static_cast<double>(pair.Moving(first + x)),
                                       arguments.keepsNonFinite,
                                       sums,
                                       byFixed,
                                       byMoving);
        }
        StoreDerivative(pair, pair.fixedDerivative, byFixed, pair.fixed, pair.fixedGradient, at, first + x);
        StoreDerivative(pair, pair.movingDerivative, byMoving, pair.moving, pair.movingGradient, at, first + x);
      }
    });
}

/** The sums of all pairs. */
template <typename TReal>
void
SumWindows(const ExactArguments<TReal> & arguments,
           const ExactCorrelation &      correlation,
           const WindowTasks &           tasks,
           const ExecutionContext &      context)
{
  const std::int64_t                parts = tasks.Count();
  const bool                        isMasked = correlation.images.fixedInside || correlation.images.movingInside;
  std::vector<LocalCorrelationSums> partial(static_cast<std::size_t>(correlation.pairs * parts));
  ForParts(correlation.pairs, parts, context, [&](std::int64_t number, std::int64_t task, std::int64_t to) {
    partial[static_cast<std::size_t>(to)] = isMasked ? EvaluateWindows<true>(arguments, tasks, number, task)
                                                     : EvaluateWindows<false>(arguments, tasks, number, task);
  });
  for (std::int64_t number = 0; number < correlation.pairs; ++number)
  {
    LocalCorrelationSums total;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      Add(partial[static_cast<std::size_t>(number * parts + part)], total);
    }
    correlation.sums[number] = total;
  }
}

template <typename TReal>
void
Evaluate(const ExactCorrelation & correlation, const ExecutionContext & context)
{
  const ExactScratch<TReal> scratch(correlation, 0);
  const auto                arguments = MakeExactArguments(correlation, scratch);
  const WindowTasks         tasks(correlation.descriptor.grid.size, CutRadius(correlation.descriptor));
  FindCentres(arguments, correlation.pairs, context, scratch.centres);
  SumWindows(arguments, correlation, tasks, context);
  ForParts(correlation.pairs, tasks.Count(), context, [&](std::int64_t number, std::int64_t task, std::int64_t) {
    const auto & factors = arguments.factors;
    if (factors[1] != nullptr && factors[3] != nullptr)
    {
      const TReal * const all[] = { factors[0], factors[1], factors[2], factors[3], factors[4] };
      SumFactors<ExactWindowNumbers>(arguments, all, tasks, number, task);
    }
    else if (factors[0] != nullptr)
    {
      const int           own = factors[1] != nullptr ? 1 : 3;
      const TReal * const ofOne[] = { factors[0], factors[own], factors[own + 1] };
      SumFactors<FactorsOfOne>(arguments, ofOne, tasks, number, task);
    }
  });
}

} // namespace

void
EvaluateExactCorrelationOnCpu(const ExactCorrelation & correlation, const ExecutionContext & context)
{
  correlation.descriptor.pixel == ScalarType::Float32 ? Evaluate<float>(correlation, context)
                                                      : Evaluate<double>(correlation, context);
}

} // namespace itk::CudaSpline
