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
#ifndef itkCudaSpline_pipeline_RegistrationForecast_h
#define itkCudaSpline_pipeline_RegistrationForecast_h

#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include <cstddef>
#include <string>
#include <vector>

/** \file
 * \brief Estimates the memory and the duration of a registration, without pixels. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplinePipeline
 * @{ */

/** \brief The estimate for a stage. */
struct StageForecast
{
  Backend     backend{ Backend::Cpu }; ///< backend that would compute it
  std::string reason;                  ///< why that backend; may be empty
  std::size_t bytes{ 0 };              ///< maximum memory that it allocates on its backend, including the images
  std::size_t leastBytes{ 0 };         ///< the same where memory is short, with less speed
  double      seconds{ 0.0 };          ///< estimated duration if all iterations are needed
  /** Numbers of levels, from 0, that windows of local correlation do not fit into: they are skipped. */
  std::vector<std::size_t> narrowLevels;
};

/** \brief Estimates the stages of a registration. Starts no device unless the user named one.
 *
 * \param[in] input images whose pixels and masks may be null
 * \param[in] spec specification of the registration
 * \param[in] device,context as for RunRegistration()
 * \exception SpecError the specification does not fit the images */
std::vector<StageForecast>
ForecastRegistration(const RegistrationInput & input,
                     const RegistrationSpec &  spec,
                     const std::string &       device,
                     const ExecutionContext &  context);

/** @} */
} // namespace itk::CudaSpline

#endif
