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
#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/velocity/VelocityBodies.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
void
CheckTimePoints(std::size_t count)
{
  if (count < 2 || count > MaxTimePoints)
  {
    throw std::invalid_argument("A velocity field has " + std::to_string(count) + " time points; 2 to " +
                                std::to_string(MaxTimePoints) + " are supported.");
  }
}

void
CheckPath(const TimeVaryingVelocity & velocity, const VelocityPath & path)
{
  CheckTimePoints(velocity.fields.size());
  if (path.from >= velocity.fields.size() || path.to >= velocity.fields.size() || path.steps < 1)
  {
    throw std::invalid_argument("A velocity field with " + std::to_string(velocity.fields.size()) +
                                " time points cannot be integrated from number " + std::to_string(path.from) + " to " +
                                std::to_string(path.to) + " with " + std::to_string(path.steps) +
                                " steps for each interval; time points are counted from 0, and at least 1 step is "
                                "needed.");
  }
}
} // namespace

void
IntegrateVelocity(const TimeVaryingVelocity & velocity,
                  unsigned int                from,
                  unsigned int                to,
                  unsigned int                steps,
                  void *                      output,
                  const Residence &           residence)
{
  const VelocityPath path{ from, to, steps };
  CheckPath(velocity, path);
  if (residence.IsOnDevice())
  {
    IntegrateVelocityOnCuda(velocity, path, output, residence);
    return;
  }
  WalkIntegration(velocity, path, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

std::vector<double>
MakeTimeWeights(double variance, unsigned int timePoints)
{
  if (!(variance > 0.0))
  {
    return { 1.0 };
  }
  FieldGrid line;
  line.dimension = 2;
  line.size[0] = timePoints;
  const std::vector<double> weights = MakeFieldSmoothing(line, variance).weights[0];
  return { weights.begin() + static_cast<std::ptrdiff_t>(weights.size() / 2), weights.end() };
}

void
IntegrateVelocityAsItk(const TimeVaryingVelocity & velocity,
                       double                      lower,
                       double                      upper,
                       unsigned int                steps,
                       void *                      output,
                       const Residence &           residence)
{
  CheckTimePoints(velocity.fields.size());
  if (steps < 1 || steps > MaxItkSteps)
  {
    throw std::invalid_argument("The number of integration steps is " + std::to_string(steps) + "; 1 to " +
                                std::to_string(MaxItkSteps) + " are supported.");
  }
  const ItkVelocityPath path{ lower, upper, steps };
  if (residence.IsOnDevice())
  {
    IntegrateVelocityAsItkOnCuda(velocity, path, output, residence);
    return;
  }
  WalkItkIntegration(
    velocity, path, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

void
SmoothInTime(const FieldShape &                shape,
             const std::vector<const void *> & input,
             const TimeSmoothing &             smoothing,
             const std::vector<void *> &       output,
             const Residence &                 residence)
{
  CheckTimePoints(input.size());
  const std::size_t count = smoothing.weights.size();
  if (output.size() != input.size() || count < 1 || count > MaxTimePoints + 1)
  {
    throw std::invalid_argument("Fields at " + std::to_string(input.size()) + " time points cannot be smoothed into " +
                                std::to_string(output.size()) + " fields with " + std::to_string(count) +
                                " weights; as many fields, and 1 to " + std::to_string(MaxTimePoints + 1) +
                                " weights are needed.");
  }
  if (residence.IsOnDevice())
  {
    SmoothInTimeOnCuda(shape, input, smoothing, output, residence);
    return;
  }
  WalkTimeSum(
    shape, input, smoothing, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
IntegrateVelocityOnCuda(const TimeVaryingVelocity &, const VelocityPath &, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
IntegrateVelocityAsItkOnCuda(const TimeVaryingVelocity &, const ItkVelocityPath &, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
SmoothInTimeOnCuda(const FieldShape &,
                   const std::vector<const void *> &,
                   const TimeSmoothing &,
                   const std::vector<void *> &,
                   const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
