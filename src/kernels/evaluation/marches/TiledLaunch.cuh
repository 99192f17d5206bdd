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
#ifndef TiledLaunch_cuh
#define TiledLaunch_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/common/SharedMemory.cuh"
#include "kernels/evaluation/EvaluationLaunchers.h"
#include "kernels/evaluation/marches/AxisPlaces.cuh"

#include <algorithm>
#include <cmath>

#include <cuda_runtime.h>

/** \file
 * \brief Common functions to launch the kernels that use tiles. */

namespace itk::CudaSpline
{

namespace
{

/** Returns the number of output slices for a block. The number is chosen so that the blocks fill the device in whole
 * waves. The start of a block, including the slices that it reads before its first output, is taken into account. */
inline int
SlicesOfBlock(std::int64_t tiles, int slices, int blocksOfMultiprocessor)
{
  constexpr double begin = 5.0; // cost of the start of a block, in slices
  int              device = 0;
  int              multiprocessors = 0;
  CheckCuda(cudaGetDevice(&device), "cudaGetDevice");
  CheckCuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  const double places = static_cast<double>(multiprocessors) * blocksOfMultiprocessor;
  int          best = std::min(slices, MaxSlices);
  double       least = 1e300;
  for (int parts = (slices + MaxSlices - 1) / MaxSlices; parts <= slices; ++parts)
  {
    const int    chunk = (slices + parts - 1) / parts;
    const double blocks = static_cast<double>(tiles) * ((slices + chunk - 1) / chunk);
    const double time = std::ceil(blocks / places) * (chunk + begin);
    if (time < least)
    {
      least = time;
      best = chunk;
    }
    if (chunk < 8)
    {
      break;
    }
  }
  return best;
}

/** Launches a kernel that uses tiles, once for each component of the pixels.
 *
 * \param[in] kernel the kernel
 * \param[in] bytes shared memory of a block
 * \param[in] blocks blocks of a multiprocessor */
template <unsigned int VDimension, typename TReal, typename TKernel>
void
LaunchMapKernel(TKernel *                       kernel,
                const char *                    name,
                EvaluationArguments<VDimension> arguments,
                const KernelRequest &           request,
                std::size_t                     bytes,
                int                             blocks,
                StreamHandle                    stream)
{
  const SlabSlices   slab = SlicesOfSlab(arguments, request.lines);
  const auto         blocksOf = [](std::int64_t count, int size) { return (count + size - 1) / size; };
  const std::int64_t across = blocksOf(arguments.samples, arguments.tiles.tileX);
  const std::int64_t down = blocksOf(slab.rows, arguments.tiles.tileY);
  const bool         isCubicConvolution = request.method == Interpolation::CubicConvolution;
  TiledPart          part{ slab, SlicesOfBlock(across * down, slab.count, blocks), 0, isCubicConvolution };
  const dim3         grid(static_cast<unsigned int>(across),
                  static_cast<unsigned int>(down),
                  static_cast<unsigned int>(blocksOf(slab.count, part.chunk)));
  AllowSharedMemory(kernel, bytes);
  const auto * const source = static_cast<const TReal *>(arguments.source);
  for (; part.component < arguments.components; ++part.component)
  {
    arguments.source = source + part.component * arguments.planeStride;
    kernel<<<grid, TileThreads, bytes, stream>>>(arguments, part);
    CheckCuda(cudaGetLastError(), name);
  }
}

} // namespace
} // namespace itk::CudaSpline

#endif
