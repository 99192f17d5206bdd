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
#include "kernels/resampling/ResampleKernel.h"

#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include "kernels/evaluation/KernelChoice.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/resampling/MapShape.h"
#include "kernels/resampling/PlanScanlines.h"

namespace itk::CudaSpline
{

std::string
DescribeResampleKernel(const ResampleDescriptor & descriptor,
                       const SourceDescriptor &   samples,
                       std::int64_t               lines,
                       const SharedMemorySizes &  memory,
                       const ExecutionContext &   context)
{
  std::string text;
  DispatchDimension(samples.dimension, [&](auto dimension) {
    auto arguments = DescribeEvaluation<decltype(dimension)::value>(descriptor, samples);
    DescribeResampling(descriptor, arguments);
    const double   there = 0.0; // represents device arrays that do not exist yet
    constexpr auto pixel = std::uint64_t{ 0 };
    arguments.defaultPixels = descriptor.defaultPixels != nullptr ? &pixel : nullptr;
    arguments.extrapolation = descriptor.extrapolation != nullptr ? &there : nullptr;
    if (MakesScanlinesOnDevice(descriptor))
    {
      arguments.alphas = &there;
      PlanScanlines(descriptor, samples, ScanlinesOf<decltype(dimension)::value>(*descriptor.scanlineChain), arguments);
    }
    else if (descriptor.scanlineEnds != nullptr)
    {
      arguments.alphas = &there;
      arguments.tiles = PlanMapTiles(descriptor, samples, context);
    }
    else
    {
      arguments.coordinates = descriptor.chain != nullptr ? Coordinates::Stages : Coordinates::Indices;
    }
    const KernelRequest request{ descriptor.interpolation, samples.element,
                                 samples.storage,          samples.order,
                                 Derivatives::None,        lines };
    text = DescribeKernel(ChooseKernel(request, arguments, memory), arguments.tiles);
  });
  return text;
}

} // namespace itk::CudaSpline
