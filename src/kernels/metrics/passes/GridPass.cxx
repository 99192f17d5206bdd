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
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/transforms/StageIdentity.h"

#include "kernels/metrics/implementation/GridPass.h"
#include "kernels/metrics/local_correlation/LocalCorrelationBackends.h"
#include "kernels/metrics/samples/MetricBackends.h"
#include "kernels/metrics/samples/MetricMovingValues.h"
#include "kernels/transforms/OutputSamples.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

/** \file
 * \brief Passes on a grid (implementation/GridPass.h): the moving values of all samples first, then the comparison of
 * windows or gradients, then the derivative by the transform's parameters with the weight of each sample. */

namespace itk::CudaSpline
{

namespace
{

/** Whether the samples of the virtual grid are those of the moving image, one after the other. Places that are away by
 * roundings are: their values differ by as little, and the pixels' own bits are what ITK rounds them to. */
bool
AreMovingSamples(const MetricDescriptor & descriptor, const MetricSources & sources, const ExecutionContext & context)
{
  const auto & chain = descriptor.chain;
  const auto & moving = sources.moving->GetDescriptor();
  return sources.mask == nullptr &&
         (descriptor.interpolation.interpolation == Interpolation::Linear ||
          descriptor.interpolation.interpolation == Interpolation::Nearest) &&
         AreOutputSamples(
           chain, descriptor.dimension, chain.inputOrigin, chain.pointToIndex, moving.start, moving.size) &&
         std::all_of(chain.stages.begin(), chain.stages.end(), [&](const auto & stage) {
           return MovesNothing(stage, descriptor.dimension, context);
         });
}

/** The virtual grid, which is the moving image's. */
FieldGrid
GridOf(const MetricDescriptor & descriptor, const SourceDescriptor & moving)
{
  const auto & chain = descriptor.chain;
  FieldGrid    grid;
  grid.dimension = descriptor.dimension;
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    grid.start[d] = moving.start[d];
    grid.size[d] = chain.regionSize[d];
  }
  grid.origin = chain.inputOrigin;
  grid.spacing = descriptor.spacing;
  grid.indexToPoint = chain.indexToPoint;
  grid.pointToIndex = chain.pointToIndex;
  return grid;
}

/** Memory of the backend that a source can own. */
std::shared_ptr<ResidentArray>
Allocate(std::size_t bytes, const Residence & residence)
{
  return std::make_shared<ResidentArray>(bytes, residence);
}

} // namespace

MetricResult
EvaluateGridPass(const MetricDescriptor & descriptor,
                 const MetricSources &    sources,
                 const ExecutionContext & context,
                 MetricWorkspace *        workspace)
{
  const bool         withDerivative = descriptor.gradient != MetricGradient::None;
  const std::int64_t count = CountMetricSamples(sources);
  const auto &       moving = sources.moving->GetDescriptor();
  const ScalarType   element = moving.element;
  MetricResult       result;

  GridComparison comparison{};
  comparison.grid = GridOf(descriptor, moving);
  comparison.pixel = descriptor.singleMoving ? ScalarType::Float32 : element;
  comparison.arithmetic = element;

  ExecutionContext steps = context;
  steps.progress = nullptr;
  const Residence                residence(steps);
  std::shared_ptr<ResidentArray> ofFixed;
  std::shared_ptr<ResidentArray> ofMoving;
  const auto                     asPixels =
    [&](const void * values, ScalarType type, std::shared_ptr<ResidentArray> & own) -> const void * {
    if (type == comparison.pixel)
    {
      return values;
    }
    own = Allocate(static_cast<std::size_t>(count) * sizeof(float), residence);
    RoundToSingle(static_cast<const double *>(values), own->As<float>(), count, residence);
    return own->Data();
  };
  LocalCorrelationImages & images = comparison.images;
  images.fixed = asPixels(sources.fixed->GetData(), element, ofFixed);
  images.fixedInside =
    sources.inside != nullptr ? static_cast<const std::uint8_t *>(sources.inside->GetData()) : nullptr;

  MetricWorkspace values;
  const bool      areThose = AreMovingSamples(descriptor, sources, steps);
  if (areThose)
  {
    images.moving = asPixels(sources.moving->GetData(), element, ofMoving);
  }
  else
  {
    MetricDescriptor wanted = descriptor;
    MetricSources    ofValues = sources;
    wanted.pass = MeansPass();
    wanted.gradient = MetricGradient::None;
    wanted.derivative = NoDerivative{};
    wanted.sharesValues = wanted.marksValid = true;
    wanted.singleMoving = wanted.singleFixed = comparison.pixel == ScalarType::Float32; // what windows have
    wanted.forces = nullptr;
    ofValues.gradient = nullptr;
    const std::int64_t valid = EvaluateMetric(wanted, ofValues, context, &values).count;
    images.moving = values.values->memory.get();
    if (valid < count) // else all samples are, in both images
    {
      images.movingInside = static_cast<const std::uint8_t *>(values.values->valid.get());
    }
    else
    {
      images.fixedInside = nullptr;
    }
  }

  // By displacements of the samples themselves the derivative is the field that the windows give.
  const bool isField = withDerivative && areThose && descriptor.GetField() != nullptr &&
                       descriptor.gradient == MetricGradient::CentralDifferences && !descriptor.HasOuterJacobian();
  comparison.factorsAlone = !isField;
  comparison.element = isField ? ScalarType::Float64 : element;
  const auto                     numbers = static_cast<std::size_t>(count) * (isField ? descriptor.dimension : 1);
  const std::size_t              bytes = numbers * SizeOf(comparison.element);
  std::shared_ptr<ResidentArray> derivative;
  if (isField)
  {
    result.derivatives[0].resize(descriptor.forces != nullptr ? 0 : numbers);
  }
  double * const forces = descriptor.forces != nullptr ? descriptor.forces : result.derivatives[0].data();
  if (isField && (!residence.IsOnDevice() || DeviceOfPointer(forces) >= 0))
  {
    comparison.derivative = forces;
  }
  else if (withDerivative)
  {
    derivative = Allocate(bytes, residence);
    comparison.derivative = derivative->Data();
  }
  const MetricResult found = std::visit(
    [&](const auto & pass) {
      MetricResult compared;
      if constexpr (IsGridPass<std::decay_t<decltype(pass)>>)
      {
        compared = CompareOnGrid(pass, comparison, residence);
      }
      return compared;
    },
    descriptor.pass);
  if (isField && derivative != nullptr)
  {
    Download(forces, derivative->Data(), bytes, residence);
  }
  if (withDerivative && !isField)
  {
    MetricDescriptor wanted = descriptor;
    MetricSources    weighted = sources;
    SourceDescriptor list;
    list.dimension = 1;
    list.size[0] = count;
    list.pixel = list.element = element;
    weighted.fixed = std::make_shared<SampleSource>(
      list, context.backend, context.device, std::shared_ptr<const void>(derivative, derivative->Data()));
    wanted.pass = WeightsPass();
    wanted.singleMoving = wanted.singleFixed = comparison.pixel == ScalarType::Float32;
    // Values are not needed again. By coefficients of splines those that are kept are in another order.
    wanted.sharesValues =
      values.values != nullptr && descriptor.GetSpline() == nullptr && descriptor.gradient != MetricGradient::Analytic;
    result = EvaluateMetric(wanted, weighted, context, wanted.sharesValues ? &values : workspace);
  }
  result.count = found.count;
  result.values = { { found.values[0], found.values[1], areThose ? 1.0 : 0.0 } };
  return result;
}

} // namespace itk::CudaSpline
