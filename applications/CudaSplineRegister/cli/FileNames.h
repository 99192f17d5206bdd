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
#ifndef CudaSplineRegister_FileNames_h
#define CudaSplineRegister_FileNames_h

#include "cli/CommandLine.h"
#include "io/formats/PathIdentity.h"

#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Returns the names of the files that are read. */
std::vector<NamedPath>
InputsOf(const Options & options);

/** \brief Returns the names of the files that are written for a single moving image, including the fields of a prefix.
 */
std::vector<NamedPath>
OutputsOf(const Options & options);

/** \brief Returns whether an output may be written, which a field of linear stages is not. */
bool
MayBeWritten(const std::string & path, const Options & options);

/** \brief Returns the start of the first stage: "moments", or the files of transforms. */
std::string
StartText(const Options & options);

} // namespace CudaSplineRegister

#endif
