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
#include "kernels/common/SharedMemory.cuh"
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/fields/spline/SplineRows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{

namespace
{
constexpr int Threads = 256;
constexpr int Rows = 8; // rows of the output of a block, along y

/** Makes the entries of all axes. */
template <typename TReal>
__global__ void
__launch_bounds__(Threads) EntriesKernel(const __grid_constant__ SplineRows<TReal> rows)
{
  const std::int64_t sample = std::int64_t{ blockIdx.x } * Threads + threadIdx.x;
  if (sample < rows.grid.extent.size[blockIdx.y])
  {
    rows.MakeEntry(blockIdx.y, sample);
  }
}

/** Computes rows of the output at one z: first sums along z of the rows of coefficients that they depend on, then sums
 * along y of each of them, both in shared memory, then each number of the output.
 *
 * \param[in] most maximum number of rows of coefficients in shared memory */
template <typename TReal>
__global__ void
__launch_bounds__(Threads) SplineRowsKernel(const __grid_constant__ SplineRows<TReal> rows, int most)
{
  extern __shared__ __align__(8) unsigned char shared[];
  const auto                                   across = static_cast<int>(rows.spline.extent.size[0]);
  const auto                                   down = rows.spline.extent.size[1];
  const int                 line = 3 * across; // coefficients of a row, one component after the other
  TReal * const             alongZ = reinterpret_cast<TReal *>(shared);
  TReal * const             alongY = alongZ + most * line;
  const auto                thread = static_cast<int>(threadIdx.x);
  const std::int64_t        firstY = std::int64_t{ blockIdx.x } * Rows;
  const std::int64_t        count = min(std::int64_t{ Rows }, rows.grid.extent.size[1] - firstY);
  const SplineEntry &       z = rows.EntriesOf(2)[blockIdx.y];
  const SplineEntry * const entriesOfY = rows.EntriesOf(1) + firstY;

  std::int64_t first = down;
  std::int64_t end = 0;
  for (int j = 0; j < count; ++j)
  {
    const std::int64_t start = entriesOfY[j].start;
    first = start >= 0 && start < first ? start : first;
    end = start >= 0 && start + SplineTaps > end ? start + SplineTaps : end;
  }
  if (z.start >= 0)
  {
    for (int i = thread; i < static_cast<int>(end - first) * line; i += Threads)
    {
      const int            row = i / line;
      const int            component = (i - row * line) / across;
      const int            x = i - row * line - component * across;
      const double * const from =
        rows.spline.data + (component * rows.spline.extent.Count() + (z.start * down + first + row) * across + x);
      TReal sum = TReal(0);
      for (int l = 0; l < SplineTaps; ++l)
      {
        sum += static_cast<TReal>(z.weights[l]) * static_cast<TReal>(from[l * down * across]);
      }
      alongZ[i] = sum;
    }
  }
  __syncthreads();
  for (int i = thread; i < static_cast<int>(count) * line; i += Threads)
  {
    const int           row = i / line;
    const SplineEntry & y = entriesOfY[row];
    TReal               sum = TReal(0);
    if (z.start >= 0 && y.start >= 0)
    {
      const TReal * const from = alongZ + (static_cast<int>(y.start - first) * line + i - row * line);
      for (int k = 0; k < SplineTaps; ++k)
      {
        sum += static_cast<TReal>(y.weights[k]) * from[k * line];
      }
    }
    alongY[i] = sum;
  }
  __syncthreads();
  const std::int64_t length = 3 * rows.grid.extent.size[0];
  TReal * const      output = rows.output + (blockIdx.y * rows.grid.extent.size[1] + firstY) * length;
  for (int n = thread; n < length; n += Threads)
  {
    const SplineEntry & x = rows.EntriesOf(0)[n / 3];
    const bool          isValid = x.start >= 0;
    const TReal *       from = alongY + (n % 3 * across + (isValid ? static_cast<int>(x.start) : 0));
    TReal               weights[SplineTaps];
    for (int k = 0; k < SplineTaps; ++k)
    {
      weights[k] = isValid ? static_cast<TReal>(x.weights[k]) : TReal(0);
    }
    for (int j = 0; j < count; ++j)
    {
      TReal sum = TReal(0);
      for (int k = 0; k < SplineTaps && isValid; ++k)
      {
        sum += weights[k] * from[j * line + k];
      }
      output[j * length + n] = sum;
    }
  }
}

template <typename TReal>
bool
LaunchSplineRows(const SplineRows<TReal> & rows, double stepAlongY, bool makesEntries, const Residence & residence)
{
  constexpr std::size_t most = std::size_t(200) << 10; // shared memory of a block
  constexpr int         slices = 65535;                // of a grid of blocks
  const auto &          size = rows.grid.extent.size;
  const double          span = std::ceil(std::abs(stepAlongY) * (Rows - 1)) + SplineTaps + 1;
  const double          bytes =
    (span + Rows) * 3.0 * static_cast<double>(rows.spline.extent.size[0]) * static_cast<double>(sizeof(TReal));
  if (!(bytes <= static_cast<double>(most)) || size[2] > slices)
  {
    return false;
  }
  const DeviceScope scope(residence.GetContext().device);
  const auto        stream = residence.GetStream().Get();
  if (makesEntries)
  {
    const std::int64_t longest = std::max({ size[0], size[1], size[2] });
    const dim3         entries(BlocksOf((longest + Threads - 1) / Threads), 3);
    EntriesKernel<TReal><<<entries, Threads, 0, stream>>>(rows);
    CheckCuda(cudaGetLastError(), "EntriesKernel");
  }
  const auto shared = static_cast<std::size_t>(bytes);
  const dim3 blocks(BlocksOf((size[1] + Rows - 1) / Rows), static_cast<unsigned int>(size[2]));
  AllowSharedMemory(SplineRowsKernel<TReal>, shared);
  SplineRowsKernel<TReal><<<blocks, Threads, shared, stream>>>(rows, static_cast<int>(span));
  CheckCuda(cudaGetLastError(), "SplineRowsKernel");
  return true;
}
} // namespace

bool
EvaluateRowsOnCuda(const SplineRows<float> & rows, double stepAlongY, bool makesEntries, const Residence & residence)
{
  return LaunchSplineRows(rows, stepAlongY, makesEntries, residence);
}

bool
EvaluateRowsOnCuda(const SplineRows<double> & rows, double stepAlongY, bool makesEntries, const Residence & residence)
{
  return LaunchSplineRows(rows, stepAlongY, makesEntries, residence);
}

} // namespace itk::CudaSpline
