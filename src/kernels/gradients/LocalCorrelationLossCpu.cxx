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
#include "kernels/gradients/LocalCorrelationLossBackends.h"
#include "kernels/metrics/local_correlation/WindowMarch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Calls \p body with an image and a part of it, by the host's threads. */
template <typename TBody>
void
ForParts(std::int64_t images, std::int64_t parts, const ExecutionContext & context, const TBody & body)
{
  context.ParallelFor(images * parts, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      body(i / parts, i % parts, i);
    }
  });
}

/** The means of the images under the mask: centres. */
template <typename TReal>
std::vector<double>
FindCentres(const LossArguments<TReal> & arguments, std::int64_t images, const ExecutionContext & context)
{
  constexpr std::int64_t ofPart = 1 << 16;
  const std::int64_t     parts = (arguments.plane + ofPart - 1) / ofPart;
  struct Sums
  {
    double       fixed{ 0.0 };
    double       moving{ 0.0 };
    std::int64_t count{ 0 };
  };
  std::vector<double>  centres(static_cast<std::size_t>(2 * images), 0.0);
  std::vector<Sums>    partial(static_cast<std::size_t>(images * parts));
  LossArguments<TReal> plain = arguments;
  plain.centres = centres.data();
  ForParts(images, parts, context, [&](std::int64_t image, std::int64_t part, std::int64_t to) {
    const CentredPair<TReal> pair(plain, image);
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
  for (std::int64_t image = 0; image < images; ++image)
  {
    Sums all;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      const Sums & sums = partial[static_cast<std::size_t>(image * parts + part)];
      all.fixed += sums.fixed;
      all.moving += sums.moving;
      all.count += sums.count;
    }
    const auto count = static_cast<double>(std::max<std::int64_t>(all.count, 1));
    centres[static_cast<std::size_t>(2 * image)] = all.fixed / count;
    centres[static_cast<std::size_t>(2 * image + 1)] = all.moving / count;
  }
  return centres;
}

/** The windows of a task: the sum of the squares of their correlations.
 *
 * \tparam VMasked the number of valid samples is summed, too */
template <bool VMasked, typename TReal>
double
EvaluateWindows(const LossArguments<TReal> & arguments,
                const WindowTasks &          tasks,
                std::int64_t                 image,
                std::int64_t                 task)
{
  constexpr int            VNumbers = WindowSums + (VMasked ? 1 : 0);
  const CentredPair<TReal> pair(arguments, image);
  double                   correlation = 0.0;
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
      const std::int64_t first = (z * tasks.size[1] + y) * tasks.size[0];
      double             ofRow = 0.0;
      for (std::int64_t x = 0; x < tasks.size[0]; ++x)
      {
        double sums[WindowSums];
        std::copy_n(windowsOfRow + x * VNumbers, WindowSums, sums);
        const double count = VMasked ? windowsOfRow[x * VNumbers + VNumbers - 1]
                                     : ofOthers * CountAlong(x, tasks.radius[0], tasks.size[0]);
        ofRow += EvaluateWindow(arguments, pair, image * arguments.plane + first + x, first + x, sums, count);
      }
      correlation += ofRow;
    });
  return correlation;
}

/** The gradients of a task.
 *
 * \tparam VNumbers of a window that they take */
template <int VNumbers, typename TReal>
void
SumFactors(const LossArguments<TReal> & arguments,
           const TReal * const (&factors)[VNumbers],
           const WindowTasks & tasks,
           std::int64_t        image,
           std::int64_t        task)
{
  const CentredPair<TReal> pair(arguments, image);
  const std::int64_t       firstOfImage = image * arguments.plane;
  MarchWindows<VNumbers>(
    tasks,
    task,
    [&](std::int64_t offset, double * to) {
      for (int n = 0; n < VNumbers; ++n)
      {
        to[n] = static_cast<double>(factors[n][firstOfImage + offset]);
      }
    },
    [&](std::int64_t y, std::int64_t z, const double * windowsOfRow) {
      const std::int64_t first = (z * tasks.size[1] + y) * tasks.size[0];
      for (std::int64_t x = 0; x < tasks.size[0]; ++x)
      {
        double sums[VNumbers];
        std::copy_n(windowsOfRow + x * VNumbers, VNumbers, sums);
        EvaluateGradients<VNumbers>(arguments, pair, firstOfImage + first + x, first + x, sums);
      }
    });
}

template <typename TReal>
void
Evaluate(LossArguments<TReal> arguments, const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  const std::vector<double> centres = FindCentres(arguments, pairs.images, context);
  arguments.centres = centres.data();
  const auto         wanted = FactorsOf(pairs);
  const auto         numbers = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
  const auto         ofNumber = static_cast<std::size_t>(pairs.images * arguments.plane);
  std::vector<TReal> memory(numbers * ofNumber);
  const TReal *      factors[WindowFactors] = {};
  for (std::size_t n = 0, next = 0; n < WindowFactors; ++n)
  {
    if (wanted[n])
    {
      arguments.factors[n] = memory.data() + next * ofNumber;
      factors[next] = arguments.factors[n];
      ++next;
    }
  }
  const WindowTasks   tasks({ { arguments.size[0], arguments.size[1], arguments.size[2] } }, CutRadiusOf(pairs));
  const std::int64_t  parts = tasks.Count();
  std::vector<double> partial(static_cast<std::size_t>(pairs.images * parts));
  ForParts(pairs.images, parts, context, [&](std::int64_t image, std::int64_t task, std::int64_t to) {
    partial[static_cast<std::size_t>(to)] = arguments.mask != nullptr
                                              ? EvaluateWindows<true>(arguments, tasks, image, task)
                                              : EvaluateWindows<false>(arguments, tasks, image, task);
  });
  auto * const sums = static_cast<TReal *>(pairs.sums);
  for (std::int64_t image = 0; image < pairs.images; ++image)
  {
    double sum = 0.0;
    for (std::int64_t part = 0; part < parts; ++part)
    {
      sum += partial[static_cast<std::size_t>(image * parts + part)];
    }
    sums[image] = static_cast<TReal>(sum);
  }
  if (numbers == 0)
  {
    return;
  }
  ForParts(pairs.images, parts, context, [&](std::int64_t image, std::int64_t task, std::int64_t) {
    if (numbers == WindowFactors)
    {
      SumFactors<WindowFactors>(arguments, factors, tasks, image, task);
    }
    else
    {
      const TReal * const ofOne[FactorsOfOne] = { factors[0], factors[1], factors[2] };
      SumFactors<FactorsOfOne>(arguments, ofOne, tasks, image, task);
    }
  });
}

} // namespace

void
EvaluateLocalCorrelationLossOnCpu(const LocalCorrelationPairs & pairs, const ExecutionContext & context)
{
  DispatchLoss(pairs, [&](const auto & arguments) { Evaluate(arguments, pairs, context); });
}

} // namespace itk::CudaSpline
