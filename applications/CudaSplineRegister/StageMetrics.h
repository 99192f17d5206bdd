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
#ifndef CudaSplineRegister_StageMetrics_h
#define CudaSplineRegister_StageMetrics_h

#include "CommandLine.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaSplineSystem.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkImageMaskSpatialObject.h"

#include <functional>
#include <stdexcept>
#include <string>

namespace CudaSplineRegister
{

/** \brief The metrics of the stages, set up as the user wants. */
template <typename TImage>
struct StageMetrics
{
  using MetricType = itk::ImageToImageMetricv4<TImage, TImage>;
  using MaskType = itk::ImageMaskSpatialObject<TImage::ImageDimension>;

  /** What is registered; masks may be null. */
  struct Inputs
  {
    typename TImage::Pointer   fixed;
    typename TImage::Pointer   moving;
    typename MaskType::Pointer fixedMask;
    typename MaskType::Pointer movingMask;
  };

  /** A metric, and who computed it. */
  struct Metric
  {
    typename MetricType::Pointer                 object;
    std::function<itk::CudaSpline::Backend()>    backend;
    std::function<std::string()>                 reason;
    std::function<itk::CudaSpline::BackendUse()> use;
    std::function<void(unsigned int)>            expect; ///< so many evaluations from the next level
  };

  template <typename TMetric>
  static Metric
  SetUp(const typename TMetric::Pointer & metric, const Inputs & inputs, const Options & options)
  {
    metric->SetFixedImage(inputs.fixed);
    metric->SetMovingImage(inputs.moving);
    metric->SetFixedImageMask(inputs.fixedMask);
    metric->SetMovingImageMask(inputs.movingMask);
    metric->SetUseMovingImageGradientFilter(options.gradient == GradientKind::Filter);
    metric->SetUseFixedImageGradientFilter(false);
    metric->SetUseAnalyticMovingImageGradient(options.gradient == GradientKind::Analytic);
    if (options.order > 1)
    {
      const auto spline = itk::BSplineInterpolateImageFunction<TImage, double, double>::New();
      spline->SetSplineOrder(options.order);
      metric->SetMovingInterpolator(spline);
    }
    metric->SetDevice(options.device);
    auto * const asked = metric.GetPointer();
    return { metric.GetPointer(),
             [asked] { return asked->GetLastBackend(); },
             [asked] { return asked->GetFallbackReason(); },
             [asked] { return asked->GetBackendUse(); },
             [asked](unsigned int number) { asked->SetExpectedNumberOfEvaluations(number); } };
  }

  /** Sets what a metric alone has. */
  ///@{
  template <typename TMetric>
  static void
  Configure(const StageOptions &, const Options &, TMetric &)
  {}
  static void
  Configure(const StageOptions &,
            const Options &                                                        options,
            itk::CudaMattesMutualInformationImageToImageMetricv4<TImage, TImage> & metric)
  {
    static_assert(mostBins == itk::CudaSpline::MostHistogramBins, "what the command line refuses");
    metric.SetNumberOfHistogramBins(options.bins);
  }
  static void
  Configure(const StageOptions & stage,
            const Options &,
            itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage> & metric)
  {
    typename itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>::RadiusType radius;
    radius.Fill(stage.radius);
    metric.SetRadius(radius);
  }
  ///@}

  /** A metric. \param[in] stage has what a metric alone has, as radii */
  static Metric
  Make(MetricKind asked, const StageOptions & stage, const Inputs & inputs, const Options & options)
  {
    switch (asked)
    {
#define CUDASPLINE_MAKE_METRIC(kind, word, name)                                                                       \
  case MetricKind::kind: {                                                                                             \
    const auto metric = itk::Cuda##name<TImage, TImage>::New();                                                        \
    Configure(stage, options, *metric);                                                                                \
    return SetUp<itk::Cuda##name<TImage, TImage>>(metric, inputs, options);                                            \
  }
      CUDASPLINE_STAGE_METRICS(CUDASPLINE_MAKE_METRIC)
#undef CUDASPLINE_MAKE_METRIC
    }
    throw std::logic_error("a metric that is not in the list");
  }
};

} // namespace CudaSplineRegister

#endif
