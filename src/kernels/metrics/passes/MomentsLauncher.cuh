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
#ifndef MomentsLauncher_cuh
#define MomentsLauncher_cuh

#include "kernels/metrics/passes/MetricLaunchers.h"
#include "kernels/metrics/passes/MetricPass.cuh"

/** \file
 * \brief Launch of the kernels that sum the moments of derivatives. src/CudaSplineInstances.cmake lists the sources
 * that compile it. */

namespace itk::CudaSpline
{

template <unsigned int VSets, SampleMove VMove, typename TValues, unsigned int VDimension>
MetricResult
MomentsLauncher<VSets, VMove, TValues, VDimension>::Sum(MetricArguments<VDimension> & arguments,
                                                        const Stream &                stream,
                                                        const InformationNumbers *    made)
{
  return SumSamples<VMove, TValues, VSets>(arguments, stream, made);
}

} // namespace itk::CudaSpline

#endif
