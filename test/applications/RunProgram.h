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
#ifndef RunProgram_h
#define RunProgram_h

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Runs a program of the module as a user does: as a process of its own, with arguments, and looks at what comes
 * back.
 */

/** \brief What a process left behind. */
struct ProgramResult
{
  int         code{ -1 };  ///< exit code; -1 where a signal ended the process
  int         signal{ 0 }; ///< the signal that ended it; 0 for an exit
  std::string output;      ///< stdout
  std::string errors;      ///< stderr
  double      memory{ 0 }; ///< bytes that the largest of the process and its children had in memory at most

  /** Number of lines on stderr. */
  std::size_t
  CountErrorLines() const;
};

/** \brief How to run the process. */
struct ProgramSettings
{
  std::string                                      program{ "CudaSplineResample" };
  std::vector<std::pair<std::string, std::string>> environment;         ///< added to this process's
  bool                                             onTerminal{ false }; ///< stderr is a pseudo-terminal
  bool        hasSummary{ false };  ///< CudaSplineRegister writes progress and summary; else it gets --quiet
  std::string outputTo;             ///< file that stdout goes to, where it is not looked at
  long        fileSizeLimit{ -1 };  ///< bytes that a file may have, as if the disk were full then
  long        openFilesLimit{ -1 }; ///< files that may be open, unless the process has it raised
  std::string signalWhenFolder;     ///< send SIGTERM when a hidden folder appears in this one
  std::string signalWhenOutput;     ///< send SIGTERM when stdout has these words
  bool        hasNoLinks{ false };  ///< hard links fail, as on file systems without them

  /** Called once when a hidden folder appears in \c signalWhenFolder, instead of the signal. */
  std::function<void()> whenFolder;
};

/** \brief Whether a folder has a hidden one, as that of an output that is being written. */
bool
HasHiddenFolder(const std::string & folder);

/** \brief Whether ProgramSettings::hasNoLinks is available here. */
bool
CanForbidLinks();

/** \brief Runs the program and waits for it.
 *
 * It is the one in the folder of the tests, or that of the build. The environment variable CUDASPLINE_RESAMPLE names
 * another CudaSplineResample. */
ProgramResult
RunProgram(const std::vector<std::string> & arguments, const ProgramSettings & settings = {});

#endif
