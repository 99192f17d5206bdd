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
#include "itkCudaSpline/kernels/metrics/MetricSamples.h"

#include "device/LargePages.h"
#include "kernels/common/HostLoop.h"
#include "kernels/metrics/samples/DispatchMetric.h"
#include "kernels/metrics/samples/MetricLines.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

std::int64_t
CountSamples(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  if (sources.points != nullptr)
  {
    return sources.points->GetDescriptor().Count() / descriptor.dimension;
  }
  std::int64_t count = 1;
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    count *= descriptor.chain.regionSize[d];
  }
  return count;
}

void
Check(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  const auto isOnHost = [](const std::shared_ptr<const SampleSource> & source) {
    return source == nullptr || source->GetBackend() == Backend::Cpu;
  };
  const Interpolation method = descriptor.interpolation.interpolation;
  const bool          fits =
    (descriptor.dimension == 2 || descriptor.dimension == 3) && sources.moving != nullptr && isOnHost(sources.moving) &&
    isOnHost(sources.points) && isOnHost(sources.mask) &&
    sources.moving->GetDescriptor().dimension == descriptor.dimension &&
    !sources.moving->GetDescriptor().NeedsPreparation() && IsReal(sources.moving->GetDescriptor().element) &&
    (method == Interpolation::Nearest || method == Interpolation::Linear) &&
    descriptor.interpolation.mode == EvaluationMode::Exact && !descriptor.interpolation.singleCoordinates &&
    (sources.points == nullptr || sources.points->GetDescriptor().element == ScalarType::Float64) &&
    (sources.mask == nullptr || (sources.mask->GetDescriptor().element == ScalarType::UInt8 &&
                                 sources.mask->GetDescriptor().dimension == descriptor.dimension)) &&
    descriptor.IsAffineFrom(0) && CountSamples(descriptor, sources) > 0 &&
    std::all_of(descriptor.chain.regionSize.begin(),
                descriptor.chain.regionSize.begin() + descriptor.dimension,
                [](std::int64_t size) { return size > 0; });
  if (!fits)
  {
    throw std::invalid_argument("Samples of a metric need an image in host memory with float32 or float64 pixels, "
                                "nearest or linear interpolation, affine stages and at least one sample.");
  }
}

/** Returns the arguments of the kernels, with one fixed value for each sample. \p stages has the stages of a long
 * chain. */
template <unsigned int VDimension>
MetricArguments<VDimension>
MakeArguments(const MetricDescriptor &                  descriptor,
              const MetricSources &                     sources,
              std::vector<TransformStage<VDimension>> & stages)
{
  SourceDescriptor list;
  list.dimension = 1;
  list.size[0] = CountSamples(descriptor, sources);
  MetricSources all = sources;
  all.fixed = std::make_shared<SampleSource>(list, Backend::Cpu, 0, nullptr);
  auto arguments = MakeMetricArguments<VDimension>(descriptor, all);
  for (const TransformChain::Stage & stage : descriptor.chain.stages)
  {
    stages.push_back(MakeStage<VDimension>(stage, nullptr));
  }
  arguments.moving.stages = stages.data();
  arguments.SetStride(1);
  return arguments;
}

template <typename TReal, unsigned int VDimension>
double
ExactValue(const MetricArguments<VDimension> & arguments, const double (&index)[VDimension])
{
  const double value = PlainValues<TReal>::Value(arguments, index);
  if (arguments.nearest || std::isfinite(value))
  {
    return value;
  }
  const LinearCell<VDimension> cell(arguments.moving.extent, index);
  return NeededValue(static_cast<const TReal *>(arguments.moving.source) + cell.offset, cell.step, cell.distance);
}

template <typename TReal, unsigned int VDimension>
bool
SampleOnHost(const MetricArguments<VDimension> & arguments,
             const ExecutionContext &            context,
             TReal *                             values,
             std::uint8_t *                      inside) // NOLINT(readability-non-const-parameter): written to below
{
  std::atomic<bool> areAllInside{ true };
  RunInParts(arguments.count, FewestSamples, context, [&](std::int64_t begin, std::int64_t end) {
    bool isFull = true;
    for (MetricCursor<VDimension> cursor(arguments, begin); cursor.sample < end; cursor.Advance(arguments))
    {
      double place[VDimension];
      double moved[VDimension];
      double index[VDimension];
      cursor.PlaceIn(arguments, place);
      arguments.template Move<SampleMove::Affine>(0, place, moved);
      bool isInside = arguments.mask == nullptr || arguments.MaskAdmits(moved);
      if (isInside)
      {
        PointToContinuousIndex(arguments.moving.origin, arguments.moving.pointToIndex, moved, index);
        isInside = arguments.moving.IsInside(index);
      }
      values[cursor.sample] = isInside ? static_cast<TReal>(ExactValue<TReal>(arguments, index)) : TReal(0);
      inside[cursor.sample] = isInside ? 1 : 0;
      isFull = isFull && isInside;
    }
    if (!isFull)
    {
      areAllInside = false;
    }
  });
  return areAllInside;
}

} // namespace

bool
SampleForMetric(const MetricDescriptor & descriptor,
                const MetricSources &    sources,
                const ExecutionContext & context,
                void *                   values,
                std::uint8_t *           inside)
{
  Check(descriptor, sources);
  bool areAllInside = true;
  DispatchMetricReal(descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto real) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    using Real = decltype(real);
    std::vector<TransformStage<VDimension>> stages;
    const auto                              arguments = MakeArguments<VDimension>(descriptor, sources, stages);
    auto * const                            to = static_cast<Real *>(values);
    AdviseLargePages(values, static_cast<std::size_t>(arguments.count) * sizeof(Real));
    AxisCells cells[VDimension];
    areAllInside = FindAxisCells(arguments, cells) ? SampleLinesOnHost(arguments, cells, context, to, inside)
                                                   : SampleOnHost(arguments, context, to, inside);
  });
  return areAllInside;
}

bool
AreSamplesPixels(const MetricDescriptor & descriptor, const MetricSources & sources)
{
  Check(descriptor, sources);
  bool areThose = false;
  DispatchMetricReal(descriptor, sources.moving->GetDescriptor().element, [&](auto dimension, auto) {
    constexpr unsigned int                  VDimension = decltype(dimension)::value;
    std::vector<TransformStage<VDimension>> stages;
    AxisCells                               cells[VDimension];
    const auto                              arguments = MakeArguments<VDimension>(descriptor, sources, stages);
    areThose = FindAxisCells(arguments, cells);
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t size = arguments.moving.extent.size[d];
      areThose = areThose && IsEachSample(cells[d], size, stride);
      stride *= size;
    }
  });
  return areThose;
}

} // namespace itk::CudaSpline
