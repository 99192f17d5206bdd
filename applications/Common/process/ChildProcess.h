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
#ifndef CudaSplineProgram_ChildProcess_h
#define CudaSplineProgram_ChildProcess_h

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace CudaSplineProgram
{

/** \brief One end of the connection between a process and its child, which transfers texts of arbitrary bytes. */
class ProcessLink
{
public:
  explicit ProcessLink(int file)
    : m_File(file)
  {}

  /** \brief Sends a text.
   *
   * \return false if the other process has ended */
  bool
  Send(const std::string & text) const;

  /** \brief Waits for a text. Empty if the other process has ended. */
  std::optional<std::string>
  Receive() const;

  int
  GetFile() const
  {
    return m_File;
  }

private:
  int m_File;
};

/** \brief How a child ended. */
struct ProcessEnd
{
  int code{ 0 };   ///< exit code
  int signal{ 0 }; ///< signal that ended it; 0: it has exited
};

/** \brief Returns "its process was ended by a signal: ..." or "its process ended with code ...". */
std::string
TextOf(const ProcessEnd & end);

/** \brief A child process, and the connection to it.
 *
 * It does not have the connections of other children, and it is ended when its parent ends. A child must not use a GPU
 * that its parent has used. */
class ChildProcess
{
public:
  /** \brief Forks.
   *
   * \param[in] work is run by the child, which ends when it returns; it does not throw
   * \param[in] signalOfParentsEnd is sent to the child if the parent ends first
   * \exception ProgramError no process can be started */
  ChildProcess(const std::function<void(const ProcessLink &)> & work, int signalOfParentsEnd);
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &
  operator=(const ChildProcess &) = delete;
  /** Calls End(). */
  ~ChildProcess();

  const ProcessLink &
  GetLink() const
  {
    return m_Link;
  }

  /** \brief Closes the connection, and waits for the end of the child. */
  ProcessEnd
  End();

  /** \brief Ends the child at once. */
  ProcessEnd
  Kill();

private:
  pid_t       m_Process{ -1 };
  ProcessLink m_Link{ -1 };
  ProcessEnd  m_End;
};

} // namespace CudaSplineProgram

#endif
