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

/** \brief Writes a transform with ITK's IO.
 *
 * \exception ProgramError an unknown format, one that cannot store the transform, or a write error */
void
WriteTransform(const itk::TransformBase * transform, const std::string & file);

/** \brief Checks with a similar transform, before the computation, whether a transform can be written.
 *
 * \param[in,out] file the output, which is cleared
 * \param[in] dimension 2 or 3
 * \param[in] isComposite whether there will be several
 * \exception ProgramError as WriteTransform() */
void
ProbeTransform(AtomicOutput & file, unsigned int dimension, bool isComposite);

/** \brief Writes displacements, an image with a vector per pixel (mm), like WriteImage().
 *
 * \param[in] vectors the image; the numbers of a vector are consecutive
 * \param[in] file the file
 * \return the parts of the geometry that the format did not keep
 * \exception ProgramError an unknown format, one that cannot store vectors, or the file is incomplete */
std::string
WriteDisplacements(const Volume & vectors, const std::string & file);

} // namespace CudaSplineProgram

#endif
