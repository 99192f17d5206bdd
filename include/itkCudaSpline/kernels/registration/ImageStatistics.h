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

/** \brief Quantiles of the finite pixels of an image.
 *
 * They are computed with 65536 bins over the range of values, where values are assumed to be uniform in a bin. The
 * result does not depend on the number of threads.
 *
 * \param[in] pixels float or double
 * \param[in] pixel their type
 * \param[in] count number of pixels
 * \param[in] parts two fractions of the pixels, from 0 to 1
 * \param[in] context threads
 * \return the two quantiles, as numbers of the pixels' type; empty if all finite pixels are equal, or there are none
 * \exception std::invalid_argument unsupported pixels or fractions */
std::optional<std::array<double, 2>>
FindQuantiles(const void *                  pixels,
              ScalarType                    pixel,
              std::int64_t                  count,
              const std::array<double, 2> & parts,
              const ExecutionContext &      context);

/** \brief Centre of gravity of an image. The weight of a pixel is its value minus the smallest value, because values
 * may be negative, as in CT. The call waits.
 *
 * \param[in] image its pixels are in the memory of the backend, and its mask is on the host. Non-finite pixels have no
 * weight; a pixel counts if the mask's pixel nearest to its centre is not 0
 * \param[in] residence memory of the pixels, and threads of the host
 * \return the point (mm); empty if all values are equal
 * \exception std::invalid_argument pixels that are neither float32 nor float64
 * \exception DeviceError out of memory, or a lost device
 *
 * \par Accuracy
 * Sums are double, of rows, slices, and the image, in this order: the result is bitwise equal on each backend and for
 * any number of threads. */
std::optional<FieldGrid::Vector>
FindCentreOfGravity(const MaskedImage & image, const Residence & residence);

/** \brief Images whose largest magnitude is in this range are registered without scaling. ITK treats metrics, gradients
 * and scales of steps below its epsilons as zero, and squares of floats overflow. */
inline constexpr double MinMagnitude = 0x1p-7;
inline constexpr double MaxMagnitude = 0x1p30; ///< see MinMagnitude

/** \brief Powers of two by which the values of two images are multiplied before their registration, the fixed image's
 * first. */
struct ValueScales
{
  std::array<double, 2> largest{ { 0.0, 0.0 } }; ///< largest magnitudes under the masks
  std::array<double, 2> factors{ { 1.0, 1.0 } }; ///< factors that bring magnitudes outside the range to [1, 2)
  /** Whether both images share one factor, and one of them stays below MinMagnitude. */
  bool isFaint{ false };
};

/** \brief Computes factors that bring the values of two images into the range that metrics support. The call waits.
 *
 * A factor is 1 if the largest magnitude under the mask is in the range, 0 or not finite. Factors and their reciprocals
 * are numbers of the pixels' type that are not denormal, and pixels outside a mask stay finite.
 *
 * \param[in] fixed, moving images of the same type with their masks, in the memory of the backend
 * \param[in] comparesValues whether values of one image are compared with those of the other: both then share the
 * factor of the larger magnitude; else each has its own factor
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument unsupported pixels
 * \exception DeviceError out of memory, or a lost device */
ValueScales
FindValueScales(const MaskedImage & fixed,
                const MaskedImage & moving,
                bool                comparesValues,
                const Residence &   residence);

/** \brief The point (mm) of a continuous index: itk::ImageBase::TransformContinuousIndexToPhysicalPoint(). */
FieldGrid::Vector
PlaceOfIndex(const FieldGrid & grid, const FieldGrid::Vector & index);

/** @} */
} // namespace itk::CudaSpline

#endif
