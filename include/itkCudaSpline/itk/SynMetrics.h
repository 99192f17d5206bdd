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
#ifndef itkCudaSpline_itk_SynMetrics_h
#define itkCudaSpline_itk_SynMetrics_h

#include "itkCudaSpline/itk/MetricClasses.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "itkLinearInterpolateImageFunction.h"
#include "itkObjectToObjectMultiMetricv4.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

/** \file
 * \brief Describes ITK's metrics for the SyN kernels. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Describes ITK's metrics, or the module's replacements, for the SyN kernels. Functions that return a string
 * return why a metric is not accelerated, or an empty string if it is. */
template <typename TFixedImage, typename TMovingImage, typename TVirtualImage, typename TReal>
class SynMetrics
{
public:
  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TFixedImage::ImageDimension;
  /** Base class of all metrics, of images or not. */
  using MetricBaseType = ObjectToObjectMetricBaseTemplate<TReal>;
  /** Base class of all metrics of images. */
  using ImageMetricType = ImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal>;
  /** Grid on which a metric is evaluated. */
  using VirtualDomain = ImageBase<ImageDimension>;

  /** \brief How a metric of ITK computes gradients. Only derived classes can query this. */
  class Gradients : public ImageMetricType
  {
  public:
    /** Whether gradients are central differences of linear interpolation, which is the default.
     *
     * \param[in] metric any metric of ITK
     * \param[in] ofFixed gradients of the metric's fixed image, else of the moving one */
    static bool
    AreDifferences(const ImageMetricType * metric, bool ofFixed)
    {
      const auto isDefault = [](const auto & calculator, const auto & byDefault) {
        return static_cast<const void *>(calculator.GetPointer()) == static_cast<const void *>(byDefault.GetPointer());
      };
      return ofFixed ? isDefault(metric->*(&Gradients::m_FixedImageGradientCalculator),
                                 metric->*(&Gradients::m_DefaultFixedImageGradientCalculator))
                     : isDefault(metric->*(&Gradients::m_MovingImageGradientCalculator),
                                 metric->*(&Gradients::m_DefaultMovingImageGradientCalculator));
    }

    /** Describes the Gaussian filter, for an image on the virtual domain. Empty if the metric has another filter, or if
     * the domain is too small for it. */
    static std::optional<CudaSpline::GaussianDescriptor>
    Describe(const ImageMetricType *        metric,
             bool                           ofFixed,
             const VirtualDomain *          domain,
             const CudaSpline::FieldShape & shape)
    {
      return ofFixed ? DescribeFilter((metric->*(&Gradients::m_FixedImageGradientFilter)).GetPointer(),
                                      (metric->*(&Gradients::m_DefaultFixedImageGradientFilter)).GetPointer(),
                                      domain,
                                      shape)
                     : DescribeFilter((metric->*(&Gradients::m_MovingImageGradientFilter)).GetPointer(),
                                      (metric->*(&Gradients::m_DefaultMovingImageGradientFilter)).GetPointer(),
                                      domain,
                                      shape);
    }

  private:
    template <typename TBase, typename TFilter>
    static std::optional<CudaSpline::GaussianDescriptor>
    DescribeFilter(const TBase *                  filter,
                   const TFilter *                byDefault,
                   const VirtualDomain *          domain,
                   const CudaSpline::FieldShape & shape)
    {
      const auto * const recursive = dynamic_cast<const TFilter *>(filter);
      // The metric sets the parameters of the default filter when it gets the image.
      const bool isDefault = static_cast<const void *>(filter) == static_cast<const void *>(byDefault);
      CudaSpline::GaussianDescriptor descriptor;
      if (recursive == nullptr)
      {
        return std::nullopt;
      }
      const auto & spacing = domain->GetSpacing();
      descriptor.dimension = ImageDimension;
      for (unsigned int d = 0; d < ImageDimension; ++d)
      {
        if (shape.grid.size[d] < CudaSpline::SmallestGaussianLine)
        {
          return std::nullopt;
        }
        descriptor.size[d] = shape.grid.size[d];
        descriptor.spacing[d] = spacing[d];
        descriptor.sigma[d] =
          isDefault ? *std::max_element(spacing.Begin(), spacing.End()) : recursive->GetSigmaArray()[d];
        for (unsigned int c = 0; c < ImageDimension; ++c)
        {
          descriptor.direction[d * ImageDimension + c] = domain->GetDirection()[d][c];
        }
      }
      descriptor.normalizeAcrossScale = isDefault || recursive->GetNormalizeAcrossScale();
      descriptor.isRotated = isDefault || recursive->GetUseImageDirection();
      descriptor.pixel = CudaSpline::ScalarTypeOf<typename TFixedImage::PixelType>();
      descriptor.output = shape.element;
      return descriptor;
    }
  };

  /** Lists the metrics of a registration, one or several, with their weights, whose sum is 1. */
  static std::string
  List(MetricBaseType * metric, std::vector<const ImageMetricType *> & metrics, std::vector<double> & weights)
  {
    using MultiMetricType = ObjectToObjectMultiMetricv4<ImageDimension, ImageDimension, TVirtualImage, TReal>;
    constexpr const char * other = "only metrics of images are accelerated, not of point sets or of another kind";
    auto * const           several = dynamic_cast<MultiMetricType *>(metric);
    if (several == nullptr)
    {
      metrics.push_back(dynamic_cast<const ImageMetricType *>(metric));
      weights.push_back(1.0);
      return metrics[0] != nullptr ? std::string() : other;
    }
    if (typeid(*several) != typeid(MultiMetricType))
    {
      return "a class that is derived from ObjectToObjectMultiMetricv4 is not accelerated";
    }
    const auto count = several->GetNumberOfMetrics();
    const auto given = several->GetMetricWeights();
    double     sum = 0.0;
    for (SizeValueType n = 0; n < count; ++n)
    {
      metrics.push_back(dynamic_cast<const ImageMetricType *>(several->GetMetricQueue()[n].GetPointer()));
      if (metrics.back() == nullptr)
      {
        return other;
      }
      weights.push_back(given.Size() == count ? given[n] : 1.0);
      sum += weights.back();
    }
    if ((given.Size() != 0 && given.Size() != count) || !(sum > std::numeric_limits<TReal>::epsilon()))
    {
      return "ITK does not accept the weights of the metrics";
    }
    for (double & weight : weights)
    {
      weight /= sum;
    }
    return std::string();
  }

  /** Describes a metric as one of the kernels' metrics. */
  static std::string
  Describe(const ImageMetricType * metric, CudaSpline::SynMetric & described)
  {
    const std::type_info &     type = typeid(*metric);
    std::string                others;
    std::optional<std::string> reason;
    ForEachMetricClass([&](auto candidate) {
      using Metric = decltype(candidate);
      if constexpr (Metric::HasFieldForce)
      {
        using Theirs = typename MetricClass<Metric>::template Theirs<TFixedImage, TMovingImage, TVirtualImage, TReal>;
        using Ours = typename MetricClass<Metric>::template Ours<TFixedImage, TMovingImage, TVirtualImage, TReal>;
        if (type == typeid(Theirs) || type == typeid(Ours))
        {
          described.kind = Metric::Kind;
          reason = DescribeOwn(static_cast<const Theirs &>(*metric), described);
        }
        others += std::string(others.empty() ? "" : ", ") + Metric::ItkClass;
      }
    });
    return reason ? *reason : "only " + others + " are accelerated, not " + metric->GetNameOfClass();
  }

  /** Whether a metric uses ITK's default, linear interpolation, for both images. */
  static bool
  AreLinear(const ImageMetricType * metric)
  {
    using Fixed = LinearInterpolateImageFunction<TFixedImage, TReal>;
    using Moving = LinearInterpolateImageFunction<TMovingImage, TReal>;
    const auto isOf = [](const auto * interpolator, const std::type_info & type) {
      return interpolator != nullptr && typeid(*interpolator) == type;
    };
    return isOf(metric->GetFixedInterpolator(), typeid(Fixed)) && isOf(metric->GetMovingInterpolator(), typeid(Moving));
  }

private:
  /** Parameters that only one of the metrics has. The first overload is for metrics without such parameters. */
  ///@{
  static std::string
  DescribeOwn(const ImageMetricType &, CudaSpline::SynMetric &)
  {
    return std::string();
  }
  static std::string
  DescribeOwn(
    const ANTSNeighborhoodCorrelationImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal> & metric,
    CudaSpline::SynMetric &                                                                                  described)
  {
    const auto radius = metric.GetRadius();
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      described.radius[d] = static_cast<int>(radius[d]);
    }
    return std::string();
  }

  static std::string
  DescribeOwn(const DemonsImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal> & metric,
              CudaSpline::SynMetric &                                                             described)
  {
    described.exchangesGradients = metric.GetGradientSourceIncludesFixed();
    described.differenceThreshold = metric.GetIntensityDifferenceThreshold();
    described.denominatorThreshold = metric.GetDenominatorThreshold();
    return std::string();
  }

  static std::string
  DescribeOwn(
    const MattesMutualInformationImageToImageMetricv4<TFixedImage, TMovingImage, TVirtualImage, TReal> & metric,
    CudaSpline::SynMetric &                                                                              described)
  {
    const auto bins = metric.GetNumberOfHistogramBins();
    if (!CudaSpline::IsBinCount(static_cast<std::int64_t>(bins)))
    {
      return CudaSpline::DescribeBinProblem(static_cast<std::int64_t>(bins));
    }
    described.bins = static_cast<int>(bins);
    return std::string();
  }
  ///@}
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
