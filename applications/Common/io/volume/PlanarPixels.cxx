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
#include "io/volume/PlanarPixels.h"

#include <cstdint>

namespace CudaSplineProgram
{

namespace
{

template <typename TNumber>
void
TakeApart(const void * from, std::size_t pixels, unsigned int components, void * to)
{
  const auto * const numbers = static_cast<const TNumber *>(from);
  auto * const       planes = static_cast<TNumber *>(to);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel)
  {
    for (unsigned int component = 0; component < components; ++component)
    {
      planes[component * pixels + pixel] = numbers[pixel * components + component];
    }
  }
}

} // namespace

void
TakeApart(std::size_t numberBytes, const void * from, std::size_t pixels, unsigned int components, void * to)
{
  switch (numberBytes)
  {
    case 1:
      TakeApart<std::uint8_t>(from, pixels, components, to);
      return;
    case 2:
      TakeApart<std::uint16_t>(from, pixels, components, to);
      return;
    case 4:
      TakeApart<std::uint32_t>(from, pixels, components, to);
      return;
    default:
      TakeApart<std::uint64_t>(from, pixels, components, to);
  }
}

} // namespace CudaSplineProgram
