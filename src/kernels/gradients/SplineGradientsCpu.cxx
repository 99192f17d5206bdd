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
#include "kernels/gradients/EndWeights.h"
#include "kernels/gradients/GradientBackends.h"
#include "kernels/gradients/PointGradients.h"
#include "kernels/gradients/PointScatter.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

/** Calls \p body for all points of all images in the threads of the host. */
template <typename TBody>
void
ForPoints(const PointArguments & arguments, const ExecutionContext & context, const TBody & body)
{
  constexpr std::int64_t few = 512; // for fewer, starting threads takes longer
  const std::int64_t     count = arguments.batches * arguments.count;
  ExecutionContext       own = context;
  own.host = count < few ? nullptr : context.host;
  own.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      body(i / arguments.count, i % arguments.count);
    }
  });
}

/** Calls \p run with a number of the type of the elements. */
template <typename TRun>
void
WithElement(const SplinePoints & points, const TRun & run)
{
  if (points.element == ScalarType::Float32)
  {
    run(0.0F);
  }
  else
  {
    run(0.0);
  }
}

/** Sums of all images and channels, and their bounds. */
template <typename TReal>
class HostSums
{
public:
  HostSums(const PointArguments & arguments, const ExecutionContext & context)
    : m_Arguments(arguments)
    , m_Largest(static_cast<std::size_t>(arguments.batches * arguments.channels))
    , m_Broken(m_Largest.size())
    , m_High(m_Largest.size() * static_cast<std::size_t>(arguments.plane))
    , m_Low(sizeof(TReal) > sizeof(float) ? m_High.size() : 0)
  {
    this->FindLargest(context);
    m_Sums.high = m_High.data();
    m_Sums.low = m_Low.empty() ? nullptr : m_Low.data();
    m_Sums.largest = m_Largest.data();
    m_Sums.broken = m_Broken.data();
    BoundSums(arguments, m_Sums);
  }

  const ScatterSums &
  Get() const
  {
    return m_Sums;
  }

  bool
  AreBroken() const
  {
    return std::any_of(m_Broken.begin(), m_Broken.end(), [](std::uint32_t broken) { return broken != 0; });
  }

private:
  void
  FindLargest(const ExecutionContext & context)
  {
    const auto * const weights = static_cast<const TReal *>(m_Arguments.weights);
    if (weights == nullptr)
    {
      std::fill(m_Largest.begin(), m_Largest.end(), BitsOfMagnitude(1.0));
      return;
    }
    const std::int64_t numbers = m_Arguments.count * m_Arguments.components;
    for (std::size_t plane = 0; plane < m_Largest.size(); ++plane)
    {
      std::atomic<std::uint64_t> largest{ 0 };
      std::atomic<std::uint32_t> broken{ 0 };
      const TReal * const        first = weights + static_cast<std::int64_t>(plane) * numbers;
      context.ParallelFor(numbers, [&](std::int64_t begin, std::int64_t end) {
        TReal own = TReal(0);
        bool  isBroken = false;
        for (std::int64_t i = begin; i < end; ++i)
        {
          const bool isFinite = std::isfinite(first[i]);
          own = isFinite ? std::max(own, std::abs(first[i])) : own;
          isBroken = isBroken || !isFinite;
        }
        const std::uint64_t bits = BitsOfMagnitude(static_cast<double>(own));
        for (std::uint64_t found = largest; found < bits && !largest.compare_exchange_weak(found, bits);)
        {}
        broken |= isBroken ? 1 : 0;
      });
      m_Largest[plane] = largest;
      m_Broken[plane] = broken;
    }
  }

  const PointArguments &     m_Arguments;
  std::vector<std::uint64_t> m_Largest;
  std::vector<std::uint32_t> m_Broken;
  std::vector<std::int64_t>  m_High;
  std::vector<std::int64_t>  m_Low;
  ScatterSums                m_Sums{};
};

/** Adds the contributions of all points. A thread owns some rows of the slowest axis of an image. It visits all points,
 * but skips most of them by their first coordinate. No other thread adds to its samples. */
template <unsigned int VOrder, unsigned int VTotal, typename TReal>
void
ScatterRows(const PointArguments & arguments, const ScatterSums & sums, const ExecutionContext & context)
{
  constexpr std::int64_t few = 512;
  const unsigned int     first = arguments.FirstAxis();
  const std::int64_t     rows = arguments.size[first];
  const bool             isSmall = arguments.batches * arguments.count < few;
  const std::int64_t     threads = isSmall || context.host == nullptr ? 1 : context.host->GetConcurrency();
  const std::int64_t     parts = std::min(rows, (threads + arguments.batches - 1) / arguments.batches);
  const double           partsOfQuantum = PowerOfTwo(sums.parts);
  ExecutionContext       own = context;
  own.host = isSmall ? nullptr : context.host;
  own.ParallelFor(arguments.batches * parts, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t task = from; task < to; ++task)
    {
      const std::int64_t batch = task / parts;
      const std::int64_t begin = task % parts * rows / parts * arguments.stride[first];
      const std::int64_t end = (task % parts + 1) * rows / parts * arguments.stride[first];
      for (std::int64_t point = 0; point < arguments.count; ++point)
      {
        if (parts > 1)
        {
          AxisTaps<VOrder, 0, TReal> taps;
          const TReal                x = *CoordinatesOf<TReal>(arguments, batch, point);
          if (!taps.Set(x, rows, arguments.mode))
          {
            continue;
          }
          const AxisOffsets<VOrder> offsets(taps, rows, arguments.stride[first], arguments.mode);
          if (std::none_of(
                offsets.of, offsets.of + VOrder + 1, [=](std::int64_t at) { return at >= begin && at < end; }))
          {
            continue;
          }
        }
        ScatterPoint<VOrder, VTotal, TReal>(
          arguments, sums, batch, point, begin, end, [&](std::int64_t at, std::int64_t whole, TReal rest) {
            sums.high[at] += whole;
            if constexpr (sizeof(TReal) > sizeof(float))
            {
              sums.low[at] += static_cast<std::int64_t>(llrint(rest * partsOfQuantum));
            }
          });
      }
    }
  });
}

} // namespace

void
EvaluateDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context)
{
  const PointArguments arguments = PointArgumentsOf(points);
  WithElement(points, [&](auto zero) {
    using TReal = decltype(zero);
    DispatchPointKernel<0>(points.order, points.derivatives, [&](auto order, auto total) {
      ForPoints(arguments, context, [&](std::int64_t batch, std::int64_t point) {
        AtPoint<EvaluatePoint, decltype(order)::value, decltype(total)::value, TReal>(arguments, batch, point);
      });
    });
  });
}

void
ContractDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context)
{
  const PointArguments arguments = PointArgumentsOf(points);
  WithElement(points, [&](auto zero) {
    using TReal = decltype(zero);
    DispatchPointKernel<1>(points.order, points.derivatives + 1, [&](auto order, auto total) {
      ForPoints(arguments, context, [&](std::int64_t batch, std::int64_t point) {
        AtPoint<ContractPoint, decltype(order)::value, decltype(total)::value, TReal>(arguments, batch, point);
      });
    });
  });
}

void
ScatterDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context)
{
  const PointArguments arguments = PointArgumentsOf(points);
  WithElement(points, [&](auto zero) {
    using TReal = decltype(zero);
    const HostSums<TReal> sums(arguments, context);
    auto * const          result = static_cast<TReal *>(points.result);
    DispatchPointKernel<0>(points.order, points.derivatives, [&](auto order, auto total) {
      constexpr unsigned int VOrder = decltype(order)::value;
      ScatterRows<VOrder, decltype(total)::value, TReal>(arguments, sums.Get(), context);
      context.ParallelFor(arguments.batches * arguments.channels * arguments.plane,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t at = begin; at < end; ++at)
                            {
                              result[at] = FinishedSum<TReal>(arguments, sums.Get(), at);
                            }
                          });
      for (std::int64_t i = 0; i < arguments.batches * arguments.count && sums.AreBroken(); ++i)
      {
        MarkPoint<VOrder, TReal>(
          arguments, sums.Get(), i / arguments.count, i % arguments.count, [result](std::int64_t at) {
            result[at] = std::numeric_limits<TReal>::quiet_NaN();
          });
      }
    });
  });
}

void
FilterArrayAdjointOnCpu(const ArrayFilter & filter, const ExecutionContext & context)
{
  const EndWeights   weights(filter);
  const std::int64_t count = filter.input.Count();
  const auto         run = [&](auto zero) {
    using TReal = decltype(zero);
    const std::unique_ptr<TReal[]> weighted(new TReal[static_cast<std::size_t>(count)]);
    const auto *                   input = static_cast<const TReal *>(filter.input.data);
    auto *                         output = static_cast<TReal *>(const_cast<void *>(filter.output.data));
    const auto                     weigh = [&](const TReal * from, TReal * to, bool isBefore) {
      context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          to[i] = from[i] * static_cast<TReal>(weights.Of(i, isBefore));
        }
      });
    };
    weigh(input, weighted.get(), true);
    ArrayFilter plain = filter;
    plain.input.data = weighted.get();
    FilterArray(plain, context);
    weigh(output, output, false);
  };
  if (filter.element == ScalarType::Float32)
  {
    run(0.0F);
  }
  else
  {
    run(0.0);
  }
}

} // namespace itk::CudaSpline
