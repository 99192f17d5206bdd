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
#ifndef pipeline_StageDraft_h
#define pipeline_StageDraft_h

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <optional>
#include <string>
#include <vector>

/** \file
 * \brief Stages while their options are read: levels, and values that depend on each other. */

namespace itk::CudaSpline
{

/** \brief A stage while its options are read. Values that depend on each other are set by FinishStage(). */
struct StageDraft
{
  StageSpec                                stage;      ///< all other values
  std::optional<std::vector<unsigned int>> iterations; ///< one value: for all levels
  std::optional<std::vector<unsigned int>> limits;     ///< likewise
  std::optional<std::vector<unsigned int>> shrink;
  std::optional<std::vector<double>>       sigmas;
  std::optional<unsigned int>              levels; ///< their number
  std::optional<double>                    fraction;
};

/** \brief Sets the levels, and checks values that depend on each other.
 *
 * \param[in] draft draft with all options
 * \param[in] number number of the stage
 * \param[in,out] problems receives the problems
 * \return the stage */
StageSpec
FinishStage(const StageDraft & draft, int number, std::vector<SpecProblem> & problems);

/** \brief The names of choices of samples in documents, in the order of SampleChoice. */
const std::vector<std::string> &
GetSamplingNames();

} // namespace itk::CudaSpline

#endif
