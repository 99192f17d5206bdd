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
 * \brief What few elements of an output read of an array that is filtered: windows, which are filtered in its place. */

namespace itk::CudaSpline
{

/** \brief Elements of the output, and the box of the source that is filtered for them. */
struct ArrayWindow
{
  std::vector<std::int64_t> elements; ///< numbers, line by line
  StridedArray::Numbers     first{};  ///< by axis of the array, from the padded source's first sample
  StridedArray::Numbers     size{};   ///< samples
};

/** \brief Whether an output is so small that it is worth while to look for windows.
 *
 * \param[in] interpolation filtered, on the host */
bool
HasFewElements(const ArrayInterpolation & interpolation);

/** \brief Finds windows with as few samples as one can by halving: elements that lie apart have windows of their own.
 *
 * A window begins at a segment of the filter and has its warm-up (PrefilterWindow()), so its coefficients have the bits
 * of the whole's.
 *
 * \param[in] interpolation without a batch
 * \param[in] arguments of its evaluation, of the padded source
 * \return windows, which are smaller together than the source; none where that cannot be */
std::vector<ArrayWindow>
FindArrayWindows(const ArrayInterpolation & interpolation, const ArrayArguments & arguments);

} // namespace itk::CudaSpline

#endif
