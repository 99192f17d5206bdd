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
 * \brief Synchronous operations on fields in host memory. For a device the fields are copied there and back, unless
 * they are already in its memory. The host uses them directly. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A call of one of the functions, for estimates and plans. */
struct HostFieldCall
{
  /** The function. */
  enum class Kind : unsigned char
  {
    Compose,       ///< ComposeHostFields()
    Invert,        ///< InvertHostField()
    Exponential,   ///< ExponentiateHostField()
    Jacobian,      ///< FindHostJacobianDeterminants()
    SplineByAxes,  ///< SmoothHostFieldBySpline(), without points
    SplineByPoints ///< the same with ITK's roundings
  };

  Kind        kind{ Kind::Compose }; ///< the function
  FieldShape  shape;                 ///< shape of the output, or of the field of a determinant
  std::size_t uploadBytes{ 0 };      ///< bytes of all inputs
  std::size_t outputBytes{ 0 };      ///< bytes of the result
  std::size_t scratchBytes{ 0 };     ///< additional bytes on a device
  int         repeats{ 1 };          ///< iterations, or squarings
};

/** \brief Work of a call. */
OperationWork
CountHostFieldWork(const HostFieldCall & call);

/** \brief Plans the memory of a call on a device.
 *
 * \param[in] call the call
 * \param[in] budget bytes that may be allocated */
MemoryPlan
PlanHostField(const HostFieldCall & call, std::size_t budget);

/** \brief ComposeFields() for host memory.
 *
 * \exception DeviceError out of memory, or a lost device
 * \exception OperationAborted the context's progress callback requested a stop */
void
ComposeHostFields(const FieldShape &       displacementShape,
                  const void *             displacement,
                  const FieldShape &       warpingShape,
                  const void *             warping,
                  void *                   output,
                  const ExecutionContext & context);

/** \brief InvertField() for host memory.
 *
 * \param[in] shape shape of the field
 * \param[in] field field in host memory
 * \param[in] estimate initial estimate of the inverse; null: zeros
 * \param[out] inverse the inverse
 * \param[in] rules rules of the iteration
 * \param[in] context backend, device, threads
 * \return the result of the iteration
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
FieldInversionState
InvertHostField(const FieldShape &       shape,
                const void *             field,
                const void *             estimate,
                void *                   inverse,
                const FieldInversion &   rules,
                const ExecutionContext & context);

/** \brief ExponentiateField() for host memory.
 *
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
void
ExponentiateHostField(const FieldShape &       shape,
                      const void *             velocity,
                      unsigned int             squarings,
                      bool                     inverse,
                      void *                   output,
                      const ExecutionContext & context);

/** \brief FindJacobianDeterminants() for host memory.
 *
 * \exception DeviceError,OperationAborted as for ComposeHostFields() */
void
FindHostJacobianDeterminants(const FieldShape &       shape,
                             const void *             field,
                             const FieldDerivatives & derivatives,
                             ScalarType               real,
                             void *                   output,
                             const ExecutionContext & context);

/** \brief SmoothFieldBySpline() for host memory.
 *
 * \param[in] shape shape of the fields
 * \param[in] field host memory
 * \param[in] confidence weights of the samples, in host memory; null: all are 1
 * \param[in] fit the fit; its points are in host memory here
 * \param[out] output the smoothed field
 * \param[out] lattice the control points: one component after the other, x fastest. May be null
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
