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
#ifndef ArrayLaunchers_h
#define ArrayLaunchers_h

#include "kernels/ArrayArguments.h"

namespace itk::CudaSpline
{

class Stream;

/** \brief Enqueues an affine map of floats in three dimensions, by tiles of the source in shared memory.
 *
 * \param[in] array of a source of float; of any map
 * \param[in] stream of the current device
 * \return false where no tile serves, and nothing was enqueued
 * \exception DeviceError a call of CUDA failed */
bool
LaunchArrayTiles(const ArrayArguments & array, const Stream & stream);

/** \brief Of 64 boxes of a list, those whose coordinates have to lie in a tile: else LaunchArrayListTiles() does
 * nothing.
 */
inline constexpr unsigned int LeastFittingBoxes = 52;

/** \brief The same at a list of coordinates, where neighbours of the output are neighbours in the source. That is seen
 * on the device, where the number of boxes that fit is left for the kernel that serves if they are too few.
 *
 * \param[out] fitting one number in device memory
 * \return false where no tile serves, as of orders 2 and 4, and nothing was enqueued */
bool
LaunchArrayListTiles(const ArrayArguments & array, unsigned int * fitting, const Stream & stream);

} // namespace itk::CudaSpline

#endif
