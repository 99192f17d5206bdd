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
#include "kernels/metrics/local_correlation/LocalCentre.h"
#include "kernels/metrics/local_correlation/LocalCorrelationBackends.h"
#include "kernels/metrics/local_correlation/WindowMarch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief EvaluateLocalCorrelation() on the threads of the host. */

namespace itk::CudaSpline
{

namespace
{

/** One task.
 *
 * \tparam VMasked the number of valid samples is summed, too */
template <bool VMasked, bool VRounds, typename TPixel>
LocalCorrelationSums
RunTask(const LocalCentre<TPixel> & centre, const WindowTasks & tasks, std::int64_t task)
{
  constexpr int VNumbers = WindowSums + (VMasked ? 1 : 0);
  const auto &  size = tasks.size;
  const auto &  radius = tasks.radius;

  const auto load = [&](std::int64_t offset, double * to) {
    if (VMasked && !centre.IsValid(offset))
    {
      std::fill_n(to, VNumbers, 0.0);
      return;
    }
    const TPixel f = centre.fixed[offset];
    const TPixel m = centre.moving[offset];
    for (int n = 0; n < WindowSums; ++n)
    {
      to[n] = WindowNumberOf<WindowProduct<VRounds>>(n, f, m);
    }
    if constexpr (VMasked)
    {
      to[WindowSums] = 1.0;
    }
  };

  LocalCorrelationSums sums;
  const auto           evaluateRow = [&](std::int64_t y, std::int64_t z, const double * windowsOfRow) {
    const double       ofOthers = CountAlong(y, radius[1], size[1]) * CountAlong(z, radius[2], size[2]);
    const std::int64_t first = (z * size[1] + y) * size[0];
    double             correlation = 0.0;
    for (std::int64_t x = 0; x < size[0]; ++x)
    {
      const std::int64_t at[3] = { x, y, z };
      const std::int64_t offset = first + x;
      LocalTerm<double>  term{ 0.0, 0.0, 0.0, true };
      if (!VMasked || centre.IsValid(offset))
      {
        double ofWindow[WindowSums];
        std::copy_n(windowsOfRow + x * VNumbers, WindowSums, ofWindow);
        const double count =
          VMasked ? windowsOfRow[x * VNumbers + VNumbers - 1] : ofOthers * CountAlong(x, radius[0], size[0]);
        term = MakeLocalTerm<double>(ofWindow,
                                     1.0 / count,
                                     static_cast<double>(centre.fixed[offset]),
                                     static_cast<double>(centre.moving[offset]),
                                     centre.bounds);
        correlation += term.correlation;
        ++sums.count;
        sums.flatWindows += term.isFlat ? 1 : 0;
      }
      const auto store = [&](void * derivative, double factor, const TPixel * image, const void * gradients) {
        if (derivative == nullptr)
        {
          return;
        }
        double gradient[3] = {};
        if (!term.isFlat) // what a gradient that is not finite would be part of
        {
          centre.GradientOf(image, gradients, at, offset, gradient);
        }
        for (int d = 0; d < centre.numbers; ++d)
        {
          centre.Store(derivative, offset * centre.numbers + d, term.isFlat ? 0.0 : factor * gradient[d]);
        }
      };
      store(centre.movingDerivative, term.movingFactor, centre.moving, centre.movingGradient);
      store(centre.fixedDerivative, term.fixedFactor, centre.fixed, centre.fixedGradient);
    }
    sums.correlation += correlation;
  };

  MarchWindows<VNumbers>(tasks, task, load, evaluateRow);
  return sums;
}

} // namespace

void
EvaluateLocalCorrelationOnCpu(const LocalCorrelationDescriptor & descriptor,
                              const LocalCorrelationImages &     images,
                              const LocalCorrelationResults &    results,
                              const Residence &                  residence)
{
  const WindowTasks                 tasks(descriptor.grid.size, CutRadius(descriptor));
  std::vector<LocalCorrelationSums> partial(static_cast<std::size_t>(tasks.Count()));
  const bool                        isMasked = images.fixedInside != nullptr || images.movingInside != nullptr;
  DispatchLocalCorrelation(descriptor, [&](auto pixel, auto rounds) {
    constexpr bool VRounds = decltype(rounds)::value;
    const auto     centre = MakeLocalCentre<decltype(pixel)>(descriptor, images, results);
    residence.GetContext().ParallelFor(
      static_cast<std::int64_t>(partial.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t task = begin; task < end; ++task)
        {
          partial[static_cast<std::size_t>(task)] =
            isMasked ? RunTask<true, VRounds>(centre, tasks, task) : RunTask<false, VRounds>(centre, tasks, task);
        }
      });
  });
  LocalCorrelationSums total;
  for (const LocalCorrelationSums & of : partial)
  {
    total.correlation += of.correlation;
    total.count += of.count;
    total.flatWindows += of.flatWindows;
  }
  *results.sums = total;
}

} // namespace itk::CudaSpline
