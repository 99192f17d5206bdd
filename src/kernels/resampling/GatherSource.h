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

/** \brief The samples of a source in a texture for gathers. It is created when linear interpolation along scanlines of
 * three dimensions reads them for the second time, if twice its memory is available.
 *
 * \param[in] descriptor the resampling
 * \param[in] source floats of one component, in device memory
 * \param[in] spareBytes called before it is created: device memory that no other operation needs
 * \return an object that exists as long as the source; null for other methods and sources, and if it does not exist
 * yet */
const GatherTexture *
GatherTextureOf(const ResampleDescriptor &           descriptor,
                const SampleSource &                 source,
                const std::function<std::size_t()> & spareBytes);

} // namespace itk::CudaSpline

#endif
