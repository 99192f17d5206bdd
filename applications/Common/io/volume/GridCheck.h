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
#ifndef CudaSplineProgram_GridCheck_h
#define CudaSplineProgram_GridCheck_h

#include "io/volume/Volume.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Returns the bytes of an image on a grid as a number that does not overflow. */
double
CountBytes(const Grid & grid, ScalarType type);

/** \brief Returns the reason why a grid has no valid position in space: spacings that are not above 0, numbers beyond
 * 1e15, axes that are not independent. Empty if it is valid. */
std::string
WhyNoGeometry(const Grid & grid);

} // namespace CudaSplineProgram

#endif
