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
#include "process/SharedMemory.h"

#include "console/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace CudaSplineProgram
{

SharedMemory::SharedMemory()
{
#if defined(__linux__)
  m_File = memfd_create("CudaSpline", MFD_CLOEXEC);
#endif
  if (m_File < 0)
  {
    if (std::FILE * const file = std::tmpfile())
    {
      m_File = dup(fileno(file));
      std::fclose(file);
    }
  }
  if (m_File < 0)
  {
    throw ProgramError(std::string("the system cannot allocate shared memory: ") + std::strerror(errno));
  }
}

SharedMemory::~SharedMemory()
{
  close(m_File);
}

std::shared_ptr<void>
SharedMemory::Map(std::size_t bytes)
{
  bytes = std::max<std::size_t>(bytes, 1);
  struct stat status = {};
  const bool  isLarge = fstat(m_File, &status) == 0 && static_cast<std::size_t>(status.st_size) >= bytes;
  void *      memory = MAP_FAILED;
  errno = 0;
  if (isLarge || ftruncate(m_File, static_cast<off_t>(bytes)) == 0)
  {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m_File, 0);
  }
  if (memory == MAP_FAILED)
  {
    throw ProgramError("not enough memory for " + Brief(static_cast<double>(bytes) / 1e6) + " MB" +
                       (errno == EFBIG ? " (the limit of file sizes, ulimit -f, also limits shared memory)" : ""));
  }
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE); // one page fault for many pages, if the system supports it
#endif
  return { memory, [bytes](void * pointer) { munmap(pointer, bytes); } };
}

std::string
SharedMemory::GetText(std::size_t begin) const
{
  std::string text;
  char        buffer[4096];
  for (ssize_t count = 0; (count = pread(m_File, buffer, sizeof(buffer), static_cast<off_t>(begin + text.size()))) > 0;)
  {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

} // namespace CudaSplineProgram
