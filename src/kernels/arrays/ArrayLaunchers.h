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

/** \brief Enqueues an interpolation of floats in three dimensions, by tiles of the source in shared memory: affine maps
 * of order 1 and more, and of orders 3 and 5 maps by axis, and lists of which neighbours in the output are neighbours
 * in the source. That is seen on the device, for which the host waits.
 *
 * \param[in] array of a source of float; of any map
 * \param[in] stream of the current device
 * \return false where no tile serves, and nothing was enqueued that writes the output
 * \exception DeviceError a call of CUDA failed */
bool
LaunchArrayTiles(const ArrayArguments & array, const Stream & stream);

/** \brief Whether neighbours in the output of a list of coordinates in three dimensions are neighbours in the source:
 * caches have them then. Seen on the device, for which the host waits.
 *
 * \param[in] array of any map
 * \param[in] stream of the current device
 * \return false also where the output is too thin to tell
 * \exception DeviceError a call of CUDA failed */
bool
ListLiesTogether(const ArrayArguments & array, const Stream & stream);

/** \brief Enqueues an interpolation in three dimensions at a list of coordinates, of order 3 or 5, by a copy of the
 * source whose neighbours along all axes are neighbours in memory.
 *
 * \param[in] arguments of floats for which LaunchArrayTiles() did not serve, or of doubles
 * \param[in] element of the source, Float32 or Float64
 * \param[in] stream of the current device
 * \return false where the source is too small or the list too short for it to serve, its coordinates are close
 * together, or there is no memory for the copy; nothing was enqueued that writes the output
 * \exception DeviceError a call of CUDA failed */
bool
LaunchArrayBricks(const ArrayArguments & arguments, ScalarType element, const Stream & stream);

} // namespace itk::CudaSpline

#endif
