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

/** \brief Bytes of an image on a grid, as a number that cannot overflow. */
double
CountBytes(const Grid & grid, ScalarType type);

/** \brief Why a grid lies nowhere in space, in words: spacings that are not above 0, numbers beyond 1e15, axes that are
 * not independent; empty where nothing is wrong. */
std::string
WhyNoGeometry(const Grid & grid);

} // namespace CudaSplineProgram

#endif
