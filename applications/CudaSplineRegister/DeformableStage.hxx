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
#ifndef CudaSplineRegister_DeformableStage_hxx
#define CudaSplineRegister_DeformableStage_hxx

#include "DeformableStage.h"

#include "DeviceWord.h"
#include "Error.h"
#include "FieldMetric.h"
#include "KernelLevels.h"
#include "Stopwatch.h"

#include "itkCudaSpline/itk/DeformableRegistrationOfImages.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief What the kernels are told of a stage. */
inline itk::CudaSpline::DeformableOptions
DescribeDeformable(const StageOptions & stage, const Options & request)
{
  using itk::CudaSpline::DeformableKind;
  itk::CudaSpline::DeformableOptions options;
  options.kind = stage.kind == StageKind::Syn      ? DeformableKind::Syn
                 : stage.kind == StageKind::Greedy ? DeformableKind::Greedy
                                                   : DeformableKind::Demons;
  options.pairs.clear();
  for (const PairMetric & metric : stage.metrics)
  {
    // The command line refuses those that there are not.
    options.pairs.push_back({ FieldMetricOf(metric.kind).value(), metric.weight, static_cast<int>(request.bins) });
  }
  options.levels = MakeKernelLevels(stage);
  options.sigmasInMm = stage.sigmasInMm;
  options.rules.learningRate = stage.learningRate;
  options.rules.updateVariance = stage.updateVariance;
  options.rules.totalVariance = stage.totalVariance;
  options.radius.fill(static_cast<int>(stage.radius));
  options.filtersGradients = request.gradient == GradientKind::Filter;
  options.convergence = stage.convergence;
  options.window = convergenceWindow;
  return options;
}

/** \brief The first pairs beside the first one. */
template <typename TPixel, unsigned int VDimension>
std::vector<itk::CudaSplineDetail::RegistrationImages<TPixel, VDimension>>
FurtherImages(const FieldInputs<TPixel, VDimension> & inputs, std::size_t count)
{
  std::vector<itk::CudaSplineDetail::RegistrationImages<TPixel, VDimension>> images;
  for (std::size_t number = 0; number < count; ++number)
  {
    const auto & pair = inputs.further[number];
    images.push_back({ pair.fixed.GetPointer(),
                       pair.moving.GetPointer(),
                       pair.fixedMask.GetPointer(),
                       pair.movingMask.GetPointer(),
                       nullptr });
  }
  return images;
}

/** \brief Whether levels iterated, and no sample counted in any of them: their values are the largest number. */
inline bool
WereWithoutSamples(const std::vector<itk::CudaSpline::LevelRecord> & records)
{
  const auto isOfNothing = [](const itk::CudaSpline::LevelRecord & record) {
    return record.iterations > 0 && record.value >= std::numeric_limits<double>::max();
  };
  return std::any_of(records.begin(), records.end(), isOfNothing) &&
         std::all_of(records.begin(), records.end(), [&](const itk::CudaSpline::LevelRecord & record) {
           return record.iterations == 0 || isOfNothing(record);
         });
}

template <typename TPixel, unsigned int VDimension>
FieldOutcome<VDimension>
RunDeformableStage(const FieldInputs<TPixel, VDimension> & inputs,
                   const RegistrationRequest &             request,
                   std::size_t                             number)
{
  const Stopwatch                                                           time;
  const StageOptions &                                                      stage = request.options->stages[number];
  itk::CudaSplineDetail::DeformableRegistrationOfImages<TPixel, VDimension> registration(
    { inputs.fixed.GetPointer(),
      inputs.moving.GetPointer(),
      inputs.fixedMask.GetPointer(),
      inputs.movingMask.GetPointer(),
      inputs.before },
    DescribeDeformable(stage, *request.options),
    request.options->device,
    FurtherImages(inputs, stage.metrics.size() - 1));
  const auto records = registration.Run([&](const itk::CudaSpline::RegistrationIteration & found) {
    if (request.progress)
    {
      Iteration iteration;
      iteration.stage = number;
      iteration.level = found.level;
      iteration.number = found.number;
      iteration.value = found.value;
      iteration.convergence = found.convergence;
      request.progress(iteration);
    }
    return !IsAskedToStop(request);
  });
  if (WereWithoutSamples(records))
  {
    throw ProgramError("stage " + std::to_string(number + 1) + " (" + NameOf(stage.kind) +
                       "): the images do not overlap: no voxel of the fixed image lies in the moving one and under the "
                       "masks of both");
  }
  const auto & backend = registration.GetBackend();
  CheckDeviceDid(backend.GetLastBackend(),
                 backend.GetFallbackReason(),
                 request.options->device,
                 std::string("the stage ") + NameOf(stage.kind));

  FieldOutcome<VDimension> outcome;
  outcome.transform = registration.GetTransform();
  StageResult & result = outcome.stage;
  for (const itk::CudaSpline::LevelRecord & record : records)
  {
    const bool isStopped = record.end == itk::CudaSpline::LevelEnd::Stopped;
    outcome.isStopped = outcome.isStopped || isStopped;
    const bool isConverged = record.end == itk::CudaSpline::LevelEnd::Converged;
    result.levels.push_back({ record.value,
                              record.iterations,
                              record.seconds,
                              DescribeFieldStop(isStopped, isConverged, record.convergence, stage.convergence) });
  }
  result.kind = stage.kind;
  result.parameters = outcome.transform->GetNumberOfParameters();
  result.seconds = time.GetSeconds();
  result.use = backend.GetUse();
  result.backend = backend.GetLastBackend();
  result.fallbackReason = backend.GetFallbackReason();
  return outcome;
}

} // namespace CudaSplineRegister

#endif
