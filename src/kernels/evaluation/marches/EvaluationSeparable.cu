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
#include "kernels/evaluation/marches/SeparableKernel.cuh"
#include "kernels/evaluation/marches/TiledLaunch.cuh"

namespace itk::CudaSpline
{

void
LaunchSeparable(const KernelRequest & request, const EvaluationArguments<3> & arguments, StreamHandle stream)
{
  DispatchTiled(request.Taps(), arguments.element, [&](auto fixedTaps, auto real) {
    constexpr unsigned int VTaps = decltype(fixedTaps)::value;
    using Real = decltype(real);
    constexpr int blocks = SeparableBlocks;
    LaunchMapKernel<3, Real>(SeparableKernel<VTaps, Real, blocks>,
                             "SeparableKernel",
                             arguments,
                             request,
                             SeparableBytes<VTaps, Real>(arguments.tiles),
                             blocks,
                             stream);
  });
}

} // namespace itk::CudaSpline
