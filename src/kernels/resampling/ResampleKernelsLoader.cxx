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
#include "itkCudaSpline/kernels/resampling/ResampleKernelsLoader.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace itk::CudaSpline
{

namespace
{
/** Returns a chain with the same kinds of stages, but with tiny grids. The caller may free its displacements soon. */
TransformChain
TinyChain(TransformChain chain, unsigned int dimension)
{
  for (TransformChain::Stage & stage : chain.stages)
  {
    if (stage.kind != TransformKind::Affine)
    {
      const auto numbers = std::make_shared<std::vector<double>>(std::size_t{ 4 } * 4 * 4 * dimension);
      stage.size = { { 1, 1, 1 } };
      std::fill_n(stage.size.begin(), dimension, 4); // the support of a cubic spline
      if (stage.singleData != nullptr)
      {
        stage.singleData = { numbers, reinterpret_cast<const float *>(numbers->data()) };
      }
      else
      {
        stage.data = { numbers, numbers->data() };
      }
    }
  }
  chain.regionSize = { { 4, 1, 1 } };
  return chain;
}

/** Loads the kernels of an operation by running a tiny one of the same kind.
 *
 * \param[in] chain the tiny chain, if the operation has a chain */
void
LoadKernels(SourceDescriptor source, ResampleDescriptor resample, const TransformChain & chain, int device)
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  context.device = device;
  // Large enough for the kernel that filters planes.
  std::fill_n(source.size.begin(), source.dimension, 4);
  source.size[0] = 65;
  source.size[1] = source.dimension > 1 ? 33 : 1;
  const std::vector<double> pixels(static_cast<std::size_t>(source.Elements()));
  const auto                made = MakeSource(source, pixels.data(), context);

  const std::vector<double> ends(std::size_t{ 2 } * source.dimension);
  std::vector<double>       output(std::size_t{ 4 } * source.components);
  resample.defaultPixels = nullptr; // the caller may have freed its memory
  resample.extrapolation = nullptr;
  resample.samples = 4;
  resample.lines = 1;
  resample.lineOffset = 0;
  resample.lineLength = 4;
  if (resample.chain != nullptr)
  {
    resample.chain = &chain;
  }
  else if (resample.indexProvider)
  {
    resample.indexProvider = [count = 4 * source.dimension](std::int64_t, std::int64_t lines, double * indices) {
      std::fill_n(indices, lines * count, 0.0);
    };
  }
  else
  {
    resample.scanlineEnds = ends.data();
  }
  Resample(resample, *made, output.data(), context);
}
} // namespace

std::function<void(int device)>
ResampleKernelsLoader(const SourceDescriptor & source, const ResampleDescriptor & resample)
{
  const TransformChain chain =
    resample.chain != nullptr ? TinyChain(*resample.chain, source.dimension) : TransformChain();
  return [source, resample, chain](int device) { LoadKernels(source, resample, chain, device); };
}

} // namespace itk::CudaSpline
