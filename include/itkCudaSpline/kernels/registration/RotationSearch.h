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
 * \brief The best of many rotations, from coarse images.
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
  const void *         pixels{ nullptr };            ///< what is not finite does not count
  FieldGrid            maskGrid;                     ///< where the mask's pixels are
  const std::uint8_t * mask{ nullptr };              ///< not 0 where the image counts; null: everywhere
};

/** \brief What a search has found. */
struct FoundRotation
{
  /** Rigid. */
  LinearTransform transform;
  /** Mutual information as a part of the fixed image's entropy, of its coarse voxels. */
  double explained{ 0.0 };
};

/** \brief Below this part what a search has found says little: unrelated images have about 0.05. */
inline constexpr double PoorExplanation = 0.15;

/** \brief Finds the best of many rotations about a centre: every 10 degrees in 2 dimensions, some 30 degrees apart
 * in 3.
 *
 * Both images are made coarse, some 40 voxels an axis at most; in 3 dimensions most rotations are judged with 20. Each
 * rotation, and the identity, is judged by the mutual information of the fixed image's coarse voxels with the moving
 * image there, which is its least value outside of it and of the masks; the best are refined by steps of angles and
 * places. If exactly one axis of a volume has at most three coarse voxels, only rotations about it are judged.
 *
 * \param[in] fixed, moving images of one dimension; their pixels are in the memory of the residence, and their masks
 * are on the host
 * \param[in] centre of rotations (mm)
 * \param[in] translation that the search begins with (mm)
 * \param[in] residence where the pixels are, and threads of the host; the result does not depend on them
 * \exception std::invalid_argument other dimensions or pixels
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
