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
#ifndef EvaluationLaunch_cuh
#define EvaluationLaunch_cuh

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/EvaluationLaunchers.h"
#include "kernels/evaluation/EvaluationTuning.h"
#include "kernels/evaluation/MethodDispatch.h"

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

namespace
{

/** Computes one output sample per thread.
 *
 * Blocks are boxes of the output. Warps are 8 x 4 samples of a slice, so that the reads of a warp are close together
 * for any rotation of the output. For lists, a warp is 32 consecutive points. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
__global__ void
__launch_bounds__(SampleThreads, SampleBlocks(TMethod::HasBasis, VDerivatives))
  EvaluationKernel(const __grid_constant__ EvaluationArguments<VDimension> arguments, std::int64_t lines)
{
  const bool         isTurned = arguments.laneAxis == 2; // the second axis of a block runs along the slices
  const std::int64_t sample = std::int64_t{ blockIdx.x } * blockDim.x + threadIdx.x;
  const std::int64_t second = std::int64_t{ isTurned ? blockIdx.z : blockIdx.y } * blockDim.y + threadIdx.y;
  const std::int64_t third = std::int64_t{ isTurned ? blockIdx.y : blockIdx.z } * blockDim.z + threadIdx.z;
  const std::int64_t row = isTurned ? third : second;
  const std::int64_t slice = isTurned ? second : third;
  const std::int64_t rows = arguments.sliceLines > 0 ? arguments.sliceLines : std::int64_t{ gridDim.y } * blockDim.y;
  const std::int64_t line = slice * rows + row;
  if (sample < arguments.samples && row < rows && line < lines)
  {
    EvaluateSample<TMethod, VDerivatives>(arguments, line, sample);
  }
}

/** Enqueues the evaluation of a slab. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
LaunchPlain(EvaluationArguments<VDimension> arguments, std::int64_t lines, StreamHandle stream)
{
  const auto blocksOf = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  const bool isList =
    arguments.coordinates == Coordinates::Indices || arguments.coordinates == Coordinates::Points || VDimension == 1;
  const bool hasSlices = !isList && arguments.sliceLines > 0 && arguments.sliceLines < lines;
  if (isList || (arguments.laneAxis == 2 && !hasSlices))
  {
    arguments.laneAxis = 0;
  }
  arguments.sliceLines = hasSlices ? arguments.sliceLines : 0; // otherwise consecutive lines, in layers of the grid
  const dim3         block = arguments.laneAxis == 0 ? dim3(32, 4, 1) : (hasSlices ? dim3(4, 8, 4) : dim3(4, 32, 1));
  const bool         isTurned = arguments.laneAxis == 2;
  const std::int64_t rows = hasSlices ? arguments.sliceLines : lines;
  const std::int64_t rowBlocks = blocksOf(rows, isTurned ? block.z : block.y);
  const std::int64_t down = rowBlocks < MaxGridBlocks || hasSlices ? rowBlocks : MaxGridBlocks;
  const std::int64_t deep =
    hasSlices ? blocksOf(blocksOf(lines, rows), isTurned ? block.y : block.z) : blocksOf(rowBlocks, down);
  if (down > MaxGridBlocks || deep > MaxGridBlocks)
  {
    throw DeviceError(DeviceError::Kind::Other, "A slab of the output has more lines than a grid of blocks can hold.");
  }
  const dim3 grid(static_cast<unsigned int>(blocksOf(arguments.samples, block.x)),
                  static_cast<unsigned int>(down),
                  static_cast<unsigned int>(deep));
  EvaluationKernel<TMethod, VDerivatives><<<grid, block, 0, stream>>>(arguments, lines);
  CheckCuda(cudaGetLastError(), "EvaluationKernel");
}

} // namespace

template <typename TType, unsigned int VDimension>
void
LaunchSamples(Derivatives                             derivatives,
              const EvaluationArguments<VDimension> & arguments,
              std::int64_t                            lines,
              StreamHandle                            stream)
{
  DispatchMethod<TType>(arguments.element, derivatives, [&](auto compiled) {
    LaunchPlain<typename decltype(compiled)::Method, decltype(compiled)::derivatives>(arguments, lines, stream);
  });
}

} // namespace itk::CudaSpline

/** Instantiates LaunchSamples() for an interpolation type. */
#define CUDASPLINE_INSTANTIATE_SAMPLES(Type)                                                                           \
  template void LaunchSamples<Type>(Derivatives, const EvaluationArguments<1> &, std::int64_t, StreamHandle);          \
  template void LaunchSamples<Type>(Derivatives, const EvaluationArguments<2> &, std::int64_t, StreamHandle);          \
  template void LaunchSamples<Type>(Derivatives, const EvaluationArguments<3> &, std::int64_t, StreamHandle)

#endif
