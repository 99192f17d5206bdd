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

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace CudaSplineRegister
{

namespace
{

template <typename TPixel>
Volume
CutTo(const Volume & image, const std::array<double, 2> & values, const itk::CudaSpline::ExecutionContext & context)
{
  const auto         lower = static_cast<TPixel>(values[0]);
  const auto         upper = static_cast<TPixel>(values[1]);
  const auto * const from = static_cast<const TPixel *>(image.pixels.get());
  Volume             cut = Volume::Allocate(image.grid, image.type);
  auto * const       to = static_cast<TPixel *>(cut.pixels.get());
  context.ParallelFor(static_cast<std::int64_t>(image.grid.GetNumberOfVoxels()),
                      [&](std::int64_t begin, std::int64_t end) {
                        std::transform(from + begin, from + end, to + begin, [lower, upper](TPixel value) {
                          return std::min(std::max(lower, value), upper); // one that is not a number becomes the lower
                        });
                      });
  return cut;
}

} // namespace

Volume
Winsorize(const Volume & image, const std::array<double, 2> & quantiles)
{
  const itk::CudaSplineHostExecutor host(itk::MultiThreaderBase::New());
  itk::CudaSpline::ExecutionContext context;
  context.host = &host;
  const auto values = itk::CudaSpline::FindQuantiles(
    image.pixels.get(), image.type, static_cast<std::int64_t>(image.grid.GetNumberOfVoxels()), quantiles, context);
  if (!values)
  {
    return image; // all values are the same
  }
  return image.type == ScalarType::Float32 ? CutTo<float>(image, *values, context)
                                           : CutTo<double>(image, *values, context);
}

} // namespace CudaSplineRegister
