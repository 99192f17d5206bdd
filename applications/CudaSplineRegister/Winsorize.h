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
#ifndef CudaSplineRegister_Winsorize_h
#define CudaSplineRegister_Winsorize_h

#include "Volume.h"

#include <array>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // what the programs share

/** \brief An image whose values below and above two quantiles of its finite values are these quantiles.
 *
 * Quantiles are found to a 65536th of the range of values.
 *
 * \param[in] image of float or double
 * \param[in] quantiles from 0 to 1, the lower first */
Volume
Winsorize(const Volume & image, const std::array<double, 2> & quantiles);

} // namespace CudaSplineRegister

#endif
