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
#ifndef itkCudaSpline_device_Processor_h
#define itkCudaSpline_device_Processor_h

#include <string>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief The model of the processor, as it says itself; empty where it does not say.
 *
 * Takes microseconds. Linux's /proc/cpuinfo has the name too, but also how fast each core runs at the moment, which
 * takes many kernels 10 ms to find out: as long as a small image takes to be resampled. */
std::string
ProcessorName();

/** @} */
} // namespace itk::CudaSpline

#endif
