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
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/ResampleLaunch.cuh"
#include "kernels/ResampleLaunchers.h"

namespace itk::CudaSpline
{

template <unsigned int VDimension>
void
LaunchSplineSingle(unsigned int                          order,
                   const ResampleArguments<VDimension> & arguments,
                   std::int64_t                          lines,
                   const Stream &                        stream)
{
  DispatchSplineOrder(order, [&](auto fixedOrder) {
    LaunchResample<SplineMethod<decltype(fixedOrder)::value, float>>(arguments, lines, stream);
  });
}

template void
LaunchSplineSingle(unsigned int, const ResampleArguments<1> &, std::int64_t, const Stream &);
template void
LaunchSplineSingle(unsigned int, const ResampleArguments<2> &, std::int64_t, const Stream &);
template void
LaunchSplineSingle(unsigned int, const ResampleArguments<3> &, std::int64_t, const Stream &);

} // namespace itk::CudaSpline
