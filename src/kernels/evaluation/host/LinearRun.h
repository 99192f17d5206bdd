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
 * \brief Linear interpolation on the host, of samples one after the other. */

namespace itk::CudaSpline
{

/** \brief Whether a method is LinearMethod, and in which precision. */
template <typename TMethod>
struct IsLinearMethod : std::false_type
{};

template <typename TReal>
struct IsLinearMethod<LinearMethod<TReal>> : std::true_type
{
  using Real = TReal; ///< of samples and arithmetic
};

/** \brief EvaluateIndex() for consecutive samples, most of which lie between samples of the input, or on them: these
 * have all neighbours, each of which counts, so nothing is asked on the way and the compiler makes vectors of it. The
 * sums are those of LinearValue().
 *
 * \param[in] arguments what is evaluated
 * \param[in] indices continuous indices, by axis
 * \param[in] at number of the first output sample
 * \param[in] count samples
 * \param[in,out] run what is done is marked; nothing is where it is not made for the case. Pixels of one number are
 *   left there to be stored, others are stored */
template <typename TReal, unsigned int VDimension>
void
EvaluateLinearRun(const EvaluationArguments<VDimension> & arguments,
                  const double (&indices)[VDimension][SamplesOfRun],
                  std::int64_t      at,
                  int               count,
                  ValueRun<TReal> & run);

} // namespace itk::CudaSpline

#endif
