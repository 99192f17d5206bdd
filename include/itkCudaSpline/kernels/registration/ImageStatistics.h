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
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstdint>
#include <optional>

/** \file
 * \brief What is asked of whole images before a registration begins. All images are in host memory, x fastest. */

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

/** \brief Centre of gravity of an image, of its values above the least: these may be negative, as of CT.
 *
 * \param[in] grid where the pixels are
 * \param[in] pixels float or double; what is not finite has no weight
 * \param[in] pixel their type
 * \param[in] maskGrid where the mask's pixels are
 * \param[in] mask UInt8, of which the nearest counts where a pixel of the image is; null: all pixels of the image count
 * \param[in] context threads
 * \return the place (mm); nothing where all values are the same
 * \exception std::invalid_argument other pixels
 *
 * \par Accuracy
 * slices are added up in their order, whoever summed them: the same bits on any number of threads */
std::optional<FieldGrid::Vector>
FindCentreOfGravity(const FieldGrid &        grid,
                    const void *             pixels,
                    ScalarType               pixel,
                    const FieldGrid &        maskGrid,
                    const std::uint8_t *     mask,
                    const ExecutionContext & context);

/** \brief The place (mm) of a continuous index: itk::ImageBase::TransformContinuousIndexToPhysicalPoint(). */
FieldGrid::Vector
PlaceOfIndex(const FieldGrid & grid, const FieldGrid::Vector & index);

/** @} */
} // namespace itk::CudaSpline

#endif
