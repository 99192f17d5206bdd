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
#ifndef CudaSplineRegister_Explain_h
#define CudaSplineRegister_Explain_h

#include "io/formats/PathIdentity.h"
#include "registration/RegistrationInput.h"
#include "output/WarpedOutput.h"

#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Describes a registration without running it: images, start, stages with levels and options, memory, backend
 * and estimated duration of each stage, and its output files.
 *
 * \param[in] inputs headers of the images
 * \param[in] format format of --warped
 * \param[in] outputs options and names of the files */
std::string
ExplainRegistration(const Options &                options,
                    const RegistrationInputs &     inputs,
                    const WarpedFormat &           format,
                    const std::vector<NamedPath> & outputs);

} // namespace CudaSplineRegister

#endif
