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
// The list of metric types. Expected values: consistency between types (consecutive numbers, unique names), and the
// names in the pages for users, which are those of CudaSplineRegister.

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

TEST(MetricTypes, AreInOrderAndNamedApart)
{
  std::set<std::string> names;
  std::set<std::string> words;
  for (std::size_t i = 0; i < MetricCount; ++i)
  {
    EXPECT_EQ(static_cast<std::size_t>(AllMetrics[i]), i);
    EXPECT_TRUE(names.insert(NameOf(AllMetrics[i])).second) << NameOf(AllMetrics[i]);
    EXPECT_TRUE(words.insert(WordOf(AllMetrics[i])).second) << WordOf(AllMetrics[i]);
    EXPECT_EQ(FindMetricByName(NameOf(AllMetrics[i])), AllMetrics[i]);
    EXPECT_EQ(FindMetricByWord(WordOf(AllMetrics[i])), AllMetrics[i]);
  }
  for (const char * const other : { "msq", "gc", "globalcorrelation", "mi", "mattesmutualinformation" })
  {
    EXPECT_TRUE(FindMetricByWord(other)) << other;
    EXPECT_EQ(words.count(other), 0U) << other;
  }
  EXPECT_EQ(FindMetricByWord("mi"), MetricKind::Mattes);
  EXPECT_EQ(FindMetricByWord("globalcorrelation"), MetricKind::Correlation);
  for (const char * const none : { "", " ", "m", "gc globalcorrelation", "global" })
  {
    EXPECT_FALSE(FindMetricByWord(none)) << none;
  }
  EXPECT_FALSE(FindMetricByName("cc")); // this is the word, not the name
  EXPECT_FALSE(FindMetricByWord("LocalCorrelation"));
  EXPECT_THROW(NameOf(static_cast<MetricKind>(MetricCount)), std::invalid_argument);
}

TEST(MetricTypes, FitTogether)
{
  for (const MetricKind kind : AllMetrics)
  {
    SCOPED_TRACE(NameOf(kind));
    EXPECT_TRUE(HasParameterDerivative(kind) || HasFieldForce(kind));
    EXPECT_TRUE(CountSets(kind) == 1 || CountSets(kind) == 2);
    // The derivative with respect to a field has one weight per sample.
    EXPECT_FALSE(HasFieldForce(kind) && CountSets(kind) != 1);
    // Several sets have their own means, and a histogram has its table, which need a pass before that of the
    // derivative.
    EXPECT_TRUE(CountPasses(kind) > 1 || (CountSets(kind) == 1 && !HasHistogram(kind)));
    EXPECT_FALSE(HasHistogram(kind) && HasWindows(kind));
    EXPECT_TRUE(HasWindows(kind) || !HasRadius(kind));
    EXPECT_FALSE(HasVarianceFloors(kind) && HasEdgeParameters(kind)); // both use the same pair of parameters
  }
}

TEST(MetricTypes, AreListedByProperty)
{
  const auto expectThose = [](const auto & list, bool (*has)(MetricKind)) {
    for (const MetricKind kind : AllMetrics)
    {
      EXPECT_EQ(std::count(list.begin(), list.end(), kind), has(kind) ? 1 : 0) << NameOf(kind);
    }
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
  };
  expectThose(ParameterMetrics, HasParameterDerivative);
  expectThose(FieldMetrics, HasFieldForce);
  expectThose(StageMetrics, IsForStages);
  EXPECT_EQ(FindMetricByWord("demons"), MetricKind::Demons);
  EXPECT_FALSE(HasParameterDerivative(MetricKind::Demons));
  EXPECT_FALSE(HasFieldForce(MetricKind::Correlation));
}

TEST(MetricTypes, HaveTheNumbersOfTheInterfaceInC)
{
  EXPECT_EQ(static_cast<int>(MetricKind::MeanSquares), 0);
  EXPECT_EQ(static_cast<int>(MetricKind::Correlation), 1);
  EXPECT_EQ(static_cast<int>(MetricKind::Mattes), 2);
  EXPECT_EQ(static_cast<int>(MetricKind::LocalCorrelation), 3);
  EXPECT_EQ(static_cast<int>(MetricKind::Demons), 4);
  EXPECT_EQ(static_cast<int>(MetricKind::ExactCorrelation), 5);
  EXPECT_EQ(static_cast<int>(MetricKind::SelfSimilarity), 6);
  EXPECT_EQ(static_cast<int>(MetricKind::GradientFields), 7);
}

TEST(MetricTypes, AreEachVisitedOnce)
{
  std::string names;
  ForEachMetric([&names](auto metric) { names += std::string(decltype(metric)::Name) + " "; });
  std::string expected;
  for (const MetricKind kind : AllMetrics)
  {
    expected += std::string(NameOf(kind)) + " ";
  }
  EXPECT_EQ(names, expected);
}

#if defined(__GNUC__)
#  pragma GCC diagnostic push
#  pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
TEST(MetricTypes, FormerNames)
{
  EXPECT_EQ(itk::CudaSpline::MostHistogramBins, itk::CudaSpline::MaxHistogramBins);
  EXPECT_EQ(SynMetricKind::Demons, MetricKind::Demons);
  EXPECT_EQ(LinearMetricKind::Mattes, MetricKind::Mattes);
  EXPECT_EQ(AllSynMetrics, FieldMetrics);
  EXPECT_FALSE(SplineRegularizers().AreUsed());
}
#if defined(__GNUC__)
#  pragma GCC diagnostic pop
#endif
