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
 * \brief Tests whether two images can match under a transform. The agreement of coarse images is compared with that of
 * chance. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Agreement of two images. */
struct ImageAgreement
{
  double overlap{ 1.0 }; ///< fraction of the fixed image under its mask that is mapped into the moving image
  /** Mutual information as a fraction of the fixed image's entropy, under its mask, minus that with shuffled values of
   * the moving image. NaN if the fixed image is constant, or its mask has less than 200 coarse voxels. */
  double explained{ 1.0 };
  /** How much better the images agree under the linear transform than if the moving image is rotated within its
   * outline, in standard deviations over these rotations (MeasureAgreement()). NaN if the fixed image is constant, if
   * fewer voxels can be compared, or if it was not measured. */
  double significance{ 0.0 };
  bool   isConstant{ false }; ///< one of the images is constant, the fixed one under its mask
  bool   isUnknown{ false };  ///< too few voxels under the mask of the fixed image can be compared
  double extentFactor{ 1.0 }; ///< extent of the moving image, as a multiple of that of the fixed image
};

/** \brief Displacements of the samples of a grid (mm): one number per axis for each sample, x first. */
using DisplacementSource = std::function<std::vector<double>(const FieldGrid & grid)>;

/** \brief A smaller overlap is poor. */
inline constexpr double PoorOverlap = 0.1;
/** \brief Extents that differ by a larger factor are likely to have different units. */
inline constexpr double LargeExtentFactor = 20.0;
/** \brief Images that explain less are unrelated. */
inline constexpr double PoorShare = 0.03;
/** \brief Images that explain more share their outline at least, and are not tested further. */
inline constexpr double GoodShare = 0.5;
/** \brief Images with a lower significance may be aligned with a wrong rotation. */
inline constexpr double DoubtfulSignificance = 6.0;
/** \brief Images with a lower significance agree no better than unrelated ones with similar outlines. */
inline constexpr double PoorSignificance = 3.0;

/** \brief Measures the agreement of two images with coarse voxels, at most about 40 along each axis.
 *
 * Three voxels along each axis of a coarse voxel are read, and the mask at its centre. If the mask of the fixed image
 * covers less than half of it along each axis, only the box of the mask, and the box of its points in the moving image,
 * are compared.
 *
 * Deformable transforms make unrelated images similar, and registrations align the outlines of any two objects. The
 * significance is therefore that of the linear transform. It is compared with 20 rotations and reflections of the
 * moving image (15 in 2D), in coordinates in which the second moments of its foreground are those of a sphere. These
 * rotations keep the outline, and exchange the interior. The significance is `(e - mean(e)) / (std(e) + 0.01) + (g -
 * mean(g)) / (std(g) + 0.02)`, where e is the mutual information as a fraction of the fixed image's entropy, and g the
 * weighted mean of squared cosines between gradients (Haber and Modersitzki 2006).
 *
 * \param[in] fixed, moving images of the same dimension; their pixels are in the memory of the backend, and their masks
 * are on the host
 * \param[in] whole the transform from the fixed image to the moving one
 * \param[in] linear the transform without the fields and B-splines that were found; empty: the significance is not
 * measured
 * \param[in] residence memory of the pixels, and threads of the host; the result does not depend on them
 * \exception std::invalid_argument unequal dimensions, or unsupported pixels
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

/** \brief Describes what is poor about an agreement, with the numbers; empty if it is not poor. */
std::string
DescribePoorAgreement(const ImageAgreement & agreement);

/** @} */
} // namespace itk::CudaSpline

#endif
