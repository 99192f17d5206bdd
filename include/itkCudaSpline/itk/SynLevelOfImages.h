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
 * \brief Describes a level of ITK's SyN for the kernels: pairs of images, their preparation, and metrics.
 */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The Gaussian that smooths the images of a level. */
struct LevelSigma
{
  double value{ 0.0 };    ///< 0: no smoothing
  bool   isInMm{ false }; ///< in mm; else in pixels

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

/** \brief Two images of a level with their masks, their metric and their preparation. */
template <typename TFixedImage, typename TMovingImage>
struct SynPairOfImages
{
  /** Type of both masks. */
  using MaskType = Image<unsigned char, TFixedImage::ImageDimension>;

  const TFixedImage *                           fixed{ nullptr };      ///< the unmodified fixed image
  const TMovingImage *                          moving{ nullptr };     ///< the unmodified moving image
  const MaskType *                              fixedMask{ nullptr };  ///< null: no mask
  const MaskType *                              movingMask{ nullptr }; ///< null: no mask
  CudaSpline::SynMetric                         metric;                ///< compares the images
  double                                        weight{ 1.0 };         ///< weight of the metric's value and force
  std::optional<CudaSpline::GaussianDescriptor> fixedSmoothing;        ///< smoothing of the fixed image for the level
  std::optional<CudaSpline::GaussianDescriptor> movingSmoothing;       ///< smoothing of the moving image
  std::optional<CudaSpline::GaussianDescriptor>
    fixedGradient; ///< gradient of the original fixed image, if the originals are compared
  std::optional<CudaSpline::GaussianDescriptor> movingGradient; ///< gradient of the original moving image
};

/** \brief The parameters and images of a level of SyN. Functions that return a string return why the kernels do not
 * support the level, or an empty string if they do. */
template <typename TFixedImage, typename TMovingImage, typename TVirtualImage, typename TReal>
class SynLevelOfImages
{
public:
  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TFixedImage::ImageDimension;
  using Pair = SynPairOfImages<TFixedImage, TMovingImage>;                     ///< a pair of images
  using Metrics = SynMetrics<TFixedImage, TMovingImage, TVirtualImage, TReal>; ///< the supported metrics
  using ImageMetricType = ImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal>; ///< metric of a pair
  using VirtualDomain = ImageBase<ImageDimension>;                                               ///< grid of the fields

  typename VirtualDomain::ConstPointer domain;      ///< grid of the fields
  CudaSpline::FieldShape               shape;       ///< the same grid, and the type of the fields
  CudaSpline::SynRules                 rules;       ///< the rules at the beginning of the level
  CudaSpline::TransformChain           fixedChain;  ///< initial transform of the fixed images
  CudaSpline::TransformChain           movingChain; ///< initial transform of the moving images
  LevelSigma                           sigma;       ///< smoothing of all images
  bool comparesOriginals{ false }; ///< compares the original images, not images resampled to the grid of the fields
  bool samplesPoints{ false };     ///< samples points, not all of that grid
  std::vector<Pair> pairs;         ///< filled by Append()

  /** Appends a pair of images.
   *
   * \param[in] metric compares the images
   * \param[in] weight weight of the metric
   * \param[in] fixed the unmodified fixed image
   * \param[in] moving the unmodified moving image
   * \param[in] fixedMask mask of the fixed image; null: no mask
   * \param[in] movingMask mask of the moving image; null: no mask */
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

  /** The metric of each pair. */
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

  /** Bytes of all images and masks, and of the data that are computed from them. */
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
      // If B-splines smooth the updates, masks are also stored as numbers.
      const std::size_t numbers = rules.updateSpline ? CudaSpline::SizeOf(shape.element) : 0;
      const std::size_t pixelBytes = bytesOf(pair.fixed) + bytesOf(pair.moving);
      const std::size_t gradientBytes = pair.fixedGradient ? pixelBytes / sizeof(typename TFixedImage::PixelType) *
                                                               ImageDimension * CudaSpline::SizeOf(shape.element)
                                                           : 0;
      bytes += (pair.fixedSmoothing ? 2 : 1) * pixelBytes + gradientBytes + (1 + numbers) * maskBytes;
    }
    return bytes;
  }

  /** \brief Makes the metric terms of all pairs, with smoothed images, in the memory of a backend.
   *
   * \param[in,out] originals the unmodified images, which the levels share
   * \param[in] residence memory of the backend */
  std::vector<CudaSpline::SynTerm>
  MakeTerms(ResidentOriginals & originals, const CudaSpline::Residence & residence) const
  {
    const auto fixedStages = CudaSpline::MakeResidentStages(fixedChain.stages, ImageDimension, residence);
    const auto movingStages = CudaSpline::MakeResidentStages(movingChain.stages, ImageDimension, residence);
    std::vector<std::pair<const void *, CudaSpline::ResidentImage>>
               made; // smoothed images, which several pairs may share
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
      if (rules.updateSpline && terms.empty()) // ITK's B-splines use the masks of the first pair
      {
        term.fixed.confidence = MakeConfidence(pair.fixedMask, shape.element, residence);
        term.moving.confidence = MakeConfidence(pair.movingMask, shape.element, residence);
      }
      terms.push_back(std::move(term));
    }
    return terms;
  }

private:
  /** Describes the metric of a pair, and its gradients. */
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
      if (comparesOriginals) // the metric gets each image as its moving image, or as its fixed one
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

  /** Describes the smoothing of both images for the level. */
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

  /** Whether an image is completely in memory. */
  template <typename TImage>
  static bool
  IsWhole(const TImage * image)
  {
    return image->GetBufferPointer() != nullptr && image->GetBufferedRegion() == image->GetLargestPossibleRegion();
  }

  /** Finds the image of a mask. Returns false for masks that the kernels do not support. */
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
