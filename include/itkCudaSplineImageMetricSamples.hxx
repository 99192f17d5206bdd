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
#ifndef itkCudaSplineImageMetricSamples_hxx
#define itkCudaSplineImageMetricSamples_hxx

#include "itkCudaSplineImageMetric.h"

#include "itkMultiTransform.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <typeinfo>

/** \file
 * \brief What a metric of the module hands to its kernels: the moving image and its mask. Samples of the fixed image
 * are in itkCudaSplineImageMetricFixed.hxx. */

namespace itk
{

namespace CudaSplineDetail
{
/** \brief Calls \p run for a transform and, one after the other, the parts of a composite one, however deep: its own
 * time of modification and parameters do not tell of all of them. */
template <typename TTransform, typename TRun>
void
ForEachPart(const TTransform * transform, const TRun & run)
{
  run(transform);
  if constexpr (TTransform::InputSpaceDimension == TTransform::OutputSpaceDimension)
  {
    using Parts = MultiTransform<typename TTransform::ParametersValueType,
                                 TTransform::InputSpaceDimension,
                                 TTransform::OutputSpaceDimension>;
    if (const auto * const parts = dynamic_cast<const Parts *>(transform))
    {
      for (SizeValueType part = 0; part < parts->GetNumberOfTransforms(); ++part)
      {
        ForEachPart<TTransform>(parts->GetNthTransformConstPointer(part), run);
      }
    }
  }
}
} // namespace CudaSplineDetail

template <typename TMetric>
auto
CudaSplineImageMetric<TMetric>::MakeStamp() const -> std::vector<std::pair<const void *, ModifiedTimeType>>
{
  std::vector<std::pair<const void *, ModifiedTimeType>> stamp;
  const auto                                             unchanged = [&](const Object * object) {
    stamp.emplace_back(object, object != nullptr ? object->GetMTime() : 0);
  };
  // Pixels may be read where they are, and their container changes without the image.
  const auto ofImage = [&](const auto * image) {
    unchanged(image);
    if constexpr (CudaSplineDetail::ImageTraits<std::decay_t<decltype(*image)>>::IsReadable)
    {
      unchanged(image != nullptr ? image->GetPixelContainer() : nullptr);
      stamp.emplace_back(image != nullptr ? image->GetBufferPointer() : nullptr, 0);
    }
  };
  ofImage(this->m_FixedImage.GetPointer());
  ofImage(this->m_MovingImage.GetPointer());
  unchanged(this->m_FixedInterpolator.GetPointer());
  unchanged(this->m_MovingInterpolator.GetPointer());
  unchanged(m_WaitingGradient == nullptr ? this->m_MovingImageGradientImage.GetPointer() : nullptr);
  unchanged(this->m_MovingImageGradientCalculator.GetPointer());
  if (this->TakesFixedGradients())
  {
    unchanged(this->m_FixedImageGradientImage.GetPointer());
    unchanged(this->m_FixedImageGradientCalculator.GetPointer());
  }
  unchanged(this->GetVirtualImage());
  CudaSplineDetail::ForEachPart<typename TMetric::FixedTransformType>(this->m_FixedTransform.GetPointer(), unchanged);
  const auto ofMask = [&](const auto * mask) {
    unchanged(mask);
    unchanged(mask != nullptr ? mask->GetObjectToWorldTransform() : nullptr);
  };
  ofMask(this->m_FixedImageMask.GetPointer());
  ofMask(this->m_MovingImageMask.GetPointer());
  const auto * const points = this->m_UseSampledPointSet ? this->m_VirtualSampledPointSet.GetPointer() : nullptr;
  unchanged(points);
  unchanged(points != nullptr ? points->GetPoints() : nullptr); // SetPoint() tells them alone
  stamp.emplace_back(nullptr,
                     (this->m_UseSampledPointSet ? 1 : 0) + (this->m_UseMovingImageGradientFilter ? 2 : 0) +
                       (m_UseAnalyticMovingImageGradient ? 4 : 0) + 8 * static_cast<int>(m_Precision) +
                       (this->GetGradientSourceIncludesMoving() ? 32 : 0) +
                       (this->GetUseFloatingPointCorrection() ? 64 : 0) + (this->TakesFixedGradients() ? 128 : 0) +
                       (this->m_UseFixedImageGradientFilter ? 256 : 0));
  return stamp;
}

template <typename TMetric>
std::vector<double>
CudaSplineImageMetric<TMetric>::FixedParameters() const
{
  // An optimizer of a program may write them without a time of modification; those of fields and grids are too many to
  // look at each time.
  constexpr typename Superclass::NumberOfParametersType few = 64;

  std::vector<double> parameters;
  CudaSplineDetail::ForEachPart<typename TMetric::FixedTransformType>(
    this->m_FixedTransform.GetPointer(), [&](const typename TMetric::FixedTransformType * part) {
      if (part->GetNumberOfParameters() <= few)
      {
        const auto & values = part->GetParameters();
        parameters.insert(parameters.end(), values.data_block(), values.data_block() + values.Size());
      }
    });
  return parameters;
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::Prepare() const
{
  auto stamp = this->MakeStamp();
  auto fixedParameters = this->FixedParameters();
  if (m_Preparation != nullptr && m_Preparation->stamp == stamp && m_Preparation->fixedParameters == fixedParameters)
  {
    return;
  }
  m_Preparation.reset(); // its memory first
  auto preparation = std::make_unique<Preparation>();
  preparation->stamp = std::move(stamp);
  preparation->fixedParameters = std::move(fixedParameters);
  this->DescribeMoving(*preparation);
  if (preparation->refusal.empty())
  {
    if (!DescribeMask(
          this->m_MovingImageMask.GetPointer(), preparation->descriptor.mask, preparation->mask, preparation->kept))
    {
      preparation->refusal = "moving masks that are no ImageMaskSpatialObject of unsigned char are not accelerated";
    }
    this->DescribeGradient(*preparation);
  }
  if (preparation->refusal.empty())
  {
    this->SampleFixed(*preparation);
  }
  if (preparation->refusal.empty() && preparation->gradientRefusal.empty() && this->TakesFixedGradients())
  {
    this->SampleFixedGradients(*preparation);
  }
  m_Preparation = std::move(preparation);
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::DescribeMoving(Preparation & preparation) const
{
  using Interpolation = CudaSpline::Interpolation;
  const MovingImageType * const image = this->m_MovingImage.GetPointer();
  const CudaSplineMethod        method =
    CudaSplineDetail::RecogniseInterpolator(this->m_MovingInterpolator.GetPointer(), image);
  const Interpolation kind = method.interpolation.interpolation;
  if (method.refusal != nullptr)
  {
    preparation.refusal = method.refusal;
    return;
  }
  const bool isKnown =
    kind == Interpolation::Nearest || kind == Interpolation::Linear || kind == Interpolation::BSpline;
  if (!isKnown || method.unbounded != decltype(method.unbounded){ { false, false, false, false } } ||
      method.storage != CudaSpline::CoefficientStorage::Element ||
      method.interpolation.mode != CudaSpline::EvaluationMode::Exact)
  {
    preparation.refusal = "moving images are interpolated by nearest neighbours, linearly, or by B-splines from exact "
                          "coefficients, inside of their buffers alone";
    return;
  }
  if (image->GetBufferedRegion().GetNumberOfPixels() == 0 || image->GetBufferPointer() == nullptr)
  {
    preparation.refusal = "the moving image is empty";
    return;
  }
  const bool isDouble = m_Precision == CudaSplinePrecision::Automatic
                          ? std::is_same<FixedPixelType, double>::value || std::is_same<MovingPixelType, double>::value
                          : m_Precision == CudaSplinePrecision::Double;
  preparation.moving.descriptor = CudaSplineDetail::DescribeSource(image);
  CudaSplineDetail::DescribeMethodSource(method, preparation.moving.descriptor);
  preparation.moving.descriptor.element = isDouble ? CudaSpline::ScalarType::Float64 : CudaSpline::ScalarType::Float32;
  preparation.moving.pixels = image->GetBufferPointer();
  preparation.kept.emplace_back(image);

  CudaSpline::MetricDescriptor & descriptor = preparation.descriptor;
  descriptor.dimension = ImageDimension;
  descriptor.interpolation = CudaSplineDetail::DescribeInterpolation<typename Superclass::CoordinateRepresentationType>(
    method, image->GetBufferedRegion());
  descriptor.singleMoving = std::is_same<MovingPixelType, float>::value;
  descriptor.singleFixed = std::is_same<FixedPixelType, float>::value;
  CudaSpline::TransformChain::Matrix unused{};
  CudaSplineDetail::DescribeAxes<ImageDimension>(
    image, descriptor.chain.inputOrigin, unused, descriptor.chain.pointToIndex);
  CudaSplineDetail::DescribeAxes<ImageDimension>(
    this->GetVirtualImage(), descriptor.chain.outputOrigin, descriptor.chain.indexToPoint, unused);
  const auto & region = this->GetVirtualRegion();
  double       extent = 0.0;
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    descriptor.spacing[r] = image->GetSpacing()[r];
    descriptor.chain.regionStart[r] = region.GetIndex(r);
    descriptor.chain.regionSize[r] = static_cast<std::int64_t>(region.GetSize(r));
    descriptor.centre[r] = descriptor.chain.outputOrigin[r];
    for (unsigned int c = 0; c < ImageDimension; ++c)
    {
      const double half = 0.5 * (static_cast<double>(region.GetSize(c)) - 1.0);
      descriptor.centre[r] += descriptor.chain.indexToPoint[r][c] * (static_cast<double>(region.GetIndex(c)) + half);
      extent = std::max(extent, std::abs(descriptor.chain.indexToPoint[r][c]) * half);
    }
  }
  preparation.extent = extent;
}

template <typename TMetric>
bool
CudaSplineImageMetric<TMetric>::DescribeMask(const SpatialObject<ImageDimension> *    mask,
                                             CudaSpline::MetricDescriptor::Mask &     to,
                                             HostArray &                              pixels,
                                             std::vector<LightObject::ConstPointer> & kept)
{
  if (mask == nullptr)
  {
    return true;
  }
  const auto * const image =
    typeid(*mask) == typeid(MaskType) ? static_cast<const MaskType *>(mask)->GetImage() : nullptr;
  if (image == nullptr || image->GetBufferPointer() == nullptr || image->GetBufferedRegion().GetNumberOfPixels() == 0)
  {
    return false;
  }
  pixels.descriptor = CudaSplineDetail::DescribeSource(image);
  pixels.pixels = image->GetBufferPointer();
  kept.emplace_back(image);
  CudaSpline::TransformChain::Matrix unused{};
  CudaSplineDetail::DescribeAxes<ImageDimension>(image, to.origin, unused, to.pointToIndex);
  const auto * const map = mask->GetObjectToWorldTransformInverse();
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    to.offset[r] = map->GetOffset()[r];
    for (unsigned int c = 0; c < ImageDimension; ++c)
    {
      to.matrix[r][c] = map->GetMatrix()[r][c];
    }
  }
  return true;
}

} // namespace itk

#endif
