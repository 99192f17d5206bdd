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
#include "kernels/fields/limits/DeterminantLimit.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

namespace itk::CudaSpline
{

void
LimitDeterminants(const FieldShape &   shape,
                  const void *         before,
                  double               largest,
                  void *               after,
                  void *               scratch,
                  const Residence &    residence,
                  const std::uint8_t * regions)
{
  const LimitArguments arguments{ shape, before, largest, after, scratch, regions };
  ClearResident(scratch, sizeof(LimitProgress), residence);
  if (residence.IsOnDevice())
  {
    WalkLimitOnCuda(arguments, residence);
    return;
  }
  WalkLimit(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkLimitOnCuda(const LimitArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
