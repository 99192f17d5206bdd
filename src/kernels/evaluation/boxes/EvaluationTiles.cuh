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
#ifndef EvaluationTiles_cuh
#define EvaluationTiles_cuh

#include "itkCudaSpline/device/Stream.h"

#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/ScanlineSpan.cuh"
#include "kernels/evaluation/boxes/TileKernel.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace itk::CudaSpline
{

namespace
{

/** Stores the evaluated results, as float if \p VFloat is set. */
template <Derivatives VDerivatives, bool VFloat>
__device__ __forceinline__ void
StoreEvaluated(const EvaluationArguments<3> & arguments, bool inside, const Jet<3, float> & jet, std::int64_t at)
{
  if constexpr (VFloat)
  {
    if (VDerivatives == Derivatives::None || arguments.output != nullptr)
    {
      static_cast<float *>(arguments.output)[at] =
        inside ? CastToFloat(jet.value) : __uint_as_float(static_cast<unsigned int>(arguments.defaultPixel));
    }
    if constexpr (VDerivatives != Derivatives::None)
    {
      float * const gradient = static_cast<float *>(arguments.gradients) + at * 3;
      for (int r = 0; r < 3; ++r)
      {
        gradient[r] = CastToFloat(MappedGradient(arguments, jet, r));
      }
    }
  }
  else
  {
    if constexpr (VDerivatives != Derivatives::None)
    {
      StoreJet<VDerivatives>(arguments, jet, at);
      inside = inside || arguments.output == nullptr;
    }
    else if (inside)
    {
      StoreScalar(arguments.output, arguments.outputType, at, jet.value);
    }
    if (!inside)
    {
      StoreBits(arguments.output, at, arguments.defaultPixel, SizeOf(arguments.outputType));
    }
  }
}

/** The lines of the output are scanlines: indices are interpolated between their ends. */
template <typename TMethod, Derivatives VDerivativesApart>
struct ScanlineRule
{
  using Line = ScanlineSpan;
  static constexpr bool IsMonotone = true;

  const EvaluationArguments<3> & arguments;

  __device__ __forceinline__ double
  PlaceOf(std::int64_t sample) const
  {
    return arguments.FractionOf(sample);
  }
  __device__ __forceinline__ void
  Prepare(std::int64_t number, bool single, Line & line) const
  {
    line.Set(arguments.ends[number], single);
  }
  __device__ __forceinline__ void
  IndexAt(const Line & line, double place, bool single, double (&index)[3]) const
  {
    line.At(place, single, index);
  }
  __device__ __forceinline__ std::int64_t
                             OffsetOf(const OutputBox & output, int line) const
  {
    return output.firstLine * arguments.samples + output.firstSample +
           std::int64_t{ line } * static_cast<int>(arguments.samples);
  }
  __device__ __forceinline__ static constexpr int
  StepOf()
  {
    return 1;
  }
  template <Derivatives VDerivatives, bool VFloat>
  __device__ __forceinline__ void
  Store(bool inside, const Jet<3, float> & jet, std::int64_t at) const
  {
    StoreEvaluated<VDerivatives, VFloat>(arguments, inside, jet, at);
  }
  __device__ __forceinline__ static constexpr bool
  LeavesOutside()
  {
    return false;
  }
  __device__ __forceinline__ void
  EvaluateApart(std::int64_t line, std::int64_t sample, bool) const
  {
    EvaluateSample<TMethod, VDerivativesApart>(arguments, line, sample);
  }
};

/** Evaluates a box of the output from a tile of the input in shared memory. */
template <typename TMethod, Derivatives VDerivatives>
__global__ void
__launch_bounds__(BoxThreads(VDerivatives), BoxBlocks(VDerivatives))
  TileKernel(const __grid_constant__ EvaluationArguments<3> arguments,
             std::int64_t                                   lines,
             const __grid_constant__ TilePlan               plan)
{
  const ScanlineRule<TMethod, VDerivatives> rule{ arguments };
  RunTile<TMethod, VDerivatives>(arguments, lines, plan, rule);
}

/** Enqueues the evaluation of one slab. */
template <typename TMethod, Derivatives VDerivatives>
void
LaunchTiles(const EvaluationArguments<3> & arguments,
            std::int64_t                   lines,
            const TilePlan &               plan,
            const SharedMemorySizes &      memory,
            StreamHandle                   stream)
{
  const auto kernel = TileKernel<TMethod, VDerivatives>;
  LaunchTileKernel(kernel, plan, arguments.samples, lines, memory, "TileKernel", [&](const dim3 & grid) {
    kernel<<<grid, static_cast<unsigned int>(plan.threads), TileBytes(plan), stream>>>(arguments, lines, plan);
  });
}

} // namespace
} // namespace itk::CudaSpline

#endif
