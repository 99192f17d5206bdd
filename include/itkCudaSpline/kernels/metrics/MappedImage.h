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
#ifndef itkCudaSpline_kernels_metrics_MappedImage_h
#define itkCudaSpline_kernels_metrics_MappedImage_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>
#include <vector>

/** \file
 * \brief Images mapped by a transform, as metrics use them: values, validity, and gradients. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Describes how an itk::ImageToImageMetricv4 maps an image to the samples of a grid that a displacement field
 * moves.
 *
 * Values and gradients are those of the image itself at the mapped samples, interpolated linearly. The gradient is
 * multiplied by the Jacobians with respect to position of all stages after the field: it is the derivative with respect
 * to the field's vectors. */
struct ImageMapping
{
  FieldGrid  input;                        ///< grid of the image's pixels
  ScalarType pixel{ ScalarType::Float32 }; ///< type of the image and of values: Float32 or Float64
  FieldGrid  mask;                         ///< grid of the mask's pixels, if there is a mask
  FieldShape output;                       ///< grid of the samples, and type of gradients
  /** In the order in which they map a sample; the first one may be a field on the output's grid. Displacements are in
   * the memory of the backend. */
  std::vector<TransformChain::Stage> stages;
};

/** \brief The inputs of a mapping, in the memory of the backend, x fastest. */
struct MappedSources
{
  const void * image{ nullptr }; ///< pixels of the image
  /** Nonzero: the image counts there, sampled at the nearest pixel; null: everywhere. */
  const std::uint8_t * mask{ nullptr };
  /** Vectors (per mm) at the image's pixels, of the output's type; null: ITK's central differences. */
  const void * gradients{ nullptr };
};

/** \brief The results of a mapping, in the memory of the backend: one number, one byte and one vector per sample. */
struct MappedImage
{
  void *         values{ nullptr };    ///< of the type of the image; 0 outside
  std::uint8_t * inside{ nullptr };    ///< 1: within the mask and the image's buffer
  void *         gradients{ nullptr }; ///< of the output's type (per mm of its space); 0 outside
};

/** \brief Maps an image. The call is asynchronous (Residence).
 *
 * \param[in] mapping parameters
 * \param[in] sources inputs
 * \param[out] output results
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a type or a dimension that is not supported, or more than MaximumWarpStages */
void
MapImage(const ImageMapping &  mapping,
         const MappedSources & sources,
         const MappedImage &   output,
         const Residence &     residence);

/** @} */
} // namespace itk::CudaSpline

#endif
