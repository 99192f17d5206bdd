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
#include "kernels/registration/images/BoxSums.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/registration/images/SpatialMask.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

/** Returns 1 for each voxel of an image whose centre is under its mask, and 0 for others. */
std::vector<std::uint8_t>
MarkInside(const MaskedImage & image, const ExecutionContext & context)
{
  const FieldWalk           walk = WalkOf(image.grid);
  const SpatialMask         mask(image.maskGrid, image.mask);
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(image.grid.Count()));
  context.ParallelFor(walk.size[1] * walk.size[2], [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      for (std::int64_t x = 0; x < walk.size[0]; ++x)
      {
        const FieldGrid::Vector index{ { static_cast<double>(image.grid.start[0] + x),
                                         static_cast<double>(image.grid.start[1] + row % walk.size[1]),
                                         static_cast<double>(image.grid.start[2] + row / walk.size[1]) } };
        inside[static_cast<std::size_t>(row * walk.size[0] + x)] =
          mask.IsInside(PlaceOfIndex(image.grid, index)) ? 1 : 0;
      }
    }
  });
  return inside;
}

} // namespace

std::vector<BoxSum>
SumBoxes(const MaskedImage &       image,
         bool                      isMasked,
         const VoxelBoxes &        boxes,
         const Residence &         residence,
         std::vector<BoxMoments> * moments)
{
  if (!IsReal(image.pixel))
  {
    throw std::invalid_argument(std::string("Pixels of a registration must be float32 or float64, not ") +
                                NameOf(image.pixel) + ".");
  }
  std::size_t count = 1;
  for (unsigned int d = 0; d < image.grid.dimension; ++d)
  {
    count *= static_cast<std::size_t>((boxes.part.size[d] + boxes.width[d] - 1) / boxes.width[d]);
  }
  std::vector<BoxSum>       sums(count);
  std::vector<std::uint8_t> inside;
  if (isMasked && image.mask != nullptr)
  {
    inside = MarkInside(image, residence.GetContext());
  }
  if (moments != nullptr)
  {
    moments->assign(count, BoxMoments());
  }
  BoxArrays arrays{
    image.pixels, inside.empty() ? nullptr : inside.data(), sums.data(), moments != nullptr ? moments->data() : nullptr
  };
  if (!residence.IsOnDevice())
  {
    WalkBoxes(image.grid, image.pixel, boxes, arrays, [&](const auto & body) {
      ForEachSampleOnCpu(body.walk, residence, body);
    });
    return sums;
  }
  const ResidentArray marks(inside.size(), residence);
  const ResidentArray found(count * sizeof(BoxSum), residence);
  const ResidentArray foundMoments(moments != nullptr ? count * sizeof(BoxMoments) : 0, residence);
  if (!inside.empty())
  {
    Upload(marks.Data(), inside.data(), inside.size(), residence);
  }
  arrays.inside = inside.empty() ? nullptr : marks.As<std::uint8_t>();
  arrays.sums = found.As<BoxSum>();
  arrays.moments = moments != nullptr ? foundMoments.As<BoxMoments>() : nullptr;
  WalkBoxesOnCuda(image.grid, image.pixel, boxes, arrays, residence);
  Download(sums.data(), found.Data(), found.Bytes(), residence);
  if (moments != nullptr)
  {
    Download(moments->data(), foundMoments.Data(), foundMoments.Bytes(), residence);
  }
  return sums;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkBoxesOnCuda(const FieldGrid &, ScalarType, const VoxelBoxes &, const BoxArrays &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
