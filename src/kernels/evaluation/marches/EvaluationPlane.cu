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
#include "kernels/evaluation/marches/PlaneKernel.cuh"
#include "kernels/evaluation/marches/PlaneMarchKernel.cuh"
#include "kernels/evaluation/marches/TiledLaunch.cuh"

namespace itk::CudaSpline
{

void
LaunchPlane(const KernelRequest & request, const EvaluationArguments<2> & arguments, StreamHandle stream)
{
  DispatchTiled(request.Taps(), arguments.element, [&](auto fixedTaps, auto real) {
    using Real = decltype(real);
    constexpr int columns = PlaneTileRows(2) / PlaneRowStep;
    constexpr int blocks = PlaneBlocks(2);
    LaunchMapKernel<2, Real>(PlaneKernel<decltype(fixedTaps)::value, Real, columns, blocks, 2>,
                             "PlaneKernel",
                             arguments,
                             request,
                             PlaneBytes<Real>(arguments.tiles),
                             blocks,
                             stream);
  });
}

void
LaunchPlane(const KernelRequest & request, const EvaluationArguments<3> & arguments, StreamHandle stream)
{
  DispatchTiled(request.Taps(), arguments.element, [&](auto fixedTaps, auto real) {
    using Real = decltype(real);
    constexpr int columns = PlaneTileRows(3) / PlaneRowStep;
    constexpr int blocks = PlaneBlocks(3);
    LaunchMapKernel<3, Real>(PlaneMarchKernel<decltype(fixedTaps)::value, Real, columns, blocks>,
                             "PlaneMarchKernel",
                             arguments,
                             request,
                             PlaneMarchBytes<decltype(fixedTaps)::value, Real>(arguments.tiles),
                             blocks,
                             stream);
  });
}

} // namespace itk::CudaSpline
