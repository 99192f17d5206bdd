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
#ifndef GaussianLines_cuh
#define GaussianLines_cuh

#include "kernels/common/TileCopy.cuh"
#include "kernels/gaussian/GaussianPasses.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief Kernel of recursive Gaussians: a thread filters a line.
 *
 * A result depends on its whole line, with roundings in ITK's order, so a line is not divided. There are enough lines:
 * 65536 per axis for 256^3 samples, half of the number of threads of an H200. The kernel is limited by double precision
 * arithmetic (46 operations per sample, with three conversions), so more lines would not make it faster.
 *
 * The anticausal recursion, from the other end of the line, needs the results of the causal recursion in double
 * precision. They are not stored, because this would need twice the volume. Instead, the causal recursion stores its
 * last four results (the notes) at every segment of 16 samples. It is repeated segment by segment from the notes, with
 * the same bits, just before the anticausal recursion processes the segment. This costs 50 % more arithmetic, two bytes
 * per sample, and a second reading. A line may be filtered in place, because a thread writes a segment when all samples
 * that are still to be read precede it.
 *
 * A thread waits for the memory before each segment. The other warps of its multiprocessor compute meanwhile.
 * Prefetching would take the registers that these warps need.
 *
 * Neighbouring columns are adjacent in memory. Rows are read and written by warps together, 32 rows of a segment
 * through shared memory. */

namespace itk::CudaSpline
{

/** \brief Threads of a block. */
constexpr int GaussianThreads = 128;

/** \brief The recursion of a line, with its state in registers. */
struct DeviceGaussianState
{
  RoundedDouble in[4];
  RoundedDouble out[4];

  __device__ __forceinline__ void
  Begin(double edge)
  {
#pragma unroll
    for (int k = 0; k < 4; ++k)
    {
      in[k] = { edge };
      out[k] = { edge };
    }
  }

  __device__ __forceinline__ void
  Push(double sample)
  {
    in[3] = in[2];
    in[2] = in[1];
    in[1] = in[0];
    in[0] = { sample };
  }

  __device__ __forceinline__ double
  Next(const double (&forward)[4], const double (&feedback)[4], const double (&edge)[4], int known)
  {
    const RoundedDouble next =
      NextOfGaussian(forward, in[0], in[1], in[2], in[3], feedback, edge, out[0], out[1], out[2], out[3], known);
    out[3] = out[2];
    out[2] = out[1];
    out[1] = out[0];
    out[0] = next;
    return next.value;
  }
};

/** \brief Filters all lines of an axis.
 *
 * \tparam VRows whether lines are rows, so that neighbours on a line are adjacent in memory
 * \param[in] input first sample; may be \p output if TIn is float
 * \param[out] output as many floats
 * \param[out] notes GaussianNotesBytes() of memory */
template <typename TIn, bool VRows>
__global__ void
__launch_bounds__(GaussianThreads, 4) GaussianLinesKernel(const TIn *                               input,
                                                          float *                                   output,
                                                          double *                                  notes,
                                                          GaussianLines                             lines,
                                                          const __grid_constant__ RecursiveGaussian filter)
{
  constexpr int  segment = GaussianSegmentLength;
  constexpr int  warps = GaussianThreads / WarpSize;
  constexpr int  pitch = segment + 1; // odd, so that the lanes of a warp read different banks
  __shared__ TIn tiles[VRows ? warps * WarpSize * pitch : 1];

  const int          lane = static_cast<int>(threadIdx.x) % WarpSize;
  TIn * const        tile = tiles + (VRows ? static_cast<int>(threadIdx.x) / WarpSize * WarpSize * pitch : 0);
  const std::int64_t count = lines.inner * lines.outer;
  const std::int64_t line = std::int64_t{ blockIdx.x } * GaussianThreads + threadIdx.x;
  const std::int64_t firstLine = line - lane; // first line of the warp
  const bool         isThere = line < count;
  if (VRows ? firstLine >= count : !isThere)
  {
    return;
  }
  const std::int64_t stride = VRows ? 1 : lines.inner;
  const std::int64_t own = isThere ? line : count - 1; // missing rows are replaced by the last one
  const std::int64_t begin =
    VRows ? own * lines.length : own / lines.inner * lines.length * lines.inner + own % lines.inner;
  const TIn * const from = input + begin;
  const int         segments = static_cast<int>((lines.length + segment - 1) / segment);
  const int         lastLength = static_cast<int>(lines.length - std::int64_t{ segments - 1 } * segment);

  // Rows: lane l has sample l % 16 of rows l / 16, l / 16 + 2, ... until they are exchanged.
  const int          sharedRow = lane / segment;
  const int          sharedAt = lane % segment;
  const std::int64_t rowsThere = count - firstLine;
  const auto         load = [&](int number, TIn(&values)[segment]) {
    const std::int64_t first = std::int64_t{ number } * segment;
    const int          length = number == segments - 1 ? lastLength : segment;
    const TIn *        at = from + first * stride; // in a column; 16 addresses would take 32 registers
#pragma unroll
    for (int n = 0; n < segment; ++n)
    {
      if constexpr (VRows)
      {
        const std::int64_t row = sharedRow + 2 * n;
        const bool         isInside = row < rowsThere && first + sharedAt < lines.length;
        values[n] = isInside ? input[(firstLine + row) * lines.length + first + sharedAt] : TIn(0);
      }
      else
      {
        values[n] = n < length ? *at : TIn(0);
        at = Kept(at + stride);
      }
    }
  };
  // Transposes values that a warp has loaded together, so that each thread has its own line.
  const auto exchange = [&](TIn(&values)[segment]) {
    if constexpr (VRows)
    {
      __syncwarp();
#pragma unroll
      for (int n = 0; n < segment; ++n)
      {
        tile[(sharedRow + 2 * n) * pitch + sharedAt] = values[n];
      }
      __syncwarp();
#pragma unroll
      for (int n = 0; n < segment; ++n)
      {
        values[n] = tile[lane * pitch + n];
      }
    }
  };
  const auto store = [&](int number, const float(&values)[segment]) {
    const std::int64_t first = std::int64_t{ number } * segment;
    if constexpr (VRows)
    {
      float * const floats = reinterpret_cast<float *>(tile);
      __syncwarp();
#pragma unroll
      for (int n = 0; n < segment; ++n)
      {
        floats[lane * pitch + n] = values[n];
      }
      __syncwarp();
#pragma unroll
      for (int n = 0; n < segment; ++n)
      {
        const std::int64_t row = sharedRow + 2 * n;
        if (row < rowsThere && first + sharedAt < lines.length)
        {
          output[(firstLine + row) * lines.length + first + sharedAt] = floats[row * pitch + sharedAt];
        }
      }
    }
    else
    {
      const int     length = number == segments - 1 ? lastLength : segment;
      const float * at = output + begin + first * stride;
#pragma unroll
      for (int n = 0; n < segment; ++n)
      {
        if (n < length)
        {
          *const_cast<float *>(at) = values[n];
        }
        at = Kept(at + stride);
      }
    }
  };
  const auto noteAt = [&](int number, int k) -> double & {
    return notes[(std::int64_t{ number - 1 } * 4 + k) * count + own];
  };

  // Both edges are read before anything is written.
  const double firstSample = static_cast<double>(from[0]);
  const double lastSample = static_cast<double>(from[(lines.length - 1) * stride]);

  // The first segment needs results before the line. It has separate code, so that the factors are constants elsewhere.
  DeviceGaussianState state;
  const auto          runCausal = [&](auto isFirst, const TIn(&values)[segment], double(*results)[segment]) {
#pragma unroll
    for (int n = 0; n < segment; ++n)
    {
      constexpr int beyond = decltype(isFirst)::value ? 4 : 0;
      state.Push(static_cast<double>(values[n]));
      const double result = state.Next(filter.causal, filter.feedback, filter.causalEdge, n < beyond ? n : 4);
      if (results != nullptr)
      {
        (*results)[n] = result;
      }
    }
  };
  state.Begin(firstSample);
  const auto note = [&](int number, auto isFirst) {
    TIn values[segment];
    load(number, values);
    exchange(values);
    runCausal(isFirst, values, nullptr);
    if (isThere)
    {
#pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        noteAt(number + 1, k) = state.out[k].value;
      }
    }
  };
  if (segments > 1)
  {
    note(0, std::true_type());
  }
  for (int number = 1; number + 1 < segments; ++number)
  {
    note(number, std::false_type());
  }

  DeviceGaussianState back;
  back.Begin(lastSample);
  int        known = 0; // number of known anticausal results
  const auto filterSegment = [&](int number, auto isFirst) {
    TIn values[segment];
    load(number, values);
    if constexpr (decltype(isFirst)::value)
    {
      state.Begin(firstSample);
    }
    else
    {
#pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        state.out[k] = { isThere ? noteAt(number, k) : 0.0 };
      }
#pragma unroll
      for (int k = 0; k < 3; ++k)
      {
        state.in[k] = { static_cast<double>(from[(std::int64_t{ number } * segment - 1 - k) * stride]) };
      }
    }
    exchange(values);
    double causal[segment];
    runCausal(isFirst, values, &causal);
    const int length = number == segments - 1 ? lastLength : segment;
    float     results[segment];
    if (known >= 4 && length == segment) // all but the last segments
    {
#pragma unroll
      for (int n = segment - 1; n >= 0; --n)
      {
        const double anticausal = back.Next(filter.anticausal, filter.feedback, filter.anticausalEdge, 4);
        back.Push(static_cast<double>(values[n]));
        results[n] = static_cast<float>(RoundedSum(causal[n], anticausal));
      }
    }
    else
    {
#pragma unroll
      for (int n = segment - 1; n >= 0; --n)
      {
        results[n] = 0.0F;
        if (n < length)
        {
          const double anticausal = back.Next(filter.anticausal, filter.feedback, filter.anticausalEdge, known);
          back.Push(static_cast<double>(values[n]));
          results[n] = static_cast<float>(RoundedSum(causal[n], anticausal));
          ++known;
        }
      }
    }
    store(number, results);
  };
  for (int number = segments - 1; number > 0; --number)
  {
    filterSegment(number, std::false_type());
  }
  filterSegment(0, std::true_type());
}

} // namespace itk::CudaSpline

#endif
