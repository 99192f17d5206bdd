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
#ifndef CudaSplineProgram_PathIdentity_h
#define CudaSplineProgram_PathIdentity_h

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A file or folder, and its purpose: "the input", "--report". Empty paths are ignored. */
struct NamedPath
{
  std::string role;
  std::string path;
};

/** \brief Throws if an output would overwrite an input or another output. Paths are compared by file, also through
 * links, other spellings, or as the data file of a header. It needs to be called before anything is read.
 *
 * \exception ProgramError names the two that are the same */
void
CheckPaths(const std::vector<NamedPath> & inputs, const std::vector<NamedPath> & outputs);

} // namespace CudaSplineProgram

#endif
