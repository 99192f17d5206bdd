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

#include "itkCudaSpline/math/ScalarType.h"

#include "kernels/arrays/ArrayArguments.h"

namespace itk::CudaSpline
{

class Stream;

/** \brief Enqueues an interpolation of floats in three dimensions with tiles of the source in shared memory.
 *
 * It is used for affine maps with order 1 and higher. For orders 3 and 5, it is also used for maps that treat each axis
 * separately, and for lists of coordinates if neighbours in the output are neighbours in the source. The lists are
 * checked on the device, and the host waits for the result.
 *
 * \param[in] array arguments with a float source and any map
 * \param[in] stream stream of the current device
 * \return false if tiles cannot be used; nothing that writes the output has been enqueued in this case
 * \exception DeviceError a CUDA call failed */
bool
LaunchArrayTiles(const ArrayArguments & array, const Stream & stream);

/** \brief Checks whether neighbours in the output of a list of coordinates in three dimensions are neighbours in the
 * source, so that caches are effective. The list is checked on the device, and the host waits for the result.
 *
 * \param[in] array arguments with any map
 * \param[in] stream stream of the current device
 * \return true if they are neighbours; false also if the output is too thin to tell
 * \exception DeviceError a CUDA call failed */
bool
ListLiesTogether(const ArrayArguments & array, const Stream & stream);

/** \brief Enqueues an interpolation in three dimensions at a list of coordinates with order 3 or 5. It uses a copy of
 * the source in which neighbours along all axes are close in memory.
 *
 * \param[in] arguments arguments with floats, for which LaunchArrayTiles() returned false, or doubles
 * \param[in] element type of the source, Float32 or Float64
 * \param[in] stream stream of the current device
 * \return false if the source is too small, the list is too short, its coordinates are close together, or there is no
 * memory for the copy; nothing that writes the output has been enqueued in this case
 * \exception DeviceError a CUDA call failed */
bool
LaunchArrayBricks(const ArrayArguments & arguments, ScalarType element, const Stream & stream);

} // namespace itk::CudaSpline

#endif
