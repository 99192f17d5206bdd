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
#include "kernels/metrics/gradient_fields/GradientFieldsBody.h"

/** \file
 * \brief EvaluateGradientFields() and FindGradientRange() on a device. */

namespace itk::CudaSpline
{

void
WalkGradientFieldsOnCuda(const GradientFieldsDescriptor & descriptor,
                         const LocalCorrelationImages &   images,
                         const GradientFieldsResults &    results,
                         const Residence &                residence)
{
  WalkGradientFields(descriptor, images, results, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
WalkGradientMagnitudesOnCuda(const FieldGrid &              grid,
                             ScalarType                     pixel,
                             const LocalCorrelationImages & image,
                             void *                         magnitudes,
                             PointSums *                    sums,
                             const Residence &              residence)
{
  WalkGradientMagnitudes(
    grid, pixel, image, magnitudes, sums, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

} // namespace itk::CudaSpline
