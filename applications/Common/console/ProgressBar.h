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
#ifndef CudaSplineProgram_ProgressBar_h
#define CudaSplineProgram_ProgressBar_h

#include <chrono>
#include <ostream>
#include <string>

namespace CudaSplineProgram
{

/** \brief Shows the progress of a stage as a line on stderr, if stderr is a terminal. The line is cleared at the end.
 */
class ProgressBar
{
public:
  ProgressBar();
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &
  operator=(const ProgressBar &) = delete;
  ~ProgressBar();

  /** \brief Shows the name of a stage and its finished fraction in [0, 1]. It is redrawn at most ten times a second. */
  void
  Show(const std::string & stage, double fraction);

  /** \brief Clears the line. */
  void
  Wipe();

  /** \brief Returns whether stderr is a terminal. */
  bool
  IsOnTerminal() const
  {
    return m_Terminal;
  }

private:
  static std::string
  MakeLine(const std::string & stage, double fraction);

  std::ostream                          m_Stream; ///< stderr, also while std::cerr is redirected
  bool                                  m_Terminal;
  std::string                           m_Drawn;
  std::chrono::steady_clock::time_point m_LastTime;
};

} // namespace CudaSplineProgram

#endif
