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

namespace
{

template <unsigned int VTaps, typename TReal>
void
Launch(bool isCatmullRom, const EvaluationArguments<3> & arguments, std::int64_t lines, StreamHandle stream)
{
  constexpr int blocks = 2;
  LaunchMapKernel<3, TReal>(SeparableKernel<VTaps, TReal, blocks>,
                            "SeparableKernel",
                            arguments,
                            lines,
                            isCatmullRom,
                            SeparableBytes<VTaps, TReal>(arguments.tiles),
                            blocks,
                            stream);
}

} // namespace

void
LaunchSeparable(unsigned int                   taps,
                bool                           isCatmullRom,
                const EvaluationArguments<3> & arguments,
                std::int64_t                   lines,
                StreamHandle                   stream)
{
  DispatchTiled(taps, arguments.element, [&](auto fixedTaps, auto real) {
    Launch<decltype(fixedTaps)::value, decltype(real)>(isCatmullRom, arguments, lines, stream);
  });
}

} // namespace itk::CudaSpline
