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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/ArrayDirect.cuh"
#include "kernels/ArrayLaunchers.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief Lists of coordinates that lie anywhere in a large volume of floats, from bricks of 4 x 2 x 2 elements.
 *
 * Memory is read by 64 bytes. Of 4 x 4 x 4 taps those of a row are in 1.2 such pieces, 19 for the support; of bricks
 * of that length it is 1.75 x 2.5 x 2.5, 11. To make the bricks takes as long as to read and write the volume once. */

namespace itk::CudaSpline
{

namespace
{

/** A volume in bricks, x first: a row of four of a brick is a float4, and they follow each other along y and z. */
struct BrickShape
{
  int size[3];   ///< elements
  int bricks[3]; ///< that it takes

  explicit BrickShape(const ArrayArguments & arguments)
  {
    for (int d = 0; d < 3; ++d)
    {
      const int edge = d == 0 ? 4 : 2;
      size[d] = static_cast<int>(arguments.size[d]);
      bricks[d] = (size[d] + edge - 1) / edge;
    }
  }

  /** Number of bricks. */
  CUDASPLINE_HOST_DEVICE std::int64_t
                         Count() const
  {
    return std::int64_t{ bricks[0] } * bricks[1] * bricks[2];
  }

  /** What an index adds to the number of a row of four: along x of four, along y and z of one. */
  ///@{
  __device__ __forceinline__ int
  OfRow(int y) const
  {
    return (y >> 1) * bricks[0] * 4 + (y & 1);
  }
  __device__ __forceinline__ int
  OfSlice(int z) const
  {
    return (z >> 1) * bricks[1] * bricks[0] * 4 + (z & 1) * 2;
  }
  ///@}
};

/** A thread a brick; 0 stands in it beyond the volume. */
__global__ void
__launch_bounds__(ArrayThreads)
  ArrayBricksKernel(const __grid_constant__ ArrayArguments arguments, const BrickShape shape, float4 * bricks)
{
  const std::int64_t number = std::int64_t{ blockIdx.x } * ArrayThreads + threadIdx.x;
  if (number >= shape.Count())
  {
    return;
  }
  const auto row = static_cast<unsigned int>(number / shape.bricks[0]);
  const int  x = static_cast<int>(number - std::int64_t{ row } * shape.bricks[0]) * 4;
  const int  y = static_cast<int>(row % static_cast<unsigned int>(shape.bricks[1])) * 2;
  const int  z = static_cast<int>(row / static_cast<unsigned int>(shape.bricks[1])) * 2;
  for (int part = 0; part < 4; ++part)
  {
    const int     j = y + part % 2;
    const int     k = z + part / 2;
    const float * from =
      static_cast<const float *>(arguments.source) + k * arguments.stride[2] + j * arguments.stride[1] + x;
    float lane[4] = {};
    for (int i = 0; i < 4; ++i)
    {
      if (k < shape.size[2] && j < shape.size[1] && x + i < shape.size[0])
      {
        lane[i] = from[i];
      }
    }
    bricks[number * 4 + part] = make_float4(lane[0], lane[1], lane[2], lane[3]);
  }
}

/** DirectReader of bricks: sums rows lane by lane, whole ones of four, in the order of TensorProductSum(), and picks
 * the lanes of the support last. */
template <unsigned int VOrder>
struct BrickReader
{
  static constexpr bool         IsOfLists = true;
  static constexpr unsigned int Taps = VOrder + 1;
  static constexpr unsigned int Rows = (Taps + 6) / 4; ///< of four, that a support may touch

  BrickShape     shape;
  const float4 * bricks;

  __device__ __forceinline__ float
  operator()(const ArrayDirect<3> &, std::int64_t, const double (&x)[3]) const
  {
    float weights[3][Taps];
    int   start[3];
    for (unsigned int d = 0; d < 3; ++d)
    {
      float position;
      start[d] = ShortArraySupport<VOrder>(x[d], position);
      SplineWeights<VOrder>(position, weights[d]);
    }
    const int              shift = start[0] & 3;
    const float4 * const   first = bricks + (start[0] >> 2) * 4;
    Lanes<Rows * 4, float> sum;
#pragma unroll
    for (unsigned int k = 0; k < Taps; ++k)
    {
      const float4 * const   slice = first + shape.OfSlice(start[2] + static_cast<int>(k));
      Lanes<Rows * 4, float> row;
#pragma unroll
      for (unsigned int j = 0; j < Taps; ++j)
      {
        const Lanes<Rows * 4, float> lanes = RowsAt(slice + shape.OfRow(start[1] + static_cast<int>(j)), shift);
        Put(row, weights[1][j], lanes, j);
      }
      Put(sum, weights[2][k], row, k);
    }
    Lanes<Taps, float> picked;
    for (unsigned int i = 0; i < Taps; ++i)
    {
      const float even = (shift & 1) != 0 ? sum.lane[i + 1] : sum.lane[i];
      const float odd = (shift & 1) != 0 ? sum.lane[i + 3] : sum.lane[i + 2];
      picked.lane[i] = (shift & 2) != 0 ? odd : even;
    }
    return picked.Dot(weights[0]);
  }

private:
  /** Those of a row that the support touches. */
  __device__ static __forceinline__ Lanes<Rows * 4, float>
                                    RowsAt(const float4 * at, int shift)
  {
    Lanes<Rows * 4, float> lanes;
#pragma unroll
    for (unsigned int r = 0; r < Rows; ++r)
    {
      float4 four = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
      if (r * 4 < Taps || static_cast<unsigned int>(shift) + Taps > r * 4)
      {
        four = __ldg(at + r * 4);
      }
      lanes.lane[r * 4] = four.x;
      lanes.lane[r * 4 + 1] = four.y;
      lanes.lane[r * 4 + 2] = four.z;
      lanes.lane[r * 4 + 3] = four.w;
    }
    return lanes;
  }
  __device__ static __forceinline__ void
  Put(Lanes<Rows * 4, float> & sum, float weight, const Lanes<Rows * 4, float> & term, unsigned int tap)
  {
    if (tap == 0)
    {
      sum.SetProduct(weight, term);
    }
    else
    {
      sum.AddProduct(weight, term);
    }
  }
};

template <unsigned int VOrder>
__global__ void
__launch_bounds__(ArrayThreads, VOrder == 3 ? 3 : 2) // more would leave the sums too few registers
  ArrayBrickKernel(const __grid_constant__ ArrayArguments arguments,
                   const __grid_constant__ ArrayDirect<3> direct,
                   const ArrayTiles                       tiles,
                   const BrickShape                       shape,
                   const float4 *                         bricks)
{
  const BrickReader<VOrder> reader{ shape, bricks };
  RunDirect<3, VOrder, float>(arguments, direct, tiles, reader);
}

/** Whether bricks are worth making. */
bool
ServesInBricks(const ArrayArguments & arguments)
{
  constexpr double least = 12 << 20;                           // smaller ones are in the second-level cache
  constexpr double most = std::numeric_limits<int>::max() / 2; // rows of four have numbers of 32 bits
  constexpr double few = 16.0;                                 // elements to one of the list: it saves as much
  if (arguments.map != ArrayMap::Coordinates || !ArrayDirect<3>::CanEvaluate(arguments) ||
      (arguments.order != 3 && arguments.order != 5))
  {
    return false;
  }
  double count = 1.0;
  double rows = 0.25;
  for (int d = 0; d < 3; ++d)
  {
    count *= static_cast<double>(arguments.size[d]);
    rows *= static_cast<double>(arguments.size[d] + 4);
  }
  const ArrayShape & output = arguments.output.shape;
  return count >= least && rows <= most && static_cast<double>(output.Lines() * output.Samples()) >= count / few;
}

} // namespace

bool
LaunchArrayBricks(const ArrayArguments & arguments, const Stream & stream)
{
  if (!ServesInBricks(arguments))
  {
    return false;
  }
  const BrickShape shape(arguments);
  DeviceBuffer     bricks;
  try
  {
    bricks = DeviceBuffer(static_cast<std::size_t>(shape.Count()) * 4 * sizeof(float4), stream);
  }
  catch (const DeviceError & error)
  {
    if (error.GetKind() != DeviceError::Kind::OutOfMemory)
    {
      throw;
    }
    return false; // it goes without
  }
  auto * const rows = static_cast<float4 *>(bricks.Data());
  ArrayBricksKernel<<<BlocksOf(shape.Count()), ArrayThreads, 0, stream.Get()>>>(arguments, shape, rows);
  CheckCuda(cudaGetLastError(), "ArrayBricksKernel");
  constexpr int        often = 4; // elements of a thread: 8 take longer
  const ArrayDirect<3> direct(arguments);
  const ArrayTiles     tiles(arguments.output.shape, false, often);
  if (arguments.order == 3)
  {
    ArrayBrickKernel<3><<<tiles.Blocks(), ArrayThreads, 0, stream.Get()>>>(arguments, direct, tiles, shape, rows);
  }
  else
  {
    ArrayBrickKernel<5><<<tiles.Blocks(), ArrayThreads, 0, stream.Get()>>>(arguments, direct, tiles, shape, rows);
  }
  CheckCuda(cudaGetLastError(), "ArrayBrickKernel");
  return true;
}

} // namespace itk::CudaSpline
