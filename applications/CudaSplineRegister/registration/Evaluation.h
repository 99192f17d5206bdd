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
#ifndef CudaSplineRegister_Evaluation_h
#define CudaSplineRegister_Evaluation_h

#include "cli/CommandLine.h"
#include "registration/Registration.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Overlap of a label: `2 |A and B| / (|A| + |B|)`. */
struct Overlap
{
  double before{ 0.0 };
  double after{ 0.0 };
};

/** \brief Distances of landmarks in mm. */
struct Distances
{
  double mean{ 0.0 };
  double median{ 0.0 };
  double largest{ 0.0 };
};

/** \brief Evaluation of a registration. "Before" is the start of the first stage. */
struct Evaluation
{
  std::optional<std::array<Similarity, 2>> similarity; ///< before and after
  std::map<std::int64_t, Overlap>          overlaps;   ///< by label, except 0
  std::size_t                              landmarks{ 0 };
  std::array<Distances, 2>                 distances; ///< before and after
  double                                   seconds{ 0.0 };
};

/** \brief Returns the mean over all labels. */
Overlap
MeanOverlap(const std::map<std::int64_t, Overlap> & overlaps);

/** \brief Labels and landmarks of the user. */
struct GroundTruth
{
  std::optional<Volume>    fixedLabels; ///< of double
  std::optional<Volume>    movingLabels;
  std::vector<Coordinates> fixedLandmarks; ///< points in ITK's space, mm
  std::vector<Coordinates> movingLandmarks;
};

/** \brief Reads the files of the user.
 *
 * \exception ProgramError a file cannot be read, or does not match another one */
GroundTruth
ReadGroundTruth(const Options & options, const Grid & fixed, const Grid & moving);

/** \brief Adds landmarks and labels to a request if a stage uses them, and sliding regions.
 *
 * \exception ProgramError labels that are not integers of 32 bits */
void
AddTerms(const GroundTruth & truth, RegistrationRequest & request);

/** \brief Reads points in mm (LPS) from a file of lines x,y or x,y,z. Additional columns are ignored. Empty lines,
 * lines that begin with #, and a first line without numbers are skipped.
 *
 * \exception ProgramError an invalid line, or a file without points */
std::vector<Coordinates>
ReadLandmarks(const std::string & file, unsigned int dimension);

/** \brief Evaluates the transforms of a result. */
Evaluation
Evaluate(const RegistrationRequest & request, const RegistrationResult & result, const GroundTruth & truth);

/** \brief Prints an evaluation: one line per number, and overlaps as a table with their mean. */
void
PrintEvaluation(std::ostream & stream, const Evaluation & evaluation);

} // namespace CudaSplineRegister

#endif
