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
#ifndef itkCudaSpline_kernels_registration_ImageAgreement_h
#define itkCudaSpline_kernels_registration_ImageAgreement_h

#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include <functional>
#include <string>
#include <vector>

/** \file
 * \brief Whether two images can belong to each other under a transform: what coarse images have in common, and what
 * chance would give. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Agreement of two images. */
struct ImageAgreement
{
  double overlap{ 1.0 }; ///< part of the fixed image, under its mask, that lies in the moving one
  /** Mutual information as a part of the fixed image's entropy, under its mask, less that of shuffled values of the
   * moving image. Not a number where the fixed image is constant, or its mask has less than 200 coarse voxels. */
  double explained{ 1.0 };
  /** By how much the images have more in common under the linear transform than if the moving image is turned within
   * its outline, in standard deviations of the turned ones (MeasureAgreement()). Not a number where the fixed image is
   * constant, fewer voxels can be compared, or it was not measured. */
  double significance{ 0.0 };
  bool   isConstant{ false }; ///< one of the images is the same everywhere, the fixed one under its mask
  bool   isUnknown{ false };  ///< too few voxels under the mask of the fixed image can be compared
};

/** \brief Displacements of the samples of a grid (mm): as many numbers for each sample as there are axes, x first. */
using DisplacementSource = std::function<std::vector<double>(const FieldGrid & grid)>;

/** \brief A smaller overlap is poor. */
inline constexpr double PoorOverlap = 0.1;
/** \brief Images that explain less are unrelated. */
inline constexpr double PoorShare = 0.03;
/** \brief Images that explain more share their outline at least, and are not tested further. */
inline constexpr double GoodShare = 0.5;
/** \brief Images that have less may be on each other with a wrong rotation. */
inline constexpr double DoubtfulSignificance = 6.0;
/** \brief Below this the images have no more in common than unrelated ones with similar outlines. */
inline constexpr double PoorSignificance = 3.0;

/** \brief Measures the agreement of two images by coarse voxels, at most about 40 along each axis, of which three
 * voxels along each axis, and the masks in their centres, are read. If the mask of the fixed image covers less than
 * half of it along each axis, only the box of the mask, and that of its points in the moving image, are compared.
 *
 * Deformable transforms make unrelated images similar, and registrations align the outlines of any two objects. So the
 * significance is that of the linear transform, compared with 20 rotations and reflections of the moving image (15 in
 * 2D) in the coordinates in which the second moments of its foreground are those of a sphere: they keep the outline,
 * and exchange what is inside. It is `(e - mean(e)) / (std(e) + 0.01) + (g - mean(g)) / (std(g) + 0.02)`, where e is
 * the mutual information as a part of the fixed image's entropy, and g the weighted mean of squared cosines between
 * gradients (Haber and Modersitzki 2006).
 *
 * \param[in] fixed, moving images of one dimension; their pixels are in the memory of the residence, and their masks
 * are on the host
 * \param[in] whole the transform from the fixed image to the moving one
 * \param[in] linear the transform without fields and B-splines that were found; empty: the significance is not measured
 * \param[in] residence where the pixels are, and threads of the host; the result does not depend on them
 * \exception std::invalid_argument other dimensions or pixels
 * \exception DeviceError out of memory, or a lost device */
ImageAgreement
MeasureAgreement(const MaskedImage &        fixed,
                 const MaskedImage &        moving,
                 const DisplacementSource & whole,
                 const DisplacementSource & linear,
                 const Residence &          residence);

/** \brief The smallest part of an image's grid that contains its mask, which is in host memory: the whole grid without
 * a mask, and no samples if the mask is empty or outside the image. */
FieldGrid
FindMaskBox(const MaskedImage & image);

/** \brief Whether the mask of an image, in host memory, covers less than half of it along each axis. */
bool
HasSmallMask(const MaskedImage & image);

/** \brief What is poor about an agreement, with the numbers; empty if nothing is. */
std::string
DescribePoorAgreement(const ImageAgreement & agreement);

/** @} */
} // namespace itk::CudaSpline

#endif
