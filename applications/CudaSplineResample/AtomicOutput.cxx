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
#include "AtomicOutput.h"

#include "Error.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace CudaSplineResample
{

namespace fs = std::filesystem;

namespace
{

/** Folders to remove on a signal. The mutex is held while files are replaced, so that a signal waits for the end of it.
 */
struct OpenFolders
{
  std::mutex         mutex;
  std::set<fs::path> folders;
};

OpenFolders &
GetOpenFolders()
{
  // Never destroyed: the thread that waits for signals may outlive static objects.
  static auto * const folders = new OpenFolders;
  return *folders;
}

/** Asks the system to put a file's bytes on the disk; what a full disk swallowed shows here at the latest. */
void
Synchronize(const fs::path & file)
{
  const int  descriptor = open(file.c_str(), O_RDONLY);
  const bool failed = descriptor < 0 || fsync(descriptor) != 0;
  const int  reason = errno;
  if (descriptor >= 0)
  {
    close(descriptor);
  }
  // EINVAL: a file system that cannot be asked.
  if (failed && reason != EINVAL)
  {
    throw ProgramError("cannot write \"" + file.filename().string() + "\": " + std::strerror(reason));
  }
}

} // namespace

AtomicOutput::AtomicOutput(const std::string & target)
{
  std::error_code error;
  m_Target = fs::path(target);
  if (fs::is_symlink(m_Target, error) && fs::exists(m_Target, error))
  {
    m_Target = fs::canonical(m_Target, error); // what a link points to is replaced, not the link
  }
  if (m_Target.filename().empty() || fs::is_directory(m_Target, error))
  {
    throw ProgramError("the output \"" + target + "\" is a folder; it has to be a file name");
  }
  const fs::path folder = m_Target.has_parent_path() ? m_Target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
  {
    throw ProgramError("the folder \"" + folder.string() + "\" of the output \"" + target +
                       "\" does not exist; name an existing folder");
  }
  if (fs::exists(m_Target, error) && access(m_Target.c_str(), W_OK) != 0)
  {
    throw ProgramError("the output \"" + target + "\" exists and may not be replaced: " + std::strerror(errno));
  }

  std::string                       name = (folder / ".CudaSplineResample-XXXXXX").string();
  OpenFolders &                     open = GetOpenFolders();
  const std::lock_guard<std::mutex> lock(open.mutex);
  if (mkdtemp(name.data()) == nullptr)
  {
    throw ProgramError("cannot write into the folder \"" + folder.string() +
                       "\" of the output: " + std::strerror(errno));
  }
  m_Folder = name;
  open.folders.insert(m_Folder);
}

AtomicOutput::~AtomicOutput()
{
  OpenFolders &                     open = GetOpenFolders();
  const std::lock_guard<std::mutex> lock(open.mutex);
  std::error_code                   error;
  fs::remove_all(m_Folder, error);
  open.folders.erase(m_Folder);
}

std::string
AtomicOutput::GetTemporaryName() const
{
  return (m_Folder / m_Target.filename()).string();
}

void
AtomicOutput::Clear()
{
  std::error_code error;
  for (const fs::directory_entry & entry : fs::directory_iterator(m_Folder, error))
  {
    fs::remove_all(entry.path(), error);
  }
}

void
AtomicOutput::Commit()
{
  const fs::path        main = m_Folder / m_Target.filename();
  std::vector<fs::path> files;
  std::error_code       error;
  for (const fs::directory_entry & entry : fs::directory_iterator(m_Folder, error))
  {
    if (entry.path() != main)
    {
      files.push_back(entry.path());
    }
  }
  if (!fs::exists(main, error))
  {
    throw ProgramError("nothing was written for the output \"" + m_Target.string() + "\"");
  }
  files.push_back(main);
  for (const fs::path & file : files)
  {
    Synchronize(file);
  }

  const std::lock_guard<std::mutex> lock(GetOpenFolders().mutex);
  const fs::path                    old = m_Folder / ".old";
  fs::create_directory(old, error);
  for (std::size_t done = 0; done < files.size(); ++done)
  {
    const fs::path destination = m_Target.parent_path() / files[done].filename();
    // A second name for the old file: it costs nothing and lets it come back.
    fs::create_hard_link(destination, old / files[done].filename(), error);
    fs::rename(files[done], destination, error);
    if (error)
    {
      const std::string reason = error.message();
      while (done-- > 0)
      {
        const fs::path replaced = m_Target.parent_path() / files[done].filename();
        fs::rename(old / files[done].filename(), replaced, error);
        if (error) // there was none before
        {
          fs::remove(replaced, error);
        }
      }
      throw ProgramError("cannot replace \"" + destination.string() + "\": " + reason);
    }
  }
}

void
RemoveOutputsOnSignals()
{
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : { SIGINT, SIGTERM, SIGHUP })
  {
    struct sigaction action = {};
    // What the caller has switched off (nohup) stays off.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
    {
      sigaddset(&signals, signal);
    }
  }
  // Threads inherit the mask, so that only the one below receives the signals, where every function may be called.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    if (sigwait(&signals, &signal) == 0)
    {
      // Never unlocked: nothing is written any more.
      OpenFolders & open = GetOpenFolders();
      open.mutex.lock();
      std::error_code error;
      for (const fs::path & folder : open.folders)
      {
        // The other thread may be writing there; a second look finds what it wrote meanwhile.
        for (int attempt = 0; attempt < 3 && fs::exists(folder, error); ++attempt)
        {
          fs::remove_all(folder, error);
        }
      }
      std::signal(signal, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      std::raise(signal);
    }
  }).detach();
}

} // namespace CudaSplineResample
