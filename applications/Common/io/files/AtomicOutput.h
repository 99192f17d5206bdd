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
#ifndef CudaSplineProgram_AtomicOutput_h
#define CudaSplineProgram_AtomicOutput_h

#include <filesystem>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief An output file, or a pair such as .mhd and .raw, that is replaced only when the new file is complete.
 *
 * Files are written with their own names to a hidden folder next to the target, so that a header has the final name of
 * its data file. Commit() then renames them, which needs no space and does not leave an incomplete file. Files that are
 * not committed are removed, also on SIGINT, SIGTERM and SIGHUP (see RemoveOutputsOnSignals()). The files of a killed
 * process are removed by the next process that writes to the folder. The folders of running processes are locked. */
class AtomicOutput
{
public:
  /** \param[in] target the output file
   * \exception ProgramError its folder does not exist or is not writable, or the target is a folder */
  explicit AtomicOutput(const std::string & target);
  AtomicOutput(const AtomicOutput &) = delete;
  AtomicOutput &
  operator=(const AtomicOutput &) = delete;
  ~AtomicOutput();

  /** \brief Returns the name of the new file while it is written. */
  std::string
  GetTemporaryName() const;

  /** \brief Returns the name of the file that is replaced. */
  std::string
  GetTarget() const
  {
    return m_Target.string();
  }

  /** \brief Removes all files that were written so far. */
  void
  Clear();

  /** \brief Replaces the target, and the files that belong to it, with the new files.
   *
   * The named file is the last one, so that a header never refers to missing data. If a rename fails, the files that
   * were replaced before are restored.
   *
   * \exception ProgramError nothing was written, or a file cannot be replaced */
  void
  Commit();

private:
  std::filesystem::path m_Target;
  std::filesystem::path m_Folder;
  int                   m_Lock{ -1 };      ///< locks the folder while this process runs
  bool                  m_IsKept{ false }; ///< the folder has a file that could not be restored
};

/** \brief Creates a folder for outputs and its missing parents. They are removed if nothing is written to them. */
class MadeFolder
{
public:
  /** \param[in] path empty: none. If it cannot be created, the outputs report it. */
  explicit MadeFolder(const std::string & path);
  MadeFolder(const MadeFolder &) = delete;
  MadeFolder &
  operator=(const MadeFolder &) = delete;
  ~MadeFolder();

private:
  std::vector<std::string> m_Made; ///< folders that did not exist before, the outermost first
};

/** \brief Creates the missing folders of outputs. They are removed if nothing is written to them. */
class MadeFolders
{
public:
  /** \param[in] files outputs; an empty name is ignored, and a name that ends with a slash is a folder */
  explicit MadeFolders(const std::vector<std::string> & files);

private:
  std::list<MadeFolder> m_Folders;
};

/** \brief Checks whether an output can be written. Leaves no files, even after a signal.
 *
 * \exception ProgramError as AtomicOutput() */
void
CheckOutput(const std::string & target);

/** \brief Adds a mark to the hidden folders of this process, by which another process can find them. */
void
SetOutputMark(const std::string & mark);

/** \brief Removes the hidden folders of a process that has ended.
 *
 * \param[in] target the output file of that process
 * \param[in] mark the mark of that process */
void
RemoveLeftOutput(const std::string & target, const std::string & mark);

/** \brief Makes SIGINT, SIGTERM and SIGHUP remove the folders of all AtomicOutput objects before they end the program.
 *
 * It needs to be called before other threads are started. Processes that are forked later have no thread that waits for
 * signals, so they need to call it themselves.
 *
 * \param[in] first called with a signal in the thread that waits for signals. It returns true if the program ends by
 * itself, so that nothing is removed. Empty: no signal is left to the program. */
void
RemoveOutputsOnSignals(const std::function<bool(int)> & first = nullptr);

} // namespace CudaSplineProgram

#endif
