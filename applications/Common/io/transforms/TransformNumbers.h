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

/** \brief A transform in numbers, as files of ITK have it. */
struct TransformNumbers
{
  std::string         type; ///< "AffineTransform_double_3_3"; numbers are of double precision whatever it says
  std::vector<double> fixed;
  std::vector<double> parameters;
};

/** \brief "AffineTransform" of "AffineTransform_double_3_3". */
std::string
ClassOfTransform(const std::string & type);

/** \brief The n-th number after the class: the input's dimension, the output's, the order of a B-spline; 0 if it is
 * missing. */
std::size_t
NumberOfTransformType(const std::string & type, std::size_t which);

/** \brief Checks that the type maps points of space, that its numbers are finite and as many as the type has, and that
 * a grid is valid.
 *
 * To be called before an object of ITK gets the numbers: ITK allocates what a grid asks for, and ignores fixed
 * parameters in excess.
 * \exception ProgramError with the number that is needed, or the reason */
void
CheckTransform(const TransformNumbers & numbers);

} // namespace CudaSplineProgram

#endif
