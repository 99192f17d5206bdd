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
#ifndef CudaSplineRegister_LinearStage_h
#define CudaSplineRegister_LinearStage_h

#include "Registration.h"
#include "StageInputs.h"

#include <cstddef>

namespace CudaSplineRegister
{

/** \brief Whether the kernels can do a stage by themselves: what they cannot, LBFGS, sampled voxels, transforms behind
 * that are not linear, is itk::ImageRegistrationMethodv4's. */
template <typename TPixel, unsigned int VDimension>
bool
IsStageOfKernels(const StageInputs<TPixel, VDimension> & inputs, const StageOptions & stage, const Options & options);

/** \brief Runs a stage of a linear transform by the kernels, as itk::ImageRegistrationMethodv4 does it.
 *
 * \param[in] inputs of which the transform is optimized
 * \param[in] request what the user wants
 * \param[in] number of the stage
 * \param[out] isStopped by the signal: the transform is the best so far
 * \exception ProgramError the device that was asked for failed
 * \exception itk::ExceptionObject images that do not fit, or do not overlap */
template <typename TPixel, unsigned int VDimension>
StageResult
RunLinearStage(const StageInputs<TPixel, VDimension> & inputs,
               const RegistrationRequest &             request,
               std::size_t                             number,
               bool &                                  isStopped);

} // namespace CudaSplineRegister

#endif
