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
#ifndef ResampleLaunchers_h
#define ResampleLaunchers_h

#include "itkCudaSpline/device/Stream.h"

#include "kernels/ResampleFunctor.h"

/** \file
 * \brief The launches of the resampling kernels: each family is compiled in a file of its own. Dimensions 1 to 3.
 *
 * \p lines scanlines of the slab that \p arguments points to, in device memory; enqueued in \p stream. */

namespace itk::CudaSpline
{

template <unsigned int VDimension>
void
LaunchNearest(const ResampleArguments<VDimension> & arguments, std::int64_t lines, const Stream & stream);

/** By arguments.element: Float32 or Float64. */
template <unsigned int VDimension>
void
LaunchLinear(const ResampleArguments<VDimension> & arguments, std::int64_t lines, const Stream & stream);

template <unsigned int VDimension>
void
LaunchSplineSingle(unsigned int                          order,
                   const ResampleArguments<VDimension> & arguments,
                   std::int64_t                          lines,
                   const Stream &                        stream);

template <unsigned int VDimension>
void
LaunchSplineDouble(unsigned int                          order,
                   const ResampleArguments<VDimension> & arguments,
                   std::int64_t                          lines,
                   const Stream &                        stream);

} // namespace itk::CudaSpline

#endif
