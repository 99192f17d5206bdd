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
#ifndef itkCudaSpline_kernels_fields_FieldFolding_h
#define itkCudaSpline_kernels_fields_FieldFolding_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief What fields of displacements do to volumes, on grids of any direction. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What the Jacobian determinants of a field come to. */
struct FieldFolding
{
  std::int64_t voxels{ 0 };                                         ///< whose determinant is not positive
  std::int64_t all{ 0 };                                            ///< samples of the field
  double       least{ std::numeric_limits<double>::infinity() };    ///< determinant
  double       largest{ -std::numeric_limits<double>::infinity() }; ///< determinant
};

/** \brief Jacobian determinants of x + u(x), in space: by central differences along the axes of the grid, at the ends
 * of an axis by those of the two outermost samples. In double.
 *
 * FindJacobianDeterminants() has ITK's, which take the axes of the grid for those of space.
 *
 * \param[in] shape of the field
 * \param[in] field u (mm); host memory
 * \param[out] determinants a number of the field's type a sample; null: not wanted
 * \param[in] isLogarithm their logarithm instead, of 1e-4 at least
 * \param[in] context threads
 * \exception std::invalid_argument a shape that no field has */
FieldFolding
MeasureFolding(const FieldShape &       shape,
               const void *             field,
               void *                   determinants,
               bool                     isLogarithm,
               const ExecutionContext & context);

/** \brief The same of arrays in the memory of a backend, where it is computed; it waits for the end.
 *
 * \param[in] shape of the field
 * \param[in] field u (mm)
 * \param[out] determinants a number of the field's type a sample; null: not wanted
 * \param[in] isLogarithm their logarithm instead, of 1e-4 at least
 * \param[in] residence of both
 * \par Accuracy
 * The same bits on every backend, but of logarithms, which are those of its mathematical library.
 * \exception std::invalid_argument a shape that no field has
 * \exception DeviceError a device that failed */
FieldFolding
MeasureFolding(const FieldShape & shape,
               const void *       field,
               void *             determinants,
               bool               isLogarithm,
               const Residence &  residence);

/** @} */
} // namespace itk::CudaSpline

#endif
