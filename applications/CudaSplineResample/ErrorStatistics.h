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
#ifndef CudaSplineResample_ErrorStatistics_h
#define CudaSplineResample_ErrorStatistics_h

#include "io/volume/Volume.h"

#include <cstddef>

namespace CudaSplineResample
{

using namespace CudaSplineProgram; // common to both programs

/** \brief Differences between an image and a reference, in pixel units, and numbers to compare them with. */
struct Comparison
{
  double      maximum{ 0.0 };
  double      rms{ 0.0 };
  double      percentile999{ 0.0 }; ///< the smallest error that 99.9 % of the voxels do not exceed
  std::size_t voxels{ 0 };
  std::size_t differing{ 0 };      ///< voxels with an error other than 0
  double      inputMinimum{ 0.0 }; ///< of the input's finite pixels
  double      inputMaximum{ 0.0 };
  /** Integer outputs only: for voxels that differ, the largest distance of ITK's real value from the nearest value at
   * which the result changes. This is a half between two integers, or an integer if values are truncated. There the
   * last bit of a double determines the result. */
  double distanceFromStep{ 0.0 };
  double itkSeconds{ 0.0 };
  Volume difference; ///< float, the image minus the reference as it was compared; without pixels unless requested

  double
  GetInputRange() const
  {
    return inputMaximum - inputMinimum;
  }
};

/** \brief Joins two comparisons: the largest errors (also of the percentile, which is then an upper bound), the root
 * mean square of all voxels, sums of times and voxels. The image of differences is that of the second one. */
Comparison
Join(const Comparison & a, const Comparison & b);

/** \brief Compares an image with a reference in double precision that was not cast yet.
 *
 * Real outputs are compared without conversion. For integer outputs the reference is clamped and rounded in the same
 * way. Two NaNs agree; NaN and a number differ by infinity.
 *
 * \param[in] output the image
 * \param[in] rounding how its integers were made
 * \param[in] reference double, of the same size
 * \param[in] input determines the range
 * \param[in] keepDifference whether to compute Comparison::difference */
Comparison
CompareVolumes(const Volume &                   output,
               itk::CudaSpline::IntegerRounding rounding,
               const Volume &                   reference,
               const Volume &                   input,
               bool                             keepDifference);

} // namespace CudaSplineResample

#endif
