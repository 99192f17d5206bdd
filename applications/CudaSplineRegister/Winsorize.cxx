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

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

template <typename TPixel>
Volume
WinsorizeTyped(const Volume & image, const std::array<double, 2> & quantiles)
{
  constexpr std::size_t bins = 65536;
  const auto * const    from = static_cast<const TPixel *>(image.pixels.get());
  const std::size_t     count = image.grid.GetNumberOfVoxels();
  const auto            threader = itk::MultiThreaderBase::New();
  // Parts of the image, each by one thread.
  constexpr std::size_t parts = 64;
  const auto            forEach = [&](std::size_t part, const auto & run) {
    std::for_each(from + count * part / parts, from + count * (part + 1) / parts, [&](TPixel value) {
      if (std::isfinite(value))
      {
        run(value);
      }
    });
  };
  std::array<std::array<TPixel, 2>, parts> ranges;
  threader->ParallelizeArray(
    0,
    parts,
    [&](itk::SizeValueType part) {
      std::array<TPixel, 2> range{ { std::numeric_limits<TPixel>::max(), std::numeric_limits<TPixel>::lowest() } };
      forEach(part, [&range](TPixel value) { range = { { std::min(range[0], value), std::max(range[1], value) } }; });
      ranges[part] = range;
    },
    nullptr);
  TPixel least = std::numeric_limits<TPixel>::max();
  TPixel largest = std::numeric_limits<TPixel>::lowest();
  for (const auto & range : ranges)
  {
    least = std::min(least, range[0]);
    largest = std::max(largest, range[1]);
  }
  if (!(largest > least))
  {
    return image;
  }
  const double             width = (static_cast<double>(largest) - static_cast<double>(least)) / bins;
  std::vector<std::size_t> histogram(bins);
  std::mutex               mutex;
  threader->ParallelizeArray(
    0,
    parts,
    [&](itk::SizeValueType part) {
      std::vector<std::size_t> here(bins);
      forEach(part, [&](TPixel value) {
        const double place = (static_cast<double>(value) - static_cast<double>(least)) / width;
        ++here[std::min(static_cast<std::size_t>(place), bins - 1)];
      });
      const std::lock_guard<std::mutex> lock(mutex);
      std::transform(here.begin(), here.end(), histogram.begin(), histogram.begin(), std::plus<>());
    },
    nullptr);
  const std::size_t finite = std::accumulate(histogram.begin(), histogram.end(), std::size_t{ 0 });
  // Values are taken as evenly spread in a bin.
  const auto quantile = [&](double part) {
    const double wanted = part * static_cast<double>(finite);
    double       below = 0.0;
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
      const auto here = static_cast<double>(histogram[bin]);
      if (here > 0.0 && below + here >= wanted)
      {
        return static_cast<TPixel>(static_cast<double>(least) +
                                   width * (static_cast<double>(bin) + std::max(0.0, wanted - below) / here));
      }
      below += here;
    }
    return largest;
  };
  const TPixel lower = quantile(quantiles[0]);
  const TPixel upper = quantile(quantiles[1]);
  Volume       cut = Volume::Allocate(image.grid, image.type);
  auto * const to = static_cast<TPixel *>(cut.pixels.get());
  threader->ParallelizeArray(
    0,
    parts,
    [&](itk::SizeValueType part) {
      const std::size_t begin = count * part / parts;
      std::transform(from + begin, from + count * (part + 1) / parts, to + begin, [lower, upper](TPixel value) {
        return std::min(std::max(lower, value), upper); // one that is not a number becomes the lower
      });
    },
    nullptr);
  return cut;
}

} // namespace

Volume
Winsorize(const Volume & image, const std::array<double, 2> & quantiles)
{
  return image.type == ScalarType::Float32 ? WinsorizeTyped<float>(image, quantiles)
                                           : WinsorizeTyped<double>(image, quantiles);
}

} // namespace CudaSplineRegister
