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
#ifndef LinearRun_h
#define LinearRun_h

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/host/ValueRun.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief Linear interpolation of consecutive samples on the host. */

namespace itk::CudaSpline
{

/** \brief Whether a method is LinearMethod, and its precision. */
template <typename TMethod>
struct IsLinearMethod : std::false_type
{};

template <typename TReal>
struct IsLinearMethod<LinearMethod<TReal>> : std::true_type
{
  using Real = TReal; ///< type of samples and arithmetic
};

/** \brief EvaluateIndex() for consecutive samples, most of which are between samples of the input, or on them. All
 * their neighbours exist and have weights: the loop has no branches and is vectorised. The sums are those of
 * LinearValue().
 *
 * \param[in] arguments the arguments
 * \param[in] indices continuous indices, for each axis
 * \param[in] at number of the first output sample
 * \param[in] count number of samples
 * \param[in,out] run evaluated samples are marked; none if the case is not supported. Pixels with one component are
 * left there to be stored, others are stored */
template <typename TReal, unsigned int VDimension>
void
EvaluateLinearRun(const EvaluationArguments<VDimension> & arguments,
                  const double (&indices)[VDimension][SamplesOfRun],
                  std::int64_t      at,
                  int               count,
                  ValueRun<TReal> & run);

} // namespace itk::CudaSpline

#endif
