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
#ifndef itkCudaSplineImageMetricFixed_hxx
#define itkCudaSplineImageMetricFixed_hxx

#include "itkCudaSplineImageMetric.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/metrics/MetricSamples.h"
#include "itkCudaSpline/kernels/transforms/StageIdentity.h"
#include "itkCudaSpline/math/Geometry.h"

#include <algorithm>
#include <atomic>
#include <utility>

/** \file
 * \brief Samples of the fixed image, which a metric of the module takes once: by the module's own functions where these
 * have the bits of ITK's, else by ITK's; on all threads either way. */

namespace itk
{

namespace CudaSplineDetail
{
/** \brief A list of numbers as a source of one dimension. */
template <typename TNumber>
CudaSpline::SourceDescriptor
DescribeList(std::int64_t count, CudaSpline::ScalarType element)
{
  CudaSpline::SourceDescriptor descriptor;
  descriptor.dimension = 1;
  descriptor.size[0] = count;
  descriptor.pixel = CudaSpline::ScalarTypeOf<TNumber>();
  descriptor.element = element;
  return descriptor;
}

/** \brief An array that is written by several threads before anybody reads it. */
template <typename TNumber>
std::unique_ptr<TNumber[]>
MakeUninitialized(std::int64_t count)
{
  return std::unique_ptr<TNumber[]>(new TNumber[static_cast<std::size_t>(count)]);
}
} // namespace CudaSplineDetail

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::SampleFixed(Preparation & preparation) const
{
  const bool   isList = this->m_UseSampledPointSet;
  std::int64_t count = static_cast<std::int64_t>(this->GetNumberOfDomainPoints());
  if (isList)
  {
    this->CopyPlaces(preparation, count);
  }
  CudaSpline::MetricDescriptor descriptor;
  CudaSpline::MetricSources    sources;
  const bool                   isKnown = count > 0 && this->GetVirtualRegion().GetNumberOfPixels() > 0 &&
                       this->DescribeFixed(preparation, count, descriptor, sources);
  const auto element = preparation.moving.descriptor.element;
  preparation.fixed.descriptor = CudaSplineDetail::DescribeList<FixedPixelType>(count, element);
  if constexpr (IsFixedReadable)
  {
    if (isKnown && CudaSpline::AreSamplesPixels(descriptor, sources))
    {
      preparation.fixed.pixels = this->m_FixedImage->GetBufferPointer();
      preparation.kept.emplace_back(this->m_FixedImage.GetPointer());
      preparation.kept.emplace_back(this->m_FixedImage->GetPixelContainer());
      return;
    }
  }
  preparation.fixedValues = CudaSplineDetail::MakeUninitialized<FixedPixelType>(count);
  preparation.insideValues = CudaSplineDetail::MakeUninitialized<std::uint8_t>(count);
  bool areAllInside = true;
  if (isKnown)
  {
    m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
    const CudaSplineHostExecutor executor(m_Threader);
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    areAllInside = CudaSpline::SampleForMetric(
      descriptor, sources, context, preparation.fixedValues.get(), preparation.insideValues.get());
  }
  else
  {
    areAllInside = this->SampleFixedByItk(preparation, count);
  }
  if (isList && !areAllInside)
  {
    count = this->KeepInside(preparation, count);
  }
  if (count == 0)
  {
    preparation.refusal = "there is no sample in the fixed image";
    return;
  }
  preparation.fixed.descriptor.size[0] = count;
  preparation.fixed.pixels = preparation.fixedValues.get();
  if (isList)
  {
    preparation.points.descriptor =
      CudaSplineDetail::DescribeList<double>(count * ImageDimension, CudaSpline::ScalarType::Float64);
    preparation.points.pixels = preparation.places.get();
  }
  else if (!areAllInside)
  {
    preparation.inside.descriptor = CudaSplineDetail::DescribeList<std::uint8_t>(count, CudaSpline::ScalarType::UInt8);
    preparation.inside.pixels = preparation.insideValues.get();
  }
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::CopyPlaces(Preparation & preparation, std::int64_t count) const
{
  preparation.places = CudaSplineDetail::MakeUninitialized<double>(count * ImageDimension);
  const auto * const points = this->m_VirtualSampledPointSet->GetPoints();
  double * const     places = preparation.places.get();
  this->ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
    {
      const typename Superclass::VirtualPointType place(points->ElementAt(static_cast<IdentifierType>(i)));
      std::copy(place.Begin(), place.End(), places + i * ImageDimension);
    }
  });
}

template <typename TMetric>
bool
CudaSplineImageMetric<TMetric>::IsFixedMapOf(const CudaSpline::TransformChain & chain) const
{
  using Map = CudaSpline::AffineMap<ImageDimension>;
  // Away from the grid, so that there are roundings to tell apart.
  constexpr double parts[] = { 0.01357, 0.51113, 0.97071 };
  unsigned int     count = 1;
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    count *= 3;
  }
  for (unsigned int number = 0; number < count; ++number)
  {
    typename Superclass::VirtualPointType place;
    unsigned int                          rest = number;
    double                                moved[ImageDimension];
    for (unsigned int r = 0; r < ImageDimension; ++r)
    {
      place[r] = chain.outputOrigin[r];
    }
    for (unsigned int c = 0; c < ImageDimension; ++c, rest /= 3)
    {
      const double index =
        static_cast<double>(chain.regionStart[c]) + parts[rest % 3] * static_cast<double>(chain.regionSize[c]);
      for (unsigned int r = 0; r < ImageDimension; ++r)
      {
        place[r] += chain.indexToPoint[r][c] * index;
      }
    }
    std::copy(place.Begin(), place.End(), moved);
    for (const CudaSpline::TransformChain::Stage & stage : chain.stages)
    {
      Map    map;
      double from[ImageDimension];
      for (unsigned int r = 0; r < ImageDimension; ++r)
      {
        from[r] = moved[r];
        map.offset[r] = stage.offset[r];
        std::copy_n(stage.matrix[r].begin(), ImageDimension, map.matrix[r]);
      }
      map.Apply(from, moved);
    }
    const auto expected = this->m_FixedTransform->TransformPoint(place);
    if (!std::equal(expected.Begin(), expected.End(), moved))
    {
      return false;
    }
  }
  return true;
}

template <typename TMetric>
bool
CudaSplineImageMetric<TMetric>::DescribeFixed(const Preparation &            preparation,
                                              std::int64_t                   count,
                                              CudaSpline::MetricDescriptor & descriptor,
                                              CudaSpline::MetricSources &    sources) const
{
  if constexpr (!IsFixedReadable)
  {
    return false;
  }
  else
  {
    using Interpolation = CudaSpline::Interpolation;
    const FixedImageType * const image = this->m_FixedImage.GetPointer();
    const auto * const           interpolator = this->m_FixedInterpolator.GetPointer();
    const auto &                 region = image->GetBufferedRegion();
    if (region.GetNumberOfPixels() == 0 || image->GetBufferPointer() == nullptr ||
        interpolator->GetInputImage() != image || interpolator->GetStartIndex() != region.GetIndex() ||
        interpolator->GetEndIndex() != region.GetUpperIndex())
    {
      return false;
    }
    const CudaSplineMethod method = CudaSplineDetail::RecogniseInterpolator(interpolator, image);
    const Interpolation    kind = method.interpolation.interpolation;
    if (method.refusal != nullptr || (kind != Interpolation::Nearest && kind != Interpolation::Linear) ||
        method.unbounded != decltype(method.unbounded){ { false, false, false, false } } ||
        method.storage != CudaSpline::CoefficientStorage::Element ||
        method.interpolation.mode != CudaSpline::EvaluationMode::Exact)
    {
      return false;
    }
    descriptor.dimension = ImageDimension;
    descriptor.interpolation =
      CudaSplineDetail::DescribeInterpolation<typename Superclass::CoordinateRepresentationType>(method, region);
    descriptor.chain = preparation.descriptor.chain;
    CudaSpline::TransformChain::Matrix unused{};
    CudaSplineDetail::DescribeAxes<ImageDimension>(
      image, descriptor.chain.inputOrigin, unused, descriptor.chain.pointToIndex);
    if (!CudaSplineDetail::TransformDescriber<ImageDimension>::Append(this->m_FixedTransform.GetPointer(),
                                                                      descriptor.chain))
    {
      return false;
    }
    m_Threader->SetNumberOfWorkUnits(this->GetMaximumNumberOfWorkUnits());
    const CudaSplineHostExecutor executor(m_Threader);
    CudaSpline::ExecutionContext onThreads;
    onThreads.host = &executor;
    auto & stages = descriptor.chain.stages;
    stages.erase(std::remove_if(stages.begin(),
                                stages.end(),
                                [&onThreads](const auto & stage) {
                                  return CudaSpline::MovesNothing(stage, ImageDimension, onThreads);
                                }),
                 stages.end());
    if (!descriptor.IsAffineFrom(0) || !this->IsFixedMapOf(descriptor.chain))
    {
      return false;
    }
    std::vector<LightObject::ConstPointer> kept;
    HostArray                              mask;
    if (!DescribeMask(this->m_FixedImageMask.GetPointer(), descriptor.mask, mask, kept))
    {
      return false;
    }
    const CudaSpline::ExecutionContext onHost;
    auto                               source = CudaSplineDetail::DescribeSource(image);
    CudaSplineDetail::DescribeMethodSource(method, source);
    sources.moving = CudaSpline::MakeSource(source, image->GetBufferPointer(), onHost);
    if (mask.pixels != nullptr)
    {
      sources.mask = CudaSpline::MakeSource(mask.descriptor, mask.pixels, onHost);
    }
    if (preparation.places != nullptr)
    {
      const auto list = CudaSplineDetail::DescribeList<double>(count * ImageDimension, CudaSpline::ScalarType::Float64);
      sources.points = CudaSpline::MakeSource(list, preparation.places.get(), onHost);
    }
    return true;
  }
}

template <typename TMetric>
bool
CudaSplineImageMetric<TMetric>::SampleFixedByItk(Preparation & preparation, std::int64_t count) const
{
  const double * const   places = preparation.places.get();
  FixedPixelType * const values = preparation.fixedValues.get();
  std::uint8_t * const   inside = preparation.insideValues.get();
  std::atomic<bool>      areAllInside{ true };
  if (this->m_FixedImageMask)
  {
    this->m_FixedImageMask->GetObjectToWorldTransformInverse(); // brings it up to date, which is for one thread
  }
  this->ForEachPlace(count, places, [&](const auto & part) {
    bool isFull = true;
    part([&](std::int64_t i, const typename Superclass::VirtualPointType & place) {
      typename Superclass::FixedImagePointType mapped;
      const bool isInside = this->TransformAndEvaluateFixedPoint(place, mapped, values[i]);
      inside[i] = isInside ? 1 : 0;
      isFull = isFull && isInside;
    });
    if (!isFull)
    {
      areAllInside = false;
    }
  });
  return areAllInside;
}

template <typename TMetric>
template <typename TRun>
void
CudaSplineImageMetric<TMetric>::ForEachPlace(std::int64_t count, const double * places, const TRun & run) const
{
  const auto &       region = this->GetVirtualRegion();
  const auto * const grid = this->GetVirtualImage();
  this->ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    run([&](const auto & visit) {
      typename Superclass::VirtualIndexType index = region.GetIndex();
      std::int64_t                          rest = places != nullptr ? 0 : begin;
      for (unsigned int d = 0; d < ImageDimension; ++d)
      {
        const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(region.GetSize(d)));
        index[d] += static_cast<IndexValueType>(rest % size);
        rest /= size;
      }
      for (std::int64_t i = begin; i < end; ++i)
      {
        typename Superclass::VirtualPointType place;
        if (places != nullptr)
        {
          std::copy_n(places + i * ImageDimension, ImageDimension, place.Begin());
        }
        else
        {
          grid->TransformIndexToPhysicalPoint(index, place);
          ++index[0];
          for (unsigned int d = 0; d + 1 < ImageDimension && index[d] > region.GetUpperIndex()[d]; ++d)
          {
            index[d] = region.GetIndex(d);
            ++index[d + 1];
          }
        }
        visit(i, place);
      }
    });
  });
}

template <typename TMetric>
void
CudaSplineImageMetric<TMetric>::SampleFixedGradients(Preparation & preparation) const
{
  const std::int64_t count = preparation.fixed.descriptor.Count();
  preparation.gradientValues = CudaSplineDetail::MakeUninitialized<double>(count * ImageDimension);
  const auto * const inside = static_cast<const std::uint8_t *>(preparation.inside.pixels); // null: all are
  double * const     gradients = preparation.gradientValues.get();
  this->ForEachPlace(count, nullptr, [&](const auto & part) {
    part([&](std::int64_t i, const typename Superclass::VirtualPointType & place) {
      typename Superclass::FixedImageGradientType gradient;
      gradient.Fill(0.0);
      if (inside == nullptr || inside[i] != 0)
      {
        this->ComputeFixedImageGradientAtPoint(this->m_FixedTransform->TransformPoint(place), gradient);
      }
      std::copy_n(gradient.Begin(), ImageDimension, gradients + i * ImageDimension);
    });
  });
  preparation.gradient.descriptor =
    CudaSplineDetail::DescribeList<double>(count * ImageDimension, preparation.moving.descriptor.element);
  preparation.gradient.pixels = gradients;
}

template <typename TMetric>
std::int64_t
CudaSplineImageMetric<TMetric>::KeepInside(Preparation & preparation, std::int64_t count) const
{
  constexpr std::int64_t     length = 4096;
  const std::int64_t         blocks = (count + length - 1) / length;
  const std::uint8_t * const inside = preparation.insideValues.get();
  std::vector<std::int64_t>  first(static_cast<std::size_t>(blocks) + 1, 0); // of each block, among those that are kept
  const auto                 forEachBlock = [&](const auto & run) {
    this->ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block)
      {
        run(static_cast<std::size_t>(block), block * length, std::min(count, (block + 1) * length));
      }
    });
  };
  forEachBlock([&](std::size_t block, std::int64_t begin, std::int64_t end) {
    first[block + 1] = std::count(inside + begin, inside + end, std::uint8_t{ 1 });
  });
  for (std::size_t block = 1; block < first.size(); ++block)
  {
    first[block] += first[block - 1];
  }
  auto values = CudaSplineDetail::MakeUninitialized<FixedPixelType>(first.back());
  auto places = CudaSplineDetail::MakeUninitialized<double>(first.back() * ImageDimension);
  forEachBlock([&](std::size_t block, std::int64_t begin, std::int64_t end) {
    std::int64_t to = first[block];
    for (std::int64_t i = begin; i < end; ++i)
    {
      if (inside[i] != 0)
      {
        values[to] = preparation.fixedValues[i];
        std::copy_n(&preparation.places[i * ImageDimension], ImageDimension, &places[to * ImageDimension]);
        ++to;
      }
    }
  });
  preparation.fixedValues = std::move(values);
  preparation.places = std::move(places);
  return first.back();
}

} // namespace itk

#endif
