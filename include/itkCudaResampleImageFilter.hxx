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
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/itk/Recognition.h"

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
  os << indent << "ExpectedNumberOfUpdates: " << m_ExpectedNumberOfUpdates << std::endl;
  os << indent << "KeepSource: " << (m_KeepSource ? "On" : "Off") << std::endl;
  itkPrintSelfObjectMacro(SourceCache);
  os << indent << "SourceReused: " << (m_SourceReused ? "Yes" : "No") << std::endl;
  os << indent << "MeasureErrorBound: " << (m_MeasureErrorBound ? "On" : "Off") << std::endl;
  os << indent << "MemoryLimit: " << m_MemoryLimit << std::endl;
  os << indent << "NumberOfPieces: " << m_NumberOfPieces << std::endl;
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
  CudaSpline::SourceDescriptor descriptor = this->DescribeInput();
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
    CudaSplineDetail::DescribeInterpolation<TInterpolatorPrecisionType>(method, this->RegionToRead());
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
  m_NumberOfPieces = 0;
  const CudaSplineMethod method = this->RecogniseMethod();
  if (method.refusal != nullptr)
  {
    m_Backend.RunSuperclass(
      method.refusal, [this] { return this->DescribeSuperclass(); }, [this] { Superclass::GenerateData(); });
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
    Preparation preparation;
    this->Prepare(method, preparation);
    if (!method.NeedsWholeImage())
    {
      this->GetModifiableInterpolator()->SetInputImage(nullptr); // as ITK leaves it: it must not keep the input alive
    }
    if (!m_KeepSource)
    {
      m_OwnCache->Clear();
    }
    CudaSplineBackend::Operation operation = this->MakeOperation(preparation);
    operation.run = [&](const CudaSpline::ExecutionContext & context) { this->Resample(preparation, context); };
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#include "itkCudaResampleImageFilterCoordinates.hxx"
#include "itkCudaResampleImageFilterPixels.hxx"
#include "itkCudaResampleImageFilterPlan.hxx"

#endif
