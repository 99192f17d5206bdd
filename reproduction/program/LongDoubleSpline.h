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
#ifndef LongDoubleSpline_h
#define LongDoubleSpline_h

#include "Picture.h"

#include "itkCudaSpline/kernels/common/Execution.h"

#include <vector>

/** \brief The B-spline through the samples of a volume in long double, by nothing of the module's but its prefilter in
 * double, which is a first guess that is corrected by residuals.
 *
 * \param[in] volume three dimensions, mirrored about the edge samples
 * \param[in] order of the spline, 2 to 5
 * \param[in] points continuous indices, three numbers each
 * \param[in] context threads
 * \return a value for each point */
std::vector<long double>
LongDoubleSpline(const Picture &                           volume,
                 unsigned int                              order,
                 const std::vector<double> &               points,
                 const itk::CudaSpline::ExecutionContext & context);

#endif
