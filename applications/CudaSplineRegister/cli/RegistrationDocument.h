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
#ifndef CudaSplineRegister_RegistrationDocument_h
#define CudaSplineRegister_RegistrationDocument_h

#include "cli/RawOptions.h"

/** \file
 * \brief The command line as a document of a registration (doc/RegistrationSpec.md). */

namespace CudaSplineRegister
{

/** \brief Reads or makes the document, and the specification that it describes.
 *
 * \param[in] raw texts of the command line
 * \param[in] order order of the interpolation; 1 is linear
 * \param[in,out] options receives the document, its specification, and the texts of its values
 * \exception ProgramError names all problems, or a file that cannot be read */
void
InterpretDocument(const RawOptions & raw, unsigned int order, Options & options);

/** \brief Reads the document again with the size of the fixed image, on which the levels of presets depend. */
void
FitDocument(const itk::CudaSpline::FieldGrid & fixed, Options & options);

/** \brief Checks whether the specification fits the images, before they are read.
 *
 * \exception ProgramError names all problems */
void
CheckDocument(const itk::CudaSpline::FieldGrid & fixed, const Options & options);

} // namespace CudaSplineRegister

#endif
