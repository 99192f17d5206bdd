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
#ifndef CudaSplineRegister_KernelLevels_h
#define CudaSplineRegister_KernelLevels_h

#include "CommandLine.h"
#include "StageInputs.h"

#include "itkCudaSpline/itk/LinearRegistrationOfImages.h"

#include <algorithm>
#include <cstddef>
#include <vector>

/** \file
 * \brief What the user wants of a stage's levels, metric and samples, as the kernels are told, and whether they can do
 * it: of stages of linear transforms and of B-splines. */

namespace CudaSplineRegister
{

/** \brief The levels of a stage. */
inline std::vector<itk::CudaSpline::PyramidLevel>
MakeKernelLevels(const StageOptions & stage)
{
  std::vector<itk::CudaSpline::PyramidLevel> levels;
  for (std::size_t level = 0; level < stage.iterations.size(); ++level)
  {
    levels.push_back({ stage.shrink[level], stage.sigmas[level], stage.iterations[level] });
  }
  return levels;
}

/** \brief The metric of a stage.
 *
 * \param[in] stage, options what the user wants
 * \param[in] pixel of the images */
inline itk::CudaSpline::LinearMetric
MakeKernelMetric(const StageOptions & stage, const Options & options, itk::CudaSpline::ScalarType pixel)
{
  using Kind = itk::CudaSpline::LinearMetricKind;
  using Gradient = itk::CudaSpline::MetricGradient;
  itk::CudaSpline::LinearMetric metric;
  metric.kind = stage.FirstMetric() == MetricKind::Mattes        ? Kind::Mattes
                : stage.FirstMetric() == MetricKind::MeanSquares ? Kind::MeanSquares
                : stage.FirstMetric() == MetricKind::Correlation ? Kind::Correlation
                                                                 : Kind::LocalCorrelation;
  metric.bins = static_cast<int>(options.bins);
  metric.radius.fill(static_cast<int>(stage.radius));
  metric.order = std::max(1U, options.order);
  metric.gradient = options.gradient == GradientKind::Differences ? Gradient::CentralDifferences
                    : options.gradient == GradientKind::Filter    ? Gradient::Image
                                                                  : Gradient::Analytic;
  metric.arithmetic = pixel;
  return metric;
}

/** \brief Which samples of a stage's levels count. */
inline itk::CudaSpline::SampleRules
MakeKernelSamples(const StageOptions & stage, const Options & options)
{
  itk::CudaSpline::SampleRules samples;
  samples.choice = stage.sampling == SamplingKind::None      ? itk::CudaSpline::SampleChoice::All
                   : stage.sampling == SamplingKind::Regular ? itk::CudaSpline::SampleChoice::Regular
                                                             : itk::CudaSpline::SampleChoice::Random;
  samples.fraction = stage.fraction;
  samples.seed = options.seed;
  return samples;
}

/** \brief Whether the kernels can compare images as a stage does: they look at all samples for local correlation, have
 * histograms of \c mostBins bins, and Gaussians for images that are not too thin, which is ITK's filters to say. */
template <typename TPixel, unsigned int VDimension>
bool
AreComparedByKernels(const StageInputs<TPixel, VDimension> & inputs,
                     const StageOptions &                    stage,
                     const Options &                         options)
{
  using Images = itk::CudaSplineDetail::RegistrationImages<TPixel, VDimension>;
  const bool smooths = options.gradient == GradientKind::Filter ||
                       std::any_of(stage.sigmas.begin(), stage.sigmas.end(), [](double sigma) { return sigma > 0.0; });
  return (stage.sampling == SamplingKind::None || stage.FirstMetric() != MetricKind::LocalCorrelation) &&
         (stage.FirstMetric() != MetricKind::Mattes || options.bins <= mostBins) &&
         (!smooths || (Images::IsForGaussians(inputs.fixed) && Images::IsForGaussians(inputs.moving)));
}

} // namespace CudaSplineRegister

#endif
