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
#include "Rescale.h"

#include "Error.h"
#include "MapValues.h"

#include "itkImageBase.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace CudaSplineRegister
{

namespace
{

using itk::CudaSpline::MaskedImage;

template <unsigned int VDimension>
MaskedImage
Describe(const Volume & image, const std::optional<Volume> & mask)
{
  const auto gridOf = [](const Volume & volume) {
    const auto base = itk::ImageBase<VDimension>::New();
    SetGeometry<VDimension>(volume.grid, base.GetPointer());
    return itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(base.GetPointer(), base->GetLargestPossibleRegion());
  };
  MaskedImage described;
  described.grid = gridOf(image);
  described.pixel = image.type;
  described.pixels = image.pixels.get();
  if (mask)
  {
    described.maskGrid = gridOf(*mask);
    described.mask = static_cast<const std::uint8_t *>(mask->pixels.get());
  }
  return described;
}

void
Multiply(Volume & image, double factor)
{
  if (factor != 1.0)
  {
    image = MapValues(image, [factor](auto value) { return value * static_cast<decltype(value)>(factor); });
  }
}

} // namespace

itk::CudaSpline::ValueScales
RescalePair(Volume &                      fixed,
            const std::optional<Volume> & fixedMask,
            Volume &                      moving,
            const std::optional<Volume> & movingMask,
            bool                          comparesValues)
{
  const bool isPlane = fixed.grid.dimension == 2;
  const auto scales =
    itk::CudaSplineDetail::FindValueScales(isPlane ? Describe<2>(fixed, fixedMask) : Describe<3>(fixed, fixedMask),
                                           isPlane ? Describe<2>(moving, movingMask) : Describe<3>(moving, movingMask),
                                           comparesValues);
  Multiply(fixed, scales.factors[0]);
  Multiply(moving, scales.factors[1]);
  return scales;
}

ValueFactors
RescaleAll(RegistrationRequest & request)
{
  ValueFactors factors;
  const auto   rescale = [&](auto & pair, std::size_t number) {
    const std::vector<StageOptions> & stages = request.options->stages;
    const bool comparesValues = std::any_of(stages.begin(), stages.end(), [number](const StageOptions & stage) {
      return number < stage.metrics.size() && stage.metrics[number].kind == MetricKind::MeanSquares;
    });
    const auto scales = RescalePair(pair.fixed, pair.fixedMask, pair.moving, pair.movingMask, comparesValues);
    factors.push_back(scales.factors);
    if (scales.isFaint && request.note)
    {
      request.note("the largest values of the fixed and the moving image are " + Brief(scales.largest[0]) + " and " +
                   Brief(scales.largest[1]) + (number > 0 ? " (further pair " + std::to_string(number) + ")" : "") +
                   ", which " + NameOf(MetricKind::MeanSquares) +
                   " compares as they are: it hardly sees the lesser; other metrics do");
    }
  };
  rescale(request, 0);
  for (std::size_t number = 0; number < request.further.size(); ++number)
  {
    rescale(request.further[number], number + 1);
  }
  return factors;
}

double
UnitOfValues(const StageOptions & stage, const ValueFactors & factors)
{
  const double factor = factors.front().front();
  return stage.metrics.size() == 1 && stage.FirstMetric() == MetricKind::MeanSquares ? 1.0 / factor / factor : 1.0;
}

} // namespace CudaSplineRegister
