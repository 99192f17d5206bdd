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
 * \brief What the kernels that take tiles (MapTiles) are compiled for: those who plan tiles keep to it. */

namespace itk::CudaSpline
{

/** \brief True for what the kernels that take tiles are compiled for: elements of supports of that many taps an axis.
 */
constexpr bool
HasTiledKernel(unsigned int taps, ScalarType element)
{
  return (taps == 4 && IsReal(element)) || (taps == 6 && element == ScalarType::Float32);
}

/** \brief Calls \p run with std::integral_constant<unsigned, taps> and a number of the elements' type, where there is a
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
