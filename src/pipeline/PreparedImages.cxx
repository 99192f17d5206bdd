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
#include "pipeline/PreparedImages.h"

#include "kernels/registration/statistics/DeterminedParameters.h"
#include "kernels/registration/images/RangeUnderMask.h"
#include "kernels/registration/images/SpatialMask.h"
#include "pipeline/LabelCodes.h"
#include "pipeline/PipelineMessages.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/backend/BackendChoice.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/ImageAgreement.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

std::size_t
CountPixelBytes(const MaskedImage & image)
{
  return static_cast<std::size_t>(image.grid.Count()) * SizeOf(image.pixel);
}

std::size_t
CountMaskBytes(const MaskedImage & image)
{
  return image.mask == nullptr ? 0 : static_cast<std::size_t>(image.maskGrid.Count());
}

/** Returns the metric whose value is in the units of a pair of images, if a stage uses one for this pair. */
std::optional<MetricKind>
FindMetricOfValues(const RegistrationSpec & spec, std::size_t pair)
{
  for (const StageSpec & stage : spec.stages)
  {
    if (pair < stage.metrics.size() && HasSquaredUnit(stage.metrics[pair].kind))
    {
      return stage.metrics[pair].kind;
    }
  }
  return std::nullopt;
}

FieldGrid::Vector
PlaceOf(const FieldGrid & grid, std::int64_t x, std::int64_t y, std::int64_t z)
{
  return PlaceOfIndex(grid,
                      { { static_cast<double>(grid.start[0] + x),
                          static_cast<double>(grid.start[1] + y),
                          static_cast<double>(grid.start[2] + z) } });
}

/** Returns whether a point is inside the buffer of an image, like itk::ImageFunction::IsInsideBuffer(). */
bool
IsInside(const FieldGrid & grid, const FieldGrid::Vector & point)
{
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    double index = 0.0;
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      index += grid.pointToIndex[r][c] * (point[c] - grid.origin[c]);
    }
    const auto first = static_cast<double>(grid.start[r]);
    if (!(index >= first - 0.5 && index <= first + static_cast<double>(grid.size[r]) - 0.5))
    {
      return false;
    }
  }
  return true;
}

/** Keeps only the first one of several devices if they cannot share arrays. */
void
KeepSharing(std::vector<int> & devices)
{
  if (devices.size() > 1 && !CanShareMemory(devices))
  {
    devices.resize(1);
  }
}

/** Returns the devices after the first one. */
std::vector<int>
OthersOf(const std::vector<int> & devices)
{
  return devices.empty() ? devices : std::vector<int>(devices.begin() + 1, devices.end());
}

/** Returns the memory of devices that have equal parts of large arrays. */
std::size_t
AvailableMemoryOf(const std::vector<int> & devices)
{
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const int device : devices)
  {
    least = std::min(least, AvailableDeviceMemory(device));
  }
  return least * devices.size();
}

/** Returns the expected time and backend of an operation. */
StageForecast
MakeForecast(const RunnableOperation &                      operation,
             const std::function<MemoryPlan(std::size_t)> & plan,
             const std::string &                            device,
             const ExecutionContext &                       context)
{
  const bool            isOurs = ParseDeviceWish(device).kind == DeviceRequest::Kind::Fastest;
  const unsigned int    threads = context.host != nullptr ? context.host->GetConcurrency() : 1;
  const DeviceSelection selection = ChooseDevices(operation, device, isOurs, threads, nullptr, false);
  const CallForecast    times = ForecastOnThisMachine(operation.work(0), threads);
  StageForecast         forecast;
  forecast.backend = selection.devices.empty() ? Backend::Cpu : Backend::Cuda;
  forecast.reason = selection.decision ? selection.decision->Describe() : selection.reason;
  forecast.bytes = plan(std::numeric_limits<std::size_t>::max()).PeakBytes();
  forecast.leastBytes = plan(0).PeakBytes();
  forecast.seconds = selection.devices.empty() ? times.host : times.device;
  return forecast;
}

/** Regions of a label map. \exception std::invalid_argument it has too many labels */
SlidingRegions
MakeSlidingRegions(const LabelMap & map)
{
  const auto             count = static_cast<std::size_t>(map.grid.Count());
  std::set<std::int32_t> labels{ 0 }; // 0 is outside of the map, too
  for (std::size_t n = 0; n < count; ++n)
  {
    labels.insert(map.pixels[n]);
    if (labels.size() > MaxSlidingRegions)
    {
      throw std::invalid_argument("the sliding regions have more than " + std::to_string(MaxSlidingRegions) +
                                  " labels, including 0; merge regions that do not touch each other");
    }
  }
  // Codes have the order of the labels, so that they do not depend on the order in which the map is stored.
  std::map<std::int32_t, std::uint8_t> codes{ { 0, 0 } };
  for (const std::int32_t label : labels)
  {
    codes.try_emplace(label, static_cast<std::uint8_t>(codes.size()));
  }
  const auto made = std::shared_ptr<std::uint8_t>(new std::uint8_t[count], std::default_delete<std::uint8_t[]>());
  std::transform(map.pixels, map.pixels + count, made.get(), [&codes](std::int32_t label) { return codes.at(label); });
  SlidingRegions regions;
  regions.grid = map.grid;
  regions.grid.pointToIndex = InvertGridMatrix(map.grid.indexToPoint, map.grid.dimension);
  regions.codes = made;
  regions.count = static_cast<unsigned int>(codes.size());
  return regions;
}

} // namespace

PreparedImages::PreparedImages(const RegistrationInput & input, const ExecutionContext & host)
  : m_Pairs(input.pairs)
  , m_Landmarks(input.landmarks)
  , m_Device(input.device)
  , m_Stream(input.stream)
  , m_Host(host)
{
  m_Host.backend = Backend::Cpu;
  // Callers use different algorithms to invert matrices. The results should not depend on that.
  for (ImagePair & pair : m_Pairs)
  {
    for (MaskedImage * const image : { &pair.fixed, &pair.moving })
    {
      image->grid.pointToIndex = InvertGridMatrix(image->grid.indexToPoint, image->grid.dimension);
    }
  }
  this->SetMasks(input.pairs);
  if (input.slidingRegions)
  {
    m_Regions = MakeSlidingRegions(*input.slidingRegions);
  }
}

void
PreparedImages::SetMasks(const std::vector<ImagePair> & pairs)
{
  const auto set = [](MaskedImage & image, const MaskedImage & from) {
    image.mask = from.mask;
    image.maskGrid = from.maskGrid;
    if (image.mask != nullptr)
    {
      image.maskGrid.pointToIndex = InvertGridMatrix(image.maskGrid.indexToPoint, image.maskGrid.dimension);
    }
  };
  for (std::size_t number = 0; number < m_Pairs.size(); ++number)
  {
    set(m_Pairs[number].fixed, pairs[number].fixed);
    set(m_Pairs[number].moving, pairs[number].moving);
  }
  for (ImagePair & labels : m_Labels)
  {
    set(labels.fixed, pairs.front().fixed);
    set(labels.moving, pairs.front().moving);
  }
}

Residence
PreparedImages::MakeResidence(const std::vector<int> & others) const
{
  ExecutionContext context = m_Host;
  context.progress = nullptr;
  if (m_Device >= 0)
  {
    context.backend = Backend::Cuda;
    context.device = m_Device;
  }
  Residence residence(context, others);
  if (m_Device >= 0)
  {
    residence.Follow(m_Stream);
  }
  return residence;
}

const void *
PreparedImages::ToHost(const void * data, std::size_t bytes)
{
  if (m_Device < 0 || data == nullptr)
  {
    return data;
  }
  if (const auto found = m_HostCopies.find(data); found != m_HostCopies.end())
  {
    return found->second;
  }
  const std::shared_ptr<void> copy(std::malloc(std::max<std::size_t>(bytes, 1)), std::free);
  if (copy == nullptr)
  {
    throw std::bad_alloc();
  }
  const Residence residence = this->MakeResidence();
  Download(copy.get(), data, bytes, residence);
  m_Kept.push_back(copy);
  m_HostCopies[data] = copy.get();
  return copy.get();
}

MaskedImage
PreparedImages::WithMaskOnHost(const MaskedImage & image)
{
  MaskedImage there = image;
  there.mask = static_cast<const std::uint8_t *>(this->ToHost(image.mask, CountMaskBytes(image)));
  return there;
}

template <typename TFunctor>
void
PreparedImages::Transform(MaskedImage & image, const TFunctor & functor)
{
  const std::size_t           bytes = CountPixelBytes(image);
  const std::int64_t          count = image.grid.Count();
  const void * const          pixels = this->ToHost(image.pixels, bytes);
  const std::shared_ptr<void> made(std::malloc(std::max<std::size_t>(bytes, 1)), std::free);
  if (made == nullptr)
  {
    throw std::bad_alloc();
  }
  WithPixels(pixels, image.pixel, [&](const auto * from) {
    using Pixel = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    auto * const to = static_cast<Pixel *>(made.get());
    m_Host.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      std::transform(from + begin, from + end, to + begin, functor);
    });
    return 0;
  });
  this->SetPixels(image, made);
}

void
PreparedImages::SetPixels(MaskedImage & image, const std::shared_ptr<void> & made)
{
  if (m_Device < 0)
  {
    m_Kept.push_back(made);
    image.pixels = made.get();
    return;
  }
  const std::size_t bytes = CountPixelBytes(image);
  const Residence   residence = this->MakeResidence();
  const auto        array = std::make_shared<ResidentArray>(bytes, residence);
  Upload(array->Data(), made.get(), bytes, residence);
  residence.Wait();
  m_Kept.push_back(array);
  image.pixels = array->Data();
}

void
PreparedImages::Clip(const std::array<double, 2> & quantiles)
{
  for (ImagePair & pair : m_Pairs)
  {
    for (MaskedImage * const image : { &pair.fixed, &pair.moving })
    {
      const void * const pixels = this->ToHost(image->pixels, CountPixelBytes(*image));
      const auto         values = FindQuantiles(pixels, image->pixel, image->grid.Count(), quantiles, m_Host);
      if (values) // otherwise all values are the same
      {
        this->Transform(*image, [cut = *values](auto value) {
          using Pixel = decltype(value);
          return std::min(std::max(static_cast<Pixel>(cut[0]), value), static_cast<Pixel>(cut[1]));
        });
      }
    }
  }
}

void
PreparedImages::SetLabels(const LabelPair & labels, PipelineMessages & messages)
{
  const LabelCodes codes(labels, messages);
  const double     fixed = static_cast<double>(this->GetFixedGrid().Count()) * MeasureVoxel(this->GetFixedGrid());
  for (std::size_t channel = 0; channel < codes.CountChannels(); ++channel)
  {
    ImagePair  pair;
    const auto make = [&](const LabelMap & map, MaskedImage & image) {
      image.grid = map.grid;
      image.grid.pointToIndex = InvertGridMatrix(map.grid.indexToPoint, map.grid.dimension);
      image.pixel = this->GetPixel();
      const std::shared_ptr<void> made(std::malloc(std::max<std::size_t>(CountPixelBytes(image), 1)), std::free);
      if (made == nullptr)
      {
        throw std::bad_alloc();
      }
      codes.Write(map, channel, fixed, image.pixel, made.get(), m_Host);
      this->SetPixels(image, made);
    };
    make(labels.fixed, pair.fixed);
    make(labels.moving, pair.moving);
    m_Labels.push_back(pair);
  }
}

bool
PreparedImages::HasRegionBorder() const
{
  if (!m_Regions.IsUsed())
  {
    return false;
  }
  const FieldGrid &  fixed = this->GetFixedGrid();
  const FieldGrid &  map = m_Regions.grid;
  const std::int64_t slices = fixed.dimension > 2 ? fixed.size[2] : 1;
  const auto         codeAt = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::array<std::int64_t, 3> at{ { x, y, z } };
    std::array<double, 3>             point{};
    for (unsigned int d = 0; d < fixed.dimension; ++d)
    {
      point[d] = fixed.origin[d];
      for (unsigned int axis = 0; axis < fixed.dimension; ++axis)
      {
        point[d] += fixed.indexToPoint[d][axis] * static_cast<double>(fixed.start[axis] + at[axis]);
      }
    }
    std::int64_t offset = 0;
    for (unsigned int axis = map.dimension; axis-- > 0;)
    {
      double index = -static_cast<double>(map.start[axis]);
      for (unsigned int d = 0; d < map.dimension; ++d)
      {
        index += map.pointToIndex[axis][d] * (point[d] - map.origin[d]);
      }
      const double nearest = std::floor(index + 0.5);
      if (!(nearest >= 0.0 && nearest < static_cast<double>(map.size[axis])))
      {
        return std::uint8_t{ 0 };
      }
      offset = offset * map.size[axis] + static_cast<std::int64_t>(nearest);
    }
    return m_Regions.codes.get()[offset];
  };
  const std::uint8_t first = codeAt(0, 0, 0);
  std::atomic<bool>  differ{ false };
  m_Host.ParallelFor(fixed.size[1] * slices, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end && !differ; ++row)
    {
      for (std::int64_t x = 0; x < fixed.size[0] && !differ; ++x)
      {
        differ = differ || codeAt(x, row % fixed.size[1], row / fixed.size[1]) != first;
      }
    }
  });
  return differ;
}

std::size_t
PreparedImages::CountOutsideLandmarks() const
{
  return static_cast<std::size_t>(std::count_if(m_Landmarks.begin(), m_Landmarks.end(), [this](const Landmark & own) {
    return !IsInside(this->GetFixedGrid(), own.fixed) || !IsInside(this->GetMovingGrid(), own.moving);
  }));
}

std::vector<std::array<double, 2>>
PreparedImages::Rescale(const RegistrationSpec & spec, const std::function<void(const PipelineWarning &)> & warn)
{
  std::vector<std::array<double, 2>> factors;
  const Residence                    residence = this->MakeResidence();
  for (std::size_t number = 0; number < m_Pairs.size(); ++number)
  {
    ImagePair &       pair = m_Pairs[number];
    const auto        metric = FindMetricOfValues(spec, number);
    const ValueScales scales = FindValueScales(pair.fixed, pair.moving, metric.has_value(), residence);
    if (scales.isFaint && warn)
    {
      warn({ PipelineWarning::Kind::FaintValues,
             -1,
             "the largest values of the fixed and the moving image are " + Brief(scales.largest[0], 6) + " and " +
               Brief(scales.largest[1], 6) + (number > 0 ? " (additional pair " + std::to_string(number) + ")" : "") +
               ", which '" + WordOf(*metric) +
               "' compares as they are: it hardly sees the smaller ones; other metrics do" });
    }
    const auto multiply = [&](MaskedImage & image, double factor) {
      if (factor != 1.0)
      {
        this->Transform(image, [factor](auto value) { return value * static_cast<decltype(value)>(factor); });
      }
    };
    multiply(pair.fixed, scales.factors[0]);
    multiply(pair.moving, scales.factors[1]);
    factors.push_back(scales.factors);
  }
  return factors;
}

std::string
PreparedImages::DescribeConstantImage(std::size_t begin, std::size_t end) const
{
  const Residence residence = this->MakeResidence();
  for (std::size_t number = begin; number < end; ++number)
  {
    for (const MaskedImage * const image : { &m_Pairs[number].fixed, &m_Pairs[number].moving })
    {
      const PixelRange  range = FindPixelRange(*image, residence);
      const std::string pair = number > 0 ? "additional pair " + std::to_string(number) + ": " : "";
      const std::string name = image == &m_Pairs[number].fixed ? "fixed" : "moving";
      if (image->mask != nullptr && range.lowest > range.highest)
      {
        return pair + "no voxel of the " + name + " image is inside its mask";
      }
      if (range.lowest == range.highest)
      {
        return pair + "the " + name + " image has only one value (" + Brief(range.lowest) + ")" +
               (image->mask != nullptr ? " under its mask" : "");
      }
    }
  }
  return {};
}

std::vector<double>
PreparedImages::SampleDisplacements(const FieldGrid & grid, const std::vector<TransformChain::Stage> & stages) const
{
  const FieldShape    shape{ grid, ScalarType::Float64 };
  std::vector<double> displacements(static_cast<std::size_t>(shape.Numbers()), 0.0);
  if (!stages.empty())
  {
    const Residence     residence = this->MakeResidence();
    const ResidentArray field(shape.Bytes(), residence);
    const auto          resident = MakeResidentStages(stages, grid.dimension, residence);
    MakeField(resident, shape, field.Data(), residence);
    Download(displacements.data(), field.Data(), shape.Bytes(), residence);
  }
  return displacements;
}

ImageAgreement
PreparedImages::MeasureAgreement(const std::vector<TransformChain::Stage> & whole,
                                 const std::vector<TransformChain::Stage> * linear)
{
  const auto sampler = [this](const std::vector<TransformChain::Stage> & stages) -> DisplacementSource {
    return [this, &stages](const FieldGrid & grid) { return this->SampleDisplacements(grid, stages); };
  };
  return itk::CudaSpline::MeasureAgreement(this->WithMaskOnHost(m_Pairs.front().fixed),
                                           this->WithMaskOnHost(m_Pairs.front().moving),
                                           sampler(whole),
                                           linear != nullptr ? sampler(*linear) : nullptr,
                                           this->MakeResidence());
}

std::vector<std::size_t>
PreparedImages::FindUndeterminedParameters(const LinearTransform &                    transform,
                                           const std::vector<TransformChain::Stage> & behind)
{
  if (m_Forecast != nullptr)
  {
    return {};
  }
  return itk::CudaSpline::FindUndeterminedParameters(
    this->WithMaskOnHost(m_Pairs.front().fixed),
    this->WithMaskOnHost(m_Pairs.front().moving),
    transform,
    [&](const FieldGrid & grid) { return this->SampleDisplacements(grid, behind); },
    this->MakeResidence());
}

double
PreparedImages::CountInside(std::size_t                                pair,
                            const FieldGrid &                          grid,
                            const std::vector<TransformChain::Stage> & stages,
                            double &                                   all)
{
  const std::vector<double> displacements = this->SampleDisplacements(grid, stages);
  const ImagePair &         images = m_Pairs[pair];
  const SpatialMask         mask(
    images.fixed.maskGrid,
    static_cast<const std::uint8_t *>(this->ToHost(images.fixed.mask, CountMaskBytes(images.fixed))));
  std::atomic<std::int64_t> underMask{ 0 };
  std::atomic<std::int64_t> inside{ 0 };
  m_Host.ParallelFor(grid.size[1] * grid.size[2], [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
    {
      const double * displacement = displacements.data() + row * grid.size[0] * grid.dimension;
      std::int64_t   ofRow = 0;
      std::int64_t   insideOfRow = 0;
      for (std::int64_t x = 0; x < grid.size[0]; ++x, displacement += grid.dimension)
      {
        const FieldGrid::Vector point = PlaceOf(grid, x, row % grid.size[1], row / grid.size[1]);
        if (!mask.IsInside(point))
        {
          continue;
        }
        FieldGrid::Vector moved = point;
        for (unsigned int d = 0; d < grid.dimension; ++d)
        {
          moved[d] += displacement[d];
        }
        const bool isInside = (pair == 0 || IsInside(images.fixed.grid, point)) && IsInside(images.moving.grid, moved);
        ++ofRow;
        insideOfRow += isInside ? 1 : 0;
      }
      underMask += ofRow;
      inside += insideOfRow;
    }
  });
  all += static_cast<double>(underMask);
  return static_cast<double>(inside);
}

double
PreparedImages::MeasureOverlap(std::size_t pair, const std::vector<TransformChain::Stage> & stages)
{
  constexpr std::int64_t coarse = 40; // samples along an axis
  const FieldGrid &      whole = this->GetFixedGrid();
  const std::int64_t     longest = *std::max_element(whole.size.begin(), whole.size.end());
  double                 all = 0.0;
  const FieldGrid        shrunk = ShrinkGrid(whole, static_cast<unsigned int>((longest + coarse - 1) / coarse));
  const double           inside = this->CountInside(pair, shrunk, stages, all);
  if (inside > 0.0)
  {
    return inside / all;
  }
  // A small mask or a narrow overlap may not contain any coarse sample.
  const unsigned int last = whole.dimension - 1;
  for (std::int64_t slice = 0; slice < whole.size[last]; ++slice)
  {
    FieldGrid plane = whole;
    plane.start[last] += slice;
    plane.size[last] = 1;
    double       count = 0.0;
    const double found = this->CountInside(pair, plane, stages, count);
    if (found > 0.0)
    {
      return found / static_cast<double>(whole.Count());
    }
  }
  return 0.0;
}

std::int64_t
PreparedImages::CountSamples(const FieldGrid & grid, std::int64_t enough)
{
  if (!this->HasMask())
  {
    return grid.Count();
  }
  const MaskedImage &       fixed = m_Pairs.front().fixed;
  const SpatialMask         mask(fixed.maskGrid,
                         static_cast<const std::uint8_t *>(this->ToHost(fixed.mask, CountMaskBytes(fixed))));
  std::atomic<std::int64_t> count{ 0 };
  m_Host.ParallelFor(grid.size[1] * grid.size[2], [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end && count < enough; ++line)
    {
      std::int64_t ofLine = 0;
      for (std::int64_t x = 0; x < grid.size[0]; ++x)
      {
        ofLine += mask.IsInside(PlaceOf(grid, x, line % grid.size[1], line / grid.size[1])) ? 1 : 0;
      }
      count += ofLine;
    }
  });
  return count;
}

std::array<double, 3>
PreparedImages::MeasureMask()
{
  std::array<double, 3> parts{ { 1.0, 1.0, 1.0 } };
  if (!this->HasMask())
  {
    return parts;
  }
  const FieldGrid & fixed = this->GetFixedGrid();
  const FieldGrid   box = FindMaskBox(this->WithMaskOnHost(m_Pairs.front().fixed));
  for (unsigned int d = 0; d < fixed.dimension; ++d)
  {
    parts[d] = static_cast<double>(box.size[d]) / static_cast<double>(fixed.size[d]);
  }
  return parts;
}

NodeShares
PreparedImages::MeasureNodeShares(const TransformChain::Stage & spline, const FieldGrid & grid)
{
  const MaskedImage fixed = this->WithMaskOnHost(m_Pairs.front().fixed);
  return itk::CudaSpline::MeasureNodeShares(spline, grid, SpatialMask(fixed.maskGrid, fixed.mask), m_Host);
}

std::vector<const ImagePair *>
PreparedImages::Select(const StageSpec & stage) const
{
  std::vector<const ImagePair *> pairs;
  for (std::size_t number = 0; number < stage.metrics.size(); ++number)
  {
    pairs.push_back(&m_Pairs[number]);
  }
  for (std::size_t number = 0; stage.UsesLabels() && number < m_Labels.size(); ++number)
  {
    pairs.push_back(&m_Labels[number]);
  }
  return pairs;
}

std::size_t
PreparedImages::CountBytes(const StageSpec & stage) const
{
  std::size_t bytes = 0;
  for (const ImagePair * const pair : this->Select(stage))
  {
    for (const MaskedImage * const image : { &pair->fixed, &pair->moving })
    {
      bytes += CountPixelBytes(*image) + CountMaskBytes(*image);
    }
  }
  return bytes;
}

bool
PreparedImages::HasMasks(const StageSpec & stage) const
{
  const std::vector<const ImagePair *> pairs = this->Select(stage);
  return std::any_of(pairs.begin(), pairs.end(), [](const ImagePair * pair) {
    return pair->fixed.mask != nullptr || pair->moving.mask != nullptr;
  });
}

SynSide
PreparedImages::MakeSide(const MaskedImage & image, const Residence & residence) const
{
  const auto make = [&](const FieldGrid & grid, ScalarType pixel, const void * data) {
    if (m_Device < 0)
    {
      return MakeResidentImage(grid, pixel, data, residence);
    }
    ResidentImage made;
    made.grid = grid;
    made.pixel = pixel;
    made.data = std::shared_ptr<const void>(std::shared_ptr<void>(), data);
    if (!IsForAllDevices(data, residence))
    {
      const auto bytes = static_cast<std::size_t>(grid.Count()) * SizeOf(pixel);
      const auto array = std::make_shared<ResidentArray>(bytes, residence);
      CopyResident(array->Data(), data, bytes, residence);
      made.data = std::shared_ptr<const void>(array, array->Data());
    }
    return made;
  };
  SynSide side;
  side.image = make(image.grid, image.pixel, image.pixels);
  if (image.mask != nullptr)
  {
    side.mask = make(image.maskGrid, ScalarType::UInt8, image.mask);
  }
  return side;
}

std::vector<SynSide>
PreparedImages::MakeFixed(const StageSpec & stage, const Residence & residence) const
{
  std::vector<SynSide> sides;
  for (const ImagePair * const pair : this->Select(stage))
  {
    sides.push_back(this->MakeSide(pair->fixed, residence));
  }
  return sides;
}

std::vector<SynSide>
PreparedImages::MakeMoving(const StageSpec &                          stage,
                           const std::vector<TransformChain::Stage> & behind,
                           const Residence &                          residence) const
{
  const auto           stages = MakeResidentStages(behind, this->GetFixedGrid().dimension, residence);
  std::vector<SynSide> sides;
  for (const ImagePair * const pair : this->Select(stage))
  {
    sides.push_back(this->MakeSide(pair->moving, residence));
    sides.back().stages = stages;
  }
  return sides;
}

RunRecord
PreparedImages::Run(const std::function<OperationWork()> &         work,
                    const std::function<MemoryPlan(std::size_t)> & plan,
                    const std::function<void(const Residence &)> & run,
                    const std::string &                            device,
                    bool                                           isShared) const
{
  if (m_Device >= 0)
  {
    const auto begin = std::chrono::steady_clock::now();
    RunRecord  record;
    record.backend = Backend::Cuda;
    record.devices.assign(1, m_Device);
    if (const DeviceChoice choice = SelectDevice(device); isShared && choice.device == m_Device)
    {
      record.devices.insert(record.devices.end(), choice.more.begin(), choice.more.end());
      KeepSharing(record.devices);
    }
    const Residence residence = this->MakeResidence(OthersOf(record.devices));
    run(residence);
    residence.Wait();
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CountCall(record.backend, record.seconds, nullptr);
    return record;
  }
  RunnableOperation operation;
  operation.work = [&](int) { return BackendWork{ work(), work() }; };
  operation.isShared = isShared;
  std::vector<int> sharing;
  operation.plan = [&](const std::vector<int> & devices) {
    sharing = devices;
    KeepSharing(sharing);
    return OperationPlan{ sharing.empty() ? MemoryPlan() : plan(AvailableMemoryOf(sharing)),
                          [&run, others = OthersOf(sharing)](const ExecutionContext & context) {
                            run(Residence(context, others));
                          } };
  };
  ExecutionContext context = m_Host;
  context.progress = nullptr; // iterations report the progress
  if (m_Forecast != nullptr)
  {
    *m_Forecast = MakeForecast(operation, plan, device, context);
    return {};
  }
  RunRecord record = RunOperation(operation, device, context);
  record.devices = sharing;
  return record;
}

} // namespace itk::CudaSpline
