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
#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include "kernels/common/HostLoop.h"
#include "kernels/common/MemoryBudget.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/transforms/DisplacementBackends.h"
#include "kernels/transforms/StageTaps.h"
#include "kernels/transforms/TransformStages.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
template <unsigned int VDimension>
void
MakeDisplacementsOnCpu(const DisplacementDescriptor & descriptor, void * output, const ExecutionContext & context)
{
  auto                                    arguments = MakeDisplacementArguments<VDimension>(descriptor);
  std::vector<TransformStage<VDimension>> stages;
  if (descriptor.chain != nullptr)
  {
    SetGrids(*descriptor.chain, arguments);
    for (const TransformChain::Stage & stage : descriptor.chain->stages)
    {
      stages.push_back(MakeStage<VDimension>(stage, DisplacementsOf(stage)));
    }
    arguments.stages = stages.data();
  }
  arguments.ends = reinterpret_cast<const ScanlineEnds<VDimension> *>(descriptor.scanlineEnds);
  std::vector<ScanlineEnds<VDimension>> made;
  if (descriptor.chain == nullptr && descriptor.scanlineEnds == nullptr)
  {
    made.resize(static_cast<std::size_t>(descriptor.lines));
    const AffineScanlines<VDimension> scanlines = ScanlinesOf<VDimension>(*descriptor.scanlineChain);
    context.ParallelFor(descriptor.lines, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line)
      {
        scanlines.DisplacementsOf(line, made[static_cast<std::size_t>(line)]);
      }
    });
    arguments.ends = made.data();
  }
  arguments.output = output;
  RunInParts(descriptor.lines, 1, context, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      for (std::int64_t sample = 0; sample < arguments.samples; ++sample)
      {
        StoreDisplacement(arguments, line, sample);
      }
    }
  });
}
} // namespace

void
MakeDisplacements(const DisplacementDescriptor & descriptor, void * output, const ExecutionContext & context)
{
  if (!IsReal(descriptor.output))
  {
    throw std::invalid_argument(std::string("Displacements must be float32 or float64, not ") +
                                NameOf(descriptor.output) + ".");
  }
  if (descriptor.samples > 0 && descriptor.lines > 0)
  {
    if ((descriptor.chain == nullptr) == (descriptor.scanlineEnds == nullptr && descriptor.scanlineChain == nullptr))
    {
      throw std::invalid_argument("Displacements need exactly one of a chain of transforms and the ends of scanlines.");
    }
    if (context.backend == Backend::Cuda)
    {
      MakeDisplacementsOnCuda(descriptor, output, context);
    }
    else
    {
      DispatchDimension(descriptor.dimension, [&](auto dimension) {
        MakeDisplacementsOnCpu<decltype(dimension)::value>(descriptor, output, context);
      });
    }
  }
  context.Report(1.0);
}

MemoryPlan
PlanDisplacements(const DisplacementDescriptor & displacements, std::size_t budget)
{
  MemoryPlan        plan;
  const std::size_t lineBytes =
    static_cast<std::size_t>(displacements.samples) * displacements.dimension * SizeOf(displacements.output);
  plan.tableBytes = displacements.chain != nullptr
                      ? displacements.chain->Bytes(displacements.dimension)
                      : static_cast<std::size_t>(displacements.lines) * 2 * displacements.dimension * sizeof(double);
  SetSlabLines(plan, displacements.lines, lineBytes, budget);
  plan.slabBytes = static_cast<std::size_t>(plan.slabLines) * lineBytes;
  RefuseUnlessWithin(plan, budget);
  return plan;
}

OperationWork
CountDisplacementWork(const DisplacementDescriptor & displacements)
{
  OperationWork work;
  work.kind = KindOf({ static_cast<std::uint64_t>(WorkKind::Displacements),
                       displacements.dimension,
                       static_cast<std::uint64_t>(displacements.output),
                       KindOfStages(displacements.chain) });
  work.samples = static_cast<double>(displacements.samples) * static_cast<double>(displacements.lines);
  work.taps = work.samples * StageTapsOf(displacements.chain, displacements.dimension);
  work.downloadBytes = work.samples * static_cast<double>(SizeOf(displacements.output)) * displacements.dimension;
  work.uploadBytes = displacements.chain != nullptr
                       ? static_cast<double>(displacements.chain->Bytes(displacements.dimension))
                       : 2.0 * sizeof(double) * displacements.dimension * static_cast<double>(displacements.lines);
  return work;
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
MakeDisplacementsOnCuda(const DisplacementDescriptor &, void *, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
