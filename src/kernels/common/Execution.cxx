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
#include "itkCudaSpline/kernels/common/Execution.h"

#include "device/HostConcurrency.h"
#include "device/HostThreads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace itk::CudaSpline
{

ThreadExecutor::ThreadExecutor(unsigned int threads)
  : m_Threads(threads > 0 ? threads : UsableConcurrency())
{}

void
ThreadExecutor::ParallelFor(std::int64_t count, const Body & body) const
{
  const std::int64_t parts = std::min<std::int64_t>(count, m_Threads);
  if (parts <= 1)
  {
    HostExecutor::ParallelFor(count, body);
    return;
  }
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  RunOnHostThreads(parts, m_Threads, [&](std::int64_t part) {
    try
    {
      body(count * part / parts, count * (part + 1) / parts);
    }
    catch (...)
    {
      errors[static_cast<std::size_t>(part)] = std::current_exception();
    }
  });
  for (const std::exception_ptr & error : errors)
  {
    if (error)
    {
      std::rethrow_exception(error);
    }
  }
}

} // namespace itk::CudaSpline
