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
#ifndef itkCudaSpline_itk_FixedSamples_h
#define itkCudaSpline_itk_FixedSamples_h

#include "itkCudaSpline/itk/MetricArrays.h"
#include "itkCudaSpline/itk/Recognition.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/metrics/MetricSamples.h"
#include "itkCudaSpline/kernels/transforms/StageIdentity.h"
#include "itkCudaSpline/math/Geometry.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Samples of the fixed image, which a metric of the module takes once.
 *
 * The module's own functions take them if their results are bitwise equal to ITK's, else ITK's functions do. Both use
 * all threads. For metrics of float, whose points ITK rounds, the module's functions are more accurate.
 *
 * \tparam TMetric the metric of ITK, for its types */
template <typename TMetric>
class FixedSamples
{
public:
  /** Types and dimension of the metric. */
  ///@{
  using ImageType = typename TMetric::FixedImageType;                                  ///< of the fixed image
  using PixelType = typename ImageType::PixelType;                                     ///< of its pixels
  static constexpr unsigned int Dimension = TMetric::VirtualImageType::ImageDimension; ///< of the virtual domain
  ///@}

  /** \brief The samples to take: image, transform, mask and points. */
  struct Domain
  {
    const ImageType *                               image;        ///< the fixed image
    const typename TMetric::FixedTransformType *    transform;    ///< maps the virtual domain to the fixed image
    const typename TMetric::FixedInterpolatorType * interpolator; ///< of the fixed image
    const SpatialObject<Dimension> *                mask;         ///< of the fixed image; may be null
    const typename TMetric::VirtualImageType *      virtualImage; ///< geometry of the virtual domain
    typename TMetric::VirtualRegionType             region;       ///< region of the virtual domain
    const typename TMetric::VirtualPointSetType *   points;       ///< sampled points; null: all samples of the region
    std::int64_t                                    count;        ///< number of samples
    CudaSpline::TransformChain                      grid;         ///< the region and its geometry, without stages
  };

  /** \brief Takes the samples. On the virtual grid all are kept, with a flag that is 0 for those that do not count. Of
   * a point set only those that count are kept.
   *
   * \param[in] domain the samples to take
   * \param[in] element type of the samples on a backend
   * \param[in] context threads
   * \param[in] evaluate ITK's function for a sample (TransformAndEvaluateFixedPoint())
   * \return false if no sample counts */
  template <typename TEvaluate>
  bool
  Sample(const Domain &                       domain,
         CudaSpline::ScalarType               element,
         const CudaSpline::ExecutionContext & context,
         const TEvaluate &                    evaluate)
  {
    const bool   isList = domain.points != nullptr;
    std::int64_t count = domain.count;
    if (isList)
    {
      this->CopyPlaces(domain, context);
    }
    CudaSpline::MetricDescriptor descriptor;
    CudaSpline::MetricSources    sources;
    const bool                   isKnown =
      count > 0 && domain.region.GetNumberOfPixels() > 0 && this->DescribeFixed(domain, descriptor, sources, context);
    m_Fixed.descriptor = DescribeList<PixelType>(count, element);
    if constexpr (IsReadable)
    {
      if (isKnown && CudaSpline::AreSamplesPixels(descriptor, sources))
      {
        m_Fixed.pixels = domain.image->GetBufferPointer();
        m_Kept.emplace_back(domain.image);
        m_Kept.emplace_back(domain.image->GetPixelContainer());
        return true;
      }
    }
    m_Values = MakeUninitialized<PixelType>(count);
    m_Inside = MakeUninitialized<std::uint8_t>(count);
    const bool areAllInside =
      isKnown ? CudaSpline::SampleForMetric(descriptor, sources, context, m_Values.get(), m_Inside.get())
              : this->SampleByItk(domain, context, evaluate);
    if (isList && !areAllInside)
    {
      count = this->KeepInside(count, context);
    }
    if (count == 0)
    {
      return false;
    }
    m_Fixed.descriptor.size[0] = count;
    m_Fixed.pixels = m_Values.get();
    if (isList)
    {
      m_Points.descriptor = DescribeList<double>(count * Dimension, CudaSpline::ScalarType::Float64);
      m_Points.pixels = m_Places.get();
    }
    else if (!areAllInside)
    {
      m_InsideArray.descriptor = DescribeList<std::uint8_t>(count, CudaSpline::ScalarType::UInt8);
      m_InsideArray.pixels = m_Inside.get();
    }
    return true;
  }

  /** \brief Computes the gradients of the fixed image at the samples; zeros for samples that do not count.
   *
   * \param[in] domain the samples that were taken
   * \param[in] element type of the gradients on a backend
   * \param[in] context threads
   * \param[in] evaluate ITK's function for the gradient at a point of the fixed image
   * (ComputeFixedImageGradientAtPoint()) */
  template <typename TEvaluate>
  void
  SampleGradients(const Domain &                       domain,
                  CudaSpline::ScalarType               element,
                  const CudaSpline::ExecutionContext & context,
                  const TEvaluate &                    evaluate)
  {
    const std::int64_t count = m_Fixed.descriptor.Count();
    m_GradientValues = MakeUninitialized<double>(count * Dimension);
    const auto * const inside = static_cast<const std::uint8_t *>(m_InsideArray.pixels); // null: all count
    double * const     gradients = m_GradientValues.get();
    this->ForEachPlace(domain, count, context, [&](const auto & part) {
      part([&](std::int64_t i, const typename TMetric::VirtualPointType & place) {
        typename TMetric::FixedImageGradientType gradient;
        gradient.Fill(0.0);
        if (inside == nullptr || inside[i] != 0)
        {
          typename TMetric::FixedTransformType::InputPointType from;
          from.CastFrom(place);
          evaluate(domain.transform->TransformPoint(from), gradient);
        }
        std::copy_n(gradient.Begin(), Dimension, gradients + i * Dimension);
      });
    });
    m_Gradients.descriptor = DescribeList<double>(count * Dimension, element);
    m_Gradients.pixels = gradients;
  }

  /** \brief The values. */
  const HostArray &
  GetValues() const
  {
    return m_Fixed;
  }

  /** \brief Whether each value counts; empty if all do. */
  const HostArray &
  GetInside() const
  {
    return m_InsideArray;
  }

  /** \brief Points of the samples; empty for samples on the grid. */
  const HostArray &
  GetPlaces() const
  {
    return m_Points;
  }

  /** \brief Gradients at the samples in physical space, the components of each sample adjacent; empty before
   * SampleGradients(). */
  const HostArray &
  GetGradients() const
  {
    return m_Gradients;
  }

private:
  /** True if the buffer of the fixed image contains its pixels. */
  static constexpr bool IsReadable = ImageTraits<ImageType>::IsReadable;

  /** Copies the sampled points. */
  void
  CopyPlaces(const Domain & domain, const CudaSpline::ExecutionContext & context)
  {
    const std::int64_t count = domain.count;
    m_Places = MakeUninitialized<double>(count * Dimension);
    const auto * const points = domain.points->GetPoints();
    double * const     places = m_Places.get();
    context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        const typename TMetric::VirtualPointType place(points->ElementAt(static_cast<IdentifierType>(i)));
        std::copy(place.Begin(), place.End(), places + i * Dimension);
      }
    });
  }

  /** Whether the stages of a chain map points of the virtual domain bitwise as the fixed transform does. */
  static bool
  IsMapOf(const CudaSpline::TransformChain & chain, const typename TMetric::FixedTransformType * transform)
  {
    using Map = CudaSpline::AffineMap<Dimension>;
    // Off the grid points, where differences of rounding show.
    constexpr double parts[] = { 0.01357, 0.51113, 0.97071 };
    unsigned int     count = 1;
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      count *= 3;
    }
    for (unsigned int number = 0; number < count; ++number)
    {
      typename TMetric::VirtualPointType place;
      unsigned int                       rest = number;
      double                             moved[Dimension];
      for (unsigned int r = 0; r < Dimension; ++r)
      {
        place[r] = chain.outputOrigin[r];
      }
      for (unsigned int c = 0; c < Dimension; ++c, rest /= 3)
      {
        const double index =
          static_cast<double>(chain.regionStart[c]) + parts[rest % 3] * static_cast<double>(chain.regionSize[c]);
        for (unsigned int r = 0; r < Dimension; ++r)
        {
          place[r] += chain.indexToPoint[r][c] * index;
        }
      }
      std::copy(place.Begin(), place.End(), moved);
      for (const CudaSpline::TransformChain::Stage & stage : chain.stages)
      {
        Map    map;
        double from[Dimension];
        for (unsigned int r = 0; r < Dimension; ++r)
        {
          from[r] = moved[r];
          map.offset[r] = stage.offset[r];
          std::copy_n(stage.matrix[r].begin(), Dimension, map.matrix[r]);
        }
        map.Apply(from, moved);
      }
      typename TMetric::FixedTransformType::InputPointType from;
      from.CastFrom(place);
      const auto expected = transform->TransformPoint(from);
      if (!std::equal(expected.Begin(), expected.End(), moved))
      {
        return false;
      }
    }
    return true;
  }

  /** Describes the samples for CudaSpline::SampleForMetric(). Returns false if its results would differ from ITK's in a
   * bit. */
  bool
  DescribeFixed(const Domain &                       domain,
                CudaSpline::MetricDescriptor &       descriptor,
                CudaSpline::MetricSources &          sources,
                const CudaSpline::ExecutionContext & context) const
  {
    if constexpr (!IsReadable)
    {
      return false;
    }
    else
    {
      using Interpolation = CudaSpline::Interpolation;
      const ImageType * const image = domain.image;
      const auto * const      interpolator = domain.interpolator;
      const auto &            region = image->GetBufferedRegion();
      if (region.GetNumberOfPixels() == 0 || image->GetBufferPointer() == nullptr ||
          interpolator->GetInputImage() != image || interpolator->GetStartIndex() != region.GetIndex() ||
          interpolator->GetEndIndex() != region.GetUpperIndex())
      {
        return false;
      }
      const CudaSplineMethod method = RecogniseInterpolator(interpolator, image);
      const Interpolation    kind = method.interpolation.interpolation;
      if (method.refusal != nullptr || (kind != Interpolation::Nearest && kind != Interpolation::Linear) ||
          method.unbounded != decltype(method.unbounded){ { false, false, false, false } } ||
          method.storage != CudaSpline::CoefficientStorage::Element ||
          method.interpolation.mode != CudaSpline::EvaluationMode::Exact)
      {
        return false;
      }
      descriptor.dimension = Dimension;
      descriptor.interpolation = DescribeInterpolation<double>(method, region);
      descriptor.chain = domain.grid;
      CudaSpline::TransformChain::Matrix unused{};
      DescribeAxes<Dimension>(image, descriptor.chain.inputOrigin, unused, descriptor.chain.pointToIndex);
      using Parameter = typename TMetric::FixedTransformType::ParametersValueType;
      if (!TransformDescriber<Dimension, Parameter>::Append(domain.transform, descriptor.chain))
      {
        return false;
      }
      auto & stages = descriptor.chain.stages;
      stages.erase(
        std::remove_if(stages.begin(),
                       stages.end(),
                       [&context](const auto & stage) { return CudaSpline::MovesNothing(stage, Dimension, context); }),
        stages.end());
      constexpr bool isRounded = std::is_same<Parameter, float>::value; // ITK rounds the points
      if (!descriptor.IsAffineFrom(0) || (!isRounded && !IsMapOf(descriptor.chain, domain.transform)))
      {
        return false;
      }
      std::vector<LightObject::ConstPointer> kept;
      HostArray                              mask;
      if (!DescribeMask(domain.mask, descriptor.mask, mask, kept))
      {
        return false;
      }
      const CudaSpline::ExecutionContext onHost;
      auto                               source = DescribeSource(image);
      DescribeMethodSource(method, source);
      sources.moving = CudaSpline::MakeSource(source, image->GetBufferPointer(), onHost);
      if (mask.pixels != nullptr)
      {
        sources.mask = CudaSpline::MakeSource(mask.descriptor, mask.pixels, onHost);
      }
      if (m_Places != nullptr)
      {
        const auto list = DescribeList<double>(domain.count * Dimension, CudaSpline::ScalarType::Float64);
        sources.points = CudaSpline::MakeSource(list, m_Places.get(), onHost);
      }
      return true;
    }
  }

  /** Calls \p run on all threads. Its argument is a function that calls a function with the number and the point of
   * each sample of that thread's range: of the point set if there is one, else of the grid. */
  template <typename TRun>
  void
  ForEachPlace(const Domain &                       domain,
               std::int64_t                         count,
               const CudaSpline::ExecutionContext & context,
               const TRun &                         run) const
  {
    const auto &         region = domain.region;
    const auto * const   grid = domain.virtualImage;
    const double * const places = m_Places.get();
    context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      run([&](const auto & visit) {
        typename TMetric::VirtualIndexType index = region.GetIndex();
        std::int64_t                       rest = places != nullptr ? 0 : begin;
        for (unsigned int d = 0; d < Dimension; ++d)
        {
          const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(region.GetSize(d)));
          index[d] += static_cast<IndexValueType>(rest % size);
          rest /= size;
        }
        for (std::int64_t i = begin; i < end; ++i)
        {
          typename TMetric::VirtualPointType place;
          if (places != nullptr)
          {
            std::copy_n(places + i * Dimension, Dimension, place.Begin());
          }
          else
          {
            grid->TransformIndexToPhysicalPoint(index, place);
            ++index[0];
            for (unsigned int d = 0; d + 1 < Dimension && index[d] > region.GetUpperIndex()[d]; ++d)
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

  /** CudaSpline::SampleForMetric() with ITK's functions. */
  template <typename TEvaluate>
  bool
  SampleByItk(const Domain & domain, const CudaSpline::ExecutionContext & context, const TEvaluate & evaluate)
  {
    PixelType * const    values = m_Values.get();
    std::uint8_t * const inside = m_Inside.get();
    std::atomic<bool>    areAllInside{ true };
    if (domain.mask)
    {
      domain.mask->GetObjectToWorldTransformInverse(); // updates it, which is not thread-safe
    }
    this->ForEachPlace(domain, domain.count, context, [&](const auto & part) {
      bool isFull = true;
      part([&](std::int64_t i, const typename TMetric::VirtualPointType & place) {
        typename TMetric::FixedImagePointType mapped;
        const bool                            isInside = evaluate(place, mapped, values[i]);
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

  /** Keeps the samples of a point set that count, in their order; returns their number. */
  std::int64_t
  KeepInside(std::int64_t count, const CudaSpline::ExecutionContext & context)
  {
    constexpr std::int64_t     length = 4096;
    const std::int64_t         blocks = (count + length - 1) / length;
    const std::uint8_t * const inside = m_Inside.get();
    // Number of the first kept sample of each block.
    std::vector<std::int64_t> first(static_cast<std::size_t>(blocks) + 1, 0);
    const auto                forEachBlock = [&](const auto & run) {
      context.ParallelFor(blocks, [&](std::int64_t begin, std::int64_t end) {
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
    auto values = MakeUninitialized<PixelType>(first.back());
    auto places = MakeUninitialized<double>(first.back() * Dimension);
    forEachBlock([&](std::size_t block, std::int64_t begin, std::int64_t end) {
      std::int64_t to = first[block];
      for (std::int64_t i = begin; i < end; ++i)
      {
        if (inside[i] != 0)
        {
          values[to] = m_Values[i];
          std::copy_n(&m_Places[i * Dimension], Dimension, &places[to * Dimension]);
          ++to;
        }
      }
    });
    m_Values = std::move(values);
    m_Places = std::move(places);
    return first.back();
  }

  std::unique_ptr<PixelType[]>           m_Values; ///< null: the fixed image's pixels
  std::unique_ptr<std::uint8_t[]>        m_Inside; ///< whether a value counts
  std::unique_ptr<double[]>              m_Places; ///< points of a point set
  std::unique_ptr<double[]>              m_GradientValues;
  std::vector<LightObject::ConstPointer> m_Kept; ///< images whose pixels may be borrowed
  HostArray                              m_Fixed;
  HostArray                              m_InsideArray;
  HostArray                              m_Points;
  HostArray                              m_Gradients;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
