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
#include "kernels/fields/limits/VelocityLimit.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

void
LimitVelocity(const VelocityUpdate & update, double largest, unsigned int steps, const Residence & residence)
{
  const std::size_t count = update.after.size();
  if (count < 2 || count > MaxTimePoints || update.before.size() != count || update.toStart.size() != count - 1)
  {
    throw std::invalid_argument("The update of a velocity field has " + std::to_string(update.before.size()) +
                                " time points before and " + std::to_string(count) + " after it, and " +
                                std::to_string(update.toStart.size()) +
                                " displacements to time 0; the same number of time points, 2 to " +
                                std::to_string(MaxTimePoints) + ", and one displacement less are needed.");
  }
  const VelocityLimitArguments arguments{ update, largest, steps };
  ClearResident(update.scratch, sizeof(LimitProgress), residence);
  if (residence.IsOnDevice())
  {
    WalkVelocityLimitOnCuda(arguments, residence);
    return;
  }
  WalkVelocityLimit(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkVelocityLimitOnCuda(const VelocityLimitArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
