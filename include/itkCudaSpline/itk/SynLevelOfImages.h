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
#ifndef itkCudaSpline_itk_SynLevelOfImages_h
#define itkCudaSpline_itk_SynLevelOfImages_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/Gaussian.h"
#include "itkCudaSpline/itk/ResidentImages.h"
#include "itkCudaSpline/itk/SynMetrics.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "itkImageMaskSpatialObject.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief A level of SyN as it is in ITK, described for the kernels: pairs of images, what is done to them, and metrics.
 */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The Gaussian by which the images of a level are smoothed. */
struct LevelSigma
{
  double value{ 0.0 };    ///< 0: they are not smoothed
  bool   isInMm{ false }; ///< not in pixels

  /** The sigmas for an image (mm). */
  template <unsigned int VDimension>
  FixedArray<double, VDimension>
  Of(const ImageBase<VDimension> * image) const
  {
    FixedArray<double, VDimension> sigmas(value);
    for (unsigned int d = 0; d < VDimension && !isInMm; ++d)
    {
      sigmas[d] *= image->GetSpacing()[d];
    }
    return sigmas;
  }
};

/** \brief Two images of a level with their masks, and how they are compared. */
template <typename TFixedImage, typename TMovingImage>
struct SynPairOfImages
{
  /** For both images. */
  using MaskType = Image<unsigned char, TFixedImage::ImageDimension>;

  const TFixedImage *                           fixed{ nullptr };      ///< as it came
  const TMovingImage *                          moving{ nullptr };     ///< likewise
  const MaskType *                              fixedMask{ nullptr };  ///< null: there is none
  const MaskType *                              movingMask{ nullptr }; ///< likewise
  CudaSpline::SynMetric                         metric;                ///< by which they are compared
  double                                        weight{ 1.0 };         ///< of the metric's value and force
  std::optional<CudaSpline::GaussianDescriptor> fixedSmoothing;        ///< of the fixed image, for the level
  std::optional<CudaSpline::GaussianDescriptor> movingSmoothing;       ///< of the moving one
  std::optional<CudaSpline::GaussianDescriptor> fixedGradient;  ///< of the fixed image as it is, if that is compared
  std::optional<CudaSpline::GaussianDescriptor> movingGradient; ///< of the moving one
};

/** \brief What a level of SyN is made of. A string that is returned says why the kernels cannot do it, and nothing
 * where they can. */
template <typename TFixedImage, typename TMovingImage, typename TVirtualImage, typename TReal>
class SynLevelOfImages
{
public:
  /** Axes of the images. */
  static constexpr unsigned int ImageDimension = TFixedImage::ImageDimension;
  using Pair = SynPairOfImages<TFixedImage, TMovingImage>;                                       ///< of images
  using Metrics = SynMetrics<TFixedImage, TMovingImage, TVirtualImage, TReal>;                   ///< that are known
  using ImageMetricType = ImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal>; ///< of a pair
  using VirtualDomain = ImageBase<ImageDimension>;                                               ///< grid of the fields

  typename VirtualDomain::ConstPointer domain;                     ///< on which the fields are
  CudaSpline::FieldShape               shape;                      ///< the same, and the type of the fields
  CudaSpline::SynRules                 rules;                      ///< as they are when it begins
  CudaSpline::TransformChain           fixedChain;                 ///< initial transform of the fixed images
  CudaSpline::TransformChain           movingChain;                ///< of the moving ones
  LevelSigma                           sigma;                      ///< of all images
  bool                                 comparesOriginals{ false }; ///< not images on the grid of the fields
  bool                                 samplesPoints{ false };     ///< not all of that grid
  std::vector<Pair>                    pairs;                      ///< see Append()

  /** Appends a pair of images.
   *
   * \param[in] metric how they are compared
   * \param[in] weight its share
   * \param[in] fixed the fixed image as it came
   * \param[in] moving the moving one
   * \param[in] fixedMask of the fixed image; null: none
   * \param[in] movingMask of the moving one */
  std::string
  Append(const ImageMetricType *               metric,
         double                                weight,
         const TFixedImage *                   fixed,
         const TMovingImage *                  moving,
         const SpatialObject<ImageDimension> * fixedMask,
         const SpatialObject<ImageDimension> * movingMask)
  {
    Pair pair;
    pair.weight = weight;
    pair.fixed = fixed;
    pair.moving = moving;
    std::string reason = this->DescribeMetric(metric, pair);
    if (reason.empty())
    {
      reason = this->DescribeImages(pair);
    }
    if (reason.empty() && !(FindMask(fixedMask, pair.fixedMask) && FindMask(movingMask, pair.movingMask)))
    {
      reason = "only masks that are an ImageMaskSpatialObject are accelerated";
    }
    pairs.push_back(std::move(pair));
    return reason;
  }

  /** How each pair is compared. */
  std::vector<CudaSpline::SynMetric>
  GetMetrics() const
  {
    std::vector<CudaSpline::SynMetric> metrics;
    for (const Pair & pair : pairs)
    {
      metrics.push_back(pair.metric);
    }
    return metrics;
  }

  /** Bytes of all images and masks, and of data that are made from them in their memory. */
  std::size_t
  CountImageBytes() const
  {
    const auto bytesOf = [](const auto * image) {
      return image != nullptr ? image->GetBufferedRegion().GetNumberOfPixels() * sizeof(*image->GetBufferPointer())
                              : std::size_t(0);
    };
    std::size_t bytes = 0;
    for (const Pair & pair : pairs)
    {
      const std::size_t maskBytes = bytesOf(pair.fixedMask) + bytesOf(pair.movingMask);
      // Where updates are smoothed by splines masks are numbers, too.
      const std::size_t numbers = rules.updateSpline ? CudaSpline::SizeOf(shape.element) : 0;
      const std::size_t pixelBytes = bytesOf(pair.fixed) + bytesOf(pair.moving);
      const std::size_t gradientBytes = pair.fixedGradient ? pixelBytes / sizeof(typename TFixedImage::PixelType) *
                                                               ImageDimension * CudaSpline::SizeOf(shape.element)
                                                           : 0;
      bytes += (pair.fixedSmoothing ? 2 : 1) * pixelBytes + gradientBytes + (1 + numbers) * maskBytes;
    }
    return bytes;
  }

  /** \brief All pairs where they are compared, their images smoothed.
   *
   * \param[in,out] originals images as they came, which the levels share
   * \param[in] residence where */
  std::vector<CudaSpline::SynTerm>
  MakeTerms(ResidentOriginals & originals, const CudaSpline::Residence & residence) const
  {
    const auto fixedStages = CudaSpline::MakeResidentStages(fixedChain.stages, ImageDimension, residence);
    const auto movingStages = CudaSpline::MakeResidentStages(movingChain.stages, ImageDimension, residence);
    std::vector<std::pair<const void *, CudaSpline::ResidentImage>> made; // smooth, of images that several pairs have
    const auto provide = [&](const auto * image, const std::optional<CudaSpline::GaussianDescriptor> & smoothing) {
      for (const auto & other : made)
      {
        if (other.first == image)
        {
          return other.second;
        }
      }
      const CudaSpline::ResidentImage original = originals.Provide(image, residence);
      made.emplace_back(image, smoothing ? CudaSpline::SmoothImage(original, *smoothing, residence) : original);
      return made.back().second;
    };
    std::vector<CudaSpline::SynTerm> terms;
    for (const Pair & pair : pairs)
    {
      CudaSpline::SynTerm term;
      term.metric = pair.metric;
      term.weight = pair.weight;
      term.fixed.image = provide(pair.fixed, pair.fixedSmoothing);
      term.fixed.mask = MakeResident(pair.fixedMask, residence);
      term.fixed.gradient = pair.fixedGradient;
      term.fixed.stages = fixedStages;
      term.moving.image = provide(pair.moving, pair.movingSmoothing);
      term.moving.mask = MakeResident(pair.movingMask, residence);
      term.moving.gradient = pair.movingGradient;
      term.moving.stages = movingStages;
      if (rules.updateSpline && terms.empty()) // ITK's splines know the masks of the first pair
      {
        term.fixed.confidence = MakeConfidence(pair.fixedMask, shape.element, residence);
        term.moving.confidence = MakeConfidence(pair.movingMask, shape.element, residence);
      }
      terms.push_back(std::move(term));
    }
    return terms;
  }

private:
  /** How a pair is compared, and by which gradients. */
  std::string
  DescribeMetric(const ImageMetricType * metric, Pair & pair) const
  {
    if (const std::string reason = Metrics::Describe(metric, pair.metric); !reason.empty())
    {
      return reason;
    }
    if (metric->GetUseSampledPointSet() || samplesPoints)
    {
      return "sampled points are not accelerated";
    }
    const bool isDemons = pair.metric.kind == CudaSpline::MetricKind::Demons;
    const bool ofFixed = metric->GetGradientSourceIncludesFixed();
    if (ofFixed && (!isDemons || metric->GetGradientSourceIncludesMoving()))
    {
      return "gradients of the fixed image in addition to those of the moving one are not accelerated";
    }
    const bool filters = ofFixed ? metric->GetUseFixedImageGradientFilter() : metric->GetUseMovingImageGradientFilter();
    if (!filters && !Metrics::Gradients::AreDifferences(metric, ofFixed))
    {
      return "gradients by another calculator than ITK's central differences are not accelerated";
    }
    pair.metric.arithmetic = shape.element;
    pair.metric.epsilon = std::numeric_limits<TReal>::epsilon();
    pair.metric.comparesOriginals = comparesOriginals;
    if (comparesOriginals && !Metrics::AreLinear(metric))
    {
      return "of images that are not downsampled only those that are interpolated linearly are accelerated";
    }
    if (comparesOriginals && isDemons && !(fixedChain.stages.empty() && movingChain.stages.empty()))
    {
      return "demons of images that are not downsampled are not accelerated with an initial transform";
    }
    if (filters)
    {
      const auto describe = [&](const VirtualDomain * grid) {
        CudaSpline::FieldShape own = shape;
        own.grid = DescribeFieldGrid<ImageDimension>(grid, grid->GetBufferedRegion());
        return Metrics::Gradients::Describe(metric, ofFixed, grid, own);
      };
      if (comparesOriginals) // the metric gets each of them as its moving image, or as its fixed one
      {
        pair.fixedGradient = describe(pair.fixed);
        pair.movingGradient = describe(pair.moving);
      }
      else
      {
        pair.metric.gaussian = describe(domain.GetPointer());
      }
      const bool isDescribed =
        comparesOriginals ? pair.fixedGradient && pair.movingGradient : pair.metric.gaussian.has_value();
      if (!isDescribed)
      {
        return "gradients by another filter than a recursive Gaussian of the image are not accelerated";
      }
    }
    return std::string();
  }

  /** The smoothing of both images for the level. */
  std::string
  DescribeImages(Pair & pair) const
  {
    if (!IsWhole(pair.fixed) || !IsWhole(pair.moving))
    {
      return "an image is not in memory as a whole";
    }
    if (sigma.value > 0.0)
    {
      const auto describe = [this](const auto * image) {
        auto descriptor = DescribeGaussian(image, sigma.Of(static_cast<const VirtualDomain *>(image)), false);
        descriptor.output = descriptor.pixel;
        return descriptor;
      };
      pair.fixedSmoothing = describe(pair.fixed);
      pair.movingSmoothing = describe(pair.moving);
      for (const char * const reason :
           { WhyNotGaussian(pair.fixed, *pair.fixedSmoothing), WhyNotGaussian(pair.moving, *pair.movingSmoothing) })
      {
        if (reason != nullptr)
        {
          return reason;
        }
      }
    }
    return std::string();
  }

  /** Whether an image is in memory, all of it. */
  template <typename TImage>
  static bool
  IsWhole(const TImage * image)
  {
    return image->GetBufferPointer() != nullptr && image->GetBufferedRegion() == image->GetLargestPossibleRegion();
  }

  /** The image of a mask; false for masks that the kernels do not support. */
  static bool
  FindMask(const SpatialObject<ImageDimension> * mask, const typename Pair::MaskType *& image)
  {
    if (mask == nullptr)
    {
      return true;
    }
    const auto * const object = dynamic_cast<const ImageMaskSpatialObject<ImageDimension> *>(mask);
    image = object != nullptr ? object->GetImage() : nullptr;
    return image != nullptr && IsWhole(image);
  }
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
