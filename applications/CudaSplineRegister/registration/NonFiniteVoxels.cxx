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
#include "registration/NonFiniteVoxels.h"

#include "console/Error.h"
#include "io/volume/PixelType.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace CudaSplineRegister
{

namespace
{

template <typename TPixel>
std::optional<Volume>
TakeOut(const Volume & image, const std::string & name)
{
  auto * const      pixels = static_cast<TPixel *>(image.pixels.get());
  const std::size_t count = image.grid.GetNumberOfVoxels();
  const auto        isFinite = [](TPixel value) { return std::isfinite(value); };
  if (std::all_of(pixels, pixels + count, isFinite))
  {
    return std::nullopt;
  }
  auto least = std::numeric_limits<TPixel>::infinity();
  std::for_each(
    pixels, pixels + count, [&](TPixel value) { least = isFinite(value) ? std::min(least, value) : least; });
  if (!isFinite(least))
  {
    throw ProgramError("the " + name + " image has no voxel with a finite value");
  }
  Volume       finite = Volume::Allocate(image.grid, ScalarType::UInt8);
  auto * const marks = static_cast<std::uint8_t *>(finite.pixels.get());
  std::transform(pixels, pixels + count, marks, [&](TPixel value) { return isFinite(value) ? 1 : 0; });
  std::replace_if(
    pixels, pixels + count, [&](TPixel value) { return !isFinite(value); }, least);
  Warn(std::to_string(std::count(marks, marks + count, 0)) + " of " + std::to_string(count) + " voxels of the " + name +
       " image are not finite (NaN or infinite); they are ignored");
  return finite;
}

template <typename TPixel>
void
Blank(const Volume & warped, const Volume & mask, double value)
{
  const auto * const marks = static_cast<const TPixel *>(mask.pixels.get());
  auto * const       pixels = static_cast<TPixel *>(warped.pixels.get());
  std::transform(pixels, pixels + warped.grid.GetNumberOfVoxels(), marks, pixels, [value](TPixel pixel, TPixel mark) {
    return mark > TPixel{ 0 } ? pixel : static_cast<TPixel>(value);
  });
}

} // namespace

std::optional<Volume>
MaskNonFiniteVoxels(const Volume & image, const std::string & name)
{
  return image.type == ScalarType::Float32 ? TakeOut<float>(image, name) : TakeOut<double>(image, name);
}

std::optional<Volume>
JoinMasks(const std::optional<Volume> & finite, const std::optional<Volume> & mask)
{
  if (!finite || !mask)
  {
    return finite ? finite : mask;
  }
  Volume             joined = Volume::Allocate(finite->grid, ScalarType::UInt8);
  const auto * const marks = static_cast<const std::uint8_t *>(finite->pixels.get());
  const auto * const under = static_cast<const std::uint8_t *>(mask->pixels.get());
  auto * const       both = static_cast<std::uint8_t *>(joined.pixels.get());
  std::size_t        number = 0;
  const auto &       size = finite->grid.size;
  for (std::size_t z = 0; z < size[2]; ++z)
  {
    for (std::size_t y = 0; y < size[1]; ++y)
    {
      for (std::size_t x = 0; x < size[0]; ++x, ++number)
      {
        const Coordinates index{ static_cast<double>(x), static_cast<double>(y), static_cast<double>(z) };
        const Coordinates place = IndexOfPoint(mask->grid, PointOfIndex(finite->grid, index));
        std::size_t       offset = 0;
        bool              isInside = true;
        for (unsigned int axis = 3; axis-- > 0;)
        {
          const double nearest = std::floor(place[axis] + 0.5);
          isInside = isInside && nearest >= 0.0 && nearest < static_cast<double>(mask->grid.size[axis]);
          offset = isInside ? offset * mask->grid.size[axis] + static_cast<std::size_t>(nearest) : 0;
        }
        both[number] = isInside && marks[number] != 0 && under[offset] != 0 ? 1 : 0;
      }
    }
  }
  return joined;
}

void
BlankOutside(const Volume &              warped,
             const Volume &              finite,
             const itk::TransformBase *  transform,
             double                      value,
             const DeformationSettings & settings)
{
  DeformationSettings nearest = settings;
  nearest.isLabels = true;
  const Volume mask = Warp(CastVolume(finite, settings.type), warped.grid, transform, 0.0, nearest);
  settings.type == ScalarType::Float32 ? Blank<float>(warped, mask, value) : Blank<double>(warped, mask, value);
}

} // namespace CudaSplineRegister
