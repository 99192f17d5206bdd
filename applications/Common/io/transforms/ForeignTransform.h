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

/** \brief Throws for transforms of other programs whose numbers would be misinterpreted as ITK's. The message names a
 * program that converts them.
 *
 * FSL: matrices of FLIRT (text of 4 x 4 numbers), images with the intent codes 2006 to 2009 and 2016 to 2018. AFNI:
 * .1D, .HEAD, .BRIK, text with 12 numbers per line, images with AFNI's extension. MINC: .xfm. FreeSurfer: .lta, .m3z.
 * Images of SPM and NiftyReg are recognized by intent_name. Missing or unreadable files are reported by the reader.
 *
 * \exception ProgramError the file is one of these */
void
RefuseForeignTransform(const std::string & file);

} // namespace CudaSplineProgram

#endif
