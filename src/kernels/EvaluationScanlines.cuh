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
#ifndef EvaluationScanlines_cuh
#define EvaluationScanlines_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/Evaluation.h"
#include "kernels/ScanlineSpan.cuh"
#include "kernels/TextureMethods.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <type_traits>

namespace itk::CudaSpline
{

namespace
{

/** How threads lie in the output: warps are 8 x 4 samples of a slice, blocks two of them beside each other in four
 * slices, and each thread goes on along its line. */
struct ScanlinePlan
{
  int rows;      ///< lines of a slice of the output
  int extent[3]; ///< samples of a block by axis of the output
};

/** What the kernel reads often, ready for it. */
struct ScanlineBounds
{
  double least[3]; ///< of indices that need no folding and are inside
  double most[3];  ///< of those too
  double start[3]; ///< index of the first sample of the input
};

/** Threads of a block, samples of a thread, and lanes of a warp along the lines. */
///@{
constexpr int ScanlineThreads = 256;
constexpr int ScanlineSamples = 8;
constexpr int ScanlineLanes = 8;
///@}

/** The value at an index within ScanlineBounds, as TMethod has it. */
template <typename TMethod>
struct ScanlineValue
{
  /** Blocks that shall be resident: reads take long, so that many warps are wanted, but the sum of several fetches
   * takes more than 32 registers. */
  static constexpr int Blocks = std::decay_t<decltype(TMethod::Paired(EvaluationArguments<3>()))>::Fetches == 1 ? 8 : 6;

  __device__ __forceinline__ static float
  At(const EvaluationArguments<3> & arguments, const ScanlineBounds & bounds, double (&index)[3])
  {
    for (int d = 0; d < 3; ++d)
    {
      index[d] -= bounds.start[d];
    }
    return TextureSplineValueWithin(TMethod::Paired(arguments), index, SourceFetch<3>{ arguments });
  }
};

/** Whether an index is within bounds. */
__device__ __forceinline__ bool
IsPlain(const ScanlineBounds & bounds, const double (&index)[3])
{
  bool plain = true;
  for (int d = 0; d < 3; ++d)
  {
    plain = plain && index[d] >= bounds.least[d] && index[d] <= bounds.most[d];
  }
  return plain;
}

/** Where a thread is in the output. */
struct ScanlinePlace
{
  std::int64_t line;
  int          first; ///< sample of the line
  int          count; ///< samples of the thread: 0 where there are none

  __device__ __forceinline__
  ScanlinePlace(const EvaluationArguments<3> & arguments, const ScanlinePlan & plan, std::int64_t lines)
  {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row =
      static_cast<int>(blockIdx.y) * plan.extent[1] + lane / ScanlineLanes + warp % 2 * (32 / ScanlineLanes);
    const int slice = static_cast<int>(blockIdx.z) * plan.extent[2] + warp / 2;
    const int samples = static_cast<int>(arguments.samples);
    line = std::int64_t{ slice } * plan.rows + row;
    first = static_cast<int>(blockIdx.x) * plan.extent[0] + lane % ScanlineLanes;
    const int left = (samples - 1 - first) / ScanlineLanes + 1;
    count = left < ScanlineSamples ? left : ScanlineSamples;
    count = row < plan.rows && line < lines && first < samples ? count : 0;
  }
};

/** The samples of a thread that need more than the others: at edges, or where samples go on outside. A function of its
 * own, so that the others do not pay for its registers. */
template <typename TMethod>
__device__ __noinline__ void
EvaluateTheRest(const EvaluationArguments<3> & arguments,
                std::int64_t                   lines,
                const ScanlinePlan &           plan,
                const ScanlineBounds &         bounds)
{
  const ScanlinePlace place(arguments, plan, lines);
  for (int i = 0; i < place.count; ++i)
  {
    const int sample = place.first + i * ScanlineLanes;
    double    index[3];
    arguments.IndexOf(place.line, sample, index);
    if (!IsPlain(bounds, index))
    {
      EvaluateIndex<TMethod, Derivatives::None>(arguments, index, place.line * arguments.samples + sample);
    }
  }
}

/** Values of scanlines where each is read by itself, as floats. */
template <typename TMethod>
__global__ void
__launch_bounds__(ScanlineThreads, ScanlineValue<TMethod>::Blocks)
  ScanlineKernel(const __grid_constant__ EvaluationArguments<3> arguments,
                 std::int64_t                                   lines,
                 const __grid_constant__ ScanlinePlan           plan,
                 const __grid_constant__ ScanlineBounds         bounds)
{
  const ScanlinePlace place(arguments, plan, lines);
  ScanlineSpan        span;
  bool                within = true; // at all samples of the warp: indices are monotone along a line
  if (place.count > 0)
  {
    span.Set(arguments.ends[place.line], false);
    for (const int i : { 0, place.count - 1 })
    {
      double index[3];
      span.At(arguments.alphas[place.first + i * ScanlineLanes], false, index);
      within = within && IsPlain(bounds, index);
    }
  }
  within = __all_sync(0xFFFFFFFFU, within);
  const double * alpha = arguments.alphas + place.first;
  float *        to = static_cast<float *>(arguments.output) + (place.line * arguments.samples + place.first);
  bool           hasRest = false;
  if (within)
  {
#pragma unroll 1
    for (int i = place.count; i > 0; --i)
    {
      double index[3];
      span.At(*alpha, false, index);
      *to = CastToFloat(ScanlineValue<TMethod>::At(arguments, bounds, index));
      alpha += ScanlineLanes;
      to += ScanlineLanes;
    }
  }
  else
  {
#pragma unroll 1
    for (int i = place.count; i > 0; --i)
    {
      double index[3];
      span.At(*alpha, false, index);
      if (IsPlain(bounds, index))
      {
        *to = CastToFloat(ScanlineValue<TMethod>::At(arguments, bounds, index));
      }
      else if (arguments.extrapolation == nullptr && !arguments.IsInside(index))
      {
        *to = __uint_as_float(static_cast<unsigned int>(arguments.defaultPixel));
      }
      else
      {
        hasRest = true;
      }
      alpha += ScanlineLanes;
      to += ScanlineLanes;
    }
  }
  if (hasRest)
  {
    EvaluateTheRest<TMethod>(arguments, lines, plan, bounds);
  }
}

/** Enqueues the evaluation of one slab.
 *
 * \return false where the samples are no floats on scanlines: nothing was enqueued */
template <typename TMethod>
bool
LaunchScanlines(const EvaluationArguments<3> & arguments, std::int64_t lines, StreamHandle stream)
{
  constexpr std::int64_t most = 65535; // blocks along the second and third axis of a grid
  const auto             blocksOf = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  const std::int64_t     rows = arguments.sliceLines > 0 && arguments.sliceLines < lines ? arguments.sliceLines : lines;
  bool                   can = arguments.coordinates == Coordinates::Scanlines && !arguments.singleCoordinates &&
             arguments.alphas != nullptr && arguments.outputType == ScalarType::Float32 && arguments.components == 1 &&
             arguments.inside == nullptr && arguments.defaultPixels == nullptr && arguments.samples < INT_MAX &&
             rows < INT_MAX;
  ScanlineBounds bounds;
  for (int d = 0; d < 3; ++d)
  {
    const std::int64_t start = arguments.extent.start[d];
    const std::int64_t size = arguments.extent.size[d];
    bounds.start[d] = static_cast<double>(start);
    bounds.least[d] = std::max(arguments.lower[d], bounds.start[d] - 0.5);
    bounds.most[d] = std::min(std::nextafter(arguments.upper[d], -HUGE_VAL), static_cast<double>(start + size) - 0.5);
  }
  const ScanlinePlan plan{ static_cast<int>(rows),
                           { ScanlineSamples * ScanlineLanes, 2 * (32 / ScanlineLanes), ScanlineThreads / 64 } };
  const std::int64_t down = blocksOf(rows, plan.extent[1]);
  const std::int64_t deep = blocksOf(blocksOf(lines, rows), plan.extent[2]);
  if (!can || down > most || deep > most)
  {
    return false;
  }
  const dim3 grid(static_cast<unsigned int>(blocksOf(arguments.samples, plan.extent[0])),
                  static_cast<unsigned int>(down),
                  static_cast<unsigned int>(deep));
  ScanlineKernel<TMethod><<<grid, ScanlineThreads, 0, stream>>>(arguments, lines, plan, bounds);
  CheckCuda(cudaGetLastError(), "ScanlineKernel");
  return true;
}

} // namespace
} // namespace itk::CudaSpline

#endif
