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
#ifndef CudaSplineRegister_OptionChecks_h
#define CudaSplineRegister_OptionChecks_h

#include "cli/RawOptions.h"

/** \file
 * \brief Options that need each other, or exclude each other. */

namespace CudaSplineRegister
{

/** \brief Checks the outputs.
 *
 * \exception ProgramError no output is given, or one needs another option */
void
CheckOutputs(const Options & options);

/** \brief Checks options that only some stages have. */
void
CheckStages(const RawOptions & raw, const Options & options);

/** \brief Checks that options of --warped are given only with it. */
void
CheckWarped(const Options & options);

} // namespace CudaSplineRegister

#endif
