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
#ifndef itkCudaResampleImageFilterPlan_hxx
#define itkCudaResampleImageFilterPlan_hxx

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

namespace itk
{

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
auto
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::RegionToRead()
  const -> const typename TInputImage::RegionType &
{
  const auto & buffered = this->GetInput()->GetBufferedRegion();
  return buffered.GetNumberOfPixels() > 0 ? buffered : this->GetInput()->GetLargestPossibleRegion();
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::SourceDescriptor
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::DescribeInput()
  const
{
  CudaSpline::SourceDescriptor descriptor = CudaSplineDetail::DescribeSource(this->GetInput());
  const auto &                 region = this->RegionToRead();
  for (unsigned int d = 0; d < InputDimension; ++d)
  {
    descriptor.start[d] = region.GetIndex(d);
    descriptor.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  return descriptor;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::Prepare(
  const CudaSplineMethod & method,
  Preparation &            preparation) const
{
  CudaSpline::ResampleTask & task = preparation.task;
  task.samples = this->DescribeSamples(method);
  task.resampling = this->DescribeResampling(method);
  preparation.defaultPixel = this->DescribeDefaultPixel();
  task.resampling.defaultPixel = preparation.defaultPixel.front();
  task.resampling.defaultPixels = task.samples.components > 1 ? preparation.defaultPixel.data() : nullptr;

  // Pixels that go on outside: those that are evaluated, where they are what the image has.
  const CudaSpline::SourceDescriptor & samples = task.samples;
  const bool isImage = !samples.NeedsFilter() && samples.storage == CudaSpline::CoefficientStorage::Element &&
                       (samples.element != CudaSpline::ScalarType::Float32 || samples.element == samples.pixel ||
                        !CudaSpline::NeedsDoublePrecision(samples.pixel));
  task.extrapolates = this->GetExtrapolator() != nullptr;
  task.needsOutside = task.extrapolates && !isImage;
  task.outside = this->DescribeInput();
  task.outside.element = CudaSplineDetail::ElementToMove(task.outside);

  // Where the samples are: set before anything is planned.
  preparation.isLinear = this->IsLinear();
  if (!preparation.isLinear && this->DescribeChain(preparation.chain))
  {
    task.resampling.chain = &preparation.chain;
  }
  else if (!preparation.isLinear)
  {
    task.resampling.indexProvider = [this](std::int64_t first, std::int64_t lines, double * indices) {
      this->MapLines(first, lines, indices);
    };
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::Cut(
  Preparation & preparation,
  std::size_t   budget,
  std::size_t   least)
{
  // Errors are bounded for a source as a whole.
  if (m_MeasureErrorBound)
  {
    preparation.pieces.reason = "the error bound is of the whole";
    return;
  }
  const CudaSplineHostExecutor executor(this->GetMultiThreader());
  if (preparation.isLinear && preparation.ends == nullptr)
  {
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    preparation.ends = this->MapScanlines(context);
    preparation.task.resampling.scanlineEnds = preparation.ends.get();
  }
  preparation.pieces = CudaSpline::PlanPieces(preparation.task, budget, static_cast<std::int64_t>(least), &executor);
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::MemoryPlan
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::PlanMemory(
  Preparation &            preparation,
  const std::vector<int> & devices)
{
  const CudaSpline::ResampleTask & task = preparation.task;
  CudaSpline::SourceCache * const  cache = this->GetCache();
  const int                        first = devices.front();
  preparation.pieces = CudaSpline::PiecePlan();
  const auto available = [this](int device, std::size_t resident) {
    const std::size_t bytes = CudaSpline::AvailableDeviceMemory(device, resident);
    return m_MemoryLimit > 0 ? std::min<std::size_t>(bytes, m_MemoryLimit) : bytes;
  };
  const auto planWhole = [&](std::size_t resident) {
    const std::size_t outside =
      task.needsOutside ? CudaSpline::PlanSource(task.outside, std::numeric_limits<std::size_t>::max()).PeakBytes() : 0;
    const std::size_t bytes = available(first, resident);
    auto plan = CudaSpline::PlanResample(task.samples, task.resampling, bytes > outside ? bytes - outside : 0);
    plan.outsideBytes = outside;
    return plan;
  };
  // One source of this size is used again, or freed before its successor is made: its memory is ours to plan with.
  const std::size_t kept = cache == nullptr ? 0 : cache->GetBytesOf(task.samples, CudaSpline::Backend::Cuda, first);
  preparation.whole = planWhole(std::min(kept, task.samples.Bytes()));
  std::size_t freed = 0; // by what is predicted
  if (!preparation.whole.fits && cache != nullptr)
  {
    // What is kept is freed where that helps: not where the limit is the reason.
    const std::size_t keptBytes = cache->GetBytesOnDevice(first);
    if (available(first, keptBytes) > available(first, 0))
    {
      if (preparation.isPrediction)
      {
        freed = keptBytes;
      }
      else
      {
        cache->Clear();
      }
      preparation.whole = planWhole(freed);
    }
  }
  // What is kept is kept on one device.
  if (preparation.whole.fits && (devices.size() == 1 || cache != nullptr))
  {
    return preparation.whole;
  }
  std::size_t budget = std::numeric_limits<std::size_t>::max();
  for (const int device : devices)
  {
    budget = std::min(budget, available(device, device == first ? freed : 0));
  }
  this->Cut(preparation, budget, devices.size());
  CudaSpline::MemoryPlan plan = preparation.whole;
  if (!plan.fits)
  {
    plan.reason += ", " + preparation.pieces.reason;
    plan.fits = preparation.pieces.fits;
  }
  return plan;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::PlanHost(
  Preparation & preparation)
{
  preparation.pieces = CudaSpline::PiecePlan();
  if (m_MemoryLimit > 0 &&
      !CudaSpline::PlanResample(preparation.task.samples, preparation.task.resampling, m_MemoryLimit).fits)
  {
    this->Cut(preparation, m_MemoryLimit, 1);
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSplineBackend::Operation
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::MakeOperation(
  Preparation & preparation)
{
  CudaSplineBackend::Operation operation;
  operation.work = [this, &preparation](int device) {
    const CudaSpline::ResampleTask & task = preparation.task;
    CudaSpline::SourceCache * const  cache = this->GetCache();
    // Of a source that is kept the pixels are only read, for the checksum. That it is the wanted one is not known
    // before that: it will be where it was the last time.
    const auto isKept = [&](CudaSpline::Backend backend) {
      return cache != nullptr && m_SourceReusedBy[static_cast<std::size_t>(backend)] &&
             cache->GetBytesOf(task.samples, backend, device) > 0;
    };
    CudaSpline::OperationWork evaluating = CudaSpline::CountResampleWork(task.samples, task.resampling);
    if (task.needsOutside)
    {
      evaluating = evaluating + CudaSpline::CountSourceWork(task.outside);
    }
    const CudaSpline::OperationWork making = CudaSpline::CountSourceWork(task.samples) + evaluating;
    // Of what changed at the last update it is not expected that it stays now.
    const bool stays = cache != nullptr && (m_SourceReused || m_Backend.GetUse().Most() == CudaSpline::Backend::None);
    return CudaSpline::BackendWork{ isKept(CudaSpline::Backend::Cpu) ? evaluating : making,
                                    isKept(CudaSpline::Backend::Cuda) ? evaluating : making,
                                    stays ? evaluating : making,
                                    std::max(1.0, static_cast<double>(m_ExpectedNumberOfUpdates)),
                                    m_ExpectedNumberOfUpdates > 0 };
  };
  operation.memory = [this, &preparation](int device) { return this->PlanMemory(preparation, { device }); };
  operation.memoryOfSeveral = [this, &preparation](const std::vector<int> & devices) {
    return this->PlanMemory(preparation, devices);
  };
  operation.describe = [this, &preparation] {
    const CudaSpline::ResampleTask & task = preparation.task;
    const CudaSpline::PiecePlan &    cut = preparation.pieces;
    return std::string(this->GetNameOfClass()) + " | " + CudaSplineDetail::TraceSource(task.samples) + " -> " +
           NameOf(task.resampling.output) + " " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), OutputDimension) + " | " +
           CudaSplineDetail::TraceMethod(task.resampling, task.samples) + ", " +
           (preparation.isLinear
              ? "linear"
              : (task.resampling.chain != nullptr ? "chain of " + std::to_string(preparation.chain.stages.size())
                                                  : std::string("points by ITK's transform"))) +
           (task.extrapolates ? ", extrapolated" : "") +
           (cut.fits ? ", " + std::to_string(cut.pieces.size()) + " pieces" : "");
  };
  return operation;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::Resample(
  Preparation &                        preparation,
  const CudaSpline::ExecutionContext & unlimited)
{
  CudaSpline::ExecutionContext context = unlimited;
  context.memoryLimit = m_MemoryLimit;
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const CudaSpline::ResampleTask & task = preparation.task;
  const void * const               pixels = this->GetInput()->GetBufferPointer();
  void * const                     output = this->GetOutput()->GetBufferPointer();
  if (context.backend == CudaSpline::Backend::Cpu)
  {
    this->PlanHost(preparation);
  }
  m_SourceReused = false;
  m_NumberOfPieces = preparation.pieces.fits ? preparation.pieces.pieces.size() : 1;
  if (preparation.pieces.fits)
  {
    const CudaSpline::PieceTimes times =
      CudaSpline::ResamplePieces(task, preparation.pieces, pixels, output, context, m_Backend.GetChosenDevices());
    m_PreparationTime = times.preparation;
    m_EvaluationTime = times.evaluation;
    return;
  }
  auto                            start = Clock::now();
  CudaSpline::SourceCache * const cache = this->GetCache();
  const auto                      part = context.Part(0.0, task.needsOutside ? 0.3 : 0.4);
  const auto source = cache != nullptr ? cache->Provide(task.samples, pixels, part, &m_SourceReused)
                                       : CudaSpline::MakeSource(task.samples, pixels, part);
  m_SourceReusedBy[static_cast<std::size_t>(context.backend)] = m_SourceReused;
  const auto continued =
    task.needsOutside ? CudaSpline::MakeSource(task.outside, pixels, context.Part(0.3, 0.4)) : source;
  CudaSpline::ResampleDescriptor resampling = task.resampling;
  resampling.extrapolation = task.extrapolates ? continued.get() : nullptr;
  m_PreparationTime = seconds(start);
  start = Clock::now();
  if (preparation.isLinear && preparation.ends == nullptr)
  {
    preparation.ends = this->MapScanlines(context);
  }
  resampling.scanlineEnds = preparation.ends.get();
  CudaSpline::Resample(resampling, *source, output, context.Part(0.4, 1.0));
  m_EvaluationTime = seconds(start);
  if (CudaSpline::GivesErrorBound(resampling, task.samples, m_MeasureErrorBound))
  {
    m_ErrorBound = CudaSpline::ModeErrorBound(resampling, *source, context);
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
std::string
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeSuperclass() const
{
  const auto sizeOf = [](const auto * image, const auto & region) {
    return CudaSplineDetail::TraceSize(region.GetSize(), image->GetImageDimension());
  };
  return std::string(this->GetNameOfClass()) + " | " + sizeOf(this->GetInput(), this->RegionToRead()) + " -> " +
         sizeOf(this->GetOutput(), this->GetOutput()->GetRequestedRegion()) + " | " +
         this->GetInterpolator()->GetNameOfClass() + ", " + this->GetTransform()->GetNameOfClass();
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSplineResamplePlan
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::GetPlan()
{
  this->UpdateOutputInformation();
  if (this->GetInterpolator() == nullptr)
  {
    itkExceptionMacro("Interpolator not set");
  }
  if (this->GetOutput()->GetRequestedRegion().GetNumberOfPixels() == 0)
  {
    this->GetOutput()->SetRequestedRegionToLargestPossibleRegion(); // as an update does
  }
  CudaSplineResamplePlan plan;
  const CudaSplineMethod method = this->RecogniseMethod();
  plan.backend = CudaSpline::Backend::Superclass;
  plan.reason = method.refusal != nullptr ? method.refusal : "";
  plan.operation = this->DescribeSuperclass();
  if constexpr (IsAccelerated)
  {
    if (method.refusal == nullptr)
    {
      Preparation preparation;
      preparation.isPrediction = true;
      this->Prepare(method, preparation);
      this->GetMultiThreader()->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
      const unsigned int                 threads = CudaSplineHostExecutor(this->GetMultiThreader()).GetConcurrency();
      const CudaSplineBackend::Operation operation = this->MakeOperation(preparation);
      const CudaSplineBackend            prediction = m_Backend.Predict(operation, threads);
      if (prediction.GetLastBackend() == CudaSpline::Backend::Cpu)
      {
        this->PlanHost(preparation);
      }
      plan.operation = operation.describe();
      plan.Describe(preparation.task, preparation.whole, preparation.pieces, prediction, threads);
    }
  }
  return plan;
}

} // namespace itk

#endif
