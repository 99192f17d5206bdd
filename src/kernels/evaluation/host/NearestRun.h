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
#ifndef NearestRun_h
#define NearestRun_h

#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/host/ValueRun.h"

#include <cstdint>

/** \file
 * \brief Pixels of the nearest indices on the host, of samples one after the other. */

namespace itk::CudaSpline
{

/** \brief EvaluateIndex() for consecutive samples, most of which lie in the image: their pixels are found without a
 * question on the way, so that the compiler makes vectors of it, and stored by StoreSample()'s rules.
 *
 * \param[in] arguments what is evaluated
 * \param[in] indices continuous indices, by axis
 * \param[in] at number of the first output sample
 * \param[in] count samples
 * \param[in,out] run what is done, and stored, is marked; nothing is where the output has another type than the input,
 *   or it is not made for the case */
template <unsigned int VDimension>
void
EvaluateNearestRun(const EvaluationArguments<VDimension> & arguments,
                   const double (&indices)[VDimension][SamplesOfRun],
                   std::int64_t      at,
                   int               count,
                   ValueRun<float> & run);

} // namespace itk::CudaSpline

#endif
