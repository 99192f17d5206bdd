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

/** \brief The transforms of a file. */
struct TransformList
{
  std::vector<TransformNumbers> transforms;        ///< without composites: their transforms in order
  bool                          isSeries{ false }; ///< several transforms that no composite joins
};

/** \brief Reads the transforms of a file, in a process of its own (see ReadingProcess), and checks them.
 *
 * Text (.tfm, .txt) and MATLAB's files (.mat) are read by code of this module, others (.h5) by ITK's. A
 * BSplineDeformableTransform of ITK 3 becomes a BSplineTransform. In a file with it and one other transform the other
 * one is its bulk transform: the sum of both displacements becomes a composition.
 * \exception ProgramError the file is missing or damaged, or CheckTransform() refuses */
TransformList
ReadTransformFile(const std::string & path);

/** \brief Reads ITK's text. \exception ProgramError what is wrong, with the line */
std::vector<TransformNumbers>
ReadTransformText(std::istream & stream);

/** \brief Reads a MATLAB file of version 4, as ITK and ANTs write them. \exception ProgramError what is wrong */
std::vector<TransformNumbers>
ReadTransformMatlab(std::istream & stream);

/** \brief Checks that the type maps points of space, that its numbers are finite and as many as the type has, and that
 * a grid is valid.
 *
 * To be called before an object of ITK gets the numbers: ITK allocates what a grid asks for, and ignores fixed
 * parameters in excess.
 * \exception ProgramError with the number that is needed, or the reason */
void
CheckTransform(const TransformNumbers & numbers);

/** \brief An object of ITK's with these numbers, in double precision.
 * \exception ProgramError CheckTransform() refuses, the type is unknown, or a matrix has no inverse */
itk::TransformBase::Pointer
MakeItkTransform(const TransformNumbers & numbers);

} // namespace CudaSplineProgram

#endif
