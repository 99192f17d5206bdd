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
#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/coefficients/lines/HostPrefilter.h"

#include <algorithm>

namespace itk::CudaSpline
{

void
PrefilterOnCpu(const SourceDescriptor & descriptor,
               const void *             pixels,
               void *                   coefficients,
               const ExecutionContext & context)
{
  context.Report(0.0);
  // Fewer elements are finished before other threads have woken up.
  constexpr std::int64_t fewest = 4096;
  ExecutionContext       own = context;
  own.host = descriptor.Elements() < fewest ? nullptr : context.host;
  if (descriptor.element == ScalarType::Float32)
  {
    HostPrefilter<float>(descriptor, pixels, static_cast<float *>(coefficients), own).Run();
  }
  else if (descriptor.element == ScalarType::Float64)
  {
    HostPrefilter<double>(descriptor, pixels, static_cast<double *>(coefficients), own).Run();
  }
  else
  {
    const auto bytes = static_cast<std::int64_t>(SizeOf(descriptor.element));
    context.ParallelFor(descriptor.Count(), [&](std::int64_t begin, std::int64_t end) {
      std::copy(static_cast<const char *>(pixels) + begin * bytes,
                static_cast<const char *>(pixels) + end * bytes,
                static_cast<char *>(coefficients) + begin * bytes);
    });
  }
  context.Report(1.0);
}

void
PrefilterAxisOnCpu(const SourceDescriptor & descriptor,
                   unsigned int             axis,
                   const void *             pixels,
                   void *                   coefficients,
                   const ExecutionContext & context)
{
  context.Report(0.0);
  if (descriptor.element == ScalarType::Float32)
  {
    HostPrefilter<float>(descriptor, pixels, static_cast<float *>(coefficients), context).RunAxis(axis);
  }
  else
  {
    HostPrefilter<double>(descriptor, pixels, static_cast<double *>(coefficients), context).RunAxis(axis);
  }
  context.Report(1.0);
}

} // namespace itk::CudaSpline
