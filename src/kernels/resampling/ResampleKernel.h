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

/** \brief The kernel that a device evaluates a resampling with, in words: ChooseKernel() by what is known before.
 *
 * \param[in] descriptor what is done, with its scanline ends where it has them
 * \param[in] samples what is evaluated
 * \param[in] lines lines of a slab
 * \param[in] memory of the device
 * \param[in] context threads that go through the ends */
std::string
DescribeResampleKernel(const ResampleDescriptor & descriptor,
                       const SourceDescriptor &   samples,
                       std::int64_t               lines,
                       const SharedMemorySizes &  memory,
                       const ExecutionContext &   context);

} // namespace itk::CudaSpline

#endif
