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
#ifndef CudaSplineProgram_TransformOutput_h
#define CudaSplineProgram_TransformOutput_h

#include "io/files/AtomicOutput.h"
#include "io/volume/Volume.h"

#include "itkTransformBase.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Writes a transform by ITK's IO.
 *
 * \exception ProgramError an unknown format, one that does not hold it, or not written */
void
WriteTransform(const itk::TransformBase * transform, const std::string & file);

/** \brief Finds out before the work whether a transform can be written, by one like it.
 *
 * \param[in,out] file the output, which is cleared
 * \param[in] dimension 2 or 3
 * \param[in] isComposite there will be several
 * \exception ProgramError as WriteTransform() */
void
ProbeTransform(AtomicOutput & file, unsigned int dimension, bool isComposite);

/** \brief Writes displacements, an image with a vector a pixel (mm), as WriteImage() does.
 *
 * \param[in] vectors the numbers of a vector together
 * \return what the format did not keep of the geometry
 * \exception ProgramError an unknown format, one that holds no vectors, or not written in full */
std::string
WriteDisplacements(const Volume & vectors, const std::string & file);

} // namespace CudaSplineProgram

#endif
