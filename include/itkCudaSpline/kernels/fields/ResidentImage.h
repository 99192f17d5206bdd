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
#ifndef itkCudaSpline_kernels_fields_ResidentImage_h
#define itkCudaSpline_kernels_fields_ResidentImage_h

#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <memory>

/** \file
 * \brief Images in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief An image in the memory of a backend. */
struct ResidentImage
{
  FieldGrid                   grid;                         ///< grid of the pixels
  ScalarType                  pixel{ ScalarType::Float32 }; ///< Float32 or Float64; UInt8 for masks
  std::shared_ptr<const void> data;                         ///< x fastest; null: no image
};

/** @} */
} // namespace itk::CudaSpline

#endif
