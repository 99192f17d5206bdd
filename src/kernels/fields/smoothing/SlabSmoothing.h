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
#ifndef SlabSmoothing_h
#define SlabSmoothing_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include <cstddef>

/** \file
 * \brief Smoothing of fields in place, slab by slab.
 *
 * A slab of slices is smoothed into a workspace, with the adjacent slices that its weights reach, and is then copied to
 * the field. The last slices of a slab are copied after the next slab, which reads their original values. Each vector
 * is the same sum in the same order as by SmoothField(): the bits are the same. */

namespace itk::CudaSpline
{

/** \brief Whether a field can be divided into slabs. A field whose index along the last axis does not start at 0 cannot
 * be divided if its border is kept at 0; see IsOnBorder(). */
bool
CanSmoothInSlabs(const FieldShape & shape, const FieldSmoothing & smoothing);

/** \brief Bytes of the workspace of SmoothFieldInPlace(), for slabs of a tenth of the slices, or of more if the
 * weights reach far. */
std::size_t
CountSlabBytes(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend);

/** \brief Smooths a field in place, as SmoothField() does. The call is asynchronous.
 *
 * \param[in] shape a shape for which CanSmoothInSlabs() is true
 * \param[in,out] field the field
 * \param[in] smoothing weights
 * \param[out] workspace memory of the backend
 * \param[in] bytes its bytes, at least CountSlabBytes(); with more there are fewer slabs
 * \param[in] residence memory of the backend */
void
SmoothFieldInPlace(const FieldShape &     shape,
                   void *                 field,
                   const FieldSmoothing & smoothing,
                   void *                 workspace,
                   std::size_t            bytes,
                   const Residence &      residence);

} // namespace itk::CudaSpline

#endif
