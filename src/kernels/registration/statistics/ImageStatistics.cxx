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
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "kernels/registration/images/BoxSums.h"
#include "kernels/registration/images/RangeUnderMask.h"
#include "kernels/registration/images/SpatialMask.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

template <typename TPixel>
std::optional<std::array<double, 2>>
QuantilesOf(const TPixel *                from,
            std::int64_t                  count,
            const std::array<double, 2> & wanted,
            const ExecutionContext &      context)
{
  constexpr std::size_t  bins = 65536;
  constexpr std::int64_t parts = 64; // parts of the image, each processed by one thread
  const auto             forEach = [&](std::int64_t part, const auto & run) {
    std::for_each(from + count * part / parts, from + count * (part + 1) / parts, [&](TPixel value) {
      if (std::isfinite(value))
      {
        run(value);
      }
    });
  };
  std::array<std::array<TPixel, 2>, parts> ranges;
  context.ParallelFor(parts, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part)
    {
      std::array<TPixel, 2> range{ { std::numeric_limits<TPixel>::max(), std::numeric_limits<TPixel>::lowest() } };
      forEach(part, [&range](TPixel value) { range = { { std::min(range[0], value), std::max(range[1], value) } }; });
      ranges[static_cast<std::size_t>(part)] = range;
    }
  });
  TPixel least = std::numeric_limits<TPixel>::max();
  TPixel largest = std::numeric_limits<TPixel>::lowest();
  for (const auto & range : ranges)
  {
    least = std::min(least, range[0]);
    largest = std::max(largest, range[1]);
  }
  if (!(largest > least))
  {
    return std::nullopt;
  }
  const double             width = (static_cast<double>(largest) - static_cast<double>(least)) / bins;
  std::vector<std::size_t> histogram(bins);
  std::mutex               mutex;
  context.ParallelFor(parts, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::size_t> here(bins);
    for (std::int64_t part = begin; part < end; ++part)
    {
      forEach(part, [&](TPixel value) {
        const double place = (static_cast<double>(value) - static_cast<double>(least)) / width;
        ++here[std::min(static_cast<std::size_t>(place), bins - 1)];
      });
    }
    const std::lock_guard<std::mutex> lock(mutex);
    std::transform(here.begin(), here.end(), histogram.begin(), histogram.begin(), std::plus<>());
  });
  const std::size_t finite = std::accumulate(histogram.begin(), histogram.end(), std::size_t{ 0 });
  const auto        quantile = [&](double part) {
    const double below = part * static_cast<double>(finite);
    double       sum = 0.0;
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
      const auto here = static_cast<double>(histogram[bin]);
      if (here > 0.0 && sum + here >= below)
      {
        return static_cast<TPixel>(static_cast<double>(least) +
                                   width * (static_cast<double>(bin) + std::max(0.0, below - sum) / here));
      }
      sum += here;
    }
    return largest;
  };
  return std::array<double, 2>{ { static_cast<double>(quantile(wanted[0])),
                                  static_cast<double>(quantile(wanted[1])) } };
}

/** Returns the largest magnitudes of an image: under its mask, and anywhere. */
std::array<double, 2>
FindMagnitudes(const MaskedImage & image, const Residence & residence)
{
  const auto magnitudeOf = [](const PixelRange & range) {
    return range.lowest > range.highest ? 0.0 : std::max(std::abs(range.lowest), std::abs(range.highest));
  };
  MaskedImage whole = image;
  whole.mask = nullptr;
  const double anywhere = magnitudeOf(FindPixelRange(whole, residence));
  return { { image.mask == nullptr ? anywhere : magnitudeOf(FindPixelRange(image, residence)), anywhere } };
}

/** Returns the power of two for the largest magnitudes under a mask, and anywhere. */
double
FactorFor(const std::array<double, 2> & magnitudes, ScalarType pixel)
{
  const double magnitude = magnitudes[0];
  if (!(magnitude > 0.0) || !std::isfinite(magnitude) || (magnitude >= MinMagnitude && magnitude <= MaxMagnitude))
  {
    return 1.0;
  }
  const int most = pixel == ScalarType::Float32 ? 126 : 1022;
  const int exponent = std::clamp(-std::ilogb(magnitude), -most, most);
  return std::ldexp(1.0, exponent < 0 ? exponent : std::clamp(most - std::ilogb(magnitudes[1]), 0, exponent));
}

} // namespace

ValueScales
FindValueScales(const MaskedImage & fixed, const MaskedImage & moving, bool comparesValues, const Residence & residence)
{
  if (fixed.pixel != moving.pixel || (fixed.pixel != ScalarType::Float32 && fixed.pixel != ScalarType::Float64))
  {
    throw std::invalid_argument(std::string("The fixed image has ") + NameOf(fixed.pixel) +
                                " pixels and the moving image " + NameOf(moving.pixel) +
                                "; both must be float32, or both float64.");
  }
  const std::array<std::array<double, 2>, 2> found{ { FindMagnitudes(fixed, residence),
                                                      FindMagnitudes(moving, residence) } };
  ValueScales                                scales;
  scales.largest = { { found[0][0], found[1][0] } };
  if (!comparesValues)
  {
    scales.factors = { { FactorFor(found[0], fixed.pixel), FactorFor(found[1], fixed.pixel) } };
    return scales;
  }
  const double factor =
    FactorFor({ { std::max(found[0][0], found[1][0]), std::max(found[0][1], found[1][1]) } }, fixed.pixel);
  const double least = std::min(found[0][0], found[1][0]);
  scales.factors = { { factor, factor } };
  scales.isFaint = least > 0.0 && least * factor < MinMagnitude;
  return scales;
}

std::optional<std::array<double, 2>>
FindQuantiles(const void *                  pixels,
              ScalarType                    pixel,
              std::int64_t                  count,
              const std::array<double, 2> & parts,
              const ExecutionContext &      context)
{
  for (const double part : parts)
  {
    if (!(part >= 0.0 && part <= 1.0))
    {
      throw std::invalid_argument("A quantile is " + std::to_string(part) + "; it must be from 0 to 1.");
    }
  }
  return WithPixels(pixels, pixel, [&](const auto * values) { return QuantilesOf(values, count, parts, context); });
}

FieldGrid::Vector
PlaceOfIndex(const FieldGrid & grid, const FieldGrid::Vector & index)
{
  FieldGrid::Vector place{};
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    double sum = 0.0;
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      sum += grid.indexToPoint[r][c] * index[c];
    }
    place[r] = sum + grid.origin[r];
  }
  return place;
}

std::optional<FieldGrid::Vector>
FindCentreOfGravity(const MaskedImage & image, const Residence & residence)
{
  const FieldGrid & grid = image.grid;
  VoxelBoxes        rows;
  rows.part = grid;
  rows.width[0] = grid.size[0];
  std::vector<BoxMoments>   moments;
  const std::vector<BoxSum> sums = SumBoxes(image, true, rows, residence, &moments);
  BoxSum                    all;
  BoxMoments                moment;
  const auto                rowsOfSlice = static_cast<std::size_t>(grid.dimension > 2 ? grid.size[1] : 1);
  for (std::size_t first = 0; first < sums.size(); first += rowsOfSlice)
  {
    BoxSum     slice;
    BoxMoments sliceMoment;
    for (std::size_t row = first; row < first + rowsOfSlice; ++row)
    {
      slice.Add(sums[row]);
      sliceMoment.Add(moments[row]);
    }
    all.Add(slice);
    moment.Add(sliceMoment);
  }
  if (!(all.largest > all.least))
  {
    return std::nullopt;
  }
  FieldGrid::Vector centre{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    centre[d] = (moment.moments[d] - all.least * moment.indices[d]) / (all.sum - all.least * all.count);
  }
  return PlaceOfIndex(grid, centre);
}

} // namespace itk::CudaSpline
