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
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/ResidenceDevices.h"
#include "kernels/metrics/local_correlation/ExactCorrelation.h"
#include "kernels/metrics/local_correlation/LocalCorrelationBackends.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("Local correlation: ") + what + ".");
  }
}

void
Check(const LocalCorrelationDescriptor & descriptor)
{
  Require(descriptor.grid.dimension == 2 || descriptor.grid.dimension == 3, "images must have 2 or 3 dimensions");
  for (unsigned int d = 0; d < 3; ++d)
  {
    const bool isAxis = d < descriptor.grid.dimension;
    Require(descriptor.grid.size[d] >= (isAxis ? 0 : 1) && (isAxis || descriptor.grid.size[d] == 1),
            "sizes of the grid must be at least 0, and 1 beyond its dimension");
    Require(!isAxis || descriptor.radius[d] >= 0, "the radius must be at least 0");
  }
  Require(IsReal(descriptor.pixel) && IsReal(descriptor.derivative) && IsReal(descriptor.arithmetic),
          "pixels, derivatives and arithmetic must be float32 or float64");
  for (const double floor : descriptor.varianceFloors)
  {
    Require(floor >= 0.0 && std::isfinite(floor), "floors of variances must be finite and at least 0");
  }
}

std::size_t
CountDevices(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
{
  return residence.IsOnDevice() ? CountSharing(AllDevicesOf(residence), descriptor.grid.Count()) : 1;
}

/** The derivatives of all windows that hold a sample. */
void
EvaluateExact(const ExactCorrelation & correlation, const Residence & residence)
{
  residence.IsOnDevice() ? EvaluateExactCorrelationOnCuda(correlation, AllDevicesOf(residence))
                         : EvaluateExactCorrelationOnCpu(correlation, residence.GetContext());
}

} // namespace

std::size_t
CountLocalCorrelationScratch(const LocalCorrelationDescriptor & descriptor, const Residence & residence)
{
  Check(descriptor);
  if (descriptor.isExact)
  {
    ExactCorrelation correlation;
    correlation.descriptor = descriptor;
    correlation.devices = CountDevices(descriptor, residence);
    const int device = residence.IsOnDevice() ? residence.GetContext().device : -1;
    return CountExactCorrelationScratch(correlation, ExactWindowNumbers, device);
  }
  return residence.IsOnDevice() ? CountLocalCorrelationScratchOnCuda(descriptor, residence) : 0;
}

void
EvaluateLocalCorrelation(const LocalCorrelationDescriptor & descriptor,
                         const LocalCorrelationImages &     images,
                         LocalCorrelationSums *             sums,
                         void *                             movingDerivative,
                         void *                             fixedDerivative,
                         void *                             scratch,
                         const Residence &                  residence)
{
  Check(descriptor);
  const bool isEmpty = descriptor.grid.Count() == 0;
  Require(sums != nullptr && (isEmpty || (images.fixed != nullptr && images.moving != nullptr)),
          "images and sums are needed");
  if (isEmpty)
  {
    ClearResident(sums, sizeof(*sums), residence);
    return;
  }
  if (descriptor.isExact)
  {
    ExactCorrelation correlation;
    correlation.descriptor = descriptor;
    correlation.images = images;
    correlation.sums = sums;
    correlation.movingDerivative = movingDerivative;
    correlation.fixedDerivative = fixedDerivative;
    correlation.scratch = scratch;
    correlation.devices = CountDevices(descriptor, residence);
    EvaluateExact(correlation, residence);
    return;
  }
  const LocalCorrelationResults results{ sums, movingDerivative, fixedDerivative, scratch };
  residence.IsOnDevice() ? EvaluateLocalCorrelationOnCuda(descriptor, images, results, residence)
                         : EvaluateLocalCorrelationOnCpu(descriptor, images, results, residence);
}

void
RoundToSingle(const double * from, float * to, std::int64_t count, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    RoundToSingleOnCuda(from, to, count, residence);
    return;
  }
  residence.GetContext().ParallelFor(count, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      to[i] = static_cast<float>(from[i]);
    }
  });
}

std::size_t
CountExactCorrelationScratch(const ExactCorrelation & correlation, int factors, int device)
{
  const auto        samples = static_cast<std::size_t>(correlation.pairs * correlation.descriptor.grid.Count());
  const std::size_t partial =
    device >= 0 && samples > 0 ? CountExactPartialSumsOnCuda(correlation, factors, device) : 0;
  return partial + 2 * static_cast<std::size_t>(correlation.pairs) * sizeof(double) +
         static_cast<std::size_t>(factors) * samples * SizeOf(correlation.descriptor.pixel);
}

#if !defined(CUDASPLINE_HAS_CUDA)
std::size_t
CountExactPartialSumsOnCuda(const ExactCorrelation &, int, int)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
EvaluateLossOnCuda(ExactCorrelation, void *, StreamHandle, int)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
EvaluateExactCorrelationOnCuda(const ExactCorrelation &, const StepDevices &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
RoundToSingleOnCuda(const double *, float *, std::int64_t, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
EvaluateLocalCorrelationOnCuda(const LocalCorrelationDescriptor &,
                               const LocalCorrelationImages &,
                               const LocalCorrelationResults &,
                               const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

std::size_t
CountLocalCorrelationScratchOnCuda(const LocalCorrelationDescriptor &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
