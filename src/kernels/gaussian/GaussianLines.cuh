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
 * \brief The kernel of recursive Gaussians: a thread filters a line.
 *
 * A result depends on the whole of its line, with roundings in ITK's order, so a line is not divided. There are lines
 * enough: 65536 an axis for 256^3 samples, half of what an H200 has threads for, and as the arithmetic of double
 * precision is what limits the kernel (46 operations a sample, with three conversions), more would not make it faster.
 *
 * The results of the causal recursion are needed when the anticausal one comes by, from the other end, in double
 * precision. They are not kept, which would take twice the volume: the recursion notes its last four results at
 * every segment of 16 samples, and is repeated segment by segment from the notes, with the same bits, just before
 * the anticausal recursion goes through the segment. That costs half again of the arithmetic, two bytes a sample, and
 * a second reading; a line may be filtered in place, as a thread writes a segment when all that is still read of it
 * lies before.
 *
 * A thread waits for the memory before each segment: the other warps of its multiprocessor compute meanwhile, and
 * copies ahead would take the registers that these need.
 *
 * Neighbouring columns are neighbours in memory. Rows are read and written by warps together, 32 rows of a segment
 * through shared memory. */

namespace itk::CudaSpline
{

/** \brief Threads of a block. */
constexpr int GaussianThreads = 128;

/** \brief The recursion of a line, with what it remembers in registers. */
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
 * \tparam VRows lines are rows, so neighbours on a line are neighbours in memory
 * \param[in] input first sample; may be \p output where TIn is float
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
  constexpr int  pitch = segment + 1; // odd: a warp's lanes read different banks
  __shared__ TIn tiles[VRows ? warps * WarpSize * pitch : 1];

  const int          lane = static_cast<int>(threadIdx.x) % WarpSize;
  TIn * const        tile = tiles + (VRows ? static_cast<int>(threadIdx.x) / WarpSize * WarpSize * pitch : 0);
  const std::int64_t count = lines.inner * lines.outer;
  const std::int64_t line = std::int64_t{ blockIdx.x } * GaussianThreads + threadIdx.x;
  const std::int64_t firstLine = line - lane; // of the warp
  const bool         isThere = line < count;
  if (VRows ? firstLine >= count : !isThere)
  {
    return;
  }
  const std::int64_t stride = VRows ? 1 : lines.inner;
  const std::int64_t own = isThere ? line : count - 1; // rows that are not there are read like the last one
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
    const TIn *        at = from + first * stride; // of columns: stepped, as 16 addresses would take 32 registers
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
  // Makes what was loaded together the thread's own.
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

  // Both edges, before anything is written.
  const double firstSample = static_cast<double>(from[0]);
  const double lastSample = static_cast<double>(from[(lines.length - 1) * stride]);

  // The first segment, where results before the line are asked for, has code of its own: elsewhere the compiler knows
  // the factors.
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
  int        known = 0; // anticausal results
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
