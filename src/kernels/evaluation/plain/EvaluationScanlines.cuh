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

#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/plain/ScanlineValues.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <type_traits>

namespace itk::CudaSpline
{

namespace
{

/** Returns whether an index is within bounds. */
__device__ __forceinline__ bool
IsWithin(const double (&least)[3], const double (&most)[3], const double (&index)[3])
{
  bool within = true;
  for (int d = 0; d < 3; ++d)
  {
    within = within && index[d] >= least[d] && index[d] <= most[d];
  }
  return within;
}

/** Position of a thread in the output. */
template <typename TMethod>
struct ScanlinePlace
{
  static constexpr int Lanes = ScanlineValue<TMethod>::Lanes;
  static constexpr int Samples = ScanlineValue<TMethod>::Samples;

  std::int64_t line;
  int          first; ///< sample of the line
  int          count; ///< samples of the thread, may be 0

  __device__ __forceinline__
  ScanlinePlace(const EvaluationArguments<3> & arguments, const ScanlinePlan & plan, std::int64_t lines)
  {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int row = static_cast<int>(blockIdx.y) * plan.extent[1] + lane / Lanes + warp % 2 * (32 / Lanes);
    const int slice = static_cast<int>(blockIdx.z) * plan.extent[2] + warp / 2;
    const int samples = static_cast<int>(arguments.samples);
    line = std::int64_t{ slice } * plan.rows + row;
    first = static_cast<int>(blockIdx.x) * plan.extent[0] + lane % Lanes;
    const int left = (samples - 1 - first) / Lanes + 1;
    count = left < Samples ? left : Samples;
    count = row < plan.rows && line < lines && first < samples ? count : 0;
  }
};

/** Output of a thread. It stores floats if \p VFloat is set. */
template <bool VFloat>
struct ScanlineOutput
{
  void *       data;
  std::int64_t first; ///< first sample of the thread

  __device__ __forceinline__
  ScanlineOutput(const EvaluationArguments<3> & arguments, std::int64_t at)
    : data(arguments.output)
    , first(at)
  {}
  __device__ __forceinline__ void
  Store(const EvaluationArguments<3> & arguments, int step, float value) const
  {
    StoreScalar(data, arguments.outputType, first + step, value);
  }
  __device__ __forceinline__ void
  StoreFinite(const EvaluationArguments<3> & arguments, int step, float value) const
  {
    this->Store(arguments, step, value);
  }
  __device__ __forceinline__ void
  StoreDefault(const EvaluationArguments<3> & arguments, int step) const
  {
    StoreBits(data, first + step, arguments.defaultPixel, SizeOf(arguments.outputType));
  }
};

template <>
struct ScanlineOutput<true>
{
  float * first;

  __device__ __forceinline__
  ScanlineOutput(const EvaluationArguments<3> & arguments, std::int64_t at)
    : first(static_cast<float *>(arguments.output) + at)
  {}
  __device__ __forceinline__ void
  Store(const EvaluationArguments<3> &, int step, float value) const
  {
    first[step] = CastToFloat(value);
  }
  __device__ __forceinline__ void
  StoreFinite(const EvaluationArguments<3> &, int step, float value) const
  {
    first[step] = value;
  }
  __device__ __forceinline__ void
  StoreDefault(const EvaluationArguments<3> & arguments, int step) const
  {
    first[step] = __uint_as_float(static_cast<unsigned int>(arguments.defaultPixel));
  }
};

/** Evaluates the samples of a thread that need the general code: at edges, or where samples are extended outside. It is
 * a separate function, so that its registers are not reserved in the common case.
 *
 * \param[in] rest a bit for each of the thread's samples */
template <typename TMethod>
__device__ __noinline__ void
EvaluateTheRest(const EvaluationArguments<3> & arguments, std::int64_t line, int first, unsigned int rest)
{
  while (rest != 0U)
  {
    const int sample = first + (__ffs(static_cast<int>(rest)) - 1) * ScanlineValue<TMethod>::Lanes;
    double    index[3];
    arguments.IndexOf(line, sample, index);
    EvaluateIndex<TMethod, Derivatives::None>(arguments, index, line * arguments.samples + sample);
    rest &= rest - 1U;
  }
}

/** Evaluates the samples of a thread if all of them are within bounds and their number is complete.
 *
 * \tparam VForm the form of the samples that ScanlineValue reads
 * \return a bit for each sample that needs the general code because its value is not finite: the result depends on its
 * neighbours */
template <typename TMethod, int VForm, bool VFloat>
__device__ __forceinline__ unsigned int
EvaluateWithin(const EvaluationArguments<3> & arguments,
               const ScanlineBounds &         bounds,
               const ScanlineSpan &           span,
               const double *                 alpha,
               ScanlineOutput<VFloat>         to)
{
  using Value = ScanlineValue<TMethod>;
  unsigned int rest = 0U;
#pragma unroll Value::Unrolled
  for (int i = 0; i < Value::Samples; ++i)
  {
    double index[3];
    span.At(alpha[i * Value::Lanes], false, index);
    const float value = Value::template ValueWithin<VForm>(arguments, bounds, index);
    if (fabsf(value) <= FLT_MAX)
    {
      to.StoreFinite(arguments, i * Value::Lanes, value);
    }
    else
    {
      rest |= 1U << i;
    }
  }
  return rest;
}

/** Evaluates the samples of a thread if some of them need the general code. Those remain.
 *
 * \return a bit for each remaining sample */
template <typename TMethod, int VForm, bool VFloat>
__device__ __forceinline__ unsigned int
EvaluateSome(const EvaluationArguments<3> & arguments,
             const ScanlineBounds &         bounds,
             const ScanlineSpan &           span,
             int                            count,
             const double *                 alpha,
             ScanlineOutput<VFloat>         to)
{
  constexpr int lanes = ScanlineValue<TMethod>::Lanes;
  unsigned int  rest = 0U;
#pragma unroll 1
  for (int i = 0; i < count; ++i)
  {
    double index[3];
    span.At(alpha[i * lanes], false, index);
    if (IsWithin(bounds.leastOfEdges, bounds.mostOfEdges, index))
    {
      to.Store(arguments, i * lanes, ScanlineValue<TMethod>::template ValueAtEdges<VForm>(arguments, bounds, index));
    }
    else if (arguments.extrapolation == nullptr && !arguments.IsInside(index))
    {
      to.StoreDefault(arguments, i * lanes);
    }
    else
    {
      rest |= 1U << i;
    }
  }
  return rest;
}

/** Evaluates scanlines and reads each sample individually. It stores floats if \p VFloat is set. */
template <typename TMethod, bool VFloat>
__global__ void
__launch_bounds__(ScanlineThreads, ScanlineValue<TMethod>::Blocks)
  ScanlineKernel(const __grid_constant__ EvaluationArguments<3> arguments,
                 std::int64_t                                   lines,
                 const __grid_constant__ ScanlinePlan           plan)
{
  const ScanlineBounds &       bounds = plan.bounds;
  constexpr int                lanes = ScanlineValue<TMethod>::Lanes;
  const ScanlinePlace<TMethod> place(arguments, plan, lines);
  ScanlineSpan                 span;
  bool                         within = true; // at all samples of the warp: indices are monotone along a line
  if (place.count > 0)
  {
    span.Set(arguments.ends[place.line], false);
    double index[2][3]; // at the first and the last sample
    for (int i = 0; i < 2; ++i)
    {
      span.At(arguments.alphas[place.first + i * (place.count - 1) * lanes], false, index[i]);
      within = within && IsWithin(bounds.least, bounds.most, index[i]);
    }
    within = within && ScanlineValue<TMethod>::AreForWithin(bounds, index);
  }
  within = __all_sync(0xFFFFFFFFU, within && place.count == ScanlineValue<TMethod>::Samples);
  const double * const         alpha = arguments.alphas + place.first;
  const ScanlineOutput<VFloat> to(arguments, place.line * arguments.samples + place.first);
  unsigned int                 rest = 0U;
  const auto                   evaluate = [&](auto form) {
    constexpr int VForm = decltype(form)::value;
    if (within)
    {
      rest = EvaluateWithin<TMethod, VForm>(arguments, bounds, span, alpha, to);
    }
    else
    {
      rest = EvaluateSome<TMethod, VForm>(arguments, bounds, span, place.count, alpha, to);
    }
  };
  if (ScanlineValue<TMethod>::Forms > 1 && arguments.texture == 0)
  {
    evaluate(std::integral_constant<int, ScanlineValue<TMethod>::Forms - 1>());
  }
  else
  {
    evaluate(std::integral_constant<int, 0>());
  }
  if (rest != 0U)
  {
    EvaluateTheRest<TMethod>(arguments, place.line, place.first, rest);
  }
}

/** Enqueues the evaluation of a slab. */
template <typename TMethod>
void
LaunchScanlines(const EvaluationArguments<3> & arguments,
                std::int64_t                   lines,
                const ScanlinePlan &           plan,
                StreamHandle                   stream)
{
  const dim3 grid(static_cast<unsigned int>(plan.blocks[0]),
                  static_cast<unsigned int>(plan.blocks[1]),
                  static_cast<unsigned int>(plan.blocks[2]));
  const auto launch = [&](auto kernel) { kernel<<<grid, ScanlineThreads, 0, stream>>>(arguments, lines, plan); };
  if (ScanlineValue<TMethod>::FloatsOnly || arguments.outputType == ScalarType::Float32)
  {
    launch(ScanlineKernel<TMethod, true>);
  }
  else if constexpr (!ScanlineValue<TMethod>::FloatsOnly)
  {
    launch(ScanlineKernel<TMethod, false>);
  }
  CheckCuda(cudaGetLastError(), "ScanlineKernel");
}

} // namespace
} // namespace itk::CudaSpline

#endif
