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
#ifndef itkCudaLabelImageGenericInterpolateImageFunction_hxx
#define itkCudaLabelImageGenericInterpolateImageFunction_hxx

#include "itkCudaLabelImageGenericInterpolateImageFunction.h"
#include "itkCudaSpline/itk/LabelWinner.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/kernels/coefficients/ContentChecksum.h"
#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <algorithm>

namespace itk
{

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
void
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::PrintSelf(std::ostream & os,
                                                                                                Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "SplineOrder: " << m_SplineOrder << std::endl;
  os << indent << "B: " << m_B << std::endl;
  os << indent << "C: " << m_C << std::endl;
  os << indent << "Labels with coefficients: " << m_Coefficients.size() << std::endl;
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
void
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::CheckAddressMode(
  CudaSplineAddressMode mode) const
{
  if (mode != CudaSplineAddressMode::Itk)
  {
    itkExceptionMacro(<< "Address mode " << mode
                      << " is not supported by interpolators of labels; use the default mode.");
  }
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
CudaSplineMethod
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::DescribeMethod(
  const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  method.interpolation.interpolation = CudaSpline::Interpolation::Nearest;
  if (Traits::Method == Method::Nearest)
  {
    this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  }
  else
  {
    method.refusal = "generic interpolation of labels is accelerated with nearest neighbours only";
  }
  return method;
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
void
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::SetSplineOrder(
  unsigned int splineOrder)
{
  if (splineOrder > CudaSpline::MaximumSplineOrder)
  {
    itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << splineOrder << '.');
  }
  if (splineOrder != m_SplineOrder)
  {
    const auto before = m_SplineOrder;
    m_SplineOrder = splineOrder;
    this->Modified();
    try
    {
      if (this->GetInputImage() != nullptr)
      {
        this->SetInputImage(this->GetInputImage());
      }
    }
    catch (...)
    {
      m_SplineOrder = before; // of which the coefficients still are
      throw;
    }
  }
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
auto
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::GetRadius() const -> SizeType
{
  if (this->NeedsCoefficients() && this->GetInputImage() != nullptr)
  {
    return this->GetInputImage()->GetLargestPossibleRegion().GetSize();
  }
  return SizeType::Filled(Traits::Method == Method::Nearest ? 0 : (Traits::Method == Method::CubicConvolution ? 2 : 1));
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
void
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::SetInputImage(
  const TInputImage * image)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (image == nullptr || !this->NeedsCoefficients())
  {
    m_LabelsOfCoefficients.clear();
    m_Coefficients.clear();
  }
  else
  {
    // The coefficients depend on the whole image: as for B-splines in ITK, it is brought up to date here.
    auto * const source = const_cast<TInputImage *>(image);
    if (source->GetSource() != nullptr)
    {
      source->UpdateOutputInformation();
      source->SetRequestedRegionToLargestPossibleRegion();
      source->Update();
    }
    this->MakeCoefficients(image);
  }
  // Past ITK's class of this kind, which would make an image for each label.
  InterpolateImageFunction<TInputImage, TCoordRep>::SetInputImage(image);
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
void
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::MakeCoefficients(
  const TInputImage * image)
{
  using Indicator = Image<unsigned char, ImageDimension>;
  using Decomposition = CudaBSplineDecompositionImageFilter<Indicator, CoefficientImage>;
  const auto    region = image->GetBufferedRegion();
  const auto    count = static_cast<std::int64_t>(region.GetNumberOfPixels());
  std::uint64_t checksum = 0;
  if constexpr (CudaSplineDetail::ImageTraits<TInputImage>::IsReadable)
  {
    CudaSplineDetail::CheckNotEmpty(this, image);
    const CudaSplineHostExecutor executor(MultiThreaderBase::New());
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    checksum = CudaSpline::ContentChecksum(
      image->GetBufferPointer(), static_cast<std::size_t>(count) * sizeof(LabelType), context);
    if (!m_Coefficients.empty() && checksum == m_Checksum && m_CoefficientOrder == m_SplineOrder &&
        m_CoefficientRegion == region)
    {
      return;
    }
  }
  std::vector<LabelType> labels(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
  {
    labels[static_cast<std::size_t>(i)] = CudaSplineDetail::PixelAt(image, i);
  }
  const std::vector<LabelType> pixels = labels;
  // NaN cannot be a label: it is not equal to itself.
  labels.erase(std::remove_if(labels.begin(), labels.end(), [](LabelType label) { return !(label == label); }),
               labels.end());
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());

  decltype(m_Coefficients) coefficients;
  auto                     indicator = Indicator::New();
  indicator->SetRegions(region);
  indicator->Allocate();
  for (const LabelType label : labels)
  {
    std::transform(pixels.begin(), pixels.end(), indicator->GetBufferPointer(), [label](LabelType pixel) {
      return static_cast<unsigned char>(pixel == label ? 1 : 0);
    });
    indicator->Modified();
    auto filter = Decomposition::New();
    filter->SetInput(indicator);
    filter->SetSplineOrder(m_SplineOrder);
    filter->GetBackendSelection().CopyChoice(this->GetBackendSelection());
    filter->Update();
    coefficients.push_back(filter->GetOutput());
    coefficients.back()->DisconnectPipeline();
  }
  // All of them, or those before: what throws above leaves them as they are.
  m_Coefficients.swap(coefficients);
  m_LabelsOfCoefficients.swap(labels);
  m_CoefficientOrder = m_SplineOrder;
  m_CoefficientRegion = region;
  m_Checksum = checksum;
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
template <typename TBasis>
auto
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::WinnerBy(
  const TBasis & basis,
  const TCoordRep (&at)[ImageDimension]) const -> LabelType
{
  constexpr unsigned int                                         taps = TBasis::Taps;
  const TInputImage * const                                      image = this->GetInputImage();
  const auto                                                     extent = CudaSplineDetail::ExtentOf(image);
  const CudaSpline::BasisSupport<TBasis, ImageDimension, double> support(at, extent);
  CudaSpline::Extension                                          extension[ImageDimension];
  this->GetExtensions(CudaSpline::Extension::Mirror, extension);
  LabelType labels[CudaSplineDetail::SupportSize<ImageDimension, taps>()];
  CudaSplineDetail::ForEachOfSupport<taps>(
    image, support.start, extension, [&](unsigned int place, std::int64_t offset) {
      labels[place] = CudaSplineDetail::PixelAt(image, offset);
    });
  CudaSpline::CoefficientGrid<ImageDimension, double> grid;
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    grid.extent.start[d] = extent.start[d] + support.start[d];
    grid.extent.size[d] = taps;
  }
  return CudaSplineDetail::WinnerOf(labels, [&](const double * indicator) {
    grid.data = indicator;
    CudaSpline::Jet<ImageDimension, double> jet;
    CudaSpline::EvaluateOnGrid<CudaSpline::Derivatives::None>(basis, grid, at, jet);
    return jet.value;
  });
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
auto
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::SplineWinner(
  const TCoordRep (&at)[ImageDimension]) const -> LabelType
{
  LabelType                                                                     winner{};
  double                                                                        largest = 0.0;
  CudaSpline::CoefficientGrid<ImageDimension, typename Traits::CoefficientType> grid;
  for (std::size_t i = 0; i < m_Coefficients.size(); ++i)
  {
    grid.data = m_Coefficients[i]->GetBufferPointer();
    grid.extent = CudaSplineDetail::ExtentOf(m_Coefficients[i].GetPointer());
    this->GetExtensions(CudaSpline::Extension::Mirror, grid.extension);
    CudaSpline::Jet<ImageDimension, double> jet;
    CudaSpline::DispatchSplineOrder(m_CoefficientOrder, [&](auto order) {
      CudaSpline::EvaluateOnGrid<CudaSpline::Derivatives::None>(
        CudaSpline::SplineBasis<decltype(order)::value>(), grid, at, jet);
    });
    if (jet.value > largest)
    {
      largest = jet.value;
      winner = m_LabelsOfCoefficients[i];
    }
  }
  return winner;
}

template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep>
auto
CudaLabelImageGenericInterpolateImageFunction<TInputImage, TInterpolator, TCoordRep>::EvaluateAtContinuousIndex(
  const ContinuousIndexType & index) const -> OutputType
{
  TCoordRep at[ImageDimension];
  if (!CudaSplineDetail::CopyIndex(index, at))
  {
    return NumericTraits<OutputType>::ZeroValue();
  }
  if constexpr (Traits::Method == Method::CubicConvolution)
  {
    return static_cast<OutputType>(this->WinnerBy(CudaSpline::CubicConvolutionBasis{ { m_B, m_C } }, at));
  }
  else if constexpr (Traits::Method == Method::BSpline)
  {
    return static_cast<OutputType>(
      m_SplineOrder == 0
        ? this->WinnerBy(CudaSpline::SplineBasis<0>(), at)
        : (m_SplineOrder == 1 ? this->WinnerBy(CudaSpline::SplineBasis<1>(), at) : this->SplineWinner(at)));
  }
  else if constexpr (Traits::Method == Method::Linear)
  {
    return static_cast<OutputType>(CudaSplineDetail::LinearLabelWinner(this->GetInputImage(), at));
  }
  else
  {
    return static_cast<OutputType>(
      this->GetInputImage()->GetPixel(CudaSplineDetail::NearestPixelInside(this, index, this->m_EndIndex)));
  }
}

} // namespace itk

#endif
