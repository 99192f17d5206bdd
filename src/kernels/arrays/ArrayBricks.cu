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

#include "kernels/arrays/ArrayDirect.cuh"
#include "kernels/arrays/ArrayLaunchers.h"
#include "kernels/arrays/ArrayRun.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief Interpolation at lists of scattered coordinates in a large volume, from bricks of 64 bytes: 4 x 2 x 2 floats,
 * or 2 x 2 x 2 doubles.
 *
 * Memory is read in sectors of 64 bytes. A row of 4 x 4 x 4 taps of floats is in 1.2 such sectors, which is 19 for the
 * support. With bricks it is 1.75 x 2.5 x 2.5, which is 11. (Doubles: 22, and 2.5 x 2.5 x 2.5, which is 16.) Making the
 * bricks takes as long as reading and writing the volume once. */

namespace itk::CudaSpline
{

namespace
{

/** Neighbours along x that are read together. */
template <typename TReal>
struct alignas(16) BrickRow
{
  static constexpr int Length = 16 / sizeof(TReal);

  TReal lane[Length];
};

/** A volume in bricks, x first. A brick is four rows, which follow each other along y and z. */
struct BrickShape
{
  int size[3];   ///< in elements
  int bricks[3]; ///< number of bricks

  /** \param[in] arguments the volume
   * \param[in] length elements of a row of a brick */
  BrickShape(const ArrayArguments & arguments, int length)
  {
    for (int d = 0; d < 3; ++d)
    {
      const int edge = d == 0 ? length : 2;
      size[d] = static_cast<int>(arguments.size[d]);
      bricks[d] = (size[d] + edge - 1) / edge;
    }
  }

  /** Returns the number of bricks. */
  CUDASPLINE_HOST_DEVICE std::int64_t
                         Count() const
  {
    return std::int64_t{ bricks[0] } * bricks[1] * bricks[2];
  }

  /** Offset in rows of an index along y or z. */
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

/** Makes the bricks with one thread per brick. Elements beyond the volume are 0. */
template <typename TReal>
__global__ void
__launch_bounds__(ArrayThreads)
  ArrayBricksKernel(const __grid_constant__ ArrayArguments arguments, const BrickShape shape, BrickRow<TReal> * bricks)
{
  constexpr int      length = BrickRow<TReal>::Length;
  const std::int64_t number = std::int64_t{ blockIdx.x } * ArrayThreads + threadIdx.x;
  if (number >= shape.Count())
  {
    return;
  }
  const auto row = static_cast<unsigned int>(number / shape.bricks[0]);
  const int  x = static_cast<int>(number - std::int64_t{ row } * shape.bricks[0]) * length;
  const int  y = static_cast<int>(row % static_cast<unsigned int>(shape.bricks[1])) * 2;
  const int  z = static_cast<int>(row / static_cast<unsigned int>(shape.bricks[1])) * 2;
  for (int part = 0; part < 4; ++part)
  {
    const int     j = y + part % 2;
    const int     k = z + part / 2;
    const TReal * from =
      static_cast<const TReal *>(arguments.source) + k * arguments.stride[2] + j * arguments.stride[1] + x;
    BrickRow<TReal> lanes{};
    for (int i = 0; i < length; ++i)
    {
      if (k < shape.size[2] && j < shape.size[1] && x + i < shape.size[0])
      {
        lanes.lane[i] = from[i];
      }
    }
    bricks[number * 4 + part] = lanes;
  }
}

/** DirectReader of bricks. It sums complete rows lane by lane, in the order of TensorProductSum(), and selects the
 * lanes of the support last. */
template <unsigned int VOrder, typename TReal>
struct BrickReader
{
  using Row = BrickRow<TReal>;

  static constexpr bool         IsOfLists = true;
  static constexpr unsigned int Taps = VOrder + 1;
  static constexpr unsigned int Length = Row::Length;
  static constexpr unsigned int Rows = (Taps + 2 * Length - 2) / Length; ///< maximum number for a row of the support

  using Sums = Lanes<Rows * Length, TReal>;

  BrickShape  shape;
  const Row * bricks;

  __device__ __forceinline__ TReal
  operator()(const ArrayDirect<3> &, std::int64_t, const double (&x)[3]) const
  {
    TReal weights[3][Taps];
    int   start[3];
    for (unsigned int d = 0; d < 3; ++d)
    {
      TReal position;
      start[d] = ShortArraySupport<VOrder>(x[d], position);
      SplineWeights<VOrder>(position, weights[d]);
    }
    const int         shift = start[0] % static_cast<int>(Length); // indices of a support inside are not negative
    const Row * const first = bricks + start[0] / static_cast<int>(Length) * 4;
    Sums              sum;
#pragma unroll
    for (unsigned int k = 0; k < Taps; ++k)
    {
      const Row * const slice = first + shape.OfSlice(start[2] + static_cast<int>(k));
      Sums              row;
#pragma unroll
      for (unsigned int j = 0; j < Taps; ++j)
      {
        const Sums lanes = RowsAt(slice + shape.OfRow(start[1] + static_cast<int>(j)), shift);
        Put(row, weights[1][j], lanes, j);
      }
      Put(sum, weights[2][k], row, k);
    }
    Lanes<Taps, TReal> picked;
    for (unsigned int i = 0; i < Taps; ++i)
    {
      picked.lane[i] = (shift & 1) != 0 ? sum.lane[i + 1] : sum.lane[i];
      if constexpr (Length == 4)
      {
        const TReal far = (shift & 1) != 0 ? sum.lane[i + 3] : sum.lane[i + 2];
        picked.lane[i] = (shift & 2) != 0 ? far : picked.lane[i];
      }
    }
    return picked.Dot(weights[0]);
  }

private:
  /** Reads those bricks of a row that the support intersects. */
  __device__ static __forceinline__ Sums
  RowsAt(const Row * at, int shift)
  {
    Sums lanes;
#pragma unroll
    for (unsigned int r = 0; r < Rows; ++r)
    {
      Row row{};
      if (r * Length < Taps || static_cast<unsigned int>(shift) + Taps > r * Length)
      {
        row = at[r * 4];
      }
#pragma unroll
      for (unsigned int i = 0; i < Length; ++i)
      {
        lanes.lane[r * Length + i] = row.lane[i];
      }
    }
    return lanes;
  }
  __device__ static __forceinline__ void
  Put(Sums & sum, TReal weight, const Sums & term, unsigned int tap)
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

template <unsigned int VOrder, typename TReal>
__global__ void
__launch_bounds__(ArrayThreads,
                  VOrder == 3 && sizeof(TReal) == 4 ? 3 : 2) // more blocks would leave too few registers for the sums
  ArrayBrickKernel(const __grid_constant__ ArrayArguments arguments,
                   const __grid_constant__ ArrayDirect<3> direct,
                   const ArrayTiles                       tiles,
                   const BrickShape                       shape,
                   const BrickRow<TReal> *                bricks)
{
  const BrickReader<VOrder, TReal> reader{ shape, bricks };
  RunDirect<3, VOrder, TReal>(arguments, direct, tiles, reader);
}

/** Returns whether bricks pay.
 *
 * \tparam TReal type of the elements */
template <typename TReal>
bool
ServesInBricks(const ArrayArguments & arguments)
{
  constexpr double least = 48 << 20;                           // bytes; smaller volumes are in the L2 cache
  constexpr double most = std::numeric_limits<int>::max() / 2; // rows are numbered with 32 bits
  constexpr double few = 16.0; // elements for each one of the list: costs are then equal
  if (arguments.map != ArrayMap::Coordinates || !ArrayDirect<3>::CanEvaluate(arguments) ||
      (arguments.order != 3 && arguments.order != 5))
  {
    return false;
  }
  double count = 1.0;
  double rows = 1.0 / BrickRow<TReal>::Length;
  for (int d = 0; d < 3; ++d)
  {
    count *= static_cast<double>(arguments.size[d]);
    rows *= static_cast<double>(arguments.size[d] + 4);
  }
  const ArrayShape & output = arguments.output.shape;
  return count * sizeof(TReal) >= least && rows <= most &&
         static_cast<double>(output.Lines() * output.Samples()) >= count / few;
}

/** LaunchArrayBricks() for a type of elements. */
template <typename TReal>
bool
LaunchBricks(ArrayArguments arguments, const Stream & stream)
{
  using Row = BrickRow<TReal>;
  // For floats, tiles have already been tried.
  if (!ServesInBricks<TReal>(arguments) || (sizeof(TReal) == 8 && ListLiesTogether(arguments, stream)))
  {
    return false;
  }
  JoinLinesOfList(arguments);
  const BrickShape shape(arguments, Row::Length);
  DeviceBuffer     bricks;
  try
  {
    bricks = DeviceBuffer(static_cast<std::size_t>(shape.Count()) * 4 * sizeof(Row), stream);
  }
  catch (const DeviceError & error)
  {
    if (error.GetKind() != DeviceError::Kind::OutOfMemory)
    {
      throw;
    }
    return false; // the caller continues without bricks
  }
  auto * const rows = static_cast<Row *>(bricks.Data());
  ArrayBricksKernel<TReal><<<BlocksOf(shape.Count()), ArrayThreads, 0, stream.Get()>>>(arguments, shape, rows);
  CheckCuda(cudaGetLastError(), "ArrayBricksKernel");
  constexpr int        often = 4; // elements of a thread: 8 are slower
  const ArrayDirect<3> direct(arguments);
  const ArrayTiles     tiles(arguments.output.shape, false, often);
  const auto           kernel = arguments.order == 3 ? ArrayBrickKernel<3, TReal> : ArrayBrickKernel<5, TReal>;
  kernel<<<tiles.Blocks(), ArrayThreads, 0, stream.Get()>>>(arguments, direct, tiles, shape, rows);
  CheckCuda(cudaGetLastError(), "ArrayBrickKernel");
  return true;
}

} // namespace

bool
LaunchArrayBricks(const ArrayArguments & arguments, ScalarType element, const Stream & stream)
{
  return element == ScalarType::Float32 ? LaunchBricks<float>(arguments, stream)
                                        : LaunchBricks<double>(arguments, stream);
}

} // namespace itk::CudaSpline
