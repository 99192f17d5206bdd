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
 * \brief Pixels at the nearest indices of consecutive samples on the host. */

namespace itk::CudaSpline
{

/** \brief EvaluateIndex() for consecutive samples, most of which are in the image. The loop has no branches and is
 * vectorised; pixels are stored with the rules of StoreSample().
 *
 * \param[in] arguments the arguments
 * \param[in] indices continuous indices, for each axis
 * \param[in] at number of the first output sample
 * \param[in] count number of samples
 * \param[in,out] run evaluated and stored samples are marked; none if the output has another type than the input, or if
 * the case is not supported */
template <unsigned int VDimension>
void
EvaluateNearestRun(const EvaluationArguments<VDimension> & arguments,
                   const double (&indices)[VDimension][SamplesOfRun],
                   std::int64_t      at,
                   int               count,
                   ValueRun<float> & run);

} // namespace itk::CudaSpline

#endif
