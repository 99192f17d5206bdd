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
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

/** Returns a resampling of host arrays as a job. */
ResampleJob
MakeJob(const cudaspline_image & image, const cudaspline_resampling & resampling, const ExecutionContext & context)
{
  ResampleOptions options;
  options.memoryLimit = context.memoryLimit;
  return ResampleJob(DescribeResampling(resampling, DescribeImage(image), context), options, context.host);
}

/** Returns the job as an operation whose errors name the argument. */
RunnableOperation
NamingOperation(ResampleJob & job, const cudaspline_image & image, const cudaspline_resampling & resampling)
{
  RunnableOperation operation = job.MakeOperation(image.pixels, resampling.output);
  operation.plan = [plan = operation.plan](const std::vector<int> & devices) {
    OperationPlan made = plan(devices);
    made.run = [run = made.run](const ExecutionContext & context) {
      try
      {
        run(context);
      }
      catch (const InvalidPixels & invalid)
      {
        throw std::invalid_argument(std::string("image: ") + invalid.what());
      }
      catch (const std::invalid_argument & invalid)
      {
        throw std::invalid_argument(std::string("resampling: ") + invalid.what());
      }
    };
    return made;
  };
  return operation;
}

/** Computes the windows of the input that boxes of the output read, with three numbers each. Sizes are 0 if a box reads
 * nothing. */
void
FindWindows(const ResampleTask & task,
            const HostExecutor * host,
            std::int64_t         count,
            const std::int64_t * first,
            const std::int64_t * size,
            std::int64_t *       windowFirst,
            std::int64_t *       windowSize)
{
  const auto                 whole = OutputSizeOf(task.resampling);
  std::vector<ResamplePiece> pieces(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < 3 * count; ++i)
  {
    const auto axis = static_cast<std::size_t>(i % 3);
    if (axis < task.samples.dimension && (size[i] < 1 || first[i] < 0 || first[i] > whole[axis] - size[i]))
    {
      throw std::invalid_argument("first[" + std::to_string(i) + "] is " + std::to_string(first[i]) + " and size[" +
                                  std::to_string(i) + "] is " + std::to_string(size[i]) +
                                  "; they must be within the output, which has " + std::to_string(whole[axis]) +
                                  " samples along this axis.");
    }
    ResamplePiece & piece = pieces[static_cast<std::size_t>(i / 3)];
    piece.first[axis] = axis < task.samples.dimension ? first[i] : 0;
    piece.size[axis] = axis < task.samples.dimension ? size[i] : 1;
  }
  SetWindows(task, pieces, host);
  for (std::int64_t i = 0; i < 3 * count; ++i)
  {
    windowFirst[i] = pieces[static_cast<std::size_t>(i / 3)].windowFirst[static_cast<std::size_t>(i % 3)];
    windowSize[i] = pieces[static_cast<std::size_t>(i / 3)].windowSize[static_cast<std::size_t>(i % 3)];
  }
}

/** Resamples arrays that are on a device. */
void
RunOnDevice(const cudaspline_image & image, const cudaspline_resampling & resampling, const ExecutionContext & context)
{
  const SourceDescriptor    samples = DescribeImage(image);
  const ResampleDescription description = DescribeResampling(resampling, samples, context);
  ResampleDescriptor        descriptor = description.GetDescriptor();
  DeviceOperation           operation(context, static_cast<StreamHandle>(resampling.stream));
  const auto                make = [&](const SourceDescriptor & made, double begin, double end) {
    return Naming("image", [&] {
      return &operation.MakeSource(
        made, image.pixels, static_cast<StreamHandle>(image.stream), context.Part(begin, end));
    });
  };
  const SampleSource * const source = make(samples, 0.0, 0.4);
  if (description.extrapolates)
  {
    descriptor.extrapolation = HasPixels(samples) ? source : make(OutsideOf(samples), 0.4, 0.5);
  }
  Naming("resampling", [&] {
    operation.Resample(
      descriptor, *source, resampling.output, static_cast<StreamHandle>(resampling.stream), context.Part(0.5, 1.0));
  });
}

/** \exception std::invalid_argument the output overlaps the input
 *
 * \param[in] resampling has the output
 * \param[in] samples samples of the image
 * \param[in] pixels pixels of the image; null: the source has its own */
void
CheckApart(const cudaspline_resampling & resampling, const SourceDescriptor & samples, const void * pixels)
{
  const ScalarType   type = ScalarTypeOfCode(resampling.output_type, "resampling.output_type");
  const unsigned int dimension = std::min(samples.dimension, 3U); // larger dimensions are refused elsewhere
  std::size_t        bytes = SizeOf(type) * samples.components;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    bytes *= static_cast<std::size_t>(std::max<std::int64_t>(resampling.output_size[d], 0));
  }
  if (pixels != nullptr && Overlap(resampling.output, bytes, pixels, samples.PixelBytes()))
  {
    throw std::invalid_argument("resampling.output and image.pixels overlap; they must be separate arrays.");
  }
  for (std::int32_t i = 0; resampling.stages != nullptr && i < resampling.stage_count; ++i)
  {
    const cudaspline_stage & stage = resampling.stages[i];
    if (stage.kind == CUDASPLINE_STAGE_AFFINE)
    {
      continue;
    }
    std::size_t displacements = dimension * SizeOf(ScalarTypeOfCode(stage.type, "stage.type"));
    for (unsigned int d = 0; d < dimension; ++d)
    {
      displacements *= static_cast<std::size_t>(std::max<std::int64_t>(stage.size[d], 0));
    }
    if (Overlap(resampling.output, bytes, stage.data, displacements))
    {
      throw std::invalid_argument("resampling.output and the data of stage " + std::to_string(i) +
                                  " overlap; they must be separate arrays.");
    }
  }
}

} // namespace

std::int32_t
cudaspline_resample_source(const cudaspline_source *     source,
                           const cudaspline_resampling * resampling,
                           cudaspline_execution *        execution)
{
  return Call([=] {
    RequirePointer(source, "source");
    RequirePointer(resampling, "resampling");
    CallExecution          call(execution);
    const std::int32_t     device = cudaspline_source_device(source);
    const ExecutionContext context = call.ContextOf(device);
    if (resampling->device >= 0 && resampling->device != device)
    {
      RefuseDevices("resampling.device", resampling->device, "the device of source", device);
    }
    const SampleSource &      samples = *source->samples;
    const ResampleDescription description = DescribeResampling(*resampling, samples.GetDescriptor(), context);
    ResampleDescriptor        descriptor = description.GetDescriptor();
    if (description.extrapolates)
    {
      if (!HasPixels(samples.GetDescriptor()))
      {
        throw std::invalid_argument(
          "resampling.extrapolate: the source has coefficients instead of the samples of the image, which are needed.");
      }
      descriptor.extrapolation = &samples;
    }
    CheckApart(*resampling, samples.GetDescriptor(), nullptr);
    Naming("resampling", [&] {
      if (resampling->device >= 0)
      {
        ResampleOnDevice(
          descriptor, samples, resampling->output, static_cast<StreamHandle>(resampling->stream), context);
      }
      else
      {
        Resample(descriptor, samples, resampling->output, context);
      }
    });
    call.Report(device);
  });
}

std::int32_t
cudaspline_resample(const cudaspline_image *      image,
                    const cudaspline_resampling * resampling,
                    cudaspline_execution *        execution)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(resampling, "resampling");
    CallExecution call(execution);
    if (image->device != resampling->device)
    {
      RefuseDevices("image.device", image->device, "resampling.device", resampling->device);
    }
    CheckApart(*resampling, DescribeImage(*image), image->pixels);
    if (image->device >= 0)
    {
      RunOnDevice(*image, *resampling, call.ContextOf(image->device));
      call.Report(image->device);
      return;
    }
    ResampleJob     job = MakeJob(*image, *resampling, call.GetContext());
    const RunRecord record = RunOperation(NamingOperation(job, *image, *resampling), call.GetWord(), call.GetContext());
    call.Report(record, static_cast<std::int32_t>(job.GetRecord().pieces));
  });
}

std::int32_t
cudaspline_resample_windows(const cudaspline_image *      image,
                            const cudaspline_resampling * resampling,
                            std::int64_t                  count,
                            const std::int64_t *          first,
                            const std::int64_t *          size,
                            std::int64_t *                window_first,
                            std::int64_t *                window_size)
{
  return Call([=] {
    RequirePointer(image, "image");
    RequirePointer(resampling, "resampling");
    if (count < 0)
    {
      throw std::invalid_argument("count is " + std::to_string(count) + "; it must be at least 0.");
    }
    if (image->device >= 0 || resampling->device >= 0)
    {
      RefuseDevices("image.device",
                    image->device,
                    "resampling.device",
                    resampling->device,
                    "windows support only arrays in host memory");
    }
    if (count == 0)
    {
      return;
    }
    RequirePointer(first, "first");
    RequirePointer(size, "size");
    RequirePointer(window_first, "window_first");
    RequirePointer(window_size, "window_size");
    CallExecution     call(nullptr);
    const ResampleJob job = MakeJob(*image, *resampling, call.GetContext());
    FindWindows(job.GetTask(), call.GetContext().host, count, first, size, window_first, window_size);
  });
}
