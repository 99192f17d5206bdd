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
#include "itkCudaSpline/itk/LabelWinner.h"
#include "itkCudaSpline/itk/Recognition.h"
#include "itkCudaSpline/itk/ResampleOperation.h"
#include "itkCudaSpline/itk/TransformDescriber.h"

#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkProgressAccumulator.h"
#include "itkSpecialCoordinatesImage.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace itk
{

namespace CudaSplineDetail
{
/** \brief ITK's filter itself, whatever factories are registered. */
template <typename TInputImage, typename TOutputImage, typename TCoordinate, typename TTransformPrecision>
class PlainResampleImageFilter : public ResampleImageFilter<TInputImage, TOutputImage, TCoordinate, TTransformPrecision>
{
public:
  /** Types of ITK's conventions. */
  ///@{
  using Self = PlainResampleImageFilter;
  using Pointer = SmartPointer<Self>;
  ///@}

  /** Makes an object; for this class no factory is asked. */
  itkCudaSplineFactorylessNewMacro(Self);
};
} // namespace CudaSplineDetail

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
  os << indent << "RoundIntegers: " << (m_RoundIntegers ? "On" : "Off") << std::endl;
  os << indent << "ExpectedNumberOfUpdates: " << m_ExpectedNumberOfUpdates << std::endl;
  os << indent << "KeepSource: " << (m_KeepSource ? "On" : "Off") << std::endl;
  itkPrintSelfObjectMacro(SourceCache);
  os << indent << "SourceReused: " << (m_Record.sourceReused ? "Yes" : "No") << std::endl;
  os << indent << "MeasureErrorBound: " << (m_MeasureErrorBound ? "On" : "Off") << std::endl;
  os << indent << "MemoryLimit: " << m_MemoryLimit << std::endl;
  os << indent << "NumberOfPieces: " << m_Record.pieces << std::endl;
  os << indent << "ErrorBound: " << m_Record.errorBound << std::endl;
  os << indent << "PreparationTime: " << m_Record.times.preparation << " s" << std::endl;
  os << indent << "EvaluationTime: " << m_Record.times.evaluation << " s" << std::endl;
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
      "only inputs of 1 to 3 dimensions and images of the same number of components per pixel, of types that the "
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
  // They have no affine map from indices to places.
  if (dynamic_cast<const SpecialCoordinatesImage<InputPixelType, InputDimension> *>(this->GetInput()) != nullptr ||
      dynamic_cast<const SpecialCoordinatesImage<OutputPixelType, OutputDimension> *>(this->GetOutput()) != nullptr)
  {
    method.refusal = "images with special coordinates are not accelerated";
  }
  return method;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
const char *
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  WhyNotAccelerated() const
{
  const auto * const extrapolator = this->GetExtrapolator();
  if (extrapolator != nullptr)
  {
    const auto & type = typeid(*extrapolator);
    if (type != typeid(NearestNeighborExtrapolateImageFunction<TInputImage, TInterpolatorPrecisionType>))
    {
      return "only ITK's nearest-neighbour extrapolator is accelerated, and no class derived from it";
    }
  }
  const unsigned int components = this->GetInput()->GetNumberOfComponentsPerPixel();
  if (components == 0 || this->GetOutput()->GetNumberOfComponentsPerPixel() != components)
  {
    return "only images with as many components per pixel as the output are accelerated";
  }
  if constexpr (CudaSplineDetail::ImageTraits<TOutputImage>::IsVectorImage)
  {
    // Without a length it stands for zeros.
    const auto length = static_cast<unsigned int>(this->GetDefaultPixelValue().GetSize());
    if (length != 0 && length != components)
    {
      return "the default pixel has another number of components than the image";
    }
  }
  return nullptr;
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
  if (method.refusal == nullptr || method.refusal == CudaSplineDetail::GenericOfLabelsByPoints)
  {
    // The superclass hands the image to the interpolator here, which several filters may share.
    if (this->IsLinear() && !method.NeedsWholeImage())
    {
      this->RequestWhatIsRead(method);
    }
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
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  RequestWhatIsRead(const CudaSplineMethod & method)
{
  auto * const input = const_cast<TInputImage *>(this->GetInput());
  const auto & largest = input->GetLargestPossibleRegion();
  const auto & wanted = this->GetOutput()->GetRequestedRegion();
  if (wanted.GetNumberOfPixels() == 0)
  {
    return;
  }
  double lowest[InputDimension];
  double highest[InputDimension];
  std::fill(std::begin(lowest), std::end(lowest), std::numeric_limits<double>::infinity());
  std::fill(std::begin(highest), std::end(highest), -std::numeric_limits<double>::infinity());
  bool isFinite = true;
  for (unsigned int corner = 0; corner < (1U << OutputDimension); ++corner)
  {
    auto index = wanted.GetIndex();
    for (unsigned int d = 0; d < OutputDimension; ++d)
    {
      index[d] += (corner >> d) % 2 != 0 ? static_cast<IndexValueType>(wanted.GetSize(d)) - 1 : 0;
    }
    double at[InputDimension];
    this->GetMapper().MapIndex(index, at);
    for (unsigned int d = 0; d < InputDimension; ++d)
    {
      isFinite = isFinite && std::abs(at[d]) < CudaSplineDetail::LargestIndex;
      lowest[d] = std::min(lowest[d], at[d]);
      highest[d] = std::max(highest[d], at[d]);
    }
  }
  if (!isFinite)
  {
    return;
  }
  auto read = largest;
  for (unsigned int d = 0; d < InputDimension; ++d)
  {
    // A sample more than the interpolation reads, and what coordinates may be rounded by.
    const double reach = static_cast<double>(CudaSpline::GetReach(method.interpolation, method.order, d)) + 1.0 +
                         std::ldexp(std::max(std::abs(lowest[d]), std::abs(highest[d])), -22);
    const auto first = std::max(static_cast<IndexValueType>(std::floor(lowest[d] - reach)), largest.GetIndex(d));
    const auto last = std::min(static_cast<IndexValueType>(std::ceil(highest[d] + reach)),
                               largest.GetIndex(d) + static_cast<IndexValueType>(largest.GetSize(d)) - 1);
    if (first > last)
    {
      return; // all samples are outside: no pipeline takes a request for nothing
    }
    read.SetIndex(d, first);
    read.SetSize(d, static_cast<SizeValueType>(last - first) + 1);
  }
  input->SetRequestedRegion(read);
}

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
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeSamples(const CudaSplineMethod & method) const
{
  CudaSpline::SourceDescriptor descriptor = CudaSplineDetail::DescribeSource(this->GetInput());
  const auto &                 region = this->RegionToRead();
  for (unsigned int d = 0; d < InputDimension; ++d)
  {
    descriptor.start[d] = region.GetIndex(d);
    descriptor.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
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
    descriptor.element = CudaSpline::ElementToMove(descriptor);
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
  descriptor.output = { CudaSpline::ScalarTypeOf<typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType>(),
                        m_RoundIntegers ? CudaSpline::IntegerRounding::HalfToEven
                                        : CudaSpline::IntegerRounding::Truncate };

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
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::IsLinear()
  const
{
  return this->GetTransform()->GetTransformCategory() == Superclass::TransformType::TransformCategoryEnum::Linear;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::DescribeChain(
  CudaSpline::TransformChain & chain) const
{
  // In float precision ITK rounds intermediate points and indices, which only its own functions reproduce.
  if constexpr (IsAccelerated && InputDimension == OutputDimension &&
                std::is_same<TInterpolatorPrecisionType, double>::value &&
                std::is_same<TTransformPrecisionType, double>::value)
  {
    if (!CudaSplineDetail::TransformDescriber<InputDimension>::Append(this->GetTransform(), chain))
    {
      return false;
    }
    this->DescribeGrids(chain);
    return true;
  }
  else
  {
    (void)chain;
    return false;
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeScanlines(const CudaSpline::ResampleDescriptor & resampling, CudaSpline::TransformChain & chain) const
{
  if constexpr (IsAccelerated && InputDimension == OutputDimension &&
                std::is_same<TInterpolatorPrecisionType, double>::value &&
                std::is_same<TTransformPrecisionType, double>::value)
  {
    const bool areWhole = resampling.lineOffset == 0 && resampling.samples == resampling.lineLength;
    if (areWhole && CudaSplineDetail::TransformDescriber<InputDimension>::AppendScanlines(this->GetTransform(), chain))
    {
      this->DescribeGrids(chain);
      return true;
    }
  }
  else
  {
    (void)resampling;
    (void)chain;
  }
  return false;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::DescribeGrids(
  CudaSpline::TransformChain & chain) const
{
  if constexpr (IsAccelerated && InputDimension == OutputDimension) // no others are asked
  {
    CudaSpline::TransformChain::Matrix unused{};
    CudaSplineDetail::DescribeAxes<InputDimension>(this->GetInput(), chain.inputOrigin, unused, chain.pointToIndex);
    CudaSplineDetail::DescribeAxes<OutputDimension>(this->GetOutput(), chain.outputOrigin, chain.indexToPoint, unused);
    const auto & wanted = this->GetOutput()->GetRequestedRegion();
    for (unsigned int d = 0; d < OutputDimension; ++d)
    {
      chain.regionStart[d] = wanted.GetIndex(d);
      chain.regionSize[d] = static_cast<std::int64_t>(wanted.GetSize(d));
    }
  }
  else
  {
    (void)chain;
  }
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::MapLines(
  std::int64_t first,
  std::int64_t lines,
  double *     indices) const
{
  this->GetMapper().MapLines(first, lines, indices);
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::ResampleDescription
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::Describe(
  const CudaSplineMethod & method) const
{
  CudaSpline::ResampleDescription description;
  description.samples = this->DescribeSamples(method);
  description.resampling = this->DescribeResampling(method);
  description.extrapolates = this->GetExtrapolator() != nullptr;
  description.defaultPixels =
    CudaSplineDetail::DescribePixel<TOutputImage>(this->GetDefaultPixelValue(), description.samples.components);
  CudaSpline::TransformChain chain;
  if (this->IsLinear())
  {
    description.mapScanlines = [this](const CudaSpline::ExecutionContext & context) {
      return this->GetMapper().MapScanlines(context);
    };
    if (this->DescribeScanlines(description.resampling, chain))
    {
      description.scanlineChain = std::move(chain);
    }
  }
  else if (this->DescribeChain(chain))
  {
    description.chain = std::move(chain);
    description.provideFields = [this](const CudaSpline::ExecutionContext & context,
                                       CudaSpline::TransformChain &         described) {
      this->ProvideFields(context, described);
    };
  }
  else
  {
    description.resampling.indexProvider = [this](std::int64_t first, std::int64_t lines, double * indices) {
      this->MapLines(first, lines, indices);
    };
  }
  return description;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
CudaSpline::ResampleOptions
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::GetOptions()
{
  CudaSpline::ResampleOptions options;
  options.memoryLimit = m_MemoryLimit;
  options.cache = m_SourceCache.IsNotNull() ? &m_SourceCache->GetCache() : (m_KeepSource ? m_OwnCache.get() : nullptr);
  options.history = &m_History;
  options.isFirst = m_Backend.GetUse().Most() == CudaSpline::Backend::None;
  options.expectedCalls = m_ExpectedNumberOfUpdates;
  options.wantsBound = m_MeasureErrorBound;
  return options;
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
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  ResampleByPoints()
{
  if constexpr (IsScalar && InputDimension <= 3)
  {
    if (this->RecogniseMethod().refusal == CudaSplineDetail::GenericOfLabelsByPoints)
    {
      // In a filter inside: the user's interpolator stays the one of this filter, which is not modified.
      using Filter = CudaSplineDetail::
        PlainResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>;
      using Labels = CudaSplineDetail::LinearLabelInterpolateImageFunction<TInputImage, TInterpolatorPrecisionType>;
      const auto filter = Filter::New();
      const auto graft = TInputImage::New();
      graft->Graft(this->GetInput());
      filter->SetInput(graft);
      filter->SetTransform(this->GetTransform());
      filter->SetInterpolator(Labels::New());
      filter->SetExtrapolator(this->GetModifiableExtrapolator());
      filter->SetDefaultPixelValue(this->GetDefaultPixelValue());
      filter->SetOutputParametersFromImage(this->GetOutput());
      filter->UpdateOutputInformation();
      filter->GraftOutput(this->GetOutput());
      filter->SetMultiThreader(this->GetMultiThreader());
      filter->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
      const auto progress = ProgressAccumulator::New();
      progress->SetMiniPipelineFilter(this);
      progress->RegisterInternalFilter(filter, 1.0F);
      filter->Update();
      this->GraftOutput(filter->GetOutput());
      return;
    }
  }
  Superclass::GenerateData();
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
void
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::GenerateData()
{
  m_Record = CudaSpline::ResampleRecord();
  const CudaSplineMethod method = this->RecogniseMethod();
  if (method.refusal != nullptr)
  {
    if (m_RoundIntegers && std::numeric_limits<typename NumericTraits<OutputPixelType>::ValueType>::is_integer)
    {
      itkExceptionMacro(
        "RoundIntegers is not supported here, because the filter of ITK, which truncates, would be used: "
        << method.refusal << ". Call RoundIntegersOff(), or resample to a real pixel type and round the result.");
    }
    m_Backend.RunSuperclass(
      method.refusal, [this] { return this->DescribeSuperclass(); }, [this] { this->ResampleByPoints(); }, this);
    return;
  }
  if constexpr (IsAccelerated)
  {
    const TInputImage * const input = this->GetInput();
    CudaSplineDetail::CheckNotEmpty(this, input);
    if (method.NeedsWholeImage())
    {
      CudaSplineDetail::CheckWhole(this, input);
    }
    this->AllocateOutputs();
    TOutputImage * const         output = this->GetOutput();
    const CudaSplineHostExecutor executor(this->GetMultiThreader());
    CudaSpline::ResampleJob      job(this->Describe(method), this->GetOptions(), &executor);
    if (!m_KeepSource)
    {
      m_OwnCache->Clear();
    }
    const CudaSplineBackend::Operation operation = CudaSplineDetail::MakeResampleOperation(
      job,
      [&](const CudaSpline::ExecutionContext & context, const auto & run) {
        const CudaSplineDetail::PixelsToRead pixels(input, context);
        CudaSplineDetail::PixelsToWrite      result(output, context);
        run(pixels.Data(), result.Data());
        result.Finish();
      },
      this->GetNameOfClass(),
      CudaSplineDetail::TraceSize(output->GetRequestedRegion().GetSize(), OutputDimension));
    m_Backend.Run(operation, this->GetMultiThreader(), this);
    m_Record = job.GetRecord();
  }
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
      this->GetMultiThreader()->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
      const CudaSplineHostExecutor executor(this->GetMultiThreader());
      CudaSpline::ResampleJob      job(this->Describe(method), this->GetOptions(), &executor);
      plan.Describe(job,
                    m_Backend,
                    executor.GetConcurrency(),
                    this->GetNameOfClass(),
                    CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), OutputDimension));
    }
  }
  return plan;
}

} // namespace itk

#endif
