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
#include "io/formats/VolumeStore.h"

#include "console/Error.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace CudaSplineProgram
{

namespace
{

[[noreturn]] void
Fail(std::size_t bytes, const std::string & reason)
{
  throw ProgramError("there is not enough space for " + Brief(static_cast<double>(bytes) / 1e6) +
                     " MB in the folder of the output: " + reason);
}

} // namespace

VolumeStore::VolumeStore(const AtomicOutput & file, const Grid & grid, ScalarType type, const ImageLayout & layout)
  : m_Grid(grid)
  , m_Type(type)
  , m_Bytes(grid.GetNumberOfVoxels() * itk::CudaSpline::SizeOf(type) * layout.components)
  , m_Volumes(layout.volumes)
{
  const std::string name = file.GetTemporaryName() + ".pixels";
  m_File = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (m_File < 0)
  {
    Fail(m_Bytes * m_Volumes, std::strerror(errno));
  }
  unlink(name.c_str());
}

VolumeStore::~VolumeStore()
{
  close(m_File);
}

void
VolumeStore::Put(std::size_t number, const void * pixels)
{
  for (std::size_t done = 0; done < m_Bytes;)
  {
    const ssize_t count = pwrite(
      m_File, static_cast<const char *>(pixels) + done, m_Bytes - done, static_cast<off_t>(number * m_Bytes + done));
    if (count < 0 && errno == EINTR)
    {
      continue;
    }
    if (count <= 0)
    {
      Fail(m_Bytes * m_Volumes, std::strerror(errno));
    }
    done += static_cast<std::size_t>(count);
  }
}

void
VolumeStore::Get(std::size_t number, void * pixels) const
{
  this->Read(static_cast<std::uint64_t>(number) * m_Bytes, m_Bytes, static_cast<char *>(pixels));
}

void
VolumeStore::Read(std::uint64_t begin, std::size_t bytes, char * to) const
{
  while (bytes > 0)
  {
    const ssize_t count = pread(m_File, to, bytes, static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR)
    {
      continue;
    }
    if (count <= 0)
    {
      throw ProgramError("volume " + std::to_string(begin / m_Bytes) + " of the output cannot be read again: " +
                         (count < 0 ? std::strerror(errno) : "it is missing"));
    }
    begin += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
    to += count;
  }
}

std::shared_ptr<void>
VolumeStore::Map() const
{
  const std::size_t bytes = m_Bytes * m_Volumes;
  void * const      memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, m_File, 0);
  if (memory == MAP_FAILED)
  {
    throw ProgramError("not enough memory for " + Brief(static_cast<double>(bytes) / 1e6) + " MB");
  }
  return { memory, [bytes](void * pointer) { munmap(pointer, bytes); } };
}

} // namespace CudaSplineProgram
