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
#ifndef pipeline_ResultWarnings_h
#define pipeline_ResultWarnings_h

#include "pipeline/PipelineMessages.h"
#include "pipeline/RegistrationStart.h"

#include <cstddef>

/** \file
 * \brief Warnings about levels. */

namespace itk::CudaSpline
{

/** \brief Warns of levels of a stage that made the metric worse, or ended while it still fell fast.
 *
 * \param[in] stage the stage
 * \param[in] number its number
 * \param[in] outcome its levels
 * \param[in,out] messages gets the warnings */
void
WarnOfLevels(const StageSpec & stage, std::size_t number, const StageOutcome & outcome, PipelineMessages & messages);

/** \brief Warns of a start that moves the images along axes, or by parameters, that the first stage keeps. */
void
WarnOfRestrictedStart(const RegistrationSpec &  spec,
                      const RegistrationStart & start,
                      const FieldGrid &         fixed,
                      PipelineMessages &        messages);

/** \brief Warns of field stages whose levels cannot move anything. */
void
WarnOfStillLevels(const RegistrationSpec & spec, const FieldGrid & fixed, PipelineMessages & messages);

} // namespace itk::CudaSpline

#endif
