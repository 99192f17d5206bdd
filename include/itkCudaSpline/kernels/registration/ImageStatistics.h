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
#ifndef itkCudaSpline_kernels_registration_ImageStatistics_h
#define itkCudaSpline_kernels_registration_ImageStatistics_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstdint>
#include <optional>

/** \file
 * \brief Statistics of whole images before a registration. Images are x fastest, in host memory unless stated
 * otherwise. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Values below which given parts of the finite pixels of an image are.
 *
 * They are found to a 65536th of the range of values, which are taken as evenly spread in between. The same on any
 * number of threads.
 *
 * \param[in] pixels float or double
 * \param[in] pixel their type
 * \param[in] count how many
 * \param[in] parts two of them, from 0 to 1
 * \param[in] context threads
 * \return the two values, as numbers of the pixels' type; nothing where all finite pixels are the same, or there are
 * none
 * \exception std::invalid_argument other pixels or parts */
std::optional<std::array<double, 2>>
FindQuantiles(const void *                  pixels,
              ScalarType                    pixel,
              std::int64_t                  count,
              const std::array<double, 2> & parts,
              const ExecutionContext &      context);

/** \brief Centre of gravity of an image: of its values minus the least one, because values may be negative, as in CT;
 * waits.
 *
 * \param[in] image its pixels are in the memory of the residence, and its mask is on the host. Values that are not
 * finite have no weight; a pixel counts if the mask's pixel nearest to its centre is not 0
 * \param[in] residence where the pixels are, and threads of the host
 * \return the centre (mm); nothing if all values are the same
 * \exception std::invalid_argument pixels that are neither float32 nor float64
 * \exception DeviceError out of memory, or a lost device
 *
 * \par Accuracy
 * sums are double, of rows, slices, and the image, in this order: the same bits on each backend and number of threads
 */
std::optional<FieldGrid::Vector>
FindCentreOfGravity(const MaskedImage & image, const Residence & residence);

/** \brief Images whose largest magnitude is in this range are registered as they are. Metrics, gradients and scales of
 * steps that are less than an epsilon of ITK's count for nothing, and squares of floats have a largest number. */
inline constexpr double LeastMagnitude = 0x1p-7;
inline constexpr double MostMagnitude = 0x1p30; ///< see LeastMagnitude

/** \brief Powers of two by which the values of a pair of images are multiplied before they are registered, the fixed
 * image's first. */
struct ValueScales
{
  std::array<double, 2> largest{ { 0.0, 0.0 } }; ///< magnitudes, under the masks
  std::array<double, 2> factors{ { 1.0, 1.0 } }; ///< which bring those that are out of the range to [1, 2)
  /** Whether the factor is one for both, and leaves one of them below LeastMagnitude. */
  bool isFaint{ false };
};

/** \brief Factors that bring the values of two images to where metrics see them; waits.
 *
 * A factor is 1 where the largest magnitude under the mask is in the range, 0 or not finite. Factors and their
 * reciprocals are numbers of the pixels' type that are not denormal, and pixels outside of a mask stay finite.
 *
 * \param[in] fixed, moving images of one type with their masks, in the memory of the residence
 * \param[in] comparesValues whether values of one are compared with those of the other: both have one factor then, by
 * the larger of them; else each has its own
 * \param[in] residence where they are
 * \exception std::invalid_argument other pixels
 * \exception DeviceError out of memory, or a lost device */
ValueScales
FindValueScales(const MaskedImage & fixed,
                const MaskedImage & moving,
                bool                comparesValues,
                const Residence &   residence);

/** \brief The place (mm) of a continuous index: itk::ImageBase::TransformContinuousIndexToPhysicalPoint(). */
FieldGrid::Vector
PlaceOfIndex(const FieldGrid & grid, const FieldGrid::Vector & index);

/** @} */
} // namespace itk::CudaSpline

#endif
