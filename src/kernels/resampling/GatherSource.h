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
#ifndef GatherSource_h
#define GatherSource_h

#include "itkCudaSpline/device/GatherTexture.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include <cstddef>
#include <functional>

namespace itk::CudaSpline
{

/** \brief The samples of a source in a texture to gather from, made when linear interpolation along scanlines of three
 * dimensions reads them for the second time, where twice the memory that it takes is spare.
 *
 * \param[in] descriptor what is computed
 * \param[in] source floats of one component, in memory of the device
 * \param[in] spareBytes asked where one would be made: memory of the device that nothing else is going to need
 * \return an object that exists as long as the source; null for other methods and sources, and where there is none yet
 * */
const GatherTexture *
GatherTextureOf(const ResampleDescriptor &           descriptor,
                const SampleSource &                 source,
                const std::function<std::size_t()> & spareBytes);

} // namespace itk::CudaSpline

#endif
