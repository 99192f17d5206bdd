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

#include "cli/CommandLine.h"
#include "registration/Deformation.h"
#include "registration/Evaluation.h"
#include "registration/Registration.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Results of the program in numbers. */
struct Report
{
  Grid                      fixedGrid;
  Grid                      movingGrid;
  std::vector<StageResult>  stages;
  std::vector<Iteration>    iterations;
  ValueFactors              valueFactors;
  double                    readSeconds{ 0.0 };
  double                    registerSeconds{ 0.0 }; ///< from images in memory to transforms in memory
  double                    evaluateSeconds{ 0.0 }; ///< similarity and overlap
  double                    warpSeconds{ 0.0 };
  double                    writeSeconds{ 0.0 };
  int                       signal{ 0 }; ///< signal that stopped it
  std::optional<Folding>    folding;
  std::optional<Evaluation> evaluation;
  std::optional<Agreement>  before;    ///< agreement at the start of the first stage
  std::optional<Agreement>  agreement; ///< agreement of the transform that was found
  std::vector<std::string>  files;     ///< output files
};

/** \brief Results for a volume of a series. */
struct VolumeReport
{
  std::vector<StageResult> stages;
  std::vector<double> motion; ///< three translations (mm), three rotations (rad); empty if the transform is not rigid
  Agreement           agreement;
  ValueFactors        valueFactors;
  double              seconds{ 0.0 }; ///< including reading and writing
};

/** \brief Results of the program for a series. */
struct SeriesReport
{
  Grid                      fixedGrid;
  Grid                      movingGrid;
  std::vector<VolumeReport> volumes;
  std::vector<std::string>  files; ///< output files
  double                    seconds{ 0.0 };
};

/** \brief Returns Power's framewise displacement between two rigid transforms (NeuroImage 59, 2012): the sum of the
 * magnitudes of the differences of translations (mm) and rotations (rad, on a sphere of 50 mm).
 *
 * \param[in] before, now three translations, three rotations */
double
FramewiseDisplacement(const std::vector<double> & before, const std::vector<double> & now);

/** \brief Returns the metrics of a stage like --metric: "cc", or "cc:0.7,mattes:0.3". */
std::string
NamesOf(const std::vector<itk::CudaSpline::MetricTerm> & metrics);

/** \brief Returns for example "stage 1/2 (rigid), level 2/3". */
std::string
LevelText(const Iteration & iteration, const Options & options);

/** \brief Returns for example "stage 1/2 (rigid), level 2/3, iteration 12: value -0.5, step 0.1 mm". SyN has the
 * convergence value instead of the step. */
std::string
LineOf(const Iteration & iteration, const Options & options);

/** \brief Prints the times of reading, of each stage and its levels, and of writing. */
void
PrintStages(std::ostream & stream, const Report & report, const Options & options);

/** \brief Returns the report as JSON. */
std::string
ToJson(const Report & report, const Options & options);

/** \brief Returns the report of a series as JSON: "volumes" has the stages, the agreement and, for rigid stages, the
 * motion of each volume. */
std::string
ToJson(const SeriesReport & report, const Options & options);

/** \brief Writes a text.
 *
 * \param[in] text the text
 * \param[in] name name of the output, for messages
 * \param[in] file the file
 * \exception ProgramError it could not be written */
void
WriteReport(const std::string & text, const std::string & name, const std::string & file);

} // namespace CudaSplineRegister

#endif
