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
#include "kernels/metrics/mutual_information/MutualInformation.h"

#include "kernels/metrics/mutual_information/BinInformation.h"

#include <cstddef>
#include <variant>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

MetricOutcome
ReduceAtOnce(const MetricReduce & reduce, const ParzenBins & bins)
{
  MetricOutcome outcome;
  MetricResult  sums = reduce(InformationPass{ bins, nullptr }, true);
  outcome.count = sums.count;
  if (sums.count > 0)
  {
    outcome.value = sums.values[0];
    TakeDerivative(sums, 1.0, outcome);
  }
  return outcome;
}

} // namespace

template <>
MetricOutcome
MetricImplementation<MattesMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction)
{
  const auto & pass = std::get<HistogramPass>(reduction.pass);
  if (reduction.withDerivative && reduction.makesTable)
  {
    return ReduceAtOnce(reduce, pass.bins);
  }
  const auto         bins = static_cast<std::size_t>(pass.bins.bins);
  MetricOutcome      outcome;
  const MetricResult counted = reduce(pass, false);
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
  std::vector<double> table(bins * bins, 0.0);
  double              information = 0.0;
  for (std::size_t f = 0; f < bins; ++f)
  {
    const double logFixed = LogarithmOf(fixed[f]);
    for (std::size_t m = 0; m < bins; ++m)
    {
      const BinInformation bin(joint[f * bins + m], fixed[f], moving[m], logFixed);
      information += bin.term;
      table[f * bins + m] = bin.ratio;
    }
  }
  outcome.value = -information;
  if (reduction.withDerivative)
  {
    // The factor is applied to the table, so that the pass computes the final derivative, also if it is stored by
    // sample.
    const double factor = InformationFactor(pass.bins.movingBinSize, static_cast<double>(counted.count));
    for (double & ratio : table)
    {
      ratio *= factor;
    }
    MetricResult sums = reduce(InformationPass{ pass.bins, table.data() }, true);
    TakeDerivative(sums, 1.0, outcome);
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
