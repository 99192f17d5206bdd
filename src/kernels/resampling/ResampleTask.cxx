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
#include "itkCudaSpline/kernels/resampling/ResampleTask.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <limits>

namespace itk::CudaSpline
{

ResampleTask
MakeResampleTask(const SourceDescriptor & samples, const ResampleDescriptor & resampling, bool extrapolates)
{
  ResampleTask task;
  task.samples = samples;
  task.resampling = resampling;
  task.extrapolates = extrapolates;
  task.needsOutside = extrapolates && !HasPixels(samples);
  task.outside = OutsideOf(samples);
  return task;
}

ScalarType
ElementToMove(const SourceDescriptor & samples)
{
  if (samples.components == 1)
  {
    return samples.pixel;
  }
  return NeedsDoublePrecision(samples.pixel) ? ScalarType::Float64 : ScalarType::Float32;
}

bool
HasPixels(const SourceDescriptor & samples)
{
  return !samples.NeedsFilter() && samples.storage == CoefficientStorage::Element &&
         (samples.element != ScalarType::Float32 || samples.element == samples.pixel ||
          !NeedsDoublePrecision(samples.pixel));
}

SourceDescriptor
OutsideOf(const SourceDescriptor & samples)
{
  SourceDescriptor outside;
  outside.dimension = samples.dimension;
  outside.start = samples.start;
  outside.size = samples.size;
  outside.pixel = samples.pixel;
  outside.components = samples.components;
  outside.element = ElementToMove(samples);
  return outside;
}

MemoryPlan
PlanTask(const ResampleTask & task, std::size_t budget)
{
  const std::size_t outside =
    task.needsOutside ? PlanSource(task.outside, std::numeric_limits<std::size_t>::max()).PeakBytes() : 0;
  MemoryPlan plan = PlanResample(task.samples, task.resampling, budget > outside ? budget - outside : 0);
  plan.outsideBytes = outside;
  return plan;
}

OperationWork
CountTaskWork(const ResampleTask & task)
{
  const OperationWork work = CountSourceWork(task.samples) + CountResampleWork(task.samples, task.resampling);
  return task.needsOutside ? work + CountSourceWork(task.outside) : work;
}

} // namespace itk::CudaSpline
