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
#ifndef CudaSplineProgram_ForeignTransform_h
#define CudaSplineProgram_ForeignTransform_h

#include <string>

namespace CudaSplineProgram
{

/** \brief Refuses transforms of other programs whose numbers would be misread as ITK's, with a program that converts
 * them.
 *
 * FSL: matrices of FLIRT (text of 4 x 4 numbers), images with the intent codes 2006 to 2009 and 2016 to 2018. AFNI:
 * .1D, .HEAD, .BRIK, text of 12 numbers a line, images with AFNI's extension. MINC: .xfm. FreeSurfer: .lta, .m3z.
 * Images of SPM and NiftyReg are known by intent_name. A file that is missing or unreadable is left to the reader.
 * \exception ProgramError the file is one of these */
void
RefuseForeignTransform(const std::string & file);

} // namespace CudaSplineProgram

#endif
