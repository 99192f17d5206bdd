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
#ifndef CudaSplineProgram_NiftiLength_h
#define CudaSplineProgram_NiftiLength_h

#include <string>

namespace CudaSplineProgram
{

/** \brief Throws where a NIfTI or Analyze file is shorter than its header says.
 *
 * ITK's NIfTI reader says nothing of it: what is missing comes out as zeros. Compressed files are decompressed once to
 * count their bytes. \param[in] path .nii, .hdr or .img, also with .gz \exception ProgramError the file, or the one
 * that belongs to it, is cut short */
void
CheckNiftiLength(const std::string & path);

} // namespace CudaSplineProgram

#endif
