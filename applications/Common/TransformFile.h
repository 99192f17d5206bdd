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
#ifndef CudaSplineProgram_TransformFile_h
#define CudaSplineProgram_TransformFile_h

#include "itkTransformBase.h"

#include <istream>
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

/** \brief Reads the transforms of a file, in a process of its own (see ReadingProcess), and checks them.
 *
 * Text (.tfm, .txt) and MATLAB's files (.mat) are read by code of this module, others (.h5) by ITK's.
 * \return without composites: their transforms in order
 * \exception ProgramError the file is missing or damaged, or CheckTransform() refuses */
std::vector<TransformNumbers>
ReadTransformFile(const std::string & path);

/** \brief Reads ITK's text. \exception ProgramError what is wrong, with the line */
std::vector<TransformNumbers>
ReadTransformText(std::istream & stream);

/** \brief Reads a MATLAB file of version 4, as ITK and ANTs write them. \exception ProgramError what is wrong */
std::vector<TransformNumbers>
ReadTransformMatlab(std::istream & stream);

/** \brief Throws where the numbers are not as many as the type has, are not finite, or describe a grid that is none.
 *
 * To be called before an object of ITK's gets the numbers: it takes what a grid asks for, and does not count.
 * \exception ProgramError with the number that is needed */
void
CheckTransform(const TransformNumbers & numbers);

/** \brief An object of ITK's with these numbers, in double precision.
 * \exception ProgramError CheckTransform() refuses, the type is unknown, or a matrix has no inverse */
itk::TransformBase::Pointer
MakeItkTransform(const TransformNumbers & numbers);

} // namespace CudaSplineProgram

#endif
