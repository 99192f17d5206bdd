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
#ifndef TiledKernels_h
#define TiledKernels_h

#include "itkCudaSpline/math/ScalarType.h"

#include "kernels/evaluation/EvaluationTuning.h"

#include <type_traits>

/** \file
 * \brief The parameters for which the kernels with tiles (MapTiles) are compiled, for the planning of tiles. */

namespace itk::CudaSpline
{

/** \brief True if a kernel with tiles is compiled for a number of taps per axis and a type of elements.
 */
constexpr bool
HasTiledKernel(unsigned int taps, ScalarType element)
{
  return (taps == 4 && IsReal(element)) || (taps == 6 && element == ScalarType::Float32);
}

/** \brief Calls \p run with std::integral_constant<unsigned, taps> and a number of the elements' type, if there is a
 * kernel. */
template <typename TRun>
void
DispatchTiled(unsigned int taps, ScalarType element, const TRun & run)
{
  if (element == ScalarType::Float64)
  {
    run(std::integral_constant<unsigned int, 4>(), double());
    return;
  }
  if (taps == 4)
  {
    run(std::integral_constant<unsigned int, 4>(), float());
    return;
  }
  run(std::integral_constant<unsigned int, 6>(), float());
}

} // namespace itk::CudaSpline

#endif
