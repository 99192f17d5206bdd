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
#ifndef CudaSplineProgram_PlanarPixels_h
#define CudaSplineProgram_PlanarPixels_h

#include <cstddef>

namespace CudaSplineProgram
{

/** \brief Copies numbers that are interleaved in pixels to a plane for each component.
 *
 * \param[in] numberBytes bytes of a number: 1, 2, 4 or 8
 * \param[in] from the pixels
 * \param[in] pixels number of pixels
 * \param[in] components numbers of a pixel
 * \param[out] to the planes */
void
TakeApart(std::size_t numberBytes, const void * from, std::size_t pixels, unsigned int components, void * to);

} // namespace CudaSplineProgram

#endif
