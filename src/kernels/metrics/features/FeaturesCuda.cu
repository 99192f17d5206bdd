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
  WalkFeatureForces(shape, images, sums, byMoving, byFixed, scratch, [&](const auto & body) {
    LaunchField(body, body.walk, residence);
  });
}

} // namespace itk::CudaSpline
