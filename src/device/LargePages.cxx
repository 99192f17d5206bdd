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
#include "device/LargePages.h"

#include "itkCudaSpline/device/Device.h"

#if defined(__linux__)
#  include <sys/mman.h>

#  include <cstdint>
#endif

namespace itk::CudaSpline
{

#if defined(__linux__) && defined(MADV_HUGEPAGE)
void
AdviseLargePages(void * memory, std::size_t bytes)
{
  constexpr std::uintptr_t page = std::uintptr_t{ 2 } << 20;
  constexpr std::size_t    least = std::size_t{ 16 } << 20; // smaller memory is often part of memory in use
  const auto               address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t     begin = (address + page - 1) / page * page;
  const std::uintptr_t     end = (address + bytes) / page * page;
  if (bytes >= least && begin < end && DeviceOfPointer(memory) < 0)
  {
    (void)madvise(static_cast<char *>(memory) + (begin - address),
                  end - begin,
                  MADV_HUGEPAGE); // only advice: an error has no effect
  }
}
#else
void
AdviseLargePages(void *, std::size_t)
{}
#endif

} // namespace itk::CudaSpline
