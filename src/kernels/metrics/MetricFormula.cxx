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
#include "itkCudaSpline/kernels/metrics/MetricFormula.h"

#include "kernels/metrics/BinInformation.h"

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
void
TakeDerivative(MetricResult & sums, double divisor, MetricOutcome & outcome)
{
  outcome.factors[0] = 1.0 / divisor;
  outcome.derivative = std::move(sums.derivatives[0]);
  if (divisor != 1.0)
  {
    for (double & sum : outcome.derivative)
    {
      sum /= divisor;
    }
  }
}
} // namespace

MetricOutcome
ReduceMeanSquares(const MetricReduce & reduce, bool withDerivative, bool takesMean)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(MetricPass::MeanSquares, withDerivative, {});
  outcome.count = sums.count;
  if (sums.count > 0)
  {
    const auto number = static_cast<double>(sums.count);
    outcome.value = sums.values[0] / number;
    TakeDerivative(sums, takesMean ? number : 1.0, outcome);
  }
  return outcome;
}

MetricOutcome
ReduceCorrelation(const MetricReduce & reduce, bool withDerivative, double epsilon)
{
  MetricOutcome      outcome;
  const MetricResult means = reduce(MetricPass::Means, false, {});
  outcome.count = means.count;
  if (means.count == 0)
  {
    return outcome;
  }
  const auto       number = static_cast<double>(means.count);
  MetricParameters parameters;
  parameters.fixedMean = means.values[0] / number;
  parameters.movingMean = means.values[1] / number;
  const MetricResult sums = reduce(MetricPass::Correlation, withDerivative, parameters);
  const double       ff = sums.values[0];
  const double       mm = sums.values[1];
  const double       fm = sums.values[2];
  if (!(mm * ff <= epsilon)) // NaN too: what came of it shall be seen
  {
    outcome.value = -1.0 * fm * fm / (mm * ff);
    const double factor = 2.0 * fm / (ff * mm);
    outcome.factors = { { factor, -factor * fm / mm } };
    for (std::size_t i = 0; i < sums.derivatives[0].size(); ++i)
    {
      outcome.derivative.push_back(factor * (sums.derivatives[0][i] - fm / mm * sums.derivatives[1][i]));
    }
  }
  return outcome;
}

MetricOutcome
ReduceMattes(const MetricReduce & reduce, bool withDerivative, const ParzenBins & ofValues)
{
  MetricParameters parameters;
  parameters.bins = ofValues;
  const auto         bins = static_cast<std::size_t>(ofValues.bins);
  MetricOutcome      outcome;
  const MetricResult counted = reduce(MetricPass::Histogram, false, parameters);
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
  const auto table = std::make_shared<std::vector<double>>(bins * bins, 0.0);
  double     information = 0.0;
  for (std::size_t f = 0; f < bins; ++f)
  {
    const double logFixed = LogarithmOf(fixed[f]);
    for (std::size_t m = 0; m < bins; ++m)
    {
      const BinInformation bin(joint[f * bins + m], fixed[f], moving[m], logFixed);
      information += bin.term;
      (*table)[f * bins + m] = bin.ratio;
    }
  }
  outcome.value = -information;
  if (withDerivative)
  {
    // In the table, so that what the pass makes is the derivative as it is, also where it is put in place by sample.
    const double factor = InformationFactor(ofValues.movingBinSize, static_cast<double>(counted.count));
    for (double & ratio : *table)
    {
      ratio *= factor;
    }
    parameters.table = table;
    MetricResult sums = reduce(MetricPass::Information, true, parameters);
    TakeDerivative(sums, 1.0, outcome);
  }
  return outcome;
}

MetricOutcome
ReduceMattesAtOnce(const MetricReduce & reduce, const ParzenBins & bins)
{
  MetricParameters parameters;
  parameters.bins = bins;
  MetricOutcome outcome;
  MetricResult  sums = reduce(MetricPass::Information, true, parameters);
  outcome.count = sums.count;
  if (sums.count > 0)
  {
    outcome.value = sums.values[0];
    TakeDerivative(sums, 1.0, outcome);
  }
  return outcome;
}

MetricOutcome
ReduceLocalCorrelation(const MetricReduce &     reduce,
                       bool                     withDerivative,
                       const MetricParameters & parameters,
                       bool                     takesMean)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(MetricPass::LocalCorrelation, withDerivative, parameters);
  outcome.count = sums.count;
  outcome.flatWindows = static_cast<std::int64_t>(sums.values[1]);
  outcome.comparesPixels = sums.values[2] != 0.0;
  if (sums.count > 0)
  {
    const auto number = static_cast<double>(sums.count);
    outcome.value = -sums.values[0] / number;
    TakeDerivative(sums, takesMean ? number : 1.0, outcome);
  }
  return outcome;
}

ParzenBins
MakeParzenBins(int bins, double fixedLowest, double fixedHighest, double movingLowest, double movingHighest)
{
  constexpr int padding = 2; // bins
  const double  inside = static_cast<double>(bins) - 2 * padding;
  ParzenBins    made;
  made.bins = bins;
  made.movingLowest = movingLowest;
  made.movingHighest = movingHighest;
  made.fixedBinSize = (fixedHighest - fixedLowest) / inside;
  made.fixedMinimum = fixedLowest / made.fixedBinSize - padding;
  made.movingBinSize = (movingHighest - movingLowest) / inside;
  made.movingMinimum = movingLowest / made.movingBinSize - padding;
  return made;
}

} // namespace itk::CudaSpline
