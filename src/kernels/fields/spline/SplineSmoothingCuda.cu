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
#include "kernels/fields/spline/SplineFit.h"

namespace itk::CudaSpline
{

void
WalkFitOnCuda(const SplineFit<float> & fit, const Residence & residence)
{
  WalkFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

void
WalkFitOnCuda(const SplineFit<double> & fit, const Residence & residence)
{
  WalkFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

void
WalkPointFitOnCuda(const PointFit<2, float> & fit, const Residence & residence)
{
  WalkPointFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

void
WalkPointFitOnCuda(const PointFit<2, double> & fit, const Residence & residence)
{
  WalkPointFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

void
WalkPointFitOnCuda(const PointFit<3, float> & fit, const Residence & residence)
{
  WalkPointFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

void
WalkPointFitOnCuda(const PointFit<3, double> & fit, const Residence & residence)
{
  WalkPointFit(fit, [&](const auto & pass) { LaunchField(pass, pass.walk, residence); });
}

} // namespace itk::CudaSpline
