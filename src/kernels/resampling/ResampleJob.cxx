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
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"

#include "kernels/resampling/ExecuteResampleTask.h"
#include "kernels/resampling/ResampleKernel.h"

#include <algorithm>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** Returns the memory that a device can provide within a limit, if \p resident bytes of the operation are on it
 * already. */
std::size_t
AvailableWithin(std::size_t limit, int device, std::size_t resident)
{
  const std::size_t bytes = AvailableDeviceMemory(device, resident);
  return limit > 0 ? std::min(bytes, limit) : bytes;
}

} // namespace

ResampleDescriptor
ResampleDescription::GetDescriptor() const
{
  ResampleDescriptor descriptor = resampling;
  descriptor.defaultPixel = defaultPixels.front();
  descriptor.defaultPixels = samples.components > 1 ? defaultPixels.data() : nullptr;
  descriptor.chain = chain ? &*chain : nullptr;
  descriptor.scanlineEnds = ends.get();
  descriptor.scanlineChain = scanlineChain ? &*scanlineChain : nullptr;
  return descriptor;
}

std::vector<ResamplePiece>
ResamplePlan::GetBoxes(const ResampleTask & task) const
{
  if (pieces.fits)
  {
    return pieces.pieces;
  }
  ResamplePiece whole;
  whole.size = OutputSizeOf(task.resampling);
  whole.windowSize = task.samples.size;
  whole.memory = memory;
  return { whole };
}

ResampleJob::ResampleJob(ResampleDescription description, const ResampleOptions & options, const HostExecutor * host)
  : m_Description(std::move(description))
  , m_Options(options)
  , m_Host(host)
  , m_Task(MakeResampleTask(m_Description.samples, m_Description.GetDescriptor(), m_Description.extrapolates))
{}

BackendWork
ResampleJob::CountWork(int device) const
{
  const SourceCache * const     cache = m_Options.cache;
  const ResampleHistory * const history = m_Options.history;
  // If the source is cached, its pixels are only read for the checksum. Whether the cached source is the right one is
  // not known before. It is assumed to be so if it was in the last call.
  const auto isKept = [&](Backend backend) {
    return cache != nullptr && history != nullptr && history->reusedBy[static_cast<std::size_t>(backend)] &&
           cache->GetBytesOf(SamplesOn(backend, m_Task), backend, device) > 0;
  };
  const OperationWork making = CountTaskWork(m_Task);
  OperationWork       evaluating = CountResampleWork(m_Task.samples, m_Task.resampling);
  evaluating = m_Task.needsOutside ? evaluating + CountSourceWork(m_Task.outside) : evaluating;
  // Data that changed in the last call are not expected to remain the same now.
  const bool stays = cache != nullptr && (m_Options.isFirst || (history != nullptr && history->reused));
  return { isKept(Backend::Cpu) ? evaluating : making,
           isKept(Backend::Cuda) ? evaluating : making,
           stays ? evaluating : making,
           std::max(1.0, static_cast<double>(m_Options.expectedCalls)),
           m_Options.expectedCalls > 0 };
}

ResamplePlan
ResampleJob::Plan(const std::vector<int> & devices)
{
  ResamplePlan      plan;
  const std::size_t limit = m_Options.memoryLimit;
  if (devices.empty())
  {
    if (limit > 0 && !PlanResample(m_Task.samples, m_Task.resampling, limit).fits)
    {
      plan.pieces = this->Cut(limit, 1);
    }
    return plan;
  }
  const SourceCache * const cache = m_Options.cache;
  const int                 first = devices.front();
  plan.devices = devices;
  // One source of this size is reused, or freed before its successor is made, so its memory counts as available.
  const std::size_t kept = cache == nullptr ? 0 : cache->GetBytesOf(m_Task.samples, Backend::Cuda, first);
  plan.memory = PlanTask(m_Task, AvailableWithin(limit, first, std::min(kept, m_Task.samples.Bytes())));
  std::size_t freed = 0;
  if (!plan.memory.fits && cache != nullptr)
  {
    // The cache is freed if this helps, but not if the limit is the reason.
    const std::size_t keptThere = cache->GetBytesOnDevice(first);
    const std::size_t available = AvailableWithin(limit, first, keptThere);
    if (available > AvailableWithin(limit, first, 0))
    {
      plan.emptiesCache = true;
      freed = keptThere;
      plan.memory = PlanTask(m_Task, available);
    }
  }
  // Cached sources are on one device.
  if (!plan.memory.fits || (devices.size() > 1 && cache == nullptr))
  {
    std::size_t budget = std::numeric_limits<std::size_t>::max();
    for (const int device : devices)
    {
      budget = std::min(budget, AvailableWithin(limit, device, device == first ? freed : 0));
    }
    plan.pieces = this->Cut(budget, devices.size());
    if (!plan.memory.fits)
    {
      plan.memory.reason += ", " + plan.pieces.reason;
      plan.memory.fits = plan.pieces.fits;
    }
  }
  if (!plan.pieces.fits)
  {
    plan.devices.resize(1); // one device computes everything
  }
  return plan;
}

PiecePlan
ResampleJob::Cut(std::size_t budget, std::size_t least)
{
  if (m_Options.wantsBound)
  {
    PiecePlan none;
    none.reason = "the error bound needs the whole image"; // of a source
    return none;
  }
  ExecutionContext context;
  context.host = m_Host;
  m_Task.resampling.scanlineEnds = this->ProvideEnds(context);
  this->ProvideFields(context);
  return PlanPieces(m_Task, budget, static_cast<std::int64_t>(least), m_Host);
}

const double *
ResampleJob::ProvideEnds(const ExecutionContext & context)
{
  if (m_Description.ends == nullptr && m_Description.mapScanlines)
  {
    m_Description.ends = m_Description.mapScanlines(context);
  }
  return m_Description.ends.get();
}

void
ResampleJob::ProvideFields(const ExecutionContext & context)
{
  if (m_Description.chain && m_Description.provideFields)
  {
    m_Description.provideFields(context, *m_Description.chain);
  }
}

ResampleRecord
ResampleJob::Run(const ResamplePlan & plan, const void * pixels, void * output, const ExecutionContext & context)
{
  ExecutionContext limited = context;
  limited.memoryLimit = m_Options.memoryLimit;
  if (plan.emptiesCache && m_Options.cache != nullptr)
  {
    m_Options.cache->Clear();
  }
  if (m_Options.history != nullptr)
  {
    m_Options.history->reused = false;
  }
  ResampleRecord record;
  record.pieces = plan.Count();
  if (plan.pieces.fits)
  {
    record.times = ResamplePieces(m_Task, plan.pieces, pixels, output, limited, plan.devices);
    return record;
  }
  const ResampleOutcome done =
    ExecuteResampleTask(m_Task, pixels, output, limited, m_Options.cache, [this](const ExecutionContext & threads) {
      return this->ProvideEnds(threads);
    });
  record.times = done.times;
  record.sourceReused = done.isReused;
  if (m_Options.history != nullptr)
  {
    m_Options.history->reused = done.isReused;
    m_Options.history->reusedBy[static_cast<std::size_t>(context.backend)] = done.isReused;
  }
  if (GivesErrorBound(m_Task.resampling, m_Task.samples, m_Options.wantsBound))
  {
    record.errorBound = ModeErrorBound(m_Task.resampling, *done.source, limited);
  }
  return record;
}

std::string
ResampleJob::DescribeKernel(const ResamplePlan & plan)
{
  if (plan.devices.empty())
  {
    return {};
  }
  ExecutionContext context;
  context.host = m_Host;
  ResampleDescriptor descriptor = m_Task.resampling;
  if (descriptor.scanlineChain == nullptr)
  {
    descriptor.scanlineEnds = this->ProvideEnds(context);
  }
  const DeviceInfo   info = QueryDevice(plan.devices.front());
  const std::int64_t slab = plan.GetBoxes(m_Task).front().memory.slabLines;
  return DescribeResampleKernel(
    descriptor, m_Task.samples, std::min(slab, descriptor.lines), { info.blockMemory, info.sharedMemory }, context);
}

RunnableOperation
ResampleJob::MakeOperation(const void * pixels, void * output)
{
  return this->MakeOperation([pixels, output](const ExecutionContext &, const auto & run) { run(pixels, output); });
}

RunnableOperation
ResampleJob::MakeOperation(const ProvideArrays & arrays)
{
  RunnableOperation operation;
  operation.isShared = true;
  operation.work = [this](int device) { return this->CountWork(device); };
  operation.plan = [this, arrays](const std::vector<int> & devices) {
    const auto plan = std::make_shared<const ResamplePlan>(this->Plan(devices));
    return OperationPlan{ plan->memory, [this, plan, arrays](const ExecutionContext & context) {
                           m_Plan = plan;
                           ExecutionContext where = context;
                           where.backend = plan->pieces.fits ? Backend::Cpu : context.backend; // divided on the host
                           this->ProvideFields(where);
                           arrays(where, [&](const void * pixels, void * output) {
                             m_Record = this->Run(*plan, pixels, output, context);
                           });
                         } };
  };
  return operation;
}

} // namespace itk::CudaSpline
