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
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <type_traits>

namespace itk::CudaSpline
{

void
LaunchBoxes(const KernelRequest &          request,
            const EvaluationArguments<3> & arguments,
            const TilePlan &               plan,
            const SharedMemorySizes &      memory,
            StreamHandle                   stream)
{
  const auto launch = [&](auto method, auto derivatives) {
    LaunchTiles<decltype(method), decltype(derivatives)::value>(arguments, request.lines, plan, memory, stream);
  };
  constexpr std::integral_constant<Derivatives, Derivatives::None>  none;
  constexpr std::integral_constant<Derivatives, Derivatives::First> first;
  const bool                                                        isOfValues = request.derivatives == none.value;
  if (request.method == Interpolation::CubicConvolution)
  {
    isOfValues ? launch(CubicConvolutionMethod<float>(), none) : launch(CubicConvolutionMethod<float>(), first);
    return;
  }
  DispatchSplineOrder(request.order, [&](auto constantOrder) {
    constexpr unsigned int order = decltype(constantOrder)::value;
    if constexpr (order == 3)
    {
      isOfValues ? launch(SplineMethod<3, float>(), none) : launch(SplineMethod<3, float>(), first);
    }
    else if constexpr (order > 0) // ChooseKernel() never selects it
    {
      launch(SplineMethod<order, float>(), none);
    }
  });
}

} // namespace itk::CudaSpline
