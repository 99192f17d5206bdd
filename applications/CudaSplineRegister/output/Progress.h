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
#ifndef CudaSplineRegister_Progress_h
#define CudaSplineRegister_Progress_h

#include "cli/CommandLine.h"
#include "console/ProgressBar.h"
#include "registration/Registration.h"

#include <optional>
#include <string>

namespace CudaSplineRegister
{

/** \brief Shows the progress of a registration on stderr: a bar on a terminal, otherwise a line for each level. With
 * --quiet only warnings are shown. With --verbose neither is shown, because each iteration has a line on stdout. */
class Progress
{
public:
  explicit Progress(const Options & options)
    : m_Options(options)
  {}

  /** \brief Shows an iteration that has ended. */
  void
  Show(const Iteration & iteration);

  /** \brief Shows a warning. */
  void
  Note(const std::string & text);

  /** \brief Clears the bar at the end of the registration. */
  void
  End();

private:
  void
  WriteLevel();

  const Options &          m_Options;
  ProgressBar              m_Bar;
  std::optional<Iteration> m_First; ///< of the level
  std::optional<Iteration> m_Last;
};

} // namespace CudaSplineRegister

#endif
