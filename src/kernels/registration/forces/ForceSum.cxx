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
#include "kernels/registration/forces/ForceSum.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

namespace itk::CudaSpline
{

void
AddForce(const FieldShape & shape,
         const void *       force,
         double             weight,
         bool               isFirst,
         void *             sum,
         SquareSum *        square,
         SquareSum *        scratch,
         const Residence &  residence)
{
  const ForceSumArguments arguments{ shape, force, weight, isFirst, sum, square, scratch };
  if (residence.IsOnDevice())
  {
    WalkForceSumOnCuda(arguments, residence);
    return;
  }
  WalkForceSum(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

void
ScaleForceSum(const FieldShape & shape, void * sum, const SquareSum * squares, int count, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    WalkScaledSumOnCuda(shape, sum, squares, count, residence);
    return;
  }
  WalkScaledSum(shape, sum, squares, count, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkForceSumOnCuda(const ForceSumArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkScaledSumOnCuda(const FieldShape &, void *, const SquareSum *, int, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
