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
#ifndef itkCudaSpline_kernels_common_LabelImages_h
#define itkCudaSpline_kernels_common_LabelImages_h

#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** Maximum number of distinct values of an image that looks like labels: the largest atlases of the brain in general
 * use have some 110 to 140 of them in one image, and most segmentations less than 50. */
inline constexpr std::int64_t MaxLabelValues = 128;

/** Minimum number of pixels for each distinct value, on average: where there are fewer, few values are due to few
 * pixels. */
inline constexpr std::int64_t MinPixelsOfLabel = 16;

/** \brief Whether an image looks like labels, whose values must not be mixed: all its values are whole numbers, from 2
 * to MaxLabelValues of them are distinct, and there are MinPixelsOfLabel pixels for each on average.
 *
 * Images of real numbers need 3 distinct values: mixtures of two, such as 0 and 1, are fractions, which a real type
 * keeps. Whole numbers above 2^24, the first that float does not hold, are not labels.
 *
 * Most other images are recognised by a sample of 4096 pixels; images of labels are read as a whole, once.
 *
 * \param[in] pixels first pixel, host memory; one number each
 * \param[in] type its type
 * \param[in] count number of pixels */
bool
LooksLikeLabels(const void * pixels, ScalarType type, std::int64_t count);

/** @} */
} // namespace itk::CudaSpline

#endif
