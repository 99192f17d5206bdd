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
#include "kernels/registration/landmarks/LandmarkLevels.h"

namespace itk::CudaSpline
{

void
WalkLandmarkPullBackOnCuda(const FieldGrid &                          grid,
                           const std::vector<TransformChain::Stage> & stages,
                           LandmarkTarget *                           targets,
                           std::size_t                                count,
                           const Residence &                          residence)
{
  WalkLandmarkPullBack(
    grid, stages, targets, count, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
WalkLandmarksOnCuda(const LandmarkPlacementArguments & arguments, const Residence & residence)
{
  WalkLandmarkPlacement(arguments, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
WalkLandmarksOnCuda(const LandmarkScatter & body, const Residence & residence)
{
  LaunchField(body, body.walk, residence);
}

void
WalkLandmarksOnCuda(const LandmarkSum & body, const Residence & residence)
{
  LaunchField(body, body.walk, residence);
}

void
WalkLandmarksOnCuda(const SplineLandmark & body, const Residence & residence)
{
  LaunchField(body, body.walk, residence);
}

void
WalkLandmarksOnCuda(const LandmarkGradient & body, const Residence & residence)
{
  LaunchField(body, body.walk, residence);
}

} // namespace itk::CudaSpline
