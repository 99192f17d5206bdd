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
#ifndef itkCudaResampleImageFilter_hxx
#define itkCudaResampleImageFilter_hxx

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSplineCompatibility.h"
#include "itkCudaSplineImageAccess.h"
#include "itkCudaSplineRecognition.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/ErrorBounds.h"
#include "itkCudaSpline/kernels/MemoryPlan.h"
#include "itkCudaSpline/kernels/Prefilter.h"

#include "itkImageAlgorithm.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace itk
{

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::PrintSelf(
  std::ostream & os,
  Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
  os << indent << "KeepSource: " << (m_KeepSource ? "On" : "Off") << std::endl;
  itkPrintSelfObjectMacro(SourceCache);
  os << indent << "SourceReused: " << (m_SourceReused ? "Yes" : "No") << std::endl;
  os << indent << "MeasureErrorBound: " << (m_MeasureErrorBound ? "On" : "Off") << std::endl;
  os << indent << "ErrorBound: " << m_ErrorBound << std::endl;
  os << indent << "PreparationTime: " << m_PreparationTime << " s" << std::endl;
  os << indent << "EvaluationTime: " << m_EvaluationTime << " s" << std::endl;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
auto
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  RecogniseMethod() const -> CudaSplineMethod
{
  CudaSplineMethod method;
  if constexpr (!IsAccelerated)
  {
    method.refusal =
      "only inputs of 1 to 3 dimensions and images of the same number of numbers a pixel, of types that the "
      "module knows, are accelerated";
  }
  else
  {
    if constexpr (IsScalar)
    {
      method = CudaSplineDetail::RecogniseInterpolator(this->GetInterpolator(), this->GetInput());
    }
    else
    {
      method = CudaSplineDetail::RecogniseVectorInterpolator(this->GetInterpolator(), this->GetInput());
    }
    if (const char * const refusal = this->WhyNotAccelerated())
    {
      method.refusal = refusal;
    }
  }
  if (this->HasSpecialCoordinates())
  {
    method.refusal = "images with special coordinates are not accelerated";
  }
  return method;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  GenerateInputRequestedRegion()
{
  if (this->GetInterpolator() == nullptr)
  {
    itkExceptionMacro(<< "Interpolator not set");
  }
  // The whole, where the superclass sets no region, as for an output that is wider than the input and does not surround
  // it: what the division before asked for would stay.
  auto * const input = const_cast<TInputImage *>(this->GetInput());
  input->SetRequestedRegionToLargestPossibleRegion();
  const CudaSplineMethod method = this->RecogniseMethod();
  if (method.refusal == nullptr && method.NeedsWholeImage())
  {
    // The superclass hands the image to the interpolator here, which would decompose it on one thread.
    return;
  }
  Superclass::GenerateInputRequestedRegion();
  // ITK adds the index and the size of the output as unsigned numbers: a region that ends below 0 ends at 2^64 there,
  // and what is asked for is too little.
  const auto & wanted = this->GetOutput()->GetRequestedRegion();
  for (unsigned int d = 0; d < OutputDimension; ++d)
  {
    if (wanted.GetIndex(d) + static_cast<IndexValueType>(wanted.GetSize(d)) < 0)
    {
      input->SetRequestedRegionToLargestPossibleRegion();
    }
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::SourceDescriptor
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeSamples(const CudaSplineMethod & method) const
{
  CudaSpline::SourceDescriptor descriptor = CudaSplineDetail::DescribeSource(this->GetInput());
  CudaSplineDetail::DescribeMethodSource(method, descriptor);
  if (!CudaSpline::MovesPixels(method.interpolation.interpolation))
  {
    const bool isDouble =
      m_Precision == CudaSplinePrecision::Automatic
        ? method.storage == CudaSpline::CoefficientStorage::Element &&
            (CudaSpline::NeedsDoublePrecision(descriptor.pixel) ||
             CudaSpline::NeedsDoublePrecision(
               CudaSpline::ScalarTypeOf<typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType>()))
        : m_Precision == CudaSplinePrecision::Double;
    descriptor.element = isDouble ? CudaSpline::ScalarType::Float64 : CudaSpline::ScalarType::Float32;
  }
  else
  {
    descriptor.element = CudaSplineDetail::ElementToMove(descriptor);
  }
  return descriptor;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::ResampleDescriptor
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeResampling(const CudaSplineMethod & method) const
{
  CudaSpline::ResampleDescriptor descriptor;
  static_cast<CudaSpline::InterpolationDescriptor &>(descriptor) =
    CudaSplineDetail::DescribeInterpolation<TInterpolatorPrecisionType>(method, this->GetInput()->GetBufferedRegion());
  descriptor.output = CudaSpline::ScalarTypeOf<typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType>();

  const auto & wanted = this->GetOutput()->GetRequestedRegion();
  const auto & largest = this->GetOutput()->GetLargestPossibleRegion();
  descriptor.samples = static_cast<std::int64_t>(wanted.GetSize(0));
  descriptor.lines =
    descriptor.samples == 0 ? 0 : static_cast<std::int64_t>(wanted.GetNumberOfPixels()) / descriptor.samples;
  descriptor.lineOffset = wanted.GetIndex(0) - largest.GetIndex(0);
  descriptor.lineLength = static_cast<std::int64_t>(largest.GetSize(0));
  if constexpr (OutputDimension == 3)
  {
    descriptor.sliceLines = static_cast<std::int64_t>(wanted.GetSize(1));
  }
  return descriptor;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::SourceCache *
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::GetCache()
{
  return m_SourceCache.IsNotNull() ? &m_SourceCache->GetCache() : (m_KeepSource ? m_OwnCache.get() : nullptr);
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::GenerateData()
{
  m_PreparationTime = 0.0;
  m_EvaluationTime = 0.0;
  m_ErrorBound = std::numeric_limits<double>::quiet_NaN();
  const CudaSplineMethod method = this->RecogniseMethod();
  if (method.refusal != nullptr)
  {
    m_Backend.RunSuperclass(
      method.refusal,
      [this] {
        const auto sizeOf = [](const auto * image, const auto & region) {
          return CudaSplineDetail::TraceSize(region.GetSize(), image->GetImageDimension());
        };
        return std::string(this->GetNameOfClass()) + " | " +
               sizeOf(this->GetInput(), this->GetInput()->GetBufferedRegion()) + " -> " +
               sizeOf(this->GetOutput(), this->GetOutput()->GetRequestedRegion()) + " | " +
               this->GetInterpolator()->GetNameOfClass() + ", " + this->GetTransform()->GetNameOfClass();
      },
      [this] { Superclass::GenerateData(); });
    return;
  }
  if constexpr (IsAccelerated)
  {
    CudaSplineDetail::CheckNotEmpty(this, this->GetInput());
    if (method.NeedsWholeImage())
    {
      CudaSplineDetail::CheckWhole(this, this->GetInput());
    }
    this->AllocateOutputs();
    const CudaSpline::SourceDescriptor samples = this->DescribeSamples(method);
    CudaSpline::ResampleDescriptor     resampling = this->DescribeResampling(method);

    const std::vector<std::uint64_t> defaultPixel = this->DescribeDefaultPixel();
    resampling.defaultPixel = defaultPixel.front();
    resampling.defaultPixels = samples.components > 1 ? defaultPixel.data() : nullptr;

    // Pixels that go on outside: those that are evaluated, where they are what the image has.
    const bool isExtrapolated = this->GetExtrapolator() != nullptr;
    const bool isImage = !samples.NeedsFilter() && samples.storage == CudaSpline::CoefficientStorage::Element &&
                         (samples.element != CudaSpline::ScalarType::Float32 || samples.element == samples.pixel ||
                          !CudaSpline::NeedsDoublePrecision(samples.pixel));
    const bool                   needsOutside = isExtrapolated && !isImage;
    CudaSpline::SourceDescriptor outside = CudaSplineDetail::DescribeSource(this->GetInput());
    outside.element = CudaSplineDetail::ElementToMove(outside);
    const std::size_t outsideBytes =
      needsOutside ? CudaSpline::PlanSource(outside, std::numeric_limits<std::size_t>::max()).PeakBytes() : 0;
    const auto budget = [outsideBytes](int device, std::size_t resident) {
      const std::size_t available = CudaSpline::AvailableDeviceMemory(device, resident);
      return available > outsideBytes ? available - outsideBytes : 0;
    };

    // Where the samples are: set before anything is planned.
    CudaSpline::TransformChain chain;
    const bool                 isLinear = this->IsLinear();
    if (!isLinear && this->DescribeChain(chain))
    {
      resampling.chain = &chain;
    }
    else if (!isLinear)
    {
      resampling.indexProvider = [this](std::int64_t first, std::int64_t lines, double * indices) {
        this->MapLines(first, lines, indices);
      };
    }

    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::time_point since) {
      return std::chrono::duration<double>(Clock::now() - since).count();
    };
    if (!method.NeedsWholeImage())
    {
      this->GetModifiableInterpolator()->SetInputImage(nullptr); // as ITK leaves it: it must not keep the input alive
    }
    if (!m_KeepSource)
    {
      m_OwnCache->Clear();
    }
    CudaSpline::SourceCache * const cache = this->GetCache();
    CudaSplineBackend::Operation    operation;
    operation.work = [&](int device) {
      // Of a source that is kept the pixels are only read, for the checksum. That it is the wanted one is not known
      // before that: it will be where it was the last time.
      const auto isKept = [&](CudaSpline::Backend backend) {
        return cache != nullptr && m_SourceReused && cache->GetBytesOf(samples, backend, device) > 0;
      };
      CudaSpline::OperationWork evaluating = CudaSpline::CountResampleWork(samples, resampling);
      if (needsOutside)
      {
        evaluating = evaluating + CudaSpline::CountSourceWork(outside);
      }
      const CudaSpline::OperationWork making = CudaSpline::CountSourceWork(samples) + evaluating;
      return CudaSpline::BackendWork{ isKept(CudaSpline::Backend::Cpu) ? evaluating : making,
                                      isKept(CudaSpline::Backend::Cuda) ? evaluating : making };
    };
    operation.memory = [&](int device) {
      // One source of this size is used again, or freed before its successor is made: its memory is ours to plan with.
      const std::size_t kept = cache == nullptr ? 0 : cache->GetBytesOf(samples, CudaSpline::Backend::Cuda, device);
      const std::size_t resident = std::min(kept, samples.Bytes());
      CudaSpline::MemoryPlan plan = CudaSpline::PlanResample(samples, resampling, budget(device, resident));
      if (!plan.fits && cache != nullptr && cache->GetBytesOnDevice(device) > 0)
      {
        cache->Clear();
        plan = CudaSpline::PlanResample(samples, resampling, budget(device, 0));
      }
      return plan;
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      auto               start = Clock::now();
      const void * const pixels = this->GetInput()->GetBufferPointer();
      const auto         part = context.Part(0.0, needsOutside ? 0.3 : 0.4);
      m_SourceReused = false;
      const auto source = cache != nullptr ? cache->Provide(samples, pixels, part, &m_SourceReused)
                                           : CudaSpline::MakeSource(samples, pixels, part);
      const auto continued = needsOutside ? CudaSpline::MakeSource(outside, pixels, context.Part(0.3, 0.4)) : source;
      resampling.extrapolation = isExtrapolated ? continued.get() : nullptr;
      m_PreparationTime = seconds(start);
      start = Clock::now();
      const std::unique_ptr<double[]> ends = isLinear ? this->MapScanlines(context) : nullptr;
      resampling.scanlineEnds = ends.get();
      CudaSpline::Resample(resampling, *source, this->GetOutput()->GetBufferPointer(), context.Part(0.4, 1.0));
      m_EvaluationTime = seconds(start);
      const auto interpolation = method.interpolation.interpolation;
      const bool isConvex =
        interpolation == CudaSpline::Interpolation::BSpline || interpolation == CudaSpline::Interpolation::Linear;
      if (samples.storage != CudaSpline::CoefficientStorage::Element || (m_MeasureErrorBound && isConvex))
      {
        m_ErrorBound = CudaSpline::ModeErrorBound(resampling, *source, context);
      }
    };
    operation.describe = [&] {
      return std::string(this->GetNameOfClass()) + " | " + CudaSplineDetail::TraceSource(samples) + " -> " +
             NameOf(resampling.output) + " " +
             CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), OutputDimension) + " | " +
             CudaSplineDetail::TraceMethod(resampling, samples) + ", " +
             (isLinear ? "linear"
                       : (resampling.chain != nullptr ? "chain of " + std::to_string(chain.stages.size())
                                                      : std::string("points by ITK's transform"))) +
             (isExtrapolated ? ", extrapolated" : "");
    };
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#include "itkCudaResampleImageFilterCoordinates.hxx"
#include "itkCudaResampleImageFilterPixels.hxx"

#endif
