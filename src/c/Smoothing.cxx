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
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/math/SamplingGaussian.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

/** The passes of a smoothing: an axis each, in their order, of which the first one reads the image. */
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

} // namespace

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
      throw std::invalid_argument("image.device: images in host memory are smoothed.");
    }
    if (descriptor.components != 1 || descriptor.order != 0)
    {
      throw std::invalid_argument("image: samples of one number a pixel are smoothed, of order 0.");
    }
    if (!IsReal(descriptor.element))
    {
      throw std::invalid_argument("image.element: what is smoothed is float32 or float64.");
    }
    if (Overlap(output, descriptor.ElementBytes(), image->pixels, descriptor.PixelBytes()))
    {
      throw std::invalid_argument("output and image.pixels overlap.");
    }
    const std::vector<GaussianDescriptor> passes = PassesOf(descriptor, steps);
    if (passes.empty())
    {
      throw std::invalid_argument("steps: none is above " + std::to_string(LargestPlainStep) +
                                  " along an axis of 4 samples at least: nothing is to be smoothed.");
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
