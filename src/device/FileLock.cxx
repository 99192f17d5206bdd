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

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
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

/** Whether there is room beside a file: where a disk or a quota is full a file can be made, but not written. */
bool
CanWriteBeside(const std::string & file)
{
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const std::string probe = file + "." + std::to_string(std::random_device()());
  std::ofstream     stream(probe);
  stream << std::string(4096, ' ');
  stream.close();
  std::filesystem::remove(probe, error);
  return static_cast<bool>(stream);
}

/** True where the name still stands for the open file: another process may have given it back in between. */
bool
IsNamed(int descriptor, const std::string & name)
{
  struct stat opened = {};
  struct stat named = {};
  return fstat(descriptor, &opened) == 0 && lstat(name.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}
} // namespace

FileLock::FileLock(const std::string & file)
  : m_Name(file + ".lock")
{
  if (file.empty() || !CanReplace(file) || !CanWriteBeside(file))
  {
    return;
  }
  // NFS locks files that can be written only. One that another user's process has left behind can be read, and be
  // taken. Where the file system has no locks, as some of clusters, nobody is kept out.
  constexpr int flags = O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  int           descriptor = open(m_Name.c_str(), flags | O_RDWR, 0666);
  if (descriptor < 0)
  {
    descriptor = open(m_Name.c_str(), flags | O_RDONLY, 0666);
  }
  if (descriptor < 0)
  {
    return;
  }
  const bool isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (isTaken || !IsNamed(descriptor, m_Name))
  {
    close(descriptor);
    return;
  }
  m_Descriptor = descriptor;
}

FileLock::~FileLock()
{
  if (m_Descriptor >= 0)
  {
    unlink(m_Name.c_str());
    close(m_Descriptor);
  }
}

} // namespace itk::CudaSpline
