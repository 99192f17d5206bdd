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
#ifndef itkCudaSpline_kernels_registration_RotationSearch_h
#define itkCudaSpline_kernels_registration_RotationSearch_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

/** \file
 * \brief Finds the best of many rotations with coarse images.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief An image with its mask, x fastest, in host memory unless stated otherwise. */
struct MaskedImage
{
  FieldGrid            grid;                         ///< of 2 or 3 dimensions
  ScalarType           pixel{ ScalarType::Float32 }; ///< Float32 or Float64
  const void *         pixels{ nullptr };            ///< non-finite pixels do not count
  FieldGrid            maskGrid;                     ///< grid of the mask's pixels
  const std::uint8_t * mask{ nullptr };              ///< nonzero where the image counts; null: everywhere
};

/** \brief The result of a search. */
struct FoundRotation
{
  /** A rigid transform. */
  LinearTransform transform;
  /** Mutual information as a fraction of the fixed image's entropy, over its coarse voxels. */
  double explained{ 0.0 };
};

/** \brief A result that explains less is not reliable: unrelated images have about 0.05. */
inline constexpr double PoorExplanation = 0.15;

/** \brief Finds the best of many rotations about a centre: every 10 degrees in 2 dimensions, about 30 degrees apart in
 * 3.
 *
 * Both images are resampled to coarse voxels, at most about 40 per axis. In 3 dimensions most rotations are evaluated
 * with 20. Each rotation, and the identity, is evaluated with the mutual information of the fixed image's coarse voxels
 * and the moving image at the mapped points. Outside the moving image and the masks, the smallest value of the moving
 * image is used. The best rotations are refined by steps of angles and translations. If exactly one axis of a volume
 * has at most three coarse voxels, only rotations about that axis are evaluated.
 *
 * \param[in] fixed, moving images of the same dimension; their pixels are in the memory of the backend, and their masks
 * are on the host
 * \param[in] centre centre of the rotations (mm)
 * \param[in] translation initial translation (mm)
 * \param[in] residence memory of the pixels, and threads of the host; the result does not depend on them
 * \exception std::invalid_argument unequal dimensions, or unsupported pixels
 * \exception DeviceError out of memory, or a lost device */
FoundRotation
FindRotation(const MaskedImage &             fixed,
             const MaskedImage &             moving,
             const LinearTransform::Vector & centre,
             const LinearTransform::Vector & translation,
             const Residence &               residence);

/** @} */
} // namespace itk::CudaSpline

#endif
