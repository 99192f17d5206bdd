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
#ifndef RegistrationGrids_h
#define RegistrationGrids_h

#include "itkCudaSpline/c/CudaSplineRegistrationC.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>
#include <string>

/** \file
 * \brief Grids and types of registrations in the interface. All functions throw std::invalid_argument with the name of
 * the invalid field. */

namespace itk::CudaSpline
{

/** \brief The dimension of images that are registered: 2 or 3. */
unsigned int
CheckDimension(std::int32_t dimension, const std::string & name);

/** \brief The type of real numbers. */
ScalarType
RealOfCode(std::int32_t code, const std::string & name);

/** \brief Converts a grid to that of the kernels. */
FieldGrid
DescribeGrid(const cudaspline_grid & from, unsigned int dimension, const std::string & name);

/** \brief Converts a grid of the kernels to that of the interface. */
void
WriteGrid(const FieldGrid & grid, cudaspline_grid & to);

} // namespace itk::CudaSpline

#endif
