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
#include "itkCudaSpline/kernels/fields/VelocityField.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/velocity/FieldVelocity.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

void
ExponentiateField(const FieldShape & shape,
                  const void *       velocity,
                  unsigned int       squarings,
                  bool               inverse,
                  void *             output,
                  void *             scratch,
                  const Residence &  residence)
{
  constexpr unsigned int most = 31;
  if (squarings > most)
  {
    throw std::invalid_argument("The number of squarings is " + std::to_string(squarings) + "; at most " +
                                std::to_string(most) + " are supported.");
  }
  if (residence.IsOnDevice())
  {
    ExponentiateFieldOnCuda(shape, velocity, squarings, inverse, output, scratch, residence);
    return;
  }
  WalkExponential(shape, velocity, squarings, inverse, output, scratch, [&](const auto & body) {
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

void
ComposeFieldsBeyond(const FieldShape & shape,
                    const void *       displacement,
                    const void *       warping,
                    void *             output,
                    const Residence &  residence)
{
  if (residence.IsOnDevice())
  {
    ComposeFieldsBeyondOnCuda(shape, displacement, warping, output, residence);
    return;
  }
  WalkComposition(
    shape, displacement, warping, output, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

void
FindJacobianDeterminants(const FieldShape &       shape,
                         const void *             field,
                         const FieldDerivatives & derivatives,
                         ScalarType               real,
                         void *                   output,
                         const Residence &        residence)
{
  if (residence.IsOnDevice())
  {
    FindJacobianDeterminantsOnCuda(shape, field, derivatives, real, output, residence);
    return;
  }
  WalkJacobian(shape, field, derivatives, real, output, [&](const auto & body) {
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
ExponentiateFieldOnCuda(const FieldShape &, const void *, unsigned int, bool, void *, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
ComposeFieldsBeyondOnCuda(const FieldShape &, const void *, const void *, void *, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
FindJacobianDeterminantsOnCuda(const FieldShape &,
                               const void *,
                               const FieldDerivatives &,
                               ScalarType,
                               void *,
                               const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
