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
#include "MetricCase.h"

#include "itkCudaSpline/kernels/metrics/MetricFormula.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

/** \file
 * \brief Joint histograms, and the derivative of mutual information from a table, by plain loops. */

namespace
{

using namespace CudaSplineTest;

class MetricHistograms : public OnMetricBackend
{};

TEST_P(MetricHistograms, HistogramsAndInformation)
{
  const IntegerMetric metric;
  for (const unsigned int threads : { 1U, 3U })
  {
    const ThreadExecutor host(threads);
    ExecutionContext     context;
    context.backend = GetParam();
    context.host = &host;
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      const MetricSources sources = metric.Make(element, true, false, context);
      MetricDescriptor    descriptor = IntegerMetric::Describe(HistogramPass(), false);
      descriptor.gradient = MetricGradient::None;
      ParzenBins bins;
      // Values from -50 to 50: bins of 4, with a padding of two; the largest moving values are ignored.
      bins.bins = 29;
      bins.fixedBinSize = 4.0;
      bins.movingBinSize = 4.0;
      bins.fixedMinimum = -50.0 / 4.0 - 2.0;
      bins.movingMinimum = -50.0 / 4.0 - 2.0;
      bins.movingLowest = -50.0;
      bins.movingHighest = 40.0;
      descriptor.pass = HistogramPass{ bins };
      // Weights at quarters of a bin are multiples of 1/384, and are rounded to units separately; none is too small.
      const double           unit = element == ScalarType::Float64 ? 0x1p-38 : 0x1p-19;
      std::vector<double>    expected(29 * 29, 0.0);
      std::vector<double>    slopes(29 * 29, 0.0);
      std::int64_t           count = 0;
      std::int64_t           sample = 0;
      const auto &           size = IntegerMetric::Size;
      std::array<double, 12> moments{};
      std::vector<double>    table(29 * 29);
      for (std::size_t bin = 0; bin < table.size(); ++bin)
      {
        table[bin] = static_cast<double>(bin * 7 % 23) - 11.0;
      }
      for (std::int64_t z = 0; z < size[2]; ++z)
      {
        for (std::int64_t y = 0; y < size[1]; ++y)
        {
          for (std::int64_t x = 0; x < size[0]; ++x, ++sample)
          {
            const std::int64_t from[3] = { x, y, z };
            const std::int64_t to[3] = { x + 3, y - 2, z + 1 };
            const bool         within = to[0] < size[0] && to[1] >= 0 && to[2] < size[2];
            const auto         at = static_cast<std::size_t>((to[2] * size[1] + to[1]) * size[0] + to[0]);
            if (!within || metric.inside[static_cast<std::size_t>(sample)] == 0 || metric.mask[at] == 0 ||
                metric.moving[at] > 40.0)
            {
              continue;
            }
            ++count;
            const auto row = static_cast<int>(
              std::min(26.0, std::floor((metric.fixed[static_cast<std::size_t>(sample)] + 50.0) / 4.0) + 2.0));
            const double term = (metric.moving[at] + 50.0) / 4.0 + 2.0;
            const auto   column = static_cast<int>(std::floor(term));
            const double a = term - column;
            // The cubic B-spline at 1 + a, a, 1 - a, 2 - a, and its derivative with respect to the bin of the moving
            // value.
            const double w[4] = { (1 - a) * (1 - a) * (1 - a) / 6.0,
                                  2.0 / 3.0 - a * a * (2.0 - a) / 2.0,
                                  2.0 / 3.0 - (1.0 - a) * (1.0 - a) * (1.0 + a) / 2.0,
                                  a * a * a / 6.0 };
            const double dw[4] = {
              -(1 - a) * (1 - a) / 2.0, 1.5 * a * a - 2.0 * a, -1.5 * (1 - a) * (1 - a) + 2.0 * (1 - a), a * a / 2.0
            };
            double weight = 0.0;
            for (int k = 0; k < 4; ++k)
            {
              const auto bin = static_cast<std::size_t>(row * 29 + column - 1 + k);
              expected[bin] += w[k];
              slopes[bin] += 1.0;
              weight -= dw[k] * table[bin];
            }
            for (unsigned int i = 0; i < 3; ++i)
            {
              const double force = weight * metric.gradient[3 * at + i];
              moments[4 * i] += force;
              for (unsigned int j = 0; j < 3; ++j)
              {
                moments[4 * i + 1 + j] += force * (static_cast<double>(from[j]) - descriptor.centre[j]);
              }
            }
          }
        }
      }
      const MetricResult found = EvaluateMetric(descriptor, sources, context);
      EXPECT_EQ(found.count, count);
      ASSERT_EQ(found.histogram.size(), expected.size());
      for (std::size_t bin = 0; bin < expected.size(); ++bin)
      {
        // Half a unit for each weight, and the rounding errors of the weights themselves.
        EXPECT_NEAR(found.histogram[bin], expected[bin], 0.5 * unit * slopes[bin] + 1e-14 * expected[bin]) << bin;
      }
      descriptor.pass = InformationPass{ bins, table.data() };
      descriptor.gradient = MetricGradient::Image;
      const MetricResult information = EvaluateMetric(descriptor, sources, context);
      EXPECT_EQ(information.count, count);
      // Weights of at most 30, gradients of 20, lever arms of 40, each with some rounding errors, and those of a sum of
      // 10^4 terms.
      const double bound = 30.0 * 20.0 * 40.0 * static_cast<double>(count) * 64.0 * 0x1p-53;
      for (unsigned int i = 0; i < 12; ++i)
      {
        EXPECT_NEAR(information.derivatives[0][i], moments[i], bound);
      }
    }
  }
}

/** Value and derivative with a single synchronisation equal those of separate passes. */
TEST_P(MetricHistograms, TablesAreMadeWhereHistogramsAre)
{
  ExecutionContext context;
  context.backend = GetParam();
  MetricDescriptor descriptor = IntegerMetric::Describe(HistogramPass(), false);
  MetricWorkspace  workspace;
  MetricSources    sources;
  const auto       reduce = [&](const MetricPass & pass, bool withMoments) {
    descriptor.pass = pass;
    descriptor.gradient = withMoments ? MetricGradient::Image : MetricGradient::None;
    return EvaluateMetric(descriptor, sources, context, &workspace);
  };
  const auto reduceWith = [&reduce](const ParzenBins & bins, bool makesTable) {
    MetricReduction reduction;
    reduction.withDerivative = true;
    reduction.makesTable = makesTable;
    reduction.pass = HistogramPass{ bins };
    return ReduceMetric(MetricKind::Mattes, reduce, reduction);
  };
  IntegerMetric metric;
  sources = metric.Make(ScalarType::Float64, true, false, context);
  if (!MakesTable(descriptor, context))
  {
    EXPECT_EQ(context.backend, Backend::Cpu);
    EXPECT_THROW(reduceWith(MakeParzenBins(32, -50.0, 50.0, -50.0, 50.0), true), std::invalid_argument);
    return;
  }
  for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
  {
    for (const bool asList : { false, true })
    {
      sources = metric.Make(element, true, asList, context);
      descriptor = IntegerMetric::Describe(HistogramPass(), false);
      for (const int count : { 5, 32, MaxHistogramBins })
      {
        const ParzenBins    bins = MakeParzenBins(count, -50.0, 50.0, -50.0, 50.0);
        const MetricOutcome expected = reduceWith(bins, false);
        const MetricOutcome found = reduceWith(bins, true);
        EXPECT_GT(found.count, 1000);
        EXPECT_EQ(found.count, expected.count);
        EXPECT_NEAR(found.value, expected.value, 1e-13 * (1.0 + std::abs(expected.value)));
        ASSERT_EQ(found.derivative.size(), expected.derivative.size());
        double largest = 0.0;
        for (const double number : expected.derivative)
        {
          largest = std::max(largest, std::abs(number));
        }
        for (std::size_t n = 0; n < found.derivative.size(); ++n)
        {
          EXPECT_NEAR(found.derivative[n], expected.derivative[n], 1e-11 * largest) << count << " bins, number " << n;
        }
        const MetricOutcome again = reduceWith(bins, true);
        EXPECT_EQ(again.value, found.value);
        EXPECT_EQ(again.derivative, found.derivative);
      }
    }
  }
  std::fill(metric.mask.begin(), metric.mask.end(), std::uint8_t{ 0 });
  sources = metric.Make(ScalarType::Float32, true, false, context);
  descriptor = IntegerMetric::Describe(HistogramPass(), false);
  EXPECT_EQ(reduceWith(MakeParzenBins(32, -50.0, 50.0, -50.0, 50.0), true).count, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricHistograms, testing::Values(Backend::Cpu, Backend::Cuda), MetricBackendName);

} // namespace
