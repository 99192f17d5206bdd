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
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/MemoryBudget.h"
#include "kernels/evaluation/EvaluationBackends.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/TapCounts.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

void
SamplePointsOnCpu(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    auto arguments = MakePointsArguments<decltype(dimension)::value>(descriptor, source);
    arguments.points = descriptor.points;
    arguments.output = descriptor.values;
    arguments.gradients = descriptor.gradients;
    arguments.hessians = descriptor.hessians;
    arguments.inside = descriptor.inside;
    arguments.count = descriptor.count;
    EvaluateOnCpu(descriptor.interpolation,
                  source.GetDescriptor(),
                  descriptor.derivatives,
                  arguments,
                  LinesOfPoints(descriptor.count),
                  context);
  });
}

void
Check(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  CheckSource(descriptor, source, context);
  const std::string name = std::string("Interpolation ") + NameOf(descriptor.interpolation);
  if (source.GetDescriptor().components != 1)
  {
    throw std::invalid_argument("Points can only be sampled in images with one component per pixel; this image has " +
                                std::to_string(source.GetDescriptor().components) + ".");
  }
  if (!IsReal(descriptor.pointType))
  {
    throw std::invalid_argument(std::string("Points must be float32 or float64, not ") + NameOf(descriptor.pointType) +
                                ".");
  }
  if (descriptor.derivatives == Derivatives::None)
  {
    if (descriptor.values == nullptr && descriptor.inside == nullptr)
    {
      throw std::invalid_argument(
        "The arrays for the values and for the inside flags are both missing; at least one is needed.");
    }
  }
  else
  {
    if (descriptor.mode != EvaluationMode::Exact)
    {
      throw std::invalid_argument(std::string("Mode ") + NameOf(descriptor.mode) +
                                  " has no derivatives; use mode Exact.");
    }
    if (!HasBasis(descriptor.interpolation))
    {
      throw std::invalid_argument(name + " has no derivatives; use BSpline or CubicConvolution.");
    }
    if (!IsReal(descriptor.output))
    {
      throw std::invalid_argument(std::string("Derivatives must be float32 or float64, not ") +
                                  NameOf(descriptor.output) + ".");
    }
  }
  if (descriptor.points == nullptr)
  {
    throw std::invalid_argument("The array of points is missing.");
  }
  if (descriptor.onDevice && context.backend != Backend::Cuda)
  {
    throw std::invalid_argument("Arrays on a device need the Cuda backend; the backend is " +
                                std::string(NameOf(context.backend)) + ".");
  }
}

} // namespace

void
SamplePoints(const PointsDescriptor & descriptor, const SampleSource & source, const ExecutionContext & context)
{
  if (descriptor.count > 0)
  {
    Check(descriptor, source, context);
    PointsDescriptor  points = descriptor;
    std::vector<char> unwanted;
    if (MakesUnwantedValues(descriptor) && !descriptor.onDevice)
    {
      unwanted.resize(static_cast<std::size_t>(descriptor.count) * SizeOf(descriptor.output));
      points.values = unwanted.data();
    }
    (context.backend == Backend::Cuda ? SamplePointsOnCuda : SamplePointsOnCpu)(points, source, context);
  }
  context.Report(1.0);
}

MemoryPlan
PlanPoints(const SourceDescriptor & source, const PointsDescriptor & points, std::size_t budget)
{
  MemoryPlan plan;
  plan.sourceBytes = source.Bytes();
  const std::size_t element = SizeOf(points.output);
  const std::size_t bytes = source.dimension * SizeOf(points.pointType) + (points.values != nullptr ? element : 0) +
                            (points.gradients != nullptr ? element * source.dimension : 0) +
                            (points.hessians != nullptr ? element * SymmetricEntries(source.dimension) : 0) +
                            (points.inside != nullptr ? 1 : 0);
  const std::size_t room = budget > plan.sourceBytes ? (budget - plan.sourceBytes) / 2 : 0;
  const auto        chunk = static_cast<std::int64_t>(std::min(room, TransferChunkBytes) / bytes);
  // A multiple of 16, so that every array of a chunk is aligned.
  plan.slabLines = std::max<std::int64_t>(16, std::min(chunk, points.count + 15) / 16 * 16);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * bytes;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountPointsWork(const SourceDescriptor & source, const PointsDescriptor & points)
{
  OperationWork work;
  const double  dimension = source.dimension;
  // A gradient takes about as long as its value, and a Hessian twice as long, in addition to it.
  const double passes = 1.0 + static_cast<double>(points.derivatives);
  const double element = static_cast<double>(SizeOf(points.output));
  const double entries = (points.values != nullptr ? 1.0 : 0.0) + (points.gradients != nullptr ? dimension : 0.0) +
                         (points.hessians != nullptr ? SymmetricEntries(source.dimension) : 0.0);
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Points),
                       KindOfMethod(points, source),
                       static_cast<std::uint64_t>(points.output.type),
                       static_cast<std::uint64_t>(points.derivatives) });
  work.samples = static_cast<double>(points.count);
  work.uploadBytes = work.samples * dimension * static_cast<double>(SizeOf(points.pointType));
  work.taps = work.samples * TapsOf(points, source) * passes;
  work.downloadBytes = work.samples * (element * entries + (points.inside != nullptr ? 1.0 : 0.0));
  return work;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
SamplePointsOnCuda(const PointsDescriptor &, const SampleSource &, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
