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
#ifndef CudaSplineResample_ColdStart_h
#define CudaSplineResample_ColdStart_h

#include "io/formats/ImageInput.h"
#include "Resample.h"

namespace CudaSplineResample
{

/** \brief Returns the minimum time to read the pixels of an image in seconds: from memory, or decompressed by one
 * thread. */
double
MinReadSeconds(const ImageDescription & input);

/** \brief Starts CUDA in a thread if the GPU will be worth it, while the pixels are read. Otherwise does not use the
 * GPU.
 *
 * \param[in] request the computation, without the pixels
 * \param[in] input the image whose pixels are read next */
void
StartDeviceAhead(const ResampleRequest & request, const ImageDescription & input);

} // namespace CudaSplineResample

#endif
