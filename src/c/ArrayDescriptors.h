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
#ifndef ArrayDescriptors_h
#define ArrayDescriptors_h

#include "itkCudaSpline/c/CudaSplineArraysC.h"
#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include <cstdint>

/** \file
 * \brief Common functions for the array functions. All throw std::invalid_argument with the name of the invalid
 * field. */

namespace itk::CudaSpline
{

/** \brief The mode with a number. \param[in] name name of the field */
ArrayMode
ArrayModeOfCode(std::int32_t code, const char * name);

/** \brief A number that is not negative. The kernels layer throws for numbers that are too large. \param[in] name name
 * of the field */
unsigned int
UnsignedOf(std::int32_t number, const char * name);

/** \brief Describes a filter. */
ArrayFilter
DescribeFilter(const cudaspline_array_filter & filter);

} // namespace itk::CudaSpline

#endif
