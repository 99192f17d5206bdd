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
#ifndef itkCudaSpline_kernels_registration_ImagePyramid_h
#define itkCudaSpline_kernels_registration_ImagePyramid_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include <array>

/** \file
 * \brief The levels of a registration from coarse to fine, as itk::ImageRegistrationMethodv4 has them: the grid on
 * which images are compared, and how smooth they are there. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A level. */
struct PyramidLevel
{
  unsigned int shrink{ 1 };     ///< samples of the fixed image for one of the level's grid, along each axis; from 1 on
  double       sigma{ 0.0 };    ///< of the Gaussian that smooths both images (samples of each, or mm); 0: none
  unsigned int iterations{ 0 }; ///< at most, unless the limit is higher
  /** Whether axes with wider spacing are shrunk less, as by antsRegistration: so that the spacing of each axis is as
   * near as possible to the least one times \c shrink. Else all axes are shrunk alike, as by ITK. */
  bool isByAxis{ false };
  /** At most as long as values fall fast (FastFall) after the iterations; of linear and B-spline levels. */
  unsigned int limit{ 0 };

  /** The most iterations that a level can make. */
  unsigned int
  GetMaximum() const
  {
    return iterations > limit ? iterations : limit;
  }
};

/** \brief The inverse of the matrix of a grid, by cofactors: of matrices that are diagonal with ITK's bits.
 *
 * \param[in] matrix whose first rows and columns count
 * \param[in] dimension 2 or 3
 * \exception std::invalid_argument it has none */
FieldGrid::Matrix
InvertGridMatrix(const FieldGrid::Matrix & matrix, unsigned int dimension);

/** \brief How many times as far the samples of a level are apart, along each axis.
 *
 * \param[in] grid of the fixed image, of 2 or 3 dimensions
 * \param[in] level its shrink and isByAxis */
std::array<unsigned int, 3>
ShrinkFactors(const FieldGrid & grid, const PyramidLevel & level);

/** \brief The grid of fewer samples about the same centre that itk::ShrinkImageFilter makes of a grid.
 *
 * \param[in] grid of the fixed image, of 2 or 3 dimensions
 * \param[in] factor how many times as far its samples are apart; from 1 on. Axes of fewer samples keep one
 * \exception std::invalid_argument a factor of 0 */
FieldGrid
ShrinkGrid(const FieldGrid & grid, unsigned int factor);

/** \brief The grid of a level: ShrinkGrid() with a factor for each axis.
 *
 * \param[in] grid of the fixed image, of 2 or 3 dimensions
 * \param[in] level its shrink and isByAxis
 * \exception std::invalid_argument a factor of 0 */
FieldGrid
ShrinkGrid(const FieldGrid & grid, const PyramidLevel & level);

/** \brief How an image is smoothed for a level. Axes with fewer than SmallestGaussianLine samples are not smoothed:
 * their sigma is 0.
 *
 * \param[in] image of float or double pixels
 * \param[in] sigma above 0
 * \param[in] isInMm whether it is in mm, else in samples of the image */
GaussianDescriptor
DescribeSmoothing(const ResidentImage & image, double sigma, bool isInMm);

/** \brief The filter that itk::ImageToImageMetricv4 makes gradients of an image with, by default: its sigma is the
 * largest spacing.
 *
 * \param[in] grid of the image
 * \param[in] pixel of the image
 * \param[in] output of the gradients: Float32 or Float64
 * \exception std::invalid_argument axes below SmallestGaussianLine samples */
GaussianDescriptor
DescribeGradient(const FieldGrid & grid, ScalarType pixel, ScalarType output);

/** \brief An image, smooth, where it is; nothing waits. Axes with a sigma of 0 stay as they are.
 *
 * \param[in] image in the memory of the residence
 * \param[in] smoothing DescribeSmoothing() of it
 * \exception DeviceError out of memory, or a lost device
 * \param[in] residence where */
ResidentImage
SmoothImage(const ResidentImage & image, const GaussianDescriptor & smoothing, const Residence & residence);

/** \brief A side of a registration as a level has it: its image is smooth, where it is and the level iterates.
 *
 * \param[in] side as it came
 * \param[in] level what it is made for
 * \param[in] isInMm whether its sigma is in mm
 * \exception std::invalid_argument,DeviceError as SmoothImage()
 * \param[in] residence where
 * \param[in] isUnderMask whether only the pixels under the mask count in the Gaussian. Where the level does not smooth,
 * the pixels that the mask leaves out are replaced, as interpolation reads those next to its border */
SynSide
SmoothSide(const SynSide &      side,
           const PyramidLevel & level,
           bool                 isInMm,
           const Residence &    residence,
           bool                 isUnderMask = false);

/** \brief An image of host memory in the memory of a residence: uploaded to a device, borrowed on the host.
 *
 * \param[in] grid where its pixels are
 * \param[in] pixel their type
 * \param[in] pixels host memory, x fastest
 * \exception DeviceError out of memory, or a lost device
 * \param[in] residence where */
ResidentImage
MakeResidentImage(const FieldGrid & grid, ScalarType pixel, const void * pixels, const Residence & residence);

/** @} */
} // namespace itk::CudaSpline

#endif
