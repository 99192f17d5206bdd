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
#ifndef HostCopies_h
#define HostCopies_h

#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <cstring>

namespace itk::CudaSpline
{

/** \brief Makes copies use the threads of a context, which must outlive the copies. */
inline CopyThreads
CopyThreadsOf(const ExecutionContext & context)
{
  CopyThreads threads;
  if (context.host != nullptr)
  {
    threads.count = context.host->GetConcurrency();
    threads.run = [&context](unsigned int lanes, const std::function<void(unsigned int)> & body) {
      context.ParallelFor(lanes, [&body](std::int64_t begin, std::int64_t end) {
        for (std::int64_t lane = begin; lane < end; ++lane)
        {
          body(static_cast<unsigned int>(lane));
        }
      });
    };
  }
  return threads;
}

/** \brief Copies between host arrays with the threads of a context.
 *
 * \param[out] to first byte
 * \param[in] from first byte
 * \param[in] bytes length */
inline void
CopyOnHost(const ExecutionContext & context, void * to, const void * from, std::size_t bytes)
{
  constexpr std::int64_t block = std::int64_t(1) << 18; // large enough to be worth a thread
  const auto             length = static_cast<std::int64_t>(bytes);
  context.ParallelFor((length + block - 1) / block, [=](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * block;
    const std::int64_t last = end * block < length ? end * block : length;
    std::memcpy(
      static_cast<char *>(to) + first, static_cast<const char *>(from) + first, static_cast<std::size_t>(last - first));
  });
}

} // namespace itk::CudaSpline

#endif
