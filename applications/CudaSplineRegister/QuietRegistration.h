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
#ifndef CudaSplineRegister_QuietRegistration_h
#define CudaSplineRegister_QuietRegistration_h

#include "Registration.h"

namespace CudaSplineRegister
{

/** \brief Register() with what ITK warns of kept for the end, and with --verbose a line an iteration.
 * \param[in] linesPerIteration print them */
RegistrationResult
RegisterQuietly(RegistrationRequest & request, const Options & options, bool linesPerIteration);

/** \brief The moving image under a transform, with the default value where it was not finite.
 * \param[in] finite of TakeOutWhatIsNotFinite() */
Volume
WarpWhatIsFinite(const RegistrationRequest &   request,
                 const std::optional<Volume> & finite,
                 const itk::TransformBase *    transform);

/** \brief Says, with the numbers, where the images hardly overlap under a transform, or where the one tells nothing of
 * the other; empty where neither is so. See MeasureAgreement(). */
std::string
DescribePoorAgreement(const Agreement & agreement);

} // namespace CudaSplineRegister

#endif
