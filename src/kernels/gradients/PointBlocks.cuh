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
#ifndef PointBlocks_cuh
#define PointBlocks_cuh

#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/gradients/GradientArguments.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

/** \file
 * \brief Launch configurations of kernels of points and of elements. */

namespace itk::CudaSpline
{

namespace
{

constexpr int          PointThreads = 128;
constexpr int          ElementThreads = 256;
constexpr std::int64_t MaxBlocks = 1024; // maximum number of blocks of a row; they iterate over the numbers
constexpr unsigned int WarpLanes = 32;   // lanes of a warp
constexpr unsigned int AllLanes = 0xFFFFFFFFU;

inline unsigned int
BlocksFor(std::int64_t count, int threads)
{
  const std::int64_t blocks = (count + threads - 1) / threads;
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "The array has more elements than a grid of blocks can hold.");
  }
  return static_cast<unsigned int>(blocks);
}

/** Returns the grid: a row of blocks of points for each image. */
inline dim3
PointBlocks(const PointArguments & arguments)
{
  constexpr std::int64_t most = 65535;
  return { BlocksFor(arguments.count, PointThreads), static_cast<unsigned int>(std::min(arguments.batches, most)), 1 };
}

} // namespace
} // namespace itk::CudaSpline

#endif
