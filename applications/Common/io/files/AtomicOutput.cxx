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
#include "io/files/AtomicOutput.h"

#include "console/Error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

namespace CudaSplineProgram
{

namespace fs = std::filesystem;

namespace
{

/** Folders to remove on a signal. The mutex is locked while files are replaced, so that a signal waits until this is
 * complete. */
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

/** Returns the signals that end the program. */
sigset_t
EndingSignals()
{
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : { SIGINT, SIGTERM, SIGHUP })
  {
    struct sigaction action = {};
    // A signal that the caller ignores (nohup) remains ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
    {
      sigaddset(&signals, signal);
    }
  }
  return signals;
}

/** Blocks the signals that end the program during its lifetime. */
class SignalsWait
{
public:
  SignalsWait()
  {
    const sigset_t signals = EndingSignals();
    pthread_sigmask(SIG_BLOCK, &signals, &m_Before);
  }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &
  operator=(const SignalsWait &) = delete;
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &m_Before, nullptr); }

private:
  sigset_t m_Before{};
};

/** Returns the prefix of hidden folders, of processes with or without a mark. */
std::string
PrefixOf(const std::string & mark)
{
  return std::string(".") + programName + "-" + mark + (mark.empty() ? "" : "-");
}

/** Returns the prefix of the hidden folders of this process. */
std::string &
GetPrefix()
{
  static std::string prefix = PrefixOf("");
  return prefix;
}

/** Folder in a hidden folder for the files that are being replaced. */
constexpr const char * asideName = ".old";

/** A file in a hidden folder that marks its content as the only copy of something. */
constexpr const char * keptName = ".kept";

/** Resolves links, even if the target does not exist yet: the target is replaced, not the link. */
fs::path
WithoutLink(fs::path target)
{
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(target, error); ++links) // the maximum that the system follows
  {
    const fs::path next = fs::read_symlink(target, error);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

fs::path
FolderOf(const fs::path & target)
{
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

/** Gives a file another name from which it can be restored. This is a hard link, which costs nothing. If the file
 * system does not support hard links, the file is renamed.
 *
 * \return false if there is no file, or with an error if neither works */
bool
SetAside(const fs::path & file, const fs::path & other, std::error_code & error)
{
  const fs::file_status status = fs::symlink_status(file, error);
  error.clear();
  if (!fs::is_regular_file(status) && !fs::is_symlink(status))
  {
    return false;
  }
  fs::create_hard_link(file, other, error);
  if (error)
  {
    fs::rename(file, other, error);
  }
  return !error;
}

/** Restores the files that a process had moved to a hidden folder before it was killed, if their names are unused.
 *
 * \return false if a file could not be restored */
bool
BringBack(const fs::path & hidden)
{
  bool            isDone = true;
  std::error_code error;
  for (const fs::directory_entry & entry : fs::directory_iterator(hidden / asideName, error))
  {
    const fs::path name = hidden.parent_path() / entry.path().filename();
    if (!fs::exists(fs::symlink_status(name, error)))
    {
      fs::rename(entry.path(), name, error);
      isDone = isDone && !error;
    }
  }
  return isDone;
}

/** Opens a folder and locks it. Returns -1 if another process has locked it, or if the file system does not support
 * locks. */
int
LockFolder(const fs::path & folder)
{
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0)
  {
    close(file);
    return -1;
  }
  return file;
}

/** Removes the hidden folders in a folder whose processes have ended: a lock ends with its process. */
void
RemoveLeftFolders(const fs::path & folder)
{
  static std::set<fs::path> done; // protected by the mutex of OpenFolders
  if (!done.insert(folder).second)
  {
    return;
  }
  const std::string     prefix = PrefixOf("");
  std::error_code       error;
  std::vector<fs::path> left;
  for (const fs::directory_entry & entry : fs::directory_iterator(folder, error))
  {
    if (entry.path().filename().string().compare(0, prefix.size(), prefix) == 0 && entry.is_directory(error))
    {
      left.push_back(entry.path());
    }
  }
  for (const fs::path & hidden : left)
  {
    const int lock = LockFolder(hidden);
    if (lock >= 0)
    {
      if (!fs::exists(hidden / keptName, error) && BringBack(hidden))
      {
        fs::remove_all(hidden, error);
      }
      close(lock);
    }
  }
}

/** Allows this process to open a number of files, plus a hundred for other purposes, if the system permits it. A series
 * may have a thousand transforms, and the limit of many systems is 1024. */
void
AllowFiles(std::size_t count)
{
  rlimit     limit{};
  const auto wanted = static_cast<rlim_t>(count + 100);
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted)
  {
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

/** Makes a hidden folder and locks it, if the file system supports locks. */
fs::path
MakeHiddenFolder(const fs::path & folder, int & lock)
{
  for (;;)
  {
    std::string name = (folder / (GetPrefix() + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr)
    {
      return {};
    }
    lock = LockFolder(name);
    std::error_code error;
    if (fs::exists(name, error))
    {
      return name;
    }
    // Another process removed it as an abandoned folder before it was locked.
    if (lock >= 0)
    {
      close(lock);
    }
  }
}

/** Writes the data of a file to the disk. If the disk is full, this is the last step that can report it. */
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
  // EINVAL: a file system that does not support it.
  if (failed && reason != EINVAL)
  {
    throw ProgramError("cannot write \"" + file.filename().string() + "\": " + std::strerror(reason));
  }
}

} // namespace

MadeFolder::MadeFolder(const std::string & path)
{
  std::error_code error;
  const fs::path  given(path);
  const fs::path  folder = given.has_filename() ? given : given.parent_path();
  for (fs::path part = folder; !part.empty() && !fs::exists(part, error); part = part.parent_path())
  {
    m_Made.insert(m_Made.begin(), part.string());
  }
  if (!m_Made.empty())
  {
    fs::create_directories(folder, error);
  }
}

MadeFolder::~MadeFolder()
{
  std::error_code error;
  for (auto made = m_Made.rbegin(); made != m_Made.rend(); ++made)
  {
    if (fs::is_directory(*made, error) && fs::is_empty(*made, error))
    {
      fs::remove(*made, error);
    }
  }
}

MadeFolders::MadeFolders(const std::vector<std::string> & files)
{
  for (const std::string & file : files)
  {
    if (const fs::path folder = fs::path(file).parent_path(); !folder.empty())
    {
      m_Folders.emplace_back(folder.string());
    }
  }
}

AtomicOutput::AtomicOutput(const std::string & target)
{
  std::error_code error;
  m_Target = WithoutLink(target);
  if (m_Target.filename().empty() || fs::is_directory(m_Target, error))
  {
    throw ProgramError("the output \"" + target + "\" is a folder; a file name is needed");
  }
  const fs::path folder = FolderOf(m_Target);
  const bool     isDevice = fs::exists(m_Target, error) && !fs::is_regular_file(m_Target, error);
  if (isDevice || fs::weakly_canonical(fs::absolute(target, error).parent_path(), error) == "/dev")
  {
    throw ProgramError("the output \"" + target + "\" is a device or a pipe; only regular files can be written");
  }
  if (!fs::is_directory(folder, error))
  {
    throw ProgramError("the folder \"" + folder.string() + "\" of the output \"" + target +
                       "\" does not exist; name an existing folder, or make it with --make-folders");
  }
  if (fs::exists(m_Target, error) && access(m_Target.c_str(), W_OK) != 0)
  {
    throw ProgramError("the output \"" + target + "\" exists and may not be replaced: " + std::strerror(errno));
  }

  OpenFolders &                     open = GetOpenFolders();
  const std::lock_guard<std::mutex> lock(open.mutex);
  RemoveLeftFolders(folder);
  AllowFiles(open.folders.size());
  m_Folder = MakeHiddenFolder(folder, m_Lock);
  if (m_Folder.empty())
  {
    throw ProgramError("cannot write into the folder \"" + folder.string() +
                       "\" of the output: " + std::strerror(errno));
  }
  open.folders.insert(m_Folder);
}

AtomicOutput::~AtomicOutput()
{
  OpenFolders &                     open = GetOpenFolders();
  const std::lock_guard<std::mutex> lock(open.mutex);
  std::error_code                   error;
  if (!m_IsKept)
  {
    fs::remove_all(m_Folder, error);
  }
  if (m_Lock >= 0)
  {
    close(m_Lock);
  }
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
  const fs::path                    old = m_Folder / asideName;
  fs::create_directory(old, error);
  std::vector<bool> isAside(files.size(), false);
  for (std::size_t done = 0; done < files.size(); ++done)
  {
    const fs::path name = files[done].filename();
    const fs::path destination = m_Target.parent_path() / name;
    error.clear();
    if (files[done] != main) // nothing can fail after it
    {
      isAside[done] = SetAside(destination, old / name, error);
    }
    if (!error)
    {
      fs::rename(files[done], destination, error);
    }
    if (error)
    {
      const std::string reason = error.message();
      for (std::size_t i = done + 1; i-- > 0;)
      {
        const fs::path replaced = m_Target.parent_path() / files[i].filename();
        if (isAside[i])
        {
          fs::rename(old / files[i].filename(), replaced, error);
          m_IsKept = m_IsKept || error;
        }
        else if (i < done) // there was no file before
        {
          fs::remove(replaced, error);
        }
      }
      std::string message = "cannot replace \"" + destination.string() + "\": ";
      message += reason;
      if (m_IsKept)
      {
        std::ofstream(m_Folder / keptName) << std::flush;
        message += "; what was there is left in \"" + old.string() + '"';
      }
      throw ProgramError(message);
    }
  }
}

void
CheckOutput(const std::string & target)
{
  const SignalsWait  wait;
  const AtomicOutput attempt(target);
}

void
SetOutputMark(const std::string & mark)
{
  GetPrefix() = PrefixOf(mark);
}

void
RemoveLeftOutput(const std::string & target, const std::string & mark)
{
  const std::string prefix = PrefixOf(mark);
  std::error_code   error;
  for (const fs::directory_entry & entry : fs::directory_iterator(FolderOf(WithoutLink(target)), error))
  {
    if (entry.path().filename().string().compare(0, prefix.size(), prefix) == 0 && BringBack(entry.path()))
    {
      fs::remove_all(entry.path(), error);
    }
  }
}

void
RemoveOutputsOnSignals(const std::function<bool(int)> & first)
{
  const sigset_t signals = EndingSignals();
  // Threads inherit the mask, so that only the thread below receives the signals. It may call any function.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, first] {
    int signal = 0;
    int failure = sigwait(&signals, &signal);
    while (failure == 0 && first && first(signal))
    {
      failure = sigwait(&signals, &signal);
    }
    if (failure == 0)
    {
      // Never unlocked: no more files are written.
      OpenFolders & open = GetOpenFolders();
      open.mutex.lock();
      std::error_code error;
      for (const fs::path & folder : open.folders)
      {
        // The other thread may be writing there; a second pass finds new files.
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

} // namespace CudaSplineProgram
