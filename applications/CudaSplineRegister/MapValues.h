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
#ifndef CudaSplineRegister_MapValues_h
#define CudaSplineRegister_MapValues_h

#include "Registration.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <algorithm>
#include <cstdint>

namespace CudaSplineRegister
{

/** \brief What a function makes of each value of an image, on ITK's threads.
 *
 * \param[in] image of float or double
 * \param[in] function called with a value of that type, which it returns */
template <typename TFunction>
Volume
MapValues(const Volume & image, const TFunction & function)
{
  const auto count = static_cast<std::int64_t>(image.grid.GetNumberOfVoxels());
  Volume     mapped = Volume::Allocate(image.grid, image.type);
  const auto map = [&](auto zero) {
    using PixelType = decltype(zero);
    const auto * const from = static_cast<const PixelType *>(image.pixels.get());
    auto * const       to = static_cast<PixelType *>(mapped.pixels.get());
    itk::CudaSplineDetail::OnItkThreads([&](const auto & context) {
      context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
        std::transform(from + begin, from + end, to + begin, function);
      });
    });
  };
  if (image.type == ScalarType::Float32)
  {
    map(float{});
  }
  else
  {
    map(double{});
  }
  return mapped;
}

} // namespace CudaSplineRegister

#endif
