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
#include "process/TemporaryMemory.h"

#include "console/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace CudaSplineProgram
{

std::shared_ptr<void>
MapTemporaryFile(std::size_t bytes)
{
  std::FILE * const file = std::tmpfile();
  if (file == nullptr || ftruncate(fileno(file), static_cast<off_t>(bytes)) != 0)
  {
    throw ProgramError("there is not enough space for " + Brief(static_cast<double>(bytes) / 1e6) +
                       " MB in the folder of temporary files: " + std::strerror(errno));
  }
  void * const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  std::fclose(file);
  if (memory == MAP_FAILED)
  {
    throw std::bad_alloc();
  }
  return { memory, [bytes](void * pointer) { munmap(pointer, bytes); } };
}

} // namespace CudaSplineProgram
