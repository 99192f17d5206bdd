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
#ifndef ArrayBoxKernel_cuh
#define ArrayBoxKernel_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/ArrayEvaluation.h"
#include "kernels/SharedMemory.cuh"

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Affine maps of three dimensions in double precision, by blocks that bring the box of the source that they need
 * into shared memory.
 *
 * Where a line of the output crosses rows of the source the words of a warp lie in as many rows, of which the cache
 * serves one a clock: 64 taps take 500 clocks and more. From shared memory they take a third of it, and the box costs
 * some ten loads an element. The sums are those of ArrayValue(), so the bits are too. */

namespace itk::CudaSpline
{

/** \brief Elements of the output that a block makes along each axis. */
inline constexpr int BoxTile = 8;

inline constexpr int BoxThreads = 256;

/** \brief The most shared memory of a block: a multiprocessor of 227 KB holds three. */
inline constexpr std::size_t MostBoxBytes = std::size_t{ 72 } << 10;

/** \brief The box of a block, x first: the same size for all blocks. */
struct ArrayBox
{
  int          extent[3];
  int          pitch;
  unsigned int tiles[3]; ///< of the output
  double       low[3];   ///< coordinate of the first element of a tile to the least one of the tile
  double       high[3];  ///< the same to the largest one
  std::size_t  bytes;

  /** \param[in] arguments of an affine map from three axes to three, which are no batch */
  explicit ArrayBox(const ArrayArguments & arguments)
  {
    double size = 1.0;
    for (unsigned int d = 0; d < 3; ++d)
    {
      low[d] = 0.0;
      high[d] = 0.0;
      for (unsigned int k = 0; k < 3; ++k)
      {
        const double reach = arguments.matrix[d][2 - k] * (BoxTile - 1);
        (reach < 0.0 ? low : high)[d] += reach;
      }
      // The supports of both ends, and a sample for the roundings of either.
      const double width = std::ceil(high[d] - low[d]) + arguments.order + 4.0;
      size *= width;
      extent[d] = width < 4096.0 ? static_cast<int>(width) : 4096;
      const std::int64_t count = arguments.output.shape.size[2 - d];
      tiles[d] = static_cast<unsigned int>((count + BoxTile - 1) / BoxTile);
    }
    pitch = extent[0] | 1; // rows begin in different banks
    bytes = size < 1e6 ? static_cast<std::size_t>(pitch) * extent[1] * extent[2] * sizeof(double) : ~std::size_t{ 0 };
  }

  /** Whether blocks can have it. */
  bool
  Fits() const
  {
    return bytes <= MostBoxBytes && static_cast<double>(tiles[0]) * tiles[1] * tiles[2] < 2147483647.0;
  }
};

/** \brief Blocks that a multiprocessor shall hold: more would leave the sums too few registers. */
inline constexpr int BoxBlocks = 2;

template <unsigned int VOrder>
__global__ void
__launch_bounds__(BoxThreads, BoxBlocks)
  ArrayBoxKernel(const __grid_constant__ ArrayArguments arguments, const __grid_constant__ ArrayBox box)
{
  extern __shared__ double samples[];
  constexpr int            taps = VOrder + 1;
  const ArrayShape &       shape = arguments.output.shape;
  const unsigned int       block[3] = { blockIdx.x % box.tiles[0],
                                        blockIdx.x / box.tiles[0] % box.tiles[1],
                                        blockIdx.x / box.tiles[0] / box.tiles[1] };
  std::int64_t             index[MaximumArrayDimension] = {};
  for (unsigned int d = 0; d < 3; ++d)
  {
    index[2 - d] = std::int64_t{ block[d] } * BoxTile;
  }
  double       x[3];
  std::int64_t first[3]; // of the box
  ArrayCoordinates(arguments, 3, index, 0, x);
  bool isFar = false; // no element is inside
  bool isHuge = false;
  for (unsigned int d = 0; d < 3; ++d)
  {
    const double least = x[d] + box.low[d];
    const double most = x[d] + box.high[d];
    isHuge = isHuge || !(least > -0x1p53 && most < 0x1p53);
    isFar = isFar || most < -1.0 || least > static_cast<double>(arguments.size[d]);
    first[d] = isHuge ? 0 : static_cast<std::int64_t>(std::floor(least)) - static_cast<int>(VOrder / 2) - 1;
  }
  const bool isSkipped = isHuge || (isFar && arguments.mode == ArrayMode::Constant);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const auto warp = static_cast<int>(threadIdx.x / 32);
  if (!isSkipped)
  {
    const Extension      extension = TapExtensionOf(arguments.mode);
    const double * const source = static_cast<const double *>(arguments.source);
    for (int row = warp; row < box.extent[1] * box.extent[2]; row += BoxThreads / 32)
    {
      const std::int64_t y = FoldIndex(first[1] + row % box.extent[1], arguments.size[1], extension);
      const std::int64_t z = FoldIndex(first[2] + row / box.extent[1], arguments.size[2], extension);
      for (int column = lane; column < box.extent[0]; column += 32)
      {
        const std::int64_t at = FoldIndex(first[0] + column, arguments.size[0], extension);
        samples[row * box.pitch + column] =
          (at | y | z) < 0 ? arguments.output.border : source[z * arguments.stride[2] + y * arguments.stride[1] + at];
      }
    }
  }
  __syncthreads();

  // A warp is 8 x 4 elements.
  constexpr int warpsX = BoxTile / 8;
  constexpr int warpsXY = warpsX * BoxTile / 4;
  constexpr int step = BoxThreads / 32 / warpsXY; // along z
  index[2] += warp % warpsX * 8 + lane % 8;
  index[1] += warp / warpsX % (warpsXY / warpsX) * 4 + lane / 8;
  const std::int64_t z = index[0] + warp / warpsXY;
  for (int round = 0; round < BoxTile / step; ++round)
  {
    index[0] = z + round * step;
    if (index[0] >= shape.size[0] || index[1] >= shape.size[1] || index[2] >= shape.size[2])
    {
      continue;
    }
    ArrayCoordinates(arguments, 3, index, 0, x);
    TensorWeights<3, taps, Derivatives::None, double> weights;
    int                                               offset = 0;
    bool                                              isInBox = !isSkipped;
    for (unsigned int d = 0; d < 3; ++d)
    {
      double folded = x[d];
      isInBox = FoldCoordinate(folded, arguments.size[d], arguments.mode) && folded == x[d] && isInBox;
      double             position;
      const std::int64_t start = ArraySupport<VOrder>(x[d], position) - first[d];
      SplineWeights<VOrder>(position, weights.value[d]);
      isInBox = isInBox && start >= 0 && start + taps <= box.extent[d];
      offset += static_cast<int>(start) * (d == 0 ? 1 : (d == 1 ? box.pitch : box.pitch * box.extent[1]));
    }
    double value;
    if (isInBox)
    {
      ContiguousTaps<3, double> support;
      support.data = samples + offset;
      support.stride[0] = 1;
      support.stride[1] = box.pitch;
      support.stride[2] = box.pitch * box.extent[1];
      Jet<3, double> jet;
      TensorProductSum(support, weights, jet);
      value = jet.value;
    }
    else
    {
      value = ArrayValue<3, VOrder, double>(arguments, 0, x);
    }
    StoreRounded(arguments.output.data, arguments.output.type, shape.OffsetOf(index), value);
  }
}

/** \brief Launches ArrayBoxKernel where it serves.
 *
 * \return false where it does not, and nothing was launched */
inline bool
LaunchArrayBoxes(const ArrayArguments & arguments, const Stream & stream)
{
  if (arguments.map != ArrayMap::Affine || arguments.dimension != 3 || arguments.output.shape.dimension != 3 ||
      arguments.order < 2)
  {
    return false;
  }
  for (const std::int64_t batch : arguments.batchStride)
  {
    if (batch != 0)
    {
      return false;
    }
  }
  const ArrayBox box(arguments);
  if (!box.Fits())
  {
    return false;
  }
  const auto launch = [&](auto kernel) {
    AllowSharedMemory(kernel, box.bytes);
    kernel<<<box.tiles[0] * box.tiles[1] * box.tiles[2], BoxThreads, box.bytes, stream.Get()>>>(arguments, box);
    CheckCuda(cudaGetLastError(), "ArrayBoxKernel");
  };
  switch (arguments.order)
  {
    case 2:
      launch(ArrayBoxKernel<2>);
      break;
    case 3:
      launch(ArrayBoxKernel<3>);
      break;
    case 4:
      launch(ArrayBoxKernel<4>);
      break;
    default:
      launch(ArrayBoxKernel<5>);
      break;
  }
  return true;
}

} // namespace itk::CudaSpline

#endif
