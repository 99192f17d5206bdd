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
 * \brief Runs a program of the module like a user: as a separate process with arguments, and returns its outputs. */

/** \brief The results of a process. */
struct ProgramResult
{
  int         code{ -1 };  ///< exit code; -1 if a signal ended the process
  int         signal{ 0 }; ///< the signal that ended it; 0: it has exited
  std::string output;      ///< stdout
  std::string errors;      ///< stderr
  double      memory{ 0 }; ///< maximum memory of the process or of one of its children in bytes

  /** Number of lines on stderr. */
  std::size_t
  CountErrorLines() const;
};

/** \brief How to run the process. */
struct ProgramSettings
{
  std::string                                      program{ "CudaSplineResample" };
  std::vector<std::pair<std::string, std::string>> environment;         ///< added to those of this process
  bool                                             onTerminal{ false }; ///< stderr is a pseudo-terminal
  bool        hasSummary{ false };  ///< CudaSplineRegister prints progress and summary; otherwise it gets --quiet
  std::string outputTo;             ///< file for stdout, if the test does not read it
  long        fileSizeLimit{ -1 };  ///< maximum bytes of a file, as if the disk were full then
  long        openFilesLimit{ -1 }; ///< limit of open files, unless the process raises it
  std::string signalWhenFolder;     ///< folder; SIGTERM is sent when it has a hidden folder
  std::string signalWhenOutput;     ///< text; SIGTERM is sent when stdout contains it
  bool        hasNoLinks{ false };  ///< hard links fail, as on file systems without them

  /** Called once when a hidden folder appears in \c signalWhenFolder, instead of the signal. */
  std::function<void()> whenFolder;
};

/** \brief Returns whether a folder contains a hidden one, such as that of an output that is being written. */
bool
HasHiddenFolder(const std::string & folder);

/** \brief Returns whether ProgramSettings::hasNoLinks is supported here. */
bool
CanForbidLinks();

/** \brief Runs the program and waits for it.
 *
 * It is the program in the folder of the tests, or in the build. The environment variable CUDASPLINE_RESAMPLE names
 * another CudaSplineResample. */
ProgramResult
RunProgram(const std::vector<std::string> & arguments, const ProgramSettings & settings = {});

#endif
