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
#ifndef CudaSplineRegister_Words_h
#define CudaSplineRegister_Words_h

#include "CommandLine.h"

#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief What the command line says that has no type of its own in CLI11, as texts. Vectors: once, or once a stage,
 * where nothing else is said. */
struct RawOptions
{
  std::vector<std::string> stages;
  std::vector<std::string> metrics;
  std::vector<std::string> alsoFixed; ///< of this and the next, one a pair of images
  std::vector<std::string> alsoMoving;
  std::vector<std::string> optimizers;
  std::vector<std::string> levels;
  std::vector<std::string> iterations;
  std::vector<std::string> shrink;
  std::vector<std::string> sigmas;
  std::vector<std::string> samplings;
  std::vector<std::string> fractions;
  std::vector<std::string> steps;
  std::vector<std::string> minimumSteps;
  std::vector<std::string> gridSpacings;
  std::vector<std::string> radii;
  std::vector<std::string> learningRates;
  std::vector<std::string> updateVariances;
  std::vector<std::string> totalVariances;
  std::vector<std::string> convergences;
  std::string              preset;
  std::string              motion;
  std::string              winsorize;
  std::string              initial;
  std::string              initialization;
  std::string              gradient{ "differences" };
  std::string              bins; ///< empty: 50
  std::string              interpolation{ "linear" };
  std::string              seed{ "121212" };
  std::string              precision{ "float" };
  std::string              defaultValue{ "0" };
  std::string              device{ "auto" };
  std::string              maxMemory;
};

/** \brief Checks the texts and turns them into options.
 *
 * \param[in,out] options has what needs no check
 * \exception ProgramError one is wrong, or does not go with another */
void
Interpret(RawOptions raw, Options & options);

} // namespace CudaSplineRegister

#endif
