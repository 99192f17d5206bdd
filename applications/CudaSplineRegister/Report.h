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
#ifndef CudaSplineRegister_Report_h
#define CudaSplineRegister_Report_h

#include "CommandLine.h"
#include "Deformation.h"
#include "Evaluation.h"
#include "Registration.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief What the program did, in numbers. */
struct Report
{
  Grid                      fixedGrid;
  Grid                      movingGrid;
  std::vector<StageResult>  stages;
  std::vector<Iteration>    iterations;
  double                    readSeconds{ 0.0 };
  double                    registerSeconds{ 0.0 }; ///< from images in memory to transforms in memory
  double                    warpSeconds{ 0.0 };
  double                    writeSeconds{ 0.0 };
  int                       signal{ 0 }; ///< that stopped it
  std::optional<Folding>    folding;
  std::optional<Evaluation> evaluation;
  std::optional<Agreement>  agreement;
};

/** \brief "stage 1/2 (rigid), level 2/3, iteration 12: value -0.5, step 0.1 mm"; of SyN the convergence value instead
 * of the step. */
std::string
LineOf(const Iteration & iteration, const Options & options);

/** \brief Prints the times of reading, of each stage and its levels, and of writing. */
void
PrintStages(std::ostream & stream, const Report & report, const Options & options);

/** \brief The report as JSON. */
std::string
ToJson(const Report & report, const Options & options);

} // namespace CudaSplineRegister

#endif
