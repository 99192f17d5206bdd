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
#ifndef ResampleKernel_h
#define ResampleKernel_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include "kernels/common/SharedMemorySizes.h"

#include <cstdint>
#include <string>

namespace itk::CudaSpline
{

/** \brief Describes the kernel with which a device evaluates a resampling: ChooseKernel() with the values that are
 * known beforehand.
 *
 * \param[in] descriptor the resampling, with its scanline ends if it has them
 * \param[in] samples the source
 * \param[in] lines lines of a slab
 * \param[in] memory shared memory of the device
 * \param[in] context threads that read the ends */
std::string
DescribeResampleKernel(const ResampleDescriptor & descriptor,
                       const SourceDescriptor &   samples,
                       std::int64_t               lines,
                       const SharedMemorySizes &  memory,
                       const ExecutionContext &   context);

} // namespace itk::CudaSpline

#endif
