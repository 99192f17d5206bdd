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
#ifndef CudaSplineProgram_TemporaryMemory_h
#define CudaSplineProgram_TemporaryMemory_h

#include <cstddef>
#include <memory>

namespace CudaSplineProgram
{

/** \brief Maps memory of an unnamed file, so that data that do not fit into memory are on the disk.
 *
 * \exception ProgramError the folder of temporary files has not enough space */
std::shared_ptr<void>
MapTemporaryFile(std::size_t bytes);

} // namespace CudaSplineProgram

#endif
