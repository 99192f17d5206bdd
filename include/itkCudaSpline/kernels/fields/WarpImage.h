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
 * \brief Warps images and computes fields with chains of transforms. Inputs and outputs are in the memory of the same
 * backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Maximum number of stages of a chain, which are passed as arguments of a kernel. */
inline constexpr std::size_t MaximumWarpStages = 7;

/** \brief A stage of WarpImage() whose displacements are in the memory of a backend.
 *
 * \param[in] shape shape of the field
 * \param[in] field field in the memory of the backend; it must outlive all uses of the stage */
TransformChain::Stage
MakeFieldStage(const FieldShape & shape, const void * field);

/** \brief Parameters of itk::ResampleImageFilter for transforms that are not linear. */
struct ImageWarp
{
  FieldGrid  input;                        ///< grid of the image's pixels
  ScalarType pixel{ ScalarType::Float32 }; ///< type of input and output: Float32 or Float64; for nearest also UInt8
  bool       nearest{ false };             ///< nearest neighbour, else linear
  bool       cubic{ false };               ///< the pixels are coefficients of a cubic B-spline: Float32 or Float64
  bool       singleCoordinates{ false };   ///< the interpolator's coordinates are float, else double
  bool       largestOutside{ false };      ///< the value outside the image is its largest pixel, else 0
  FieldGrid  output;                       ///< grid of the output's pixels
  /** In the order in which they map a point of the output; displacements are in the memory of the backend. */
  std::vector<TransformChain::Stage> stages;
};

/** \brief Warps an image: each pixel of the output is interpolated in the input at the point to which the stages map
 * it, or has the value outside.
 *
 * Points equal ITK's. If the first stage is a field on the output's own grid, its vectors are read at the samples,
 * where ITK interpolates between them: results are equal except for roundings. The call is asynchronous (Residence).
 *
 * \param[in] warp parameters
 * \param[in] image pixels of the input, x fastest, in the memory of the backend
 * \param[out] output pixels of the output, in the memory of the backend
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a type or a dimension that is not supported, or more than MaximumWarpStages */
void
WarpImage(const ImageWarp & warp, const void * image, void * output, const Residence & residence);

/** \brief The displacement field of a chain of transforms on a grid (mm).
 *
 * \param[in] stages in the order in which they map a point; displacements are in the memory of the backend
 * \param[in] shape shape of the output
 * \param[out] output field in the memory of the backend
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument as for WarpImage() */
void
MakeField(const std::vector<TransformChain::Stage> & stages,
          const FieldShape &                         shape,
          void *                                     output,
          const Residence &                          residence);

/** @} */
} // namespace itk::CudaSpline

#endif
