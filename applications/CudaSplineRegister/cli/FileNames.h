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

/** \brief Names of the files that are read. */
std::vector<NamedPath>
InputsOf(const Options & options);

/** \brief Names of the files that are written of a single moving image, with those that a prefix has for fields. */
std::vector<NamedPath>
OutputsOf(const Options & options);

/** \brief Whether an output is written: not a field of linear stages. */
bool
MayBeWritten(const std::string & path, const Options & options);

/** \brief Where the first stage starts: "moments", or the files of transforms. */
std::string
StartText(const Options & options);

} // namespace CudaSplineRegister

#endif
