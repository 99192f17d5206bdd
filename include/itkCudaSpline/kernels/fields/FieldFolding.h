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
 * \brief How displacement fields change volumes, on grids of any direction. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Statistics of the Jacobian determinants of a field. */
struct FieldFolding
{
  std::int64_t voxels{ 0 };                                         ///< samples whose determinant is not positive
  std::int64_t all{ 0 };                                            ///< samples of the field
  double       least{ std::numeric_limits<double>::infinity() };    ///< smallest determinant
  double       largest{ -std::numeric_limits<double>::infinity() }; ///< largest determinant
};

/** \brief Jacobian determinants of x + u(x) in physical space, with central differences along the axes of the grid, and
 * differences of the two outermost samples at the ends of an axis. In double.
 *
 * FindJacobianDeterminants() computes ITK's determinants, which ignore the direction of the grid before ITK 6.
 *
 * \param[in] shape shape of the field
 * \param[in] field u (mm), in host memory
 * \param[out] determinants one number of the field's type per sample; null: not computed
 * \param[in] isLogarithm computes logarithms instead, of determinants of at least 1e-4
 * \param[in] context threads
 * \exception std::invalid_argument an invalid shape */
FieldFolding
MeasureFolding(const FieldShape &       shape,
               const void *             field,
               void *                   determinants,
               bool                     isLogarithm,
               const ExecutionContext & context);

/** \brief The same for arrays in the memory of a backend, which computes it. The call waits.
 *
 * \param[in] shape shape of the field
 * \param[in] field u (mm)
 * \param[out] determinants one number of the field's type per sample; null: not computed
 * \param[in] isLogarithm computes logarithms instead, of determinants of at least 1e-4
 * \param[in] residence memory of both arrays
 * \par Accuracy
 * Bitwise equal on every backend, except for logarithms, which depend on the backend's mathematical library.
 * \exception std::invalid_argument an invalid shape
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
