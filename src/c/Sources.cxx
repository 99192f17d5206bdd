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
#include "itkCudaSpline/kernels/arrays/DeviceArrays.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/resampling/PiecePlan.h"

#include <cstring>
#include <stdexcept>

using namespace itk::CudaSpline;

namespace
{

StreamHandle
StreamOf(void * stream)
{
  return static_cast<StreamHandle>(stream);
}

/** Returns the work of a source that is kept: its own, and an evaluation at as many points. */
BackendWork
WorkOfSource(const SourceDescriptor & descriptor)
{
  PointsDescriptor points;
  points.count = descriptor.Count();
  points.interpolation = descriptor.order >= 2 ? Interpolation::BSpline : Interpolation::Linear;
  const OperationWork work =
    CountSourceWork(descriptor) + (descriptor.dimension <= 3 ? CountPointsWork(descriptor, points) : OperationWork());
  return { work, work };
}

/** Copies pixels of the host, so that the source owns them. */
std::shared_ptr<const void>
CopyOf(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  const std::size_t             bytes = descriptor.PixelBytes();
  const std::shared_ptr<char[]> copy(new char[bytes]);
  constexpr std::int64_t        block = std::int64_t{ 1 } << 20;
  const auto                    length = static_cast<std::int64_t>(bytes);
  context.ParallelFor((length + block - 1) / block, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = end * block < length ? end * block : length;
    std::memcpy(copy.get() + begin * block,
                static_cast<const char *>(pixels) + begin * block,
                static_cast<std::size_t>(last - begin * block));
  });
  return { copy, copy.get() };
}

PointsDescriptor
DescribePoints(const cudaspline_points & points)
{
  PointsDescriptor descriptor;
  static_cast<InterpolationDescriptor &>(descriptor) = DescribeMethod(points.interpolation);
  descriptor.count = points.count;
  descriptor.points = points.points;
  descriptor.pointType = ScalarTypeOfCode(points.point_type, "points.point_type");
  descriptor.physical = points.physical != 0;
  for (unsigned int i = 0; i < 9; ++i)
  {
    descriptor.pointToIndex[i / 3][i % 3] = points.point_to_index[i];
    descriptor.gradientMap[i / 3][i % 3] = points.gradient_map[i];
    descriptor.origin[i % 3] = points.origin[i % 3];
  }
  if (points.derivatives < 0 || points.derivatives > 2)
  {
    throw std::invalid_argument("points.derivatives is " + std::to_string(points.derivatives) +
                                "; 0, 1 and 2 are allowed.");
  }
  descriptor.derivatives =
    points.derivatives == 0 ? Derivatives::None : (points.derivatives == 1 ? Derivatives::First : Derivatives::Second);
  descriptor.output = StoredTypeOfCodes(points.output_type, points.rounding, "points");
  descriptor.values = points.values;
  descriptor.gradients = points.gradients;
  descriptor.hessians = points.hessians;
  descriptor.inside = points.inside;
  if (descriptor.derivatives != Derivatives::None)
  {
    RequirePointer(points.gradients, "points.gradients");
    if (descriptor.derivatives == Derivatives::Second)
    {
      RequirePointer(points.hessians, "points.hessians");
    }
  }
  if (points.default_value != nullptr)
  {
    std::memcpy(&descriptor.defaultPixel, points.default_value, SizeOf(descriptor.output));
  }
  descriptor.onDevice = points.device >= 0;
  descriptor.stream = points.stream;
  return descriptor;
}

} // namespace

std::int32_t
cudaspline_prefilter(const cudaspline_image * image,
                     std::int32_t             axis,
                     void *                   coefficients,
                     cudaspline_execution *   execution)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(coefficients, "coefficients");
    CallExecution          call(execution);
    const SourceDescriptor descriptor = DescribeImage(*image);
    if (axis < -1 || axis >= image->dimension)
    {
      throw std::invalid_argument("axis is " + std::to_string(axis) + "; the image has " +
                                  std::to_string(image->dimension) + " axes, numbered from 0, and -1 is for all.");
    }
    if (Overlap(coefficients, descriptor.ElementBytes(), image->pixels, descriptor.PixelBytes()) &&
        (coefficients != image->pixels || descriptor.element != descriptor.pixel))
    {
      throw std::invalid_argument(
        "coefficients and image.pixels overlap; they must be separate arrays, or the same array with the same type.");
    }
    const auto only = static_cast<unsigned int>(axis);
    if (image->device >= 0 || axis >= 0)
    {
      // One axis alone is a pass over memory. For host arrays the transfers to a device and back would take longer.
      const ExecutionContext context = call.ContextOf(image->device);
      auto * const           stream = image->device >= 0 ? StreamOf(image->stream) : nullptr;
      Naming("image", [&] {
        if (axis < 0)
        {
          PrefilterOnDevice(descriptor, image->pixels, coefficients, stream, context);
        }
        else
        {
          PrefilterAxis(descriptor, only, image->pixels, coefficients, stream, context);
        }
      });
      call.Report(image->device);
      return;
    }
    RunnableOperation operation;
    operation.work = [&](int) {
      const OperationWork work = CountPrefilterWork(descriptor);
      return BackendWork{ work, work };
    };
    operation.plan = [&](const std::vector<int> & devices) {
      return OperationPlan{
        devices.empty() ? MemoryPlan() : PlanPrefilter(descriptor, AvailableDeviceMemory(devices.front())),
        [&](const ExecutionContext & context) { Prefilter(descriptor, image->pixels, coefficients, context); }
      };
    };
    call.Report(Naming("image", [&] { return RunOperation(operation, call.GetWord(), call.GetContext()); }));
  });
}

std::int32_t
cudaspline_prefilter_window(const cudaspline_image * image,
                            std::int32_t             axis,
                            std::int64_t *           first,
                            std::int64_t *           size)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(first, "first");
    RequirePointer(size, "size");
    const SourceDescriptor descriptor = DescribeImage(*image);
    if (axis < 0 || axis >= image->dimension)
    {
      throw std::invalid_argument("axis is " + std::to_string(axis) + "; the image has " +
                                  std::to_string(image->dimension) + " axes, numbered from 0.");
    }
    const auto number = static_cast<unsigned int>(axis);
    if (*size < 1 || *first < 0 || *first > descriptor.size[number] - *size)
    {
      throw std::invalid_argument("first is " + std::to_string(*first) + " and size is " + std::to_string(*size) +
                                  "; they must be within the image, which has " +
                                  std::to_string(descriptor.size[number]) + " samples along axis " +
                                  std::to_string(axis) + ".");
    }
    Naming("image", [&] { PrefilterWindow(descriptor, number, *first, *size); });
  });
}

std::int32_t
cudaspline_make_source(const cudaspline_image * image,
                       std::int32_t             borrow,
                       cudaspline_execution *   execution,
                       cudaspline_source **     source)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(source, "source");
    CallExecution          call(execution);
    const SourceDescriptor descriptor = DescribeImage(*image);
    auto                   made = std::make_unique<cudaspline_source>();
    if (image->device >= 0)
    {
      made->samples = Naming("image", [&] {
        return MakeSourceOnDevice(
          descriptor, image->pixels, borrow != 0, StreamOf(image->stream), call.ContextOf(image->device));
      });
      call.Report(image->device);
    }
    else
    {
      RunnableOperation operation;
      operation.work = [&](int) { return WorkOfSource(descriptor); };
      operation.isMeasured = false; // the evaluation follows later
      const auto make = [&](const ExecutionContext & context) {
        const bool isKept = context.backend == Backend::Cpu && borrow == 0 && !descriptor.NeedsPreparation();
        made->copy = isKept ? CopyOf(descriptor, image->pixels, context) : nullptr;
        made->samples = MakeSource(descriptor, isKept ? made->copy.get() : image->pixels, context);
      };
      operation.plan = [&](const std::vector<int> & devices) {
        return OperationPlan{ devices.empty() ? MemoryPlan()
                                              : PlanSource(descriptor, AvailableDeviceMemory(devices.front())),
                              make };
      };
      call.Report(Naming("image", [&] { return RunOperation(operation, call.GetWord(), call.GetContext()); }));
    }
    *source = made.release();
  });
}

void
cudaspline_release_source(cudaspline_source * source)
{
  Call([source] { delete source; });
}

std::int32_t
cudaspline_source_device(const cudaspline_source * source)
{
  return source != nullptr && source->samples->GetBackend() == Backend::Cuda ? source->samples->GetDevice() : -1;
}

std::int32_t
cudaspline_source_elements(const cudaspline_source * source, void * elements, std::int64_t bytes)
{
  return Call([=] {
    RequirePointer(source, "source");
    RequirePointer(elements, "elements");
    const SampleSource &     samples = *source->samples;
    const SourceDescriptor & descriptor = samples.GetDescriptor();
    if (samples.GetBackend() != Backend::Cpu || descriptor.storage != CoefficientStorage::Element)
    {
      throw std::invalid_argument("source: its elements must be in host memory, in storage Element.");
    }
    if (bytes < 0 || static_cast<std::size_t>(bytes) != descriptor.ElementBytes())
    {
      throw std::invalid_argument("bytes is " + std::to_string(bytes) + "; it must be the size of the elements, " +
                                  std::to_string(descriptor.ElementBytes()) + ".");
    }
    std::memcpy(elements, samples.GetData(), descriptor.ElementBytes());
  });
}

std::int32_t
cudaspline_sample(const cudaspline_source * source, const cudaspline_points * points, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(source, "source");
    RequirePointer(points, "points");
    CallExecution      call(execution);
    const std::int32_t device = cudaspline_source_device(source);
    if (points->device >= 0 && points->device != device)
    {
      RefuseDevices("points.device", points->device, "the device of source", device);
    }
    const PointsDescriptor descriptor = DescribePoints(*points);
    Naming("points", [&] { SamplePoints(descriptor, *source->samples, call.ContextOf(device)); });
    call.Report(device);
  });
}

std::int32_t
cudaspline_sample_image(const cudaspline_image *  image,
                        const cudaspline_points * points,
                        cudaspline_execution *    execution)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(points, "points");
    if (image->device < 0 || points->device != image->device)
    {
      RefuseDevices("image.device", image->device, "points.device", points->device, "both must be on the same GPU");
    }
    CallExecution          call(execution);
    const ExecutionContext context = call.ContextOf(image->device);
    const SourceDescriptor samples = DescribeImage(*image);
    const PointsDescriptor descriptor = DescribePoints(*points);
    DeviceOperation        operation(context, StreamOf(points->stream));
    const auto * const     source = Naming("image", [&] {
      return &operation.MakeSource(samples, image->pixels, StreamOf(image->stream), context.Part(0.0, 0.5));
    });
    Naming("points", [&] { SamplePoints(descriptor, *source, context.Part(0.5, 1.0)); });
    call.Report(image->device);
  });
}
