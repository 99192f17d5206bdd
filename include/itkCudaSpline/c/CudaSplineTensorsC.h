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
#ifndef itkCudaSpline_c_CudaSplineTensorsC_h
#define itkCudaSpline_c_CudaSplineTensorsC_h

#include "itkCudaSpline/c/CudaSplineArraysC.h"

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): of C, too */

/** \file
 * \brief DLPack tensors as arrays and images of the interface, without a copy.
 *
 * A tensor is a `DLTensor` of `dlpack/dlpack.h`: the member `dl_tensor` of a managed tensor. Its producer must keep it
 * until the operations on it are complete. The caller sets the stream, as agreed with the producer. For codes, errors
 * and devices see CudaSplineC.h. */

#ifdef __cplusplus
extern "C"
{
#endif

  /** \addtogroup CudaSplineC
   * @{ */

  /** \brief Describes a tensor as an array with strides.
   *
   * Tensors of the host, page-locked memory and CUDA devices are supported, with integers of 8 to 64 bits, float32,
   * float64, and bool as uint8.
   *
   * \param[in] tensor the address of a DLTensor
   * \param[out] array its memory, type, sizes and strides, in the tensor's order of axes
   * \param[out] device device of the memory; -1 for the host */
  int32_t
  cudaspline_array_of_tensor(const void * tensor, cudaspline_array * array, int32_t * device);

  /** \brief Describes a contiguous tensor as an image of order 1 whose first axis is the tensor's last one.
   *
   * \param[in] tensor as for cudaspline_array_of_tensor()
   * \param[in] has_components nonzero: the tensor's last axis contains the components of a pixel
   * \param[out] image memory, device, sizes, components and type; its element is float64 for types that float32 does
   * not hold, else float32. The other members are 0, the order is 1 */
  int32_t
  cudaspline_image_of_tensor(const void * tensor, int32_t has_components, cudaspline_image * image);

  /** @} */

#ifdef __cplusplus
}
#endif

#endif
