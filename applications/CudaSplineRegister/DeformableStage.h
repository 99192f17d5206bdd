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
#ifndef CudaSplineRegister_DeformableStage_h
#define CudaSplineRegister_DeformableStage_h

#include "FieldStage.h"

#include <cstddef>

namespace CudaSplineRegister
{

/** \brief Runs a stage of fields, by the kernels: SyN, greedy and demons.
 *
 * On a signal the field of the last iteration goes through what is left of the levels without another iteration, so
 * that it ends on the grid of the last one.
 *
 * \param[in] number of the stage among those of the request
 * \exception ProgramError a device that the user asked for did not do it
 * \exception itk::ExceptionObject images that do not fit their levels, a transform before that the kernels do not know
 */
template <typename TPixel, unsigned int VDimension>
FieldOutcome<VDimension>
RunDeformableStage(const FieldInputs<TPixel, VDimension> & inputs,
                   const RegistrationRequest &             request,
                   std::size_t                             number);

} // namespace CudaSplineRegister

#endif
