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
#ifndef CudaSplineProgram_NiftiOutput_h
#define CudaSplineProgram_NiftiOutput_h

#include "io/formats/ImageInput.h"
#include "io/volume/Volume.h"

#include "itkCudaSpline/files/NiftiPixels.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Writes a NIfTI file, or a pair if the name ends with .hdr or .img, and reads it back. Compression uses all
 * threads.
 *
 * \param[in] volume grid and type; all pixels with interleaved components, if \p read is empty
 * \param[in] file a name with a suffix of IsNiftiName()
 * \return the description that readers find in the file: numbers of its geometry are rounded
 * \exception ProgramError it cannot be written */
itk::CudaSpline::NiftiDescription
WriteNifti(const Volume &                                      volume,
           const itk::CudaSpline::NiftiFileBytes::ReadPixels & read,
           const std::string &                                 file,
           const ImageLayout &                                 layout);

} // namespace CudaSplineProgram

#endif
