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
 * \brief The levels of a registration from coarse to fine, as in itk::ImageRegistrationMethodv4: the grid on which
 * images are compared, and their smoothing. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A level of a registration. */
struct PyramidLevel
{
  /** Shrink factor along each axis: samples of the fixed image per sample of the level's grid; at least 1. */
  unsigned int shrink{ 1 };
  /** Sigma of the Gaussian that smooths both images (samples of each image, or mm); 0: no smoothing. */
  double       sigma{ 0.0 };
  unsigned int iterations{ 0 }; ///< maximum number of iterations, unless \c limit is higher
  /** Whether axes with wider spacing are shrunk less, as in antsRegistration: the spacing of each axis is as close as
   * possible to the smallest one times \c shrink. Else all axes are shrunk alike, as in ITK. */
  bool isByAxis{ false };
  /** Maximum number of iterations while values fall fast (FastFall), for linear and B-spline levels. */
  unsigned int limit{ 0 };

  /** The maximum number of iterations of the level. */
  unsigned int
  GetMaximum() const
  {
    return iterations > limit ? iterations : limit;
  }
};

/** \brief The inverse of the matrix of a grid, computed with cofactors. For diagonal matrices it is bitwise equal to
 * ITK's.
 *
 * \param[in] matrix its leading rows and columns are used
 * \param[in] dimension 2 or 3
 * \exception std::invalid_argument the matrix is singular */
FieldGrid::Matrix
InvertGridMatrix(const FieldGrid::Matrix & matrix, unsigned int dimension);

/** \brief The shrink factor of a level along each axis.
 *
 * \param[in] grid grid of the fixed image, of 2 or 3 dimensions
 * \param[in] level its shrink and isByAxis are used */
std::array<unsigned int, 3>
ShrinkFactors(const FieldGrid & grid, const PyramidLevel & level);

/** \brief The grid of itk::ShrinkImageFilter: fewer samples about the same centre.
 *
 * \param[in] grid grid of the fixed image, of 2 or 3 dimensions
 * \param[in] factor factor of the spacing; at least 1. Axes with fewer samples than the factor keep one
 * \exception std::invalid_argument a factor of 0 */
FieldGrid
ShrinkGrid(const FieldGrid & grid, unsigned int factor);

/** \brief The grid of a level: ShrinkGrid() with a factor for each axis.
 *
 * \param[in] grid grid of the fixed image, of 2 or 3 dimensions
 * \param[in] level its shrink and isByAxis are used
 * \exception std::invalid_argument a factor of 0 */
FieldGrid
ShrinkGrid(const FieldGrid & grid, const PyramidLevel & level);

/** \brief Describes the smoothing of an image for a level. Axes with fewer than SmallestGaussianLine samples are not
 * smoothed: their sigma is 0.
 *
 * \param[in] image image of float or double
 * \param[in] sigma above 0
 * \param[in] isInMm whether \p sigma is in mm, else in samples of the image */
GaussianDescriptor
DescribeSmoothing(const ResidentImage & image, double sigma, bool isInMm);

/** \brief Describes the default gradient filter of itk::ImageToImageMetricv4, whose sigma is the largest spacing.
 *
 * \param[in] grid grid of the image
 * \param[in] pixel pixel type of the image
 * \param[in] output type of the gradients: Float32 or Float64
 * \exception std::invalid_argument an axis with fewer than SmallestGaussianLine samples */
GaussianDescriptor
DescribeGradient(const FieldGrid & grid, ScalarType pixel, ScalarType output);

/** \brief Smooths an image in the memory where it is, asynchronously. Axes with a sigma of 0 are not smoothed.
 *
 * \param[in] image image in the memory of the backend
 * \param[in] smoothing DescribeSmoothing() of the image
 * \param[in] residence memory of the backend
 * \exception DeviceError out of memory, or a lost device */
ResidentImage
SmoothImage(const ResidentImage & image, const GaussianDescriptor & smoothing, const Residence & residence);

/** \brief Prepares an image of a registration for a level: smooths it in the memory of the backend.
 *
 * \param[in] side the original image with its mask and stages
 * \param[in] level the level
 * \param[in] isInMm whether the sigma of the level is in mm
 * \param[in] residence memory of the backend
 * \param[in] isUnderMask whether the Gaussian uses only the pixels under the mask. If the level does not smooth, the
 * pixels outside the mask are replaced, because interpolation reads those next to its border
 * \exception std::invalid_argument,DeviceError as SmoothImage() */
SynSide
SmoothSide(const SynSide &      side,
           const PyramidLevel & level,
           bool                 isInMm,
           const Residence &    residence,
           bool                 isUnderMask = false);

/** \brief Brings an image from host memory to the memory of a backend: copied to a device, borrowed on the host.
 *
 * \param[in] grid grid of the image
 * \param[in] pixel pixel type
 * \param[in] pixels host memory, x fastest
 * \param[in] residence memory of the backend
 * \exception DeviceError out of memory, or a lost device */
ResidentImage
MakeResidentImage(const FieldGrid & grid, ScalarType pixel, const void * pixels, const Residence & residence);

/** @} */
} // namespace itk::CudaSpline

#endif
