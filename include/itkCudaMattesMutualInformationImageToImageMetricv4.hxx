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

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace itk
{

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
  CudaSpline::MetricParameters parameters;
  const auto                   bins = static_cast<std::size_t>(this->m_NumberOfHistogramBins);
  parameters.bins.bins = static_cast<int>(bins);
  parameters.bins.fixedBinSize = this->m_FixedImageBinSize;
  parameters.bins.fixedMinimum = this->m_FixedImageNormalizedMin;
  parameters.bins.movingBinSize = this->m_MovingImageBinSize;
  parameters.bins.movingMinimum = this->m_MovingImageNormalizedMin;
  parameters.bins.movingLowest = this->m_MovingImageTrueMin;
  parameters.bins.movingHighest = this->m_MovingImageTrueMax;

  typename Superclass::Outcome   outcome;
  const CudaSpline::MetricResult counted = reduce(CudaSpline::MetricPass::Histogram, false, parameters);
  outcome.count = counted.count;
  if (counted.count == 0)
  {
    return outcome;
  }
  double sum = 0.0;
  for (const double weight : counted.histogram)
  {
    sum += weight;
  }
  std::vector<double> joint(bins * bins);
  std::vector<double> fixed(bins, 0.0);
  std::vector<double> moving(bins, 0.0);
  for (std::size_t f = 0; f < bins; ++f)
  {
    for (std::size_t m = 0; m < bins; ++m)
    {
      const double probability = counted.histogram[f * bins + m] / sum;
      joint[f * bins + m] = probability;
      fixed[f] += probability;
      moving[m] += probability;
    }
  }
  constexpr double nothing = std::numeric_limits<double>::epsilon();
  const auto       table = std::make_shared<std::vector<double>>(bins * bins, 0.0);
  double           information = 0.0;
  for (std::size_t f = 0; f < bins; ++f)
  {
    const double logFixed = fixed[f] > nothing ? std::log(fixed[f]) : 0.0;
    for (std::size_t m = 0; m < bins; ++m)
    {
      const double probability = joint[f * bins + m];
      if (fixed[f] > nothing && moving[m] > nothing && probability > nothing)
      {
        const double ratio = std::log(probability / moving[m]);
        information += probability * (ratio - logFixed);
        (*table)[f * bins + m] = ratio;
      }
    }
  }
  outcome.value = -information;
  if (withDerivative)
  {
    parameters.table = table;
    CudaSpline::MetricResult sums = reduce(CudaSpline::MetricPass::Information, true, parameters);
    const double             factor = -1.0 / (this->m_MovingImageBinSize * static_cast<double>(counted.count));
    outcome.derivative = std::move(sums.derivatives[0]);
    for (double & one : outcome.derivative)
    {
      one *= factor;
    }
  }
  return outcome;
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
  if (this->m_NumberOfHistogramBins > CudaSpline::MostHistogramBins)
  {
    return "histograms of more than " + std::to_string(CudaSpline::MostHistogramBins) + " bins are not accelerated";
  }
  // ITK has its say about images without a range.
  const bool haveWidth = std::isnormal(this->m_FixedImageBinSize) && this->m_FixedImageBinSize > 0.0 &&
                         std::isnormal(this->m_MovingImageBinSize) && this->m_MovingImageBinSize > 0.0;
  return haveWidth ? std::string() : std::string("bins have no width: an image is constant");
}

} // namespace itk

#endif
