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
#ifndef SplineLauncher_cuh
#define SplineLauncher_cuh

#include "kernels/evaluation/plain/EvaluationLaunch.cuh"

/** \file
 * \brief Launch of the evaluation of B-splines sample by sample. src/CudaSplineInstances.cmake lists the sources that
 * compile it. */

namespace itk::CudaSpline
{

template <typename TReal, unsigned int VOrder, unsigned int VDimension>
void
SplineLauncher<TReal, VOrder, VDimension>::Launch(Derivatives                             derivatives,
                                                  const EvaluationArguments<VDimension> & arguments,
                                                  std::int64_t                            lines,
                                                  StreamHandle                            stream)
{
  DispatchDerivatives<SplineMethod<VOrder, TReal>>(derivatives, [&](auto compiled) {
    LaunchPlain<typename decltype(compiled)::Method, decltype(compiled)::derivatives>(arguments, lines, stream);
  });
}

} // namespace itk::CudaSpline

#endif
