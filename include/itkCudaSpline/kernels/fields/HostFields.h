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
#ifndef itkCudaSpline_kernels_fields_HostFields_h
#define itkCudaSpline_kernels_fields_HostFields_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/kernels/fields/VelocityField.h"

#include <array>
#include <cstddef>

/** \file
 * \brief Operations of fields that are in host memory: one call each, done when it returns. On a device the fields
 * travel there and back, except those that are in its memory already; on the host they stay where they are. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What is done to a field in host memory, for estimates and plans. */
struct HostFieldCall
{
  /** Which function. */
  enum class Kind : unsigned char
  {
    Compose,       ///< ComposeHostFields()
    Invert,        ///< InvertHostField()
    Exponential,   ///< ExponentiateHostField()
    Jacobian,      ///< FindHostJacobianDeterminants()
    SplineByAxes,  ///< SmoothHostFieldBySpline(), without places
    SplineByPoints ///< the same with ITK's roundings
  };

  Kind        kind{ Kind::Compose }; ///< the function
  FieldShape  shape;                 ///< of the output; of the field, of a determinant
  std::size_t uploadBytes{ 0 };      ///< of all inputs
  std::size_t outputBytes{ 0 };      ///< of the result
  std::size_t scratchBytes{ 0 };     ///< in addition, on a device
  int         repeats{ 1 };          ///< iterations, or squarings
};

/** \brief Work of a call. */
OperationWork
CountHostFieldWork(const HostFieldCall & call);

/** \brief Plans a call on a device.
 *
 * \param[in] call what is done
 * \param[in] budget bytes that may be allocated */
MemoryPlan
PlanHostField(const HostFieldCall & call, std::size_t budget);

/** \brief ComposeFields() of host memory.
 *
 * \exception DeviceError out of memory, or a lost device
 * \exception OperationAborted the context's progress asked to stop */
void
ComposeHostFields(const FieldShape &       displacementShape,
                  const void *             displacement,
                  const FieldShape &       warpingShape,
                  const void *             warping,
                  void *                   output,
                  const ExecutionContext & context);

/** \brief InvertField() of host memory.
 *
 * \param[in] estimate the inverse to begin with; null: zeros
 * \param[out] inverse the inverse
 * \return the result of the iteration
 * \exception DeviceError,OperationAborted as for ComposeHostFields()
 * \param[in] shape of the field
 * \param[in] field memory of the backend
 * \param[in] rules of the iteration
 * \param[in] context backend, device, threads */
FieldInversionState
InvertHostField(const FieldShape &       shape,
                const void *             field,
                const void *             estimate,
                void *                   inverse,
                const FieldInversion &   rules,
                const ExecutionContext & context);

/** \brief ExponentiateField() of host memory.
 *
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
void
ExponentiateHostField(const FieldShape &       shape,
                      const void *             velocity,
                      unsigned int             squarings,
                      bool                     inverse,
                      void *                   output,
                      const ExecutionContext & context);

/** \brief FindJacobianDeterminants() of host memory.
 *
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
void
FindHostJacobianDeterminants(const FieldShape &            shape,
                             const void *                  field,
                             const std::array<double, 3> & weights,
                             ScalarType                    real,
                             void *                        output,
                             const ExecutionContext &      context);

/** \brief SmoothFieldBySpline() of host memory.
 *
 * \param[in] shape of the fields
 * \param[in] field host memory
 * \param[in] confidence of the samples, host memory; null: all count 1
 * \param[in] fit what is fitted; its places are host memory here
 * \param[out] output the smooth field
 * \param[out] lattice the control points: a component after the other, x fastest. May be null
 * \param[in] context backend, device, threads
 * \exception std::invalid_argument as for SmoothFieldBySpline()
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
void
SmoothHostFieldBySpline(const FieldShape &       shape,
                        const void *             field,
                        const void *             confidence,
                        const FieldSplineFit &   fit,
                        void *                   output,
                        double *                 lattice,
                        const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
