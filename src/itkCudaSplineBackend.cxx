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
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/MemorySnapshot.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>

namespace itk
{

void
CudaSplineHostExecutor::ParallelFor(std::int64_t count, const Body & body) const
{
  // Several parts per work unit, so that a late thread does not delay the others.
  const std::int64_t parts = std::min<std::int64_t>(count, 4 * std::int64_t{ m_Threader->GetNumberOfWorkUnits() });
  if (parts <= 1 || m_Threader->GetNumberOfWorkUnits() == 1)
  {
    HostExecutor::ParallelFor(count, body);
    return;
  }
  // ITK's pool drops exceptions of its threads, and its other threaders throw a different one.
  std::exception_ptr first;
  std::mutex         mutex;
  m_Threader->ParallelizeArray(
    0,
    static_cast<SizeValueType>(parts),
    [&](SizeValueType part) {
      try
      {
        const auto p = static_cast<std::int64_t>(part);
        body(count * p / parts, count * (p + 1) / parts);
      }
      catch (...)
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!first)
        {
          first = std::current_exception();
        }
      }
    },
    nullptr);
  if (first)
  {
    std::rethrow_exception(first);
  }
}

unsigned int
CudaSplineHostExecutor::GetConcurrency() const
{
  // ITK returns 0 if two threads create its pool of threads at the same time.
  return std::max<unsigned int>(
    1, std::min<unsigned int>(m_Threader->GetNumberOfWorkUnits(), m_Threader->GetMaximumNumberOfThreads()));
}

bool
CudaSplineBackend::SetGPUEnabled(bool enabled)
{
  const Choice choice = enabled ? Choice::On : Choice::Off;
  const bool   changed = choice != m_Choice;
  m_Choice = choice;
  return changed;
}

bool
CudaSplineBackend::GetGPUEnabled() const
{
  if (m_Choice != Choice::Automatic)
  {
    return m_Choice == Choice::On;
  }
  try
  {
    return static_cast<bool>(CudaSpline::SelectDevice(m_Device));
  }
  catch (const CudaSpline::DeviceError &)
  {
    return false; // the next update reports the error
  }
}

bool
CudaSplineBackend::SetDevice(const std::string & device)
{
  const bool changed = device != m_Device;
  m_Device = device;
  return changed;
}

bool
CudaSplineBackend::IsAutomatic() const
{
  return m_Choice == Choice::Automatic &&
         CudaSpline::ParseDeviceWish(m_Device).kind == CudaSpline::DeviceRequest::Kind::Fastest;
}

namespace
{
/** Returns the work of an operation, without the upload of inputs that are already on the device. */
CudaSpline::BackendWork
CountWork(const CudaSplineBackend::Operation & operation, ProcessObject * process, int device)
{
  CudaSpline::BackendWork work = operation.work(device);
  if (process != nullptr)
  {
    const auto there = static_cast<double>(CudaSplineDetail::CountBytesOnDevice(*process, device));
    work.device.uploadBytes = std::max(0.0, work.device.uploadBytes - there);
  }
  return work;
}

/** Returns an operation for the layer below. It refers to the original. */
CudaSpline::RunnableOperation
RunnableOf(const CudaSplineBackend::Operation & operation, ProcessObject * process)
{
  CudaSpline::RunnableOperation runnable;
  runnable.work = [&operation, process](int device) { return CountWork(operation, process, device); };
  runnable.isShared = static_cast<bool>(operation.plan);
  runnable.plan = operation.plan;
  if (!operation.plan)
  {
    runnable.plan = [&operation](const std::vector<int> & devices) {
      return CudaSpline::OperationPlan{ devices.empty() ? CudaSpline::MemoryPlan() : operation.memory(devices.front()),
                                        operation.run };
    };
  }
  return runnable;
}
} // namespace

CudaSpline::DeviceSelection
CudaSplineBackend::ChooseDevices(const CudaSpline::RunnableOperation & operation, unsigned int threads, bool isAsked)
{
  m_FallbackReason.clear();
  m_Devices.clear();
  m_Decision.reset();
  CudaSpline::DeviceSelection selection;
  if (m_Choice == Choice::Off)
  {
    selection.reason = "the GPU is switched off";
  }
  else
  {
    try
    {
      selection = CudaSpline::ChooseDevices(operation, m_Device, this->IsAutomatic(), threads, &m_Calls, isAsked);
    }
    catch (const CudaSpline::DeviceError & error)
    {
      itkGenericExceptionMacro(<< error.what());
    }
  }
  m_Devices = selection.devices;
  m_FallbackReason = selection.reason;
  m_Decision = selection.decision;
  return selection;
}

void
CudaSplineBackend::StartAhead(const CudaSpline::BackendWork & work, unsigned int threads) const
{
  try
  {
    if (this->IsAutomatic())
    {
      CudaSpline::StartDeviceAhead(m_Device, work, threads, 0.0);
    }
  }
  catch (const CudaSpline::DeviceError &)
  {
    // An unknown device: the first operation reports it.
  }
}

void
CudaSplineBackend::Run(const Operation & operation, MultiThreaderBase * threader, ProcessObject * process)
{
  CudaSplineTrace trace(operation.describe);
  m_LastBackend = CudaSpline::Backend::None;
  if (process != nullptr)
  {
    threader->SetNumberOfWorkUnits(process->GetNumberOfWorkUnits()); // as in itk::ImageSource before it uses threads
  }
  const CudaSplineHostExecutor executor(threader);
  CudaSpline::ExecutionContext context;
  context.host = &executor;
  if (process != nullptr)
  {
    context.progress = [process](double fraction) {
      process->UpdateProgress(static_cast<float>(fraction));
      return !process->GetAbortGenerateData();
    };
  }
  try
  {
    const CudaSpline::MemorySnapshot    snapshot;
    const CudaSpline::RunnableOperation runnable = RunnableOf(operation, process);
    const CudaSpline::DeviceSelection   selection = this->ChooseDevices(runnable, executor.GetConcurrency());
    const CudaSpline::RunRecord         record = CudaSpline::RunSelected(runnable, selection, context, &m_Calls);
    m_Devices = record.devices;
    m_LastBackend = record.backend;
    m_FallbackReason = record.reason;
    trace.Finish(*this);
  }
  catch (const CudaSpline::OperationAborted &)
  {
    throw ProcessAborted(__FILE__, __LINE__);
  }
  catch (const std::invalid_argument & error)
  {
    itkGenericExceptionMacro(<< error.what());
  }
}

CudaSplineBackend
CudaSplineBackend::Predict(const Operation & operation, unsigned int threads) const
{
  CudaSplineBackend asked = *this;
  asked.ChooseDevices(RunnableOf(operation, nullptr), threads, false);
  asked.m_LastBackend = asked.m_Devices.empty() ? CudaSpline::Backend::Cpu : CudaSpline::Backend::Cuda;
  return asked;
}

void
CudaSplineBackend::RunOnDevice(int device, const Operation & operation)
{
  CudaSplineTrace trace(operation.describe);
  m_LastBackend = CudaSpline::Backend::None;
  m_FallbackReason.clear();
  m_Decision.reset();
  try
  {
    using Kind = CudaSpline::DeviceRequest::Kind;
    const CudaSpline::DeviceRequest wish = CudaSpline::ParseDeviceWish(m_Device);
    const bool                      isNamed =
      wish.device == device || std::find(wish.more.begin(), wish.more.end(), device) != wish.more.end();
    if (m_Choice == Choice::Off || wish.kind == Kind::Host || (wish.kind == Kind::Number && !isNamed))
    {
      itkGenericExceptionMacro(<< "The arrays are in the memory of device " << device
                               << ", but the requested devices do not include it.");
    }
    CudaSpline::ExecutionContext context;
    context.backend = CudaSpline::Backend::Cuda;
    context.device = device;
    const auto begin = std::chrono::steady_clock::now();
    operation.run(context);
    m_LastBackend = CudaSpline::Backend::Cuda;
    this->CountSince(begin);
    trace.Finish(*this);
  }
  catch (const CudaSpline::DeviceError & error)
  {
    itkGenericExceptionMacro(<< error.what());
  }
  catch (const std::invalid_argument & error)
  {
    itkGenericExceptionMacro(<< error.what());
  }
}

void
CudaSplineBackend::CountSince(std::chrono::steady_clock::time_point begin)
{
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CudaSpline::CountCall(m_LastBackend, seconds.count(), &m_Calls);
}

void
CudaSplineBackend::RecordSuperclass(const std::string & reason)
{
  m_LastBackend = CudaSpline::Backend::Superclass;
  m_FallbackReason = reason;
  m_Decision.reset();
}

void
CudaSplineBackend::RunSuperclass(const std::string &               reason,
                                 const CudaSplineTrace::Describe & describe,
                                 const std::function<void()> &     run,
                                 ProcessObject *                   process)
{
  CudaSplineTrace trace(describe);
  this->RecordSuperclass(reason);
  const auto begin = std::chrono::steady_clock::now();
  if (process != nullptr)
  {
    CudaSplineDetail::MoveInputsToHost(*process);
  }
  run();
  this->CountSince(begin);
  trace.Finish(*this);
}

void
CudaSplineBackend::Record(const CudaSplineBackend & other)
{
  m_LastBackend = other.m_LastBackend;
  m_FallbackReason = other.m_FallbackReason;
  m_Decision = other.m_Decision;
}

void
CudaSplineBackend::CopyChoice(const CudaSplineBackend & other)
{
  m_Choice = other.m_Choice;
  m_Device = other.m_Device;
}

void
CudaSplineBackend::Print(std::ostream & os, Indent indent) const
{
  os << indent
     << "GPUEnabled: " << (m_Choice == Choice::Automatic ? "Automatic" : (m_Choice == Choice::On ? "On" : "Off"))
     << std::endl;
  os << indent << "Device: " << (m_Device.empty() ? "(automatic)" : m_Device) << std::endl;
  os << indent << "LastBackend: " << CudaSpline::NameOf(m_LastBackend) << std::endl;
  const std::string reason = this->GetFallbackReason();
  const std::string use = CudaSpline::DescribeUse(m_Calls.use);
  os << indent << "FallbackReason: " << (reason.empty() ? "(none)" : reason) << std::endl;
  os << indent << "Use: " << (use.empty() ? "(none)" : use) << std::endl;
}

} // namespace itk
