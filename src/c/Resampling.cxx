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
#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

/** Whether a source's elements are the image's samples: what continues outside can be read there. */
bool
IsImage(const SourceDescriptor & samples)
{
  return !samples.NeedsFilter() && samples.storage == CoefficientStorage::Element &&
         (samples.element != ScalarType::Float32 || samples.element == samples.pixel ||
          !NeedsDoublePrecision(samples.pixel));
}

/** The same image as the samples that continue it outside. */
SourceDescriptor
DescribeOutside(const SourceDescriptor & samples)
{
  SourceDescriptor outside = samples;
  outside.order = 0;
  outside.storage = CoefficientStorage::Element;
  outside.tableEntries = 0;
  outside.element = samples.components == 1
                      ? samples.pixel
                      : (NeedsDoublePrecision(samples.pixel) ? ScalarType::Float64 : ScalarType::Float32);
  return outside;
}

/** A resampling of host arrays: planned for a device's memory as a whole or in pieces, and run. */
class HostResampling
{
public:
  HostResampling(const cudaspline_image & image, const cudaspline_resampling & resampling, const CallExecution & call)
    : m_Pixels(image.pixels)
    , m_Output(resampling.output)
    , m_Context(call.GetContext())
  {
    m_Task.samples = DescribeImage(image);
    DescribeResampling(resampling, m_Task.samples, m_Context, m_Plan);
    m_Task.resampling = m_Plan.descriptor;
    m_Task.extrapolates = resampling.extrapolate != 0;
    m_Task.needsOutside = m_Task.extrapolates && !IsImage(m_Task.samples);
    m_Task.outside = DescribeOutside(m_Task.samples);
  }

  BackendWork
  CountWork() const
  {
    OperationWork work = CountSourceWork(m_Task.samples) + CountResampleWork(m_Task.samples, m_Task.resampling);
    work = m_Task.needsOutside ? work + CountSourceWork(m_Task.outside) : work;
    return { work, work };
  }

  MemoryPlan
  PlanMemory(const std::vector<int> & devices)
  {
    m_Pieces = PiecePlan();
    std::size_t budget = std::numeric_limits<std::size_t>::max();
    for (const int device : devices)
    {
      budget = std::min(budget, AvailableDeviceMemory(device));
    }
    budget = m_Context.memoryLimit > 0 ? std::min(budget, m_Context.memoryLimit) : budget;
    const std::size_t outside =
      m_Task.needsOutside ? PlanSource(m_Task.outside, std::numeric_limits<std::size_t>::max()).PeakBytes() : 0;
    MemoryPlan plan = PlanResample(m_Task.samples, m_Task.resampling, budget > outside ? budget - outside : 0);
    plan.outsideBytes = outside;
    if (plan.fits && devices.size() == 1)
    {
      return plan;
    }
    m_Pieces = PlanPieces(m_Task, budget, static_cast<std::int64_t>(devices.size()), m_Context.host);
    if (!plan.fits)
    {
      plan.reason += ", " + m_Pieces.reason;
      plan.fits = m_Pieces.fits;
    }
    return plan;
  }

  void
  Run(const ExecutionContext & context, const std::vector<int> & devices)
  {
    if (context.backend == Backend::Cpu)
    {
      m_Pieces = PiecePlan();
      if (m_Context.memoryLimit > 0 && !PlanResample(m_Task.samples, m_Task.resampling, m_Context.memoryLimit).fits)
      {
        m_Pieces = PlanPieces(m_Task, m_Context.memoryLimit, 1, m_Context.host);
      }
    }
    if (m_Pieces.fits)
    {
      ResamplePieces(m_Task, m_Pieces, m_Pixels, m_Output, context, devices);
      return;
    }
    const auto make = [&](const SourceDescriptor & samples, double begin, double end) {
      return Naming("image", [&] { return MakeSource(samples, m_Pixels, context.Part(begin, end)); });
    };
    const auto         source = make(m_Task.samples, 0.0, m_Task.needsOutside ? 0.3 : 0.4);
    const auto         outside = m_Task.needsOutside ? make(m_Task.outside, 0.3, 0.4) : source;
    ResampleDescriptor resampling = m_Task.resampling;
    resampling.extrapolation = m_Task.extrapolates ? outside.get() : nullptr;
    Naming("resampling", [&] { Resample(resampling, *source, m_Output, context.Part(0.4, 1.0)); });
  }

  /** What boxes of the output read of the input, three numbers each; sizes of 0 where that is nothing. */
  void
  FindWindows(std::int64_t         count,
              const std::int64_t * first,
              const std::int64_t * size,
              std::int64_t *       windowFirst,
              std::int64_t *       windowSize) const
  {
    const auto                 whole = OutputSizeOf(m_Task.resampling);
    std::vector<ResamplePiece> pieces(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < 3 * count; ++i)
    {
      const auto axis = static_cast<std::size_t>(i % 3);
      if (axis < m_Task.samples.dimension && (size[i] < 1 || first[i] < 0 || first[i] > whole[axis] - size[i]))
      {
        throw std::invalid_argument("first and size are not within the output.");
      }
      ResamplePiece & piece = pieces[static_cast<std::size_t>(i / 3)];
      piece.first[axis] = axis < m_Task.samples.dimension ? first[i] : 0;
      piece.size[axis] = axis < m_Task.samples.dimension ? size[i] : 1;
    }
    SetWindows(m_Task, pieces, m_Context.host);
    for (std::int64_t i = 0; i < 3 * count; ++i)
    {
      windowFirst[i] = pieces[static_cast<std::size_t>(i / 3)].windowFirst[static_cast<std::size_t>(i % 3)];
      windowSize[i] = pieces[static_cast<std::size_t>(i / 3)].windowSize[static_cast<std::size_t>(i % 3)];
    }
  }

  std::int32_t
  GetPieces() const
  {
    return m_Pieces.fits ? static_cast<std::int32_t>(m_Pieces.pieces.size()) : 1;
  }

private:
  const void *             m_Pixels;
  void *                   m_Output;
  const ExecutionContext & m_Context;
  ResamplingPlan           m_Plan;
  ResampleTask             m_Task;
  PiecePlan                m_Pieces;
};

/** A resampling of arrays that are on a device. */
void
RunOnDevice(const cudaspline_image & image, const cudaspline_resampling & resampling, const ExecutionContext & context)
{
  const SourceDescriptor samples = DescribeImage(image);
  ResamplingPlan         plan;
  DescribeResampling(resampling, samples, context, plan);
  DeviceOperation operation(context);
  const auto      make = [&](const SourceDescriptor & descriptor, double begin, double end) {
    return Naming("image", [&] {
      return &operation.MakeSource(
        descriptor, image.pixels, static_cast<StreamHandle>(image.stream), context.Part(begin, end));
    });
  };
  const SampleSource * const source = make(samples, 0.0, 0.4);
  if (resampling.extrapolate != 0)
  {
    plan.descriptor.extrapolation = IsImage(samples) ? source : make(DescribeOutside(samples), 0.4, 0.5);
  }
  Naming("resampling", [&] {
    operation.Resample(plan.descriptor,
                       *source,
                       resampling.output,
                       static_cast<StreamHandle>(resampling.stream),
                       context.Part(0.5, 1.0));
  });
}

/** \exception std::invalid_argument the output has bytes of what is read
 *
 * \param[in] samples of the image
 * \param[in] pixels of the image; null: of a source, which has its own */
void
CheckApart(const cudaspline_resampling & resampling, const SourceDescriptor & samples, const void * pixels)
{
  const ScalarType   type = ScalarTypeOfCode(resampling.output_type, "resampling.output_type");
  const unsigned int dimension = std::min(samples.dimension, 3U); // more are refused elsewhere
  std::size_t        bytes = SizeOf(type) * samples.components;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    bytes *= static_cast<std::size_t>(std::max<std::int64_t>(resampling.output_size[d], 0));
  }
  if (pixels != nullptr && Overlap(resampling.output, bytes, pixels, samples.PixelBytes()))
  {
    throw std::invalid_argument("resampling.output and image.pixels overlap.");
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
      throw std::invalid_argument("resampling.output and stage.data overlap.");
    }
  }
}

std::string
NameOfPlace(std::int32_t device)
{
  return device < 0 ? "the host" : "device " + std::to_string(device);
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
      throw std::invalid_argument("resampling.device is " + NameOfPlace(resampling->device) +
                                  ", and the source is on " + NameOfPlace(device) + ".");
    }
    const SampleSource & samples = *source->samples;
    ResamplingPlan       plan;
    DescribeResampling(*resampling, samples.GetDescriptor(), context, plan);
    if (resampling->extrapolate != 0)
    {
      if (!IsImage(samples.GetDescriptor()))
      {
        throw std::invalid_argument("resampling.extrapolate: this source has coefficients, not the image's samples.");
      }
      plan.descriptor.extrapolation = &samples;
    }
    CheckApart(*resampling, samples.GetDescriptor(), nullptr);
    Naming("resampling", [&] {
      if (resampling->device >= 0)
      {
        ResampleOnDevice(
          plan.descriptor, samples, resampling->output, static_cast<StreamHandle>(resampling->stream), context);
      }
      else
      {
        Resample(plan.descriptor, samples, resampling->output, context);
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
      throw std::invalid_argument("image.device is " + NameOfPlace(image->device) + ", and resampling.device is " +
                                  NameOfPlace(resampling->device) + ".");
    }
    CheckApart(*resampling, DescribeImage(*image), image->pixels);
    if (image->device >= 0)
    {
      RunOnDevice(*image, *resampling, call.ContextOf(image->device));
      call.Report(image->device);
      return;
    }
    HostResampling    work(*image, *resampling, call);
    RunnableOperation operation;
    operation.isShared = true;
    operation.work = [&work](int) { return work.CountWork(); };
    operation.memory = [&work](const std::vector<int> & devices) { return work.PlanMemory(devices); };
    operation.run = [&work](const ExecutionContext & context, const std::vector<int> & devices) {
      work.Run(context, devices);
    };
    const RunRecord record = RunOperation(operation, call.GetWord(), call.GetContext());
    call.Report(record, work.GetPieces());
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
      throw std::invalid_argument("count is negative.");
    }
    if (image->device >= 0 || resampling->device >= 0)
    {
      throw std::invalid_argument("image.device and resampling.device: windows are of arrays in host memory.");
    }
    if (count == 0)
    {
      return;
    }
    RequirePointer(first, "first");
    RequirePointer(size, "size");
    RequirePointer(window_first, "window_first");
    RequirePointer(window_size, "window_size");
    CallExecution call(nullptr);
    HostResampling(*image, *resampling, call).FindWindows(count, first, size, window_first, window_size);
  });
}
