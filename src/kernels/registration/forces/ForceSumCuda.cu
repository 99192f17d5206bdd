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
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/registration/forces/ForceSum.h"

namespace itk::CudaSpline
{

void
WalkForceSumOnCuda(const ForceSumArguments & arguments, const Residence & residence)
{
  WalkForceSum(arguments, [&](const auto & body) { LaunchField(body, body.walk, AllDevicesOf(residence)); });
}

void
WalkScaledSumOnCuda(const FieldShape & shape,
                    void *             sum,
                    const SquareSum *  squares,
                    int                count,
                    const Residence &  residence)
{
  WalkScaledSum(
    shape, sum, squares, count, [&](const auto & body) { LaunchField(body, body.walk, AllDevicesOf(residence)); });
}

} // namespace itk::CudaSpline
