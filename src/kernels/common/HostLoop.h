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
#ifndef HostLoop_h
#define HostLoop_h

#include "itkCudaSpline/kernels/common/Execution.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

/** \file
 * \brief Loops of the host with progress reports. */

namespace itk::CudaSpline
{

/** \brief Approximate number of reports of a loop: as many as itk::ProgressReporter makes. */
inline constexpr std::int64_t ReportsOfLoop = 100;

/** \brief Calls \p body for disjoint ranges that cover [0, count), on the host's threads. A thread takes the next range
 * when it has finished one: no thread waits for another before the end, and ranges may take different times.
 *
 * The calling thread reports progress at the beginning, after its own ranges, and at the end. An exception of the
 * report or of \p body ends the loop and is passed on.
 *
 * \param[in] count iterations, 0 or more
 * \param[in] fewest minimum iterations of a range, except the last
 * \param[in] context threads and progress
 * \param[in] body called with the first index of a range and the one past its last */
template <typename TBody>
void
RunInParts(std::int64_t count, std::int64_t fewest, const ExecutionContext & context, const TBody & body)
{
  const std::int64_t threads = context.host != nullptr ? context.host->GetConcurrency() : 1;
  const std::int64_t length = std::max({ std::int64_t{ 1 }, fewest, count / (ReportsOfLoop * threads) });
  const std::int64_t parts = (count + length - 1) / length;
  const auto         caller = std::this_thread::get_id();

  context.Report(0.0);
  std::atomic<std::int64_t> next{ 0 };
  std::atomic<std::int64_t> done{ 0 };
  std::atomic<bool>         failed{ false };
  context.ParallelFor(std::min(parts, threads), [&](std::int64_t, std::int64_t) {
    try
    {
      for (std::int64_t part = next++; part < parts && !failed; part = next++)
      {
        body(part * length, std::min(count, (part + 1) * length));
        const std::int64_t finished = ++done;
        if (finished < parts && std::this_thread::get_id() == caller)
        {
          context.Report(static_cast<double>(finished) / static_cast<double>(parts));
        }
      }
    }
    catch (...)
    {
      failed = true;
      throw;
    }
  });
  context.Report(1.0);
}

} // namespace itk::CudaSpline

#endif
