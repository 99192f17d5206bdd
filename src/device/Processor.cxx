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
#include "itkCudaSpline/device/Processor.h"

#if defined(__x86_64__) || defined(__i386__)
#  include <cpuid.h>

#  include <array>
#endif

namespace itk::CudaSpline
{

#if defined(__x86_64__) || defined(__i386__)

std::string
ProcessorName()
{
  constexpr unsigned int      first = 0x80000002U; // three leaves of 16 letters
  std::array<unsigned int, 4> words{};
  std::string                 name;
  for (unsigned int leaf = first; leaf < first + 3; ++leaf)
  {
    if (__get_cpuid(leaf, words.data(), &words[1], &words[2], &words[3]) == 0)
    {
      return {};
    }
    name.append(reinterpret_cast<const char *>(words.data()), sizeof(words));
  }
  return name.substr(0, name.find('\0')); // what is unused is zero
}

#else

std::string
ProcessorName()
{
  return {};
}

#endif

} // namespace itk::CudaSpline
