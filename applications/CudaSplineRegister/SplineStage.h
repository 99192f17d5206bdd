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
#ifndef CudaSplineRegister_SplineStage_h
#define CudaSplineRegister_SplineStage_h

#include "Registration.h"
#include "StageInputs.h"
#include "StageTransforms.h"

#include <cstddef>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Whether the kernels can do a B-spline stage by themselves: by LBFGS they can, but for what the metric's
 * kernels cannot, and for transforms behind that the kernels do not know. What they cannot, and descents, is
 * itk::ImageRegistrationMethodv4's. */
template <typename TPixel, unsigned int VDimension>
bool
IsSplineStageOfKernels(const StageInputs<TPixel, VDimension> & inputs,
                       const StageOptions &                    stage,
                       const Options &                         options);

/** \brief Runs a stage of a B-spline transform by the kernels, as itk::ImageRegistrationMethodv4 and
 * itk::LBFGSOptimizerv4 do it.
 *
 * \param[in] inputs whose transform, a B-spline transform, is optimized
 * \param[in] request what the user wants
 * \param[in] number of the stage
 * \param[in] meshes cells of each level's grid
 * \param[out] isStopped by the signal: the transform is the best so far
 * \exception ProgramError the device that was asked for failed
 * \exception itk::ExceptionObject images that do not fit, or do not overlap */
template <typename TPixel, unsigned int VDimension>
StageResult
RunSplineStage(const StageInputs<TPixel, VDimension> &                         inputs,
               const RegistrationRequest &                                     request,
               std::size_t                                                     number,
               const std::vector<typename StageTransforms<VDimension>::Mesh> & meshes,
               bool &                                                          isStopped);

} // namespace CudaSplineRegister

#endif
