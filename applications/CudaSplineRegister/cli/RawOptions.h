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
#ifndef CudaSplineRegister_RawOptions_h
#define CudaSplineRegister_RawOptions_h

#include "cli/CommandLine.h"
#include "io/volume/GridArguments.h"

#include <map>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief The texts of the command line. Options of stages are given once, or once for each stage. */
struct RawOptions
{
  std::vector<std::string>                        stages;
  std::map<std::string, std::vector<std::string>> stageOptions; ///< by their names in documents
  std::vector<std::string>                        alsoFixed;    ///< one value per pair, like the next option
  std::vector<std::string>                        alsoMoving;
  bool                                            hasChannels{ false }; ///< colours are three additional pairs
  std::string                                     preset;
  std::string                                     spec; ///< file of a document
  std::string                                     motion;
  std::string                                     winsorize;
  std::vector<std::string>                        initial; ///< transforms
  bool                                            hasAntsOrder{ false };
  std::string                                     initialization;
  std::string                                     interpolation; ///< empty: linear;
  std::string                                     precision;
  std::string                                     defaultValue{ "0" };
  GridArguments                                   grid;
  std::string                                     outputType;
  std::string                                     device{ "auto" };
  std::string                                     maxMemory;
};

/** \brief Checks the texts and turns them into options.
 *
 * \param[in,out] options has what needs no check
 * \exception ProgramError one is wrong, or does not go with another */
void
Interpret(RawOptions raw, Options & options);

} // namespace CudaSplineRegister

#endif
