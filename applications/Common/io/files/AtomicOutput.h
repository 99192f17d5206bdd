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

/** \brief An output file, or a pair of files as .mhd and .raw, that is replaced only when the new one is complete.
 *
 * Files are written under their own names into a hidden folder next to the target, so that a header names its data file
 * as it will be called, and Commit() moves them by renaming, which needs no space and leaves no half-written file. What
 * is not committed is removed, also on SIGINT, SIGTERM and SIGHUP (see RemoveOutputsOnSignals()). What a process that
 * was killed has left is removed by the next that writes into the folder; the folders of those that live are locked. */
class AtomicOutput
{
public:
  /** \param[in] target the file to write in the end
   * \exception ProgramError its folder does not exist or cannot be written, or the target is a folder */
  explicit AtomicOutput(const std::string & target);
  AtomicOutput(const AtomicOutput &) = delete;
  AtomicOutput &
  operator=(const AtomicOutput &) = delete;
  ~AtomicOutput();

  /** \brief Name under which the new file is written. */
  std::string
  GetTemporaryName() const;

  /** \brief Name of the file that is replaced. */
  std::string
  GetTarget() const
  {
    return m_Target.string();
  }

  /** \brief Removes what was written so far. */
  void
  Clear();

  /** \brief Replaces the target, and the files that belong to it, by what was written.
   *
   * The named file comes last, so that a header never refers to data that are not there. If a rename fails the files
   * replaced before it are put back.
   * \exception ProgramError nothing was written, or a file cannot be replaced */
  void
  Commit();

private:
  std::filesystem::path m_Target;
  std::filesystem::path m_Folder;
  int                   m_Lock{ -1 };      ///< the folder, locked while this process lives
  bool                  m_IsKept{ false }; ///< the folder has what could not be put back
};

/** \brief A folder for outputs that is made with those above it; what was made is removed where nothing was written
 * into it. */
class MadeFolder
{
public:
  /** \param[in] path empty: none. What cannot be made is missed by the outputs. */
  explicit MadeFolder(const std::string & path);
  MadeFolder(const MadeFolder &) = delete;
  MadeFolder &
  operator=(const MadeFolder &) = delete;
  ~MadeFolder();

private:
  std::vector<std::string> m_Made; ///< folders that were not there before, the outermost first
};

/** \brief The folders of outputs that are made where they do not exist, and removed where nothing was written into
 * them.
 */
class MadeFolders
{
public:
  /** \param[in] files outputs; an empty name is ignored, and one that ends with a slash is a folder */
  explicit MadeFolders(const std::vector<std::string> & files);

private:
  std::list<MadeFolder> m_Folders;
};

/** \brief Finds out whether an output can be written, and leaves nothing behind, also on a signal.
 * \exception ProgramError as AtomicOutput() */
void
CheckOutput(const std::string & target);

/** \brief Gives the hidden folders of this process a mark, by which another process finds what is left of them. */
void
SetOutputMark(const std::string & mark);

/** \brief Removes the hidden folders that a process has left that is no more.
 * \param[in] target the file that it was to write
 * \param[in] mark of that process */
void
RemoveLeftOutput(const std::string & target, const std::string & mark);

/** \brief Makes SIGINT, SIGTERM and SIGHUP remove the folders of all AtomicOutput objects before they end the program.
 *
 * To be called before there are other threads, and by a process that forks others later: they have no thread that would
 * wait for signals, and call it themselves.
 *
 * \param[in] first is called with a signal, in the thread that waits for them; true where the program ends by itself
 * then, so that nothing is removed. Empty: no signal is left to the program. */
void
RemoveOutputsOnSignals(const std::function<bool(int)> & first = nullptr);

} // namespace CudaSplineProgram

#endif
