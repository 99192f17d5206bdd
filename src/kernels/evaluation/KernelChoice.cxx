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
#include "kernels/evaluation/KernelChoice.h"

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"

#include <climits>
#include <stdexcept>
#include <type_traits>

namespace itk::CudaSpline
{

namespace
{

/** Returns whether the kernels of boxes can be used, and whether they are compiled for the spline. */
bool
CanUseBoxes(const KernelRequest & request, const EvaluationArguments<3> & arguments)
{
  const bool isSpline = HasTiles(request.method) && request.Taps() >= 2;
  const bool isCubic = isSpline && request.Taps() == 4;
  const bool isOfValues = request.derivatives == Derivatives::None;
  const bool isOfGradients = request.derivatives == Derivatives::First && isCubic && arguments.gradients != nullptr &&
                             arguments.hessians == nullptr;
  bool can = isSpline && (isOfValues || isOfGradients) && arguments.coordinates == Coordinates::Scanlines &&
             arguments.mode == EvaluationMode::Exact && request.storage == CoefficientStorage::Element &&
             request.element == ScalarType::Float32 && arguments.components == 1 &&
             arguments.extrapolation == nullptr && arguments.defaultPixels == nullptr && arguments.inside == nullptr &&
             request.lines < INT_MAX && arguments.samples < INT_MAX;
  for (int d = 0; d < 3; ++d)
  {
    can = can && arguments.extent.start[d] > -MaxTileIndex &&
          arguments.extent.start[d] + arguments.extent.size[d] < MaxTileIndex;
  }
  return can;
}

/** Returns the boxes of a slab; they may not exist. */
TilePlan
PlanBoxes(const KernelRequest & request, const EvaluationArguments<3> & arguments, const SharedMemorySizes & memory)
{
  const std::int64_t rows =
    arguments.sliceLines > 0 && arguments.sliceLines < request.lines ? arguments.sliceLines : request.lines;
  const std::int64_t counts[3] = { arguments.samples, rows, (request.lines + rows - 1) / rows };
  return PlanTiles(arguments.steps,
                   counts,
                   static_cast<int>(request.Taps()),
                   request.derivatives,
                   AreRowsAligned(arguments.source, arguments.extent.size[0]),
                   memory);
}

/** Returns the kernels that process samples one by one. There is one for every case. */
KernelFamily
FamilyOfSamples(const KernelRequest & request, EvaluationMode mode)
{
  if (mode != EvaluationMode::Exact)
  {
    return KernelFamily::Texture;
  }
  if (IsPacked(request.storage))
  {
    return KernelFamily::Packed;
  }
  return KernelFamily::Samples;
}

} // namespace

template <unsigned int VDimension>
KernelChoice
ChooseKernel(const KernelRequest &                   request,
             const EvaluationArguments<VDimension> & arguments,
             const SharedMemorySizes &               memory)
{
  KernelChoice choice;
  const bool   isOfValues = request.derivatives == Derivatives::None;
  choice.family = FamilyOfSamples(request, arguments.mode);
  choice.method = request.method;
  choice.element = request.element;
  if (isOfValues && arguments.tiles.shape == MapShape::Separable && VDimension == 3)
  {
    choice.family = KernelFamily::SeparableMarch;
    return choice;
  }
  if (isOfValues && arguments.tiles.shape == MapShape::InPlane && VDimension > 1)
  {
    choice.family = KernelFamily::PlaneMarch;
    return choice;
  }
  if constexpr (VDimension == 3)
  {
    if (CanUseBoxes(request, arguments))
    {
      choice.boxes = PlanBoxes(request, arguments, memory);
      if (FitsGrid(choice.boxes, arguments.samples, request.lines))
      {
        choice.family = KernelFamily::Boxes;
      }
    }
    else if (choice.family == KernelFamily::Texture && PlanTextureScanlines(arguments, request.lines, choice.scanlines))
    {
      choice.family = KernelFamily::TextureScanlines;
    }
    else if (choice.family == KernelFamily::Samples && request.method == Interpolation::Linear &&
             request.element == ScalarType::Float32 && PlanLinearScanlines(arguments, request.lines, choice.scanlines))
    {
      choice.family = KernelFamily::LinearScanlines;
    }
  }
  else
  {
    static_cast<void>(memory);
  }
  return choice;
}

template KernelChoice
ChooseKernel(const KernelRequest &, const EvaluationArguments<1> &, const SharedMemorySizes &);
template KernelChoice
ChooseKernel(const KernelRequest &, const EvaluationArguments<2> &, const SharedMemorySizes &);
template KernelChoice
ChooseKernel(const KernelRequest &, const EvaluationArguments<3> &, const SharedMemorySizes &);

std::string
DescribeKernel(const KernelChoice & choice, const MapTiles & tiles)
{
  const auto tile = [&tiles] {
    return " of " + std::to_string(tiles.tileX) + " x " + std::to_string(tiles.tileY) + " samples, windows of " +
           std::to_string(tiles.pitch) + " x " + std::to_string(tiles.rows);
  };
  const auto extents = [](int x, int y, int z) {
    return " of " + std::to_string(x) + " x " + std::to_string(y) + " x " + std::to_string(z) + " samples";
  };
  const auto & boxes = choice.boxes;
  const auto & scanlines = choice.scanlines;
  switch (choice.family)
  {
    case KernelFamily::SeparableMarch:
      return "separable march, tiles" + tile();
    case KernelFamily::PlaneMarch:
      return "in-plane march, tiles" + tile();
    case KernelFamily::Boxes:
      return "boxes" + extents(1 << boxes.logExtent[0], 1 << boxes.logExtent[1], 1 << boxes.logExtent[2]) + ", " +
             std::to_string(boxes.threads) + " threads";
    case KernelFamily::LinearScanlines:
      return "linear along scanlines, blocks" + extents(scanlines.extent[0], scanlines.extent[1], scanlines.extent[2]);
    case KernelFamily::TextureScanlines:
      return "texture along scanlines, blocks" + extents(scanlines.extent[0], scanlines.extent[1], scanlines.extent[2]);
    case KernelFamily::Texture:
      return "texture, sample by sample";
    case KernelFamily::Packed:
      return "packed coefficients, sample by sample";
    case KernelFamily::Samples:
      return std::string(NameOf(choice.method)) + " of " + NameOf(choice.element) + ", sample by sample";
  }
  throw std::logic_error("a family of kernels without a description");
}

} // namespace itk::CudaSpline
