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
#ifndef CudaSplineRegister_StageOptimizer_h
#define CudaSplineRegister_StageOptimizer_h

#include "CommandLine.h"

#include "itkArray.h"
#include "itkObjectToObjectOptimizerBase.h"
#include "itkOptimizerParameterScalesEstimator.h"

#include <cstddef>

namespace CudaSplineRegister
{

/** \brief The optimizer of a stage, but for what its levels set.
 *
 * Gradient descents take their scales from the estimator, but for B-splines, all of whose parameters are coefficients
 * in mm; a quasi-Newton optimizer, for which scales are lengths and not their squares, those of SetUpLevel().
 *
 * \param[in] estimator of parameter scales and step lengths */
itk::ObjectToObjectOptimizerBaseTemplate<double>::Pointer
MakeOptimizer(const StageOptions & stage, itk::OptimizerParameterScalesEstimatorTemplate<double> * estimator);

/** \brief Prepares an optimizer for a level.
 *
 * \param[in] stage what the user wants
 * \param[in] level its number
 * \param[in] step longest first step, mm
 * \param[in] movements how far a unit of each parameter moves points, mm; empty: a unit is a mm */
void
SetUpLevel(itk::ObjectToObjectOptimizerBaseTemplate<double> * optimizer,
           const StageOptions &                               stage,
           std::size_t                                        level,
           double                                             step,
           const itk::Array<double> &                         movements);

} // namespace CudaSplineRegister

#endif
