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
#ifndef CudaSplineProgram_TransformNumbers_h
#define CudaSplineProgram_TransformNumbers_h

#include <cstddef>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A transform as numbers, as in files of ITK. */
struct TransformNumbers
{
  std::string         type; ///< "AffineTransform_double_3_3"; numbers are always in double precision
  std::vector<double> fixed;
  std::vector<double> parameters;
};

/** \brief Returns "AffineTransform" for "AffineTransform_double_3_3". */
std::string
ClassOfTransform(const std::string & type);

/** \brief Returns the n-th number after the class: the dimension of the input, of the output, the order of a B-spline.
 * It is 0 if the number is missing. */
std::size_t
NumberOfTransformType(const std::string & type, std::size_t which);

/** \brief Checks that the type maps points of space, that its numbers are finite and as many as the type needs, and
 * that a grid is valid.
 *
 * It needs to be called before the numbers are passed to an ITK object: ITK allocates the memory that a grid requests,
 * and ignores additional fixed parameters.
 *
 * \exception ProgramError with the required number, or the reason */
void
CheckTransform(const TransformNumbers & numbers);

} // namespace CudaSplineProgram

#endif
