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
#include "kernels/registration/images/RangeUnderMask.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

std::shared_ptr<const void>
MaskOn(const FieldGrid & grid, const ResidentImage & mask, const Residence & residence)
{
  if (mask.data == nullptr || mask.grid == grid)
  {
    return mask.data;
  }
  const auto warped = std::make_shared<ResidentArray>(static_cast<std::size_t>(grid.Count()), residence);
  ImageWarp  warp;
  warp.input = mask.grid;
  warp.output = grid;
  warp.pixel = ScalarType::UInt8;
  warp.nearest = true;
  WarpImage(warp, mask.data.get(), warped->Data(), residence);
  return std::shared_ptr<const void>(warped, warped->Data());
}

PixelRange
FindPixelRange(const SynSide & side, const Residence & residence)
{
  const auto mask = MaskOn(side.image.grid, side.mask, residence);
  return FindPixelRange(side.image.data.get(),
                        side.image.pixel,
                        static_cast<const std::uint8_t *>(mask.get()),
                        side.image.grid.Count(),
                        residence);
}

PixelRange
FindPixelRange(const MaskedImage & image, const Residence & residence)
{
  const auto borrow = [](const void * data) { return std::shared_ptr<const void>(std::shared_ptr<void>(), data); };
  SynSide    side;
  side.image = { image.grid, image.pixel, borrow(image.pixels) };
  if (image.mask != nullptr)
  {
    side.mask = { image.maskGrid, ScalarType::UInt8, borrow(image.mask) };
  }
  return FindPixelRange(side, residence);
}

} // namespace itk::CudaSpline
