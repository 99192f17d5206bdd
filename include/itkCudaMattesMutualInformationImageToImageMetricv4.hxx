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
#ifndef itkCudaMattesMutualInformationImageToImageMetricv4_hxx
#define itkCudaMattesMutualInformationImageToImageMetricv4_hxx

#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace itk
{

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
void
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::InitializeMetric()
{
  using Metric = MattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                             TMovingImage,
                                                             TVirtualImage,
                                                             TInternalComputationValueType,
                                                             TMetricTraits>;
  if constexpr (!Superclass::IsAccelerated || !CudaSplineDetail::ImageTraits<TFixedImage>::IsReadable)
  {
    Metric::Initialize();
  }
  else
  {
    // Metric::Initialize(), except for its loops.
    Metric::Superclass::Initialize(); // NOLINT(bugprone-parent-virtual-call)
    if (this->GetGradientSourceIncludesFixed() || !this->GetGradientSourceIncludesMoving())
    {
      itkExceptionMacro("Expected gradient source to be only Moving. Instead gradient source is: "
                        " Fixed: "
                        << this->GetGradientSourceIncludesFixed()
                        << " Moving: " << this->GetGradientSourceIncludesMoving());
    }
    const auto fixed = this->m_UseSampledPointSet
                         ? this->RangeOfPoints()
                         : this->RangeOfImage(this->m_FixedImage.GetPointer(), this->m_FixedImageMask.GetPointer());
    const auto moving = this->RangeOfImage(this->m_MovingImage.GetPointer(), this->m_MovingImageMask.GetPointer());
    using Value = typename Metric::PDFValueType;
    this->m_FixedImageTrueMin = static_cast<Value>(fixed.GetLeast());
    this->m_FixedImageTrueMax = static_cast<Value>(fixed.GetGreatest());
    this->m_MovingImageTrueMin = static_cast<Value>(moving.GetLeast());
    this->m_MovingImageTrueMax = static_cast<Value>(moving.GetGreatest());
    if constexpr (CudaSplineDetail::MattesRefusesConstantImages)
    {
      this->CheckRange("fixed", this->m_FixedImageTrueMin, this->m_FixedImageTrueMax);
      this->CheckRange("moving", this->m_MovingImageTrueMin, this->m_MovingImageTrueMax);
    }
    const auto bins = this->MakeBins();
    this->m_FixedImageBinSize = static_cast<Value>(bins.fixedBinSize);
    this->m_FixedImageNormalizedMin = static_cast<Value>(bins.fixedMinimum);
    this->m_MovingImageBinSize = static_cast<Value>(bins.movingBinSize);
    this->m_MovingImageNormalizedMin = static_cast<Value>(bins.movingMinimum);
  }
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
void
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::CheckRange(const char * name,
                                                                           double       lowest,
                                                                           double       highest) const
{
  if (highest < lowest)
  {
    itkExceptionMacro("The " << name << " image has no sample under its mask, or at the sampled points.");
  }
  if (highest - lowest <= NumericTraits<double>::epsilon())
  {
    itkExceptionMacro(
      "Mutual information needs at least 2 different values of each image under its mask, but all of the "
      << name << " image are " << lowest << '.');
  }
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
auto
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::MakeBins() const -> Bins
{
  return CudaSpline::MakeParzenBins(static_cast<int>(this->m_NumberOfHistogramBins),
                                    this->m_FixedImageTrueMin,
                                    this->m_FixedImageTrueMax,
                                    this->m_MovingImageTrueMin,
                                    this->m_MovingImageTrueMax);
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
template <typename TRange, typename TOfPart>
TRange
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::RangeOfParts(std::int64_t    count,
                                                                             const TOfPart & ofPart) const
{
  std::vector<TRange> parts(static_cast<std::size_t>(count));
  this->ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part)
    {
      parts[static_cast<std::size_t>(part)] = ofPart(part);
    }
  });
  TRange range;
  for (const TRange & part : parts)
  {
    range.Append(part);
  }
  return range;
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
template <typename TImage, typename TMask>
CudaSpline::ValueRange<typename TImage::PixelType>
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::RangeOfImage(const TImage * image,
                                                                             const TMask *  mask) const
{
  using Range = CudaSpline::ValueRange<typename TImage::PixelType>;
  const auto &       region = image->GetBufferedRegion();
  const auto         row = region.GetSize(0);
  const auto * const pixels = image->GetBufferPointer();
  const auto         rows = row == 0 ? 0 : static_cast<std::int64_t>(region.GetNumberOfPixels() / row);
  if (mask != nullptr)
  {
    mask->GetObjectToWorldTransformInverse(); // brings it up to date, which is for one thread
  }
  return this->RangeOfParts<Range>(rows, [&](std::int64_t number) {
    const auto * const first = pixels + static_cast<SizeValueType>(number) * row;
    Range              range;
    if (mask == nullptr)
    {
      range.Add(first, row);
      return range;
    }
    auto index = image->ComputeIndex(static_cast<OffsetValueType>(static_cast<SizeValueType>(number) * row));
    for (SizeValueType x = 0; x < row; ++x, ++index[0])
    {
      typename TImage::PointType place;
      image->TransformIndexToPhysicalPoint(index, place);
      if (mask->IsInsideInWorldSpace(place))
      {
        range.Add(first + x, 1);
      }
    }
    return range;
  });
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
auto
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::RangeOfPoints() const -> FixedRange
{
  // Those of the virtual domain, or of the fixed image's space.
  const bool isVirtual = this->m_UseVirtualSampledPointSet;
  const auto points =
    isVirtual ? this->m_VirtualSampledPointSet->GetPoints() : this->m_FixedSampledPointSet->GetPoints();
  const auto             count = static_cast<std::int64_t>(points->Size());
  constexpr std::int64_t length = 1024;
  return this->RangeOfParts<FixedRange>((count + length - 1) / length, [&](std::int64_t part) {
    FixedRange         range;
    const std::int64_t end = std::min(count, (part + 1) * length);
    for (std::int64_t i = part * length; i < end; ++i)
    {
      // A point as the set has it, of floats for the most part: ITK rounds to its type what becomes an index.
      const auto &                    point = points->ElementAt(static_cast<IdentifierType>(i));
      typename TFixedImage::IndexType index;
      bool                            isInside = false;
      if (isVirtual)
      {
        const typename TFixedImage::PointType place = this->m_FixedTransform->TransformPoint(point);
        isInside = this->m_FixedImage->TransformPhysicalPointToIndex(place, index);
      }
      else
      {
        isInside = this->m_FixedImage->TransformPhysicalPointToIndex(point, index);
      }
      if (isInside)
      {
        range.Add(&this->m_FixedImage->GetPixel(index), 1);
      }
    }
    return range;
  });
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
auto
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::Accumulate(const typename Superclass::Reduce & reduce,
                                                                           bool withDerivative) const ->
  typename Superclass::Outcome
{
  CudaSpline::MetricReduction reduction;
  reduction.withDerivative = withDerivative;
  reduction.pass = CudaSpline::HistogramPass{ this->MakeBins() };
  return CudaSpline::ReduceMetric(CudaSpline::MetricKind::Mattes, reduce, reduction);
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
void
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::CheckOutcome(const typename Superclass::Outcome &
                                                                               outcome) const
{
  if (outcome.count == 0)
  {
    itkExceptionMacro(
      "All samples map outside moving image buffer. The images do not sufficiently overlap. They need to "
      "be initialized to have more overlap before this metric will work. For instance, you can align the "
      "image centers by translation.");
  }
}

template <typename TFixedImage,
          typename TMovingImage,
          typename TVirtualImage,
          typename TInternalComputationValueType,
          typename TMetricTraits>
std::string
CudaMattesMutualInformationImageToImageMetricv4<TFixedImage,
                                                TMovingImage,
                                                TVirtualImage,
                                                TInternalComputationValueType,
                                                TMetricTraits>::WhyNotAccelerated() const
{
  const auto bins = static_cast<std::int64_t>(this->m_NumberOfHistogramBins);
  if (!CudaSpline::IsBinCount(bins))
  {
    return CudaSpline::DescribeBinProblem(bins);
  }
  // ITK has its say about images without a range.
  const bool haveWidth = std::isnormal(this->m_FixedImageBinSize) && this->m_FixedImageBinSize > 0 &&
                         std::isnormal(this->m_MovingImageBinSize) && this->m_MovingImageBinSize > 0;
  return haveWidth ? std::string() : std::string("bins have no width: an image is constant");
}

} // namespace itk

#endif
