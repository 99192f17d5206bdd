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
#include "itkCudaSpline/itk/MetricArrays.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/device/Device.h"

#include <limits>

namespace itk::CudaSplineDetail
{

const CudaSpline::MetricSources &
MetricArrays::Provide(CudaSpline::SourceCache & cache, const CudaSpline::ExecutionContext & context)
{
  const bool                  onDevice = context.backend == CudaSpline::Backend::Cuda;
  CudaSpline::MetricSources & sources = onDevice ? m_OnDevice : m_OnHost;
  if (onDevice ? this->AreOnDevice(context.device) : this->AreOnHost())
  {
    return sources;
  }
  CudaSpline::MetricSources made;
  const auto                provide = [&](const HostArray & array) -> std::shared_ptr<const CudaSpline::SampleSource> {
    return array.pixels != nullptr ? cache.Provide(array.descriptor, array.pixels, context) : nullptr;
  };
  made.fixed = provide(fixed);
  made.inside = provide(inside);
  made.points = provide(points);
  made.moving = provide(moving);
  made.gradient = gaussian == nullptr
                    ? provide(gradient)
                    : CudaSpline::MakeGaussianGradientSource(*gaussian, gradient.descriptor, gradient.pixels, context);
  made.mask = provide(mask);
  sources = made;
  if (onDevice)
  {
    m_Device = context.device;
  }
  return sources;
}

CudaSpline::OperationWork
MetricArrays::CountWork() const
{
  CudaSpline::OperationWork work;
  for (const HostArray * array : { &fixed, &inside, &points, &moving, &gradient, &mask })
  {
    if (array->pixels != nullptr)
    {
      const bool isMadeHere = array == &gradient && gaussian != nullptr;
      work =
        work + (isMadeHere ? CudaSpline::CountGaussianWork(*gaussian, CudaSpline::GaussianOperation::GradientSource)
                           : CudaSpline::CountSourceWork(array->descriptor));
    }
  }
  return work;
}

CudaSpline::MemoryPlan
MetricArrays::PlanMemory(int device, std::size_t others, const CudaSpline::SourceCache & cache) const
{
  const bool isMade = this->AreOnDevice(device);
  // The moving image is the largest source, and needs the largest additional memory.
  for (const HostArray * array : { &fixed, &inside, &points, &gradient, &mask })
  {
    others += array->pixels != nullptr ? array->descriptor.Bytes() : 0;
  }
  if (gaussian != nullptr && !isMade)
  {
    // Gradients need memory for their input while they are computed.
    const std::size_t peak = CudaSpline::PlanGaussian(*gaussian,
                                                      CudaSpline::GaussianOperation::GradientSource,
                                                      std::numeric_limits<std::size_t>::max())
                               .PeakBytes();
    const std::size_t bytes = gradient.descriptor.Bytes();
    others += peak > bytes ? peak - bytes : 0;
  }
  const std::size_t budget = CudaSpline::AvailableDeviceMemory(device, cache.GetBytesOnDevice(device));
  return CudaSpline::PlanSource(moving.descriptor, budget > others ? budget - others : 0, isMade);
}

} // namespace itk::CudaSplineDetail
