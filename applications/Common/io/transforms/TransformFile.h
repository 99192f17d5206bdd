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

#include "io/transforms/TransformNumbers.h"

#include "itkTransformBase.h"

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief The transforms of a file. */
struct TransformList
{
  std::vector<TransformNumbers> transforms;        ///< without composites: their transforms in order
  bool                          isSeries{ false }; ///< whether there are several transforms without a composite
};

/** \brief Reads the transforms of a file in a separate process (see ReadingProcess), and checks them.
 *
 * Text (.tfm, .txt, and other files that begin like it) and MATLAB files (.mat) are read by code of this module, others
 * (.h5) by ITK. A BSplineDeformableTransform of ITK 3 becomes a BSplineTransform. If the file has one other transform,
 * that is its bulk transform: the sum of both displacements becomes a composition.
 *
 * \exception ProgramError the file is missing or damaged, or CheckTransform() throws */
TransformList
ReadTransformFile(const std::string & path);

/** \brief Returns an ITK object with these numbers, in double precision.
 *
 * \exception ProgramError CheckTransform() throws, the type is unknown, or a matrix has no inverse */
itk::TransformBase::Pointer
MakeItkTransform(const TransformNumbers & numbers);

} // namespace CudaSplineProgram

#endif
