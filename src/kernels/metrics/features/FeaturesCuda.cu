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
#include "kernels/metrics/features/FeatureForces.h"
#include "kernels/metrics/features/SelfSimilarity.h"

/** \file
 * \brief MakeSelfSimilarity() and EvaluateFeatureForces() on a device. */

namespace itk::CudaSpline
{

namespace
{

/** Blocks of a multiprocessor at once: chains of transforms, which are rare, would take all registers for one. */
constexpr int ForcesBlocks = 2;

template <typename TBody>
__global__ void
__launch_bounds__(BoxLanes, ForcesBlocks)
  FeatureForcesKernel(const __grid_constant__ TBody body, const FieldWalk walk, const FieldBoxes boxes)
{
  WalkColumn(walk, boxes, blockIdx.x, body);
}

template <unsigned int VDimension, typename TReal>
void
Launch(const FeatureForces<VDimension, TReal> & body, const Residence & residence)
{
  const DeviceScope scope(residence.GetContext().device);
  const FieldBoxes  boxes = BoxesOf(body.walk);
  FeatureForcesKernel<<<BlocksOf(boxes.Count()), BoxThreads(), 0, residence.GetStream().Get()>>>(
    body, body.walk, boxes);
  CheckCuda(cudaGetLastError(), "FeatureForcesKernel");
}

template <typename TBody>
void
Launch(const TBody & body, const Residence & residence)
{
  LaunchField(body, body.walk, residence);
}

} // namespace

void
WalkSelfSimilarityOnCuda(const FieldGrid &             grid,
                         ScalarType                    pixel,
                         const void *                  image,
                         const SelfSimilarityOptions & options,
                         float *                       channels,
                         float *                       means,
                         void *                        sums,
                         const Residence &             residence)
{
  WalkSelfSimilarity(
    grid, pixel, image, options, channels, means, static_cast<PlainSum *>(sums), [&](const auto & body) {
      LaunchField(body, body.walk, residence);
    });
}

void
WalkFeatureForcesOnCuda(const FieldShape &                   shape,
                        const std::array<MovedFeatures, 2> & images,
                        PointSums *                          sums,
                        void *                               byMoving,
                        void *                               byFixed,
                        void *                               scratch,
                        const Residence &                    residence)
{
  WalkFeatureForces(
    shape, images, sums, byMoving, byFixed, scratch, [&](const auto & body) { Launch(body, residence); });
}

} // namespace itk::CudaSpline
