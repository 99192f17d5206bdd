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
#ifndef CudaSplineRegister_HelpText_h
#define CudaSplineRegister_HelpText_h

#include <string>

namespace CudaSplineRegister
{

/** \brief Returns the purpose of the program in two sentences. */
std::string
HelpSummary();

/** \brief Returns conventions and examples for the end of --help. */
std::string
HelpDetails();

} // namespace CudaSplineRegister

#endif
