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
#include "c/Call.h"
#include "c/Descriptors.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/LabelImages.h"
#include "itkCudaSpline/kernels/common/NonFiniteValues.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "itkCudaSpline/math/SamplingGaussian.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

/** Returns the passes of a smoothing, one per axis, in their order. The first one reads the image. */
std::vector<GaussianDescriptor>
PassesOf(const SourceDescriptor & image, const double * steps)
{
  std::vector<GaussianDescriptor> passes;
  for (unsigned int axis = 0; axis < image.dimension; ++axis)
  {
    const double sigma = SamplingSigma(steps[axis], image.size[axis]);
    if (sigma > 0.0)
    {
      GaussianDescriptor pass;
      pass.dimension = std::max(image.dimension, 2U);
      pass.size = image.size;
      pass.sigma.fill(sigma); // of a grid with a spacing of 1
      pass.onlyAxis = static_cast<int>(axis);
      pass.pixel = passes.empty() ? image.pixel : image.element;
      pass.output = image.element;
      passes.push_back(pass);
    }
  }
  return passes;
}

/** Reduces the grid of an output to three samples per axis about its centre, half a sample apart. */
void
ReduceToCentre(TransformChain & chain, unsigned int dimension)
{
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    const double first =
      static_cast<double>(chain.regionStart[axis]) + 0.5 * static_cast<double>(chain.regionSize[axis] - 1) - 0.5;
    for (unsigned int row = 0; row < dimension; ++row)
    {
      chain.outputOrigin[row] += chain.indexToPoint[row][axis] * first;
      chain.indexToPoint[row][axis] *= 0.5;
    }
    chain.regionStart[axis] = 0;
    chain.regionSize[axis] = 3;
  }
}

} // namespace

std::int32_t
cudaspline_sampling_steps(const cudaspline_image * image, const cudaspline_resampling * resampling, double * steps)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(resampling, "resampling");
    RequirePointer(steps, "steps");
    if (image->dimension < 1 || image->dimension > 3)
    {
      throw std::invalid_argument("image.dimension is " + std::to_string(image->dimension) +
                                  "; only images of 1 to 3 dimensions can be resampled.");
    }
    const auto     dimension = static_cast<unsigned int>(image->dimension);
    TransformChain chain = DescribeChain(*resampling, dimension);
    const auto     outputSize = chain.regionSize;
    ReduceToCentre(chain, dimension);
    DisplacementDescriptor descriptor;
    descriptor.dimension = dimension;
    descriptor.output = ScalarType::Float64;
    descriptor.samples = 3;
    descriptor.lines = dimension == 1 ? 1 : (dimension == 2 ? 3 : 9);
    descriptor.lineLength = 3;
    descriptor.chain = &chain;
    double           displacements[27 * 3] = {};
    ExecutionContext context;
    context.backend = Backend::Cpu;
    MakeDisplacements(descriptor, displacements, context);
    std::fill_n(steps, 9, 0.0);
    std::int64_t       stride = 1;                                              // in samples
    const std::int64_t centre = dimension == 1 ? 1 : (dimension == 2 ? 4 : 13); // index of the middle sample of all
    for (unsigned int axis = 0; axis < dimension; ++axis, stride *= 3)
    {
      const double * const before = displacements + (centre - stride) * dimension;
      const double * const behind = displacements + (centre + stride) * dimension;
      for (unsigned int inputAxis = 0; inputAxis < dimension; ++inputAxis)
      {
        double step = 0.0;
        for (unsigned int d = 0; d < dimension; ++d)
        {
          // The derivative of the point itself, and of its displacement.
          step += chain.pointToIndex[inputAxis][d] * (2.0 * chain.indexToPoint[d][axis] + (behind[d] - before[d]));
        }
        const bool isMeasured = outputSize[axis] > 1 && image->size[inputAxis] > 1;
        steps[3 * inputAxis + axis] = isMeasured ? std::abs(step) : 0.0;
      }
    }
  });
}

std::int32_t
cudaspline_looks_like_labels(const void * pixels, std::int32_t type, std::int64_t count)
{
  bool               areLabels = false;
  const std::int32_t code =
    Call([&] { areLabels = pixels != nullptr && LooksLikeLabels(pixels, ScalarTypeOfCode(type, "type"), count); });
  return code == CUDASPLINE_OK && areLabels ? 1 : 0;
}

std::int64_t
cudaspline_count_non_finite(const void * pixels, std::int32_t type, std::int64_t count, std::int32_t threads)
{
  std::int64_t       found = 0;
  const std::int32_t code = Call([&] {
    if (pixels != nullptr)
    {
      found = CountNonFiniteValues(
        pixels, ScalarTypeOfCode(type, "type"), count, ThreadExecutor(static_cast<unsigned int>(std::max(0, threads))));
    }
  });
  return code == CUDASPLINE_OK ? found : 0;
}

std::int32_t
cudaspline_smooth_for_sampling(const cudaspline_image * image,
                               const double *           steps,
                               void *                   output,
                               cudaspline_execution *   execution)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(steps, "steps");
    RequirePointer(output, "output");
    CallExecution          call(execution);
    const SourceDescriptor descriptor = DescribeImage(*image);
    if (image->device >= 0)
    {
      throw std::invalid_argument("image.device is " + std::to_string(image->device) +
                                  "; only images in host memory can be smoothed.");
    }
    if (descriptor.components != 1 || descriptor.order != 0)
    {
      throw std::invalid_argument(
        "image: only images with one component per pixel and order 0 can be smoothed; this one has " +
        std::to_string(descriptor.components) + " and order " + std::to_string(descriptor.order) + ".");
    }
    if (!IsReal(descriptor.element))
    {
      throw std::invalid_argument(std::string("image.element is ") + NameOf(descriptor.element) +
                                  "; only float32 and float64 can be smoothed.");
    }
    if (Overlap(output, descriptor.ElementBytes(), image->pixels, descriptor.PixelBytes()))
    {
      throw std::invalid_argument("output and image.pixels overlap; they must be separate arrays.");
    }
    const std::vector<GaussianDescriptor> passes = PassesOf(descriptor, steps);
    if (passes.empty())
    {
      throw std::invalid_argument("steps: nothing is smoothed; this needs a step above " +
                                  std::to_string(LargestPlainStep) + " along an axis with at least 4 samples.");
    }
    RunnableOperation operation;
    operation.work = [&](int) {
      OperationWork work;
      for (const GaussianDescriptor & pass : passes)
      {
        work = work + CountGaussianWork(pass, GaussianOperation::Smoothing);
      }
      return BackendWork{ work, work };
    };
    operation.plan = [&](const std::vector<int> & devices) {
      MemoryPlan memory;
      if (!devices.empty())
      {
        memory = PlanGaussian(passes.front(), GaussianOperation::Smoothing, AvailableDeviceMemory(devices.front()));
      }
      return OperationPlan{ memory, [&](const ExecutionContext & context) {
                             const void * from = image->pixels;
                             for (std::size_t i = 0; i < passes.size(); ++i)
                             {
                               const auto part = [&](std::size_t n) {
                                 return static_cast<double>(n) / static_cast<double>(passes.size());
                               };
                               SmoothByGaussian(passes[i], from, output, context.Part(part(i), part(i + 1)));
                               from = output;
                             }
                           } };
    };
    call.Report(Naming("image", [&] { return RunOperation(operation, call.GetWord(), call.GetContext()); }));
  });
}
