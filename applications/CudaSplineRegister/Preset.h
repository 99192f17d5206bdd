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
#ifndef CudaSplineRegister_Preset_h
#define CudaSplineRegister_Preset_h

#include "RawOptions.h"

namespace CudaSplineRegister
{

/** \brief Gives the options that the user left out the values of a preset, --preset fast, standard or brain.
 *
 * \param[in,out] raw the user's own are kept
 * \param[in] isLarge whether levels are those of a fixed image that is longer than largestOfPresets along an axis
 * \exception ProgramError an unknown preset, or stages beside it */
void
ApplyPreset(RawOptions & raw, bool isLarge);

} // namespace CudaSplineRegister

#endif
