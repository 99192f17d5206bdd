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
#ifndef ArrayWindows_h
#define ArrayWindows_h

#include "kernels/arrays/ArrayArguments.h"

#include <array>
#include <cstdint>
#include <vector>

/** \file
 * \brief Finds the windows of an array that need to be filtered if only few elements of the output are requested. */

namespace itk::CudaSpline
{

/** \brief Elements of the output, and the box of the source that is filtered for them. */
struct ArrayWindow
{
  std::vector<std::int64_t> elements; ///< indices of the elements, line by line
  StridedArray::Numbers     first{};  ///< for each axis of the array, relative to the first sample of the padded source
  StridedArray::Numbers     size{};   ///< in samples
};

/** \brief Whether an output is so small that windows should be considered.
 *
 * \param[in] interpolation interpolation with a prefilter on the host */
bool
HasFewElements(const ArrayInterpolation & interpolation);

/** \brief Finds windows with few samples by repeated bisection. Elements that are far apart have separate windows.
 *
 * A window begins at a segment of the filter and includes its warm-up (PrefilterWindow()), so its coefficients are
 * bit-identical to those of the whole array.
 *
 * \param[in] interpolation interpolation without a batch
 * \param[in] arguments arguments of its evaluation on the padded source
 * \return windows that are smaller together than the source; empty if there are none */
std::vector<ArrayWindow>
FindArrayWindows(const ArrayInterpolation & interpolation, const ArrayArguments & arguments);

} // namespace itk::CudaSpline

#endif
