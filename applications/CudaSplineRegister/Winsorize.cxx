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
#include "Winsorize.h"

#include "MapValues.h"

#include "itkCudaSpline/itk/ImageStatistics.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace CudaSplineRegister
{

Volume
Winsorize(const Volume & image, const std::array<double, 2> & quantiles)
{
  const auto values = itk::CudaSplineDetail::FindQuantiles(
    image.pixels.get(), image.type, static_cast<std::int64_t>(image.grid.GetNumberOfVoxels()), quantiles);
  if (!values)
  {
    return image; // all values are the same
  }
  return MapValues(image, [cut = *values](auto value) {
    using PixelType = decltype(value);
    // One that is not a number becomes the lower.
    return std::min(std::max(static_cast<PixelType>(cut[0]), value), static_cast<PixelType>(cut[1]));
  });
}

} // namespace CudaSplineRegister
