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
#ifndef CudaSplineProgram_ImageFiles_h
#define CudaSplineProgram_ImageFiles_h

#include <filesystem>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Returns the files that are read for the name of a file or folder: the file itself, the data file of a header
 * (.mhd, .nhdr, .hdr and .img, .par, .spr), or the files of the folder. They are sorted. Missing files are omitted.
 *
 * \exception std::filesystem::filesystem_error a folder cannot be read */
std::vector<std::filesystem::path>
FilesOf(const std::string & name);

} // namespace CudaSplineProgram

#endif
