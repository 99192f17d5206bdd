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
#include "kernels/registration/images/MaskedImage.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/registration/images/RangeUnderMask.h"

namespace itk::CudaSpline
{

namespace
{
void
Walk(const MaskedImageArrays & arrays, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    WalkMaskedImageOnCuda(arrays, residence);
    return;
  }
  WalkMaskedImage(arrays, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}
} // namespace

ResidentImage
SmoothUnderMask(const SynSide &            side,
                const GaussianDescriptor & smoothing,
                bool                       keepsPixels,
                const Residence &          residence)
{
  const auto        mask = MaskOn(side.image.grid, side.mask, residence);
  const std::size_t bytes = static_cast<std::size_t>(side.image.grid.Count()) * SizeOf(side.image.pixel);
  const auto        values = std::make_shared<ResidentArray>(bytes, residence);
  const auto        shares = std::make_shared<ResidentArray>(bytes, residence);
  const auto        as = [&](const std::shared_ptr<ResidentArray> & array) {
    return ResidentImage{ side.image.grid, side.image.pixel, std::shared_ptr<const void>(array, array->Data()) };
  };
  MaskedImageArrays arrays{ side.image,     static_cast<const std::uint8_t *>(mask.get()),
                            values->Data(), shares->Data(),
                            nullptr,        nullptr,
                            keepsPixels };
  Walk(arrays, residence);
  const ResidentImage smoothValues = SmoothImage(as(values), smoothing, residence);
  const ResidentImage smoothShares = SmoothImage(as(shares), smoothing, residence);
  arrays.smoothValues = smoothValues.data.get();
  arrays.smoothShares = smoothShares.data.get();
  Walk(arrays, residence);
  return as(values);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkMaskedImageOnCuda(const MaskedImageArrays &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
