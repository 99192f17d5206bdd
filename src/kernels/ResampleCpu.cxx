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
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/ResampleBackends.h"
#include "kernels/ResampleFunctor.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{

/** Parts after which progress is reported and an abort is noticed. */
constexpr std::int64_t NumberOfSlabs = 16;

/** Scanlines of a slab at least, so that all threads have some. */
constexpr std::int64_t FewestLines = 64;

template <typename TMethod, unsigned int VDimension>
void
ResampleLines(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              void *                     output,
              const ExecutionContext &   context)
{
  ResampleArguments<VDimension> arguments = MakeResampleArguments<VDimension>(descriptor, source);
  arguments.ends = reinterpret_cast<const ScanlineEnds<VDimension> *>(descriptor.scanlineEnds);
  arguments.output = output;
  const std::int64_t slabs = std::max<std::int64_t>(1, std::min(descriptor.lines / FewestLines, NumberOfSlabs));
  for (std::int64_t slab = 0; slab < slabs; ++slab)
  {
    const std::int64_t first = descriptor.lines * slab / slabs;
    const std::int64_t last = descriptor.lines * (slab + 1) / slabs;
    context.ParallelFor(last - first, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = first + begin; line < first + end; ++line)
      {
        for (std::int64_t sample = 0; sample < descriptor.samples; ++sample)
        {
          ResampleSample<TMethod>(arguments, line, sample);
        }
      }
    });
    context.Report(static_cast<double>(slab + 1) / static_cast<double>(slabs));
  }
}

template <typename TReal, unsigned int VDimension>
void
ResampleAs(const ResampleDescriptor & descriptor,
           const SampleSource &       source,
           void *                     output,
           const ExecutionContext &   context)
{
  if (descriptor.interpolation == Interpolation::Linear)
  {
    ResampleLines<LinearMethod<TReal>, VDimension>(descriptor, source, output, context);
    return;
  }
  DispatchSplineOrder(source.GetDescriptor().order, [&](auto order) {
    ResampleLines<SplineMethod<decltype(order)::value, TReal>, VDimension>(descriptor, source, output, context);
  });
}

} // namespace

void
ResampleOnCpu(const ResampleDescriptor & descriptor,
              const SampleSource &       source,
              void *                     output,
              const ExecutionContext &   context)
{
  DispatchDimension(source.GetDescriptor().dimension, [&](auto dimension) {
    constexpr unsigned int VDimension = decltype(dimension)::value;
    static_assert(sizeof(ScanlineEnds<VDimension>) == sizeof(double) * 2 * VDimension,
                  "The table is read as an array of doubles.");
    if (descriptor.interpolation == Interpolation::Nearest)
    {
      ResampleLines<NearestMethod, VDimension>(descriptor, source, output, context);
    }
    else if (source.GetDescriptor().element == ScalarType::Float32)
    {
      ResampleAs<float, VDimension>(descriptor, source, output, context);
    }
    else
    {
      ResampleAs<double, VDimension>(descriptor, source, output, context);
    }
  });
}

} // namespace itk::CudaSpline
