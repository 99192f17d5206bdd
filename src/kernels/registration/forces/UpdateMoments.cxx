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
#include "kernels/registration/forces/UpdateMoments.h"

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"

namespace itk::CudaSpline
{

namespace
{

/** Returns the bytes of the second moments of one field. */
std::size_t
CountSecondBytes(const FieldShape & shape, FieldOptimizer optimizer)
{
  return optimizer == FieldOptimizer::Adam ? shape.Bytes() / shape.grid.dimension : 0;
}

/** Allocates memory and fills it with zeros, unless it exists already. */
void
ReserveZeros(ResidentArray & array, std::size_t bytes, const Residence & residence)
{
  if (array.Bytes() < bytes)
  {
    array = ResidentArray(bytes, residence);
    ClearResident(array.Data(), bytes, residence);
  }
}

} // namespace

void
UpdateMoments::Reserve(const FieldShape & shape, FieldOptimizer optimizer, const Residence & residence)
{
  if (optimizer == FieldOptimizer::FixedStep)
  {
    return;
  }
  ReserveZeros(m_First, shape.Bytes(), residence);
  ReserveZeros(m_Second, CountSecondBytes(shape, optimizer), residence);
  ReserveZeros(m_Weights, sizeof(MomentWeights), residence);
}

void
UpdateMoments::MakeUpdate(const FieldShape & shape,
                          const void *       force,
                          const double *     maximum,
                          double             length,
                          void *             update,
                          const Residence &  residence) const
{
  const MomentArguments arguments{ shape,   force,  m_First.Data(), m_Second.Data(), m_Weights.As<MomentWeights>(),
                                   maximum, length, update };
  if (residence.IsOnDevice())
  {
    WalkMomentsOnCuda(arguments, residence);
    return;
  }
  WalkMoments(arguments, [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
}

std::size_t
UpdateMoments::CountBytes(const FieldShape & shape, FieldOptimizer optimizer)
{
  return optimizer == FieldOptimizer::FixedStep
           ? 0
           : shape.Bytes() + CountSecondBytes(shape, optimizer) + sizeof(MomentWeights);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkMomentsOnCuda(const MomentArguments &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
