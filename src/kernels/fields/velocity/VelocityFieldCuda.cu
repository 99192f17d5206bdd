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
#include "kernels/fields/velocity/FieldVelocity.h"

namespace itk::CudaSpline
{

void
ExponentiateFieldOnCuda(const FieldShape & shape,
                        const void *       velocity,
                        unsigned int       squarings,
                        bool               inverse,
                        void *             output,
                        void *             scratch,
                        const Residence &  residence)
{
  WalkExponential(shape, velocity, squarings, inverse, output, scratch, [&](const auto & body) {
    LaunchField(body, body.walk, residence);
  });
}

void
ComposeFieldsBeyondOnCuda(const FieldShape & shape,
                          const void *       displacement,
                          const void *       warping,
                          void *             output,
                          const Residence &  residence)
{
  WalkComposition(
    shape, displacement, warping, output, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

void
FindJacobianDeterminantsOnCuda(const FieldShape &       shape,
                               const void *             field,
                               const FieldDerivatives & derivatives,
                               ScalarType               real,
                               void *                   output,
                               const Residence &        residence)
{
  WalkJacobian(
    shape, field, derivatives, real, output, [&](const auto & body) { LaunchField(body, body.walk, residence); });
}

} // namespace itk::CudaSpline
