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
#include "kernels/evaluation/EvaluationLaunchers.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/boxes/EvaluationTiles.cuh"

namespace itk::CudaSpline
{

namespace
{

/** Whether the kernels that take tiles can do it; all else is for those that take samples. */
bool
CanTile(const SourceDescriptor &       source,
        Derivatives                    derivatives,
        const EvaluationArguments<3> & arguments,
        std::int64_t                   lines)
{
  bool can = arguments.coordinates == Coordinates::Scanlines && arguments.mode == EvaluationMode::Exact &&
             source.storage == CoefficientStorage::Element && arguments.element == ScalarType::Float32 &&
             arguments.components == 1 && arguments.extrapolation == nullptr && arguments.defaultPixels == nullptr &&
             arguments.inside == nullptr && lines < INT_MAX && arguments.samples < INT_MAX;
  can = can && (derivatives == Derivatives::None ||
                (derivatives == Derivatives::First && arguments.gradients != nullptr && arguments.hessians == nullptr));
  for (int d = 0; d < 3; ++d)
  {
    can = can && arguments.extent.start[d] > -MostTileIndex &&
          arguments.extent.start[d] + arguments.extent.size[d] < MostTileIndex;
  }
  return can;
}

} // namespace

bool
LaunchBoxes(Interpolation                  method,
            const SourceDescriptor &       source,
            Derivatives                    derivatives,
            const EvaluationArguments<3> & arguments,
            std::int64_t                   lines,
            StreamHandle                   stream)
{
  if (!CanTile(source, derivatives, arguments, lines))
  {
    return false;
  }
  const auto launch = [&](auto compiled) {
    using Compiled = decltype(compiled);
    return LaunchTiles<typename Compiled::Method, Compiled::derivatives>(arguments, lines, stream);
  };
  constexpr auto none = Derivatives::None;
  constexpr auto first = Derivatives::First;
  if (method == Interpolation::CatmullRom)
  {
    return derivatives == none ? launch(CompiledMethod<CatmullRomMethod<float>, none>())
                               : launch(CompiledMethod<CatmullRomMethod<float>, first>());
  }
  if (method != Interpolation::BSpline)
  {
    return false;
  }
  switch (source.order)
  {
    case 1:
      return derivatives == none && launch(CompiledMethod<SplineMethod<1, float>, none>());
    case 2:
      return derivatives == none && launch(CompiledMethod<SplineMethod<2, float>, none>());
    case 3:
      return derivatives == none ? launch(CompiledMethod<SplineMethod<3, float>, none>())
                                 : launch(CompiledMethod<SplineMethod<3, float>, first>());
    case 4:
      return derivatives == none && launch(CompiledMethod<SplineMethod<4, float>, none>());
    case 5:
      return derivatives == none && launch(CompiledMethod<SplineMethod<5, float>, none>());
    default:
      return false;
  }
}

} // namespace itk::CudaSpline
