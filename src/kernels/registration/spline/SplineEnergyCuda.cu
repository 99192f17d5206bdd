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
#include "kernels/registration/spline/FieldEnergy.h"
#include "kernels/registration/spline/SplinePointEnergy.h"

namespace itk::CudaSpline
{

void
WalkEnergyOnCuda(const EnergyArguments & arguments, const Residence & residence)
{
  WalkEnergy(arguments, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
WalkPointEnergyOnCuda(const PointEnergyArguments & arguments, const Residence & residence)
{
  WalkPointEnergy(arguments, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
WalkFieldEnergyOnCuda(const FieldEnergyArguments & arguments, const Residence & residence)
{
  WalkFieldEnergy(arguments, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

} // namespace itk::CudaSpline
