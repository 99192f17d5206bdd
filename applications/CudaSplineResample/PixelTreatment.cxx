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
#include "PixelTreatment.h"

#include "io/volume/PixelType.h"

#include "itkCudaSpline/itk/SamplingGaussian.h"

#include "itkRecursiveGaussianImageFilter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace CudaSplineResample
{
namespace
{

/** Returns the standard deviation of the Gaussian along an axis, in voxels. */
double
SigmaOf(const Volume & volume, const Coordinates & steps, unsigned int axis)
{
  return itk::CudaSplineDetail::SamplingSigma(steps[axis], static_cast<std::int64_t>(volume.grid.size[axis]));
}

template <typename TPixel, unsigned int VDimension>
Volume
Smooth(const Volume & volume, const Coordinates & steps)
{
  using ImageType = itk::Image<TPixel, VDimension>;
  typename ImageType::Pointer image = ViewAsImage<ImageType>(volume);
  bool                        isView = true;
  for (unsigned int axis = 0; axis < VDimension; ++axis)
  {
    const double sigma = SigmaOf(volume, steps, axis);
    if (!(sigma > 0.0))
    {
      continue;
    }
    const auto filter = itk::RecursiveGaussianImageFilter<ImageType, ImageType>::New();
    filter->SetInput(image);
    filter->SetDirection(axis);
    filter->SetSigma(volume.grid.spacing[axis] * sigma);
    filter->Update();
    image = filter->GetOutput();
    image->DisconnectPipeline();
    isView = false;
  }
  return isView ? volume : HoldImage(image.GetPointer(), volume.grid);
}

} // namespace

PixelTreatment &
GetPixelTreatment()
{
  static PixelTreatment treatment;
  return treatment;
}

bool
IsAll(const Volume & volume, double value)
{
  // Compared in pieces: if there is another value, it is usually found soon.
  constexpr std::size_t pixels = 512;
  const std::size_t     bytes = itk::CudaSpline::SizeOf(volume.type);
  std::vector<char>     piece(pixels * bytes);
  for (std::size_t pixel = 0; pixel < pixels; ++pixel)
  {
    itk::CudaSpline::StoreScalar(piece.data(), volume.type, static_cast<std::int64_t>(pixel), value);
  }
  const auto * const at = static_cast<const char *>(volume.pixels.get());
  const std::size_t  all = volume.GetNumberOfBytes();
  for (std::size_t done = 0; done < all; done += piece.size())
  {
    if (std::memcmp(at + done, piece.data(), std::min(piece.size(), all - done)) != 0)
    {
      return false;
    }
  }
  return true;
}

bool
IsSmoothed(const Volume & volume, const Coordinates & steps)
{
  for (unsigned int axis = 0; axis < volume.grid.dimension; ++axis)
  {
    if (SigmaOf(volume, steps, axis) > 0.0)
    {
      return true;
    }
  }
  return false;
}

Volume
SmoothForSampling(const Volume & volume, const Coordinates & steps)
{
  const bool   isDouble = itk::CudaSpline::NeedsDoublePrecision(volume.type);
  const Volume real = CastVolume(volume, isDouble ? ScalarType::Float64 : ScalarType::Float32);
  if (volume.grid.dimension == 2)
  {
    return isDouble ? Smooth<double, 2>(real, steps) : Smooth<float, 2>(real, steps);
  }
  return isDouble ? Smooth<double, 3>(real, steps) : Smooth<float, 3>(real, steps);
}

} // namespace CudaSplineResample
