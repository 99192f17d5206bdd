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
#include "device/FileLock.h"

#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace itk::CudaSpline
{

namespace
{
/** False where a file of another user is in a folder whose files are replaced by their owners alone. */
bool
CanReplace(const std::string & file)
{
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0 || status.st_uid == geteuid() || geteuid() == 0)
  {
    return true;
  }
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return stat(folder.c_str(), &status) != 0 || status.st_uid == geteuid() || (status.st_mode & S_ISVTX) == 0;
}
} // namespace

FileLock::FileLock(const std::string & file)
  : m_Name(file + ".lock")
{
  if (file.empty() || !CanReplace(file))
  {
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  m_Descriptor = open(m_Name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (m_Descriptor < 0)
  {
    return;
  }
  const bool isOurs = flock(m_Descriptor, LOCK_EX | LOCK_NB) == 0;
  // Where a disk or a quota is full a file can be made, but not written.
  const std::string bytes(4096, ' ');
  if (!isOurs || pwrite(m_Descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
  {
    if (isOurs)
    {
      unlink(m_Name.c_str());
    }
    close(m_Descriptor);
    m_Descriptor = -1;
  }
}

FileLock::~FileLock()
{
  if (m_Descriptor >= 0)
  {
    unlink(m_Name.c_str()); // one who has it open still gets the lock, and then finds the file
    close(m_Descriptor);
  }
}

} // namespace itk::CudaSpline
