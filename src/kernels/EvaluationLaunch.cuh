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

#include "kernels/Evaluation.h"
#include "kernels/EvaluationLaunchers.h"
#include "kernels/MethodDispatch.h"

#include <cuda_runtime.h>

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int BlockSamples = 32; ///< a warp along the line
constexpr unsigned int BlockLines = 4;

/** Blocks that shall be resident on a multiprocessor. It bounds the registers of the kernel, and those of WalkStages(),
 * which it calls: a chain of transforms may spill, so that a kernel does not pay for one that is not there. 72
 * registers are what the sum over a cubic support takes. */
constexpr unsigned int
MinimumBlocks(bool sumsOverSupport, Derivatives derivatives)
{
  return derivatives == Derivatives::None ? (sumsOverSupport ? 7 : 8) : 1;
}

/** A thread an output sample. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
__global__ void
__launch_bounds__(BlockSamples * BlockLines, MinimumBlocks(TMethod::HasBasis, VDerivatives))
  EvaluationKernel(const __grid_constant__ EvaluationArguments<VDimension> arguments, std::int64_t lines)
{
  const std::int64_t across = (arguments.samples + BlockSamples - 1) / BlockSamples;
  const std::int64_t sample = std::int64_t{ blockIdx.x } % across * BlockSamples + threadIdx.x;
  const std::int64_t line = std::int64_t{ blockIdx.x } / across * BlockLines + threadIdx.y;
  if (sample < arguments.samples && line < lines)
  {
    EvaluateSample<TMethod, VDerivatives>(arguments, line, sample);
  }
}

/** Enqueues the evaluation of one slab. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
LaunchEvaluation(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, StreamHandle stream)
{
  const std::int64_t across = (arguments.samples + BlockSamples - 1) / BlockSamples;
  const std::int64_t blocks = across * ((lines + BlockLines - 1) / BlockLines);
  if (blocks > 0x7FFFFFFF)
  {
    throw DeviceError(DeviceError::Kind::Other, "A slab of the output has more lines than a grid of blocks can hold.");
  }
  EvaluationKernel<TMethod, VDerivatives>
    <<<static_cast<unsigned int>(blocks), dim3(BlockSamples, BlockLines), 0, stream>>>(arguments, lines);
  CheckCuda(cudaGetLastError(), "EvaluationKernel");
}

} // namespace
} // namespace itk::CudaSpline

#endif
