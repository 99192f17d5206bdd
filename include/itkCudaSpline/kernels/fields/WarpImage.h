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
#ifndef itkCudaSpline_kernels_fields_WarpImage_h
#define itkCudaSpline_kernels_fields_WarpImage_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Images and fields under chains of transforms, from memory of a backend to memory of the same backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Most stages of a chain: they travel with the launch of a kernel. */
inline constexpr std::size_t MaximumWarpStages = 7;

/** \brief A transform of which displacements are in memory of a backend: a stage of WarpImage().
 *
 * \param[in] shape of the field
 * \param[in] field memory of the backend; it must outlive the stage's uses */
TransformChain::Stage
MakeFieldStage(const FieldShape & shape, const void * field);

/** \brief What itk::ResampleImageFilter does to an image under transforms that are not linear. */
struct ImageWarp
{
  FieldGrid  input;                        ///< where the image's pixels are
  ScalarType pixel{ ScalarType::Float32 }; ///< of input and output: linear Float32 or Float64; nearest UInt8, too
  bool       nearest{ false };             ///< nearest neighbour, not linear
  bool       cubic{ false };               ///< the pixels are coefficients of a cubic B-spline: Float32 or Float64
  bool       singleCoordinates{ false };   ///< the interpolator's coordinates are float, else double
  bool       largestOutside{ false };      ///< outside of the image is the largest pixel, not 0
  FieldGrid  output;                       ///< where the output's pixels are
  /** In the order in which a point of the output goes through them; their displacements are memory of the backend. */
  std::vector<TransformChain::Stage> stages;
};

/** \brief Warps an image: each pixel of the output is the input's where the stages move its place, or what is outside.
 *
 * Places are ITK's. A field that is the first stage, on the output's own grid, is read at the samples, where ITK
 * interpolates between its vectors: except for roundings, that is the same. Nothing waits (Residence).
 *
 * \param[in] warp what is done
 * \param[in] image pixels of the input, x fastest; memory of the backend
 * \param[out] output pixels of the output; memory of the backend
 * \exception std::invalid_argument a type or a dimension that is not supported, or more than MaximumWarpStages
 * \param[in] residence where */
void
WarpImage(const ImageWarp & warp, const void * image, void * output, const Residence & residence);

/** \brief The field of a chain of transforms: how far each sample of a grid is moved (mm).
 *
 * \param[in] stages in the order in which a point goes through them; their displacements are memory of the backend
 * \param[in] shape of the output
 * \param[out] output memory of the backend
 * \exception std::invalid_argument as for WarpImage()
 * \param[in] residence where */
void
MakeField(const std::vector<TransformChain::Stage> & stages,
          const FieldShape &                         shape,
          void *                                     output,
          const Residence &                          residence);

/** @} */
} // namespace itk::CudaSpline

#endif
