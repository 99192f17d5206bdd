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
#ifndef CudaSplineTest_SynTrajectories_h
#define CudaSplineTest_SynTrajectories_h

#include "GpuOnAndOff.h"
#include "InversionRecorder.h"
#include "SynTestSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace CudaSplineTest
{

/** \brief Compares the steps of a SyN class of the module with those of ITK's, on one thread.
 *
 * ITK's results are those of double in any case: with transforms of float, ITK also rounds points and sums, and has
 * errors of some 1e-3. In double precision, values agree within 1e-9 for the first ten iterations of a level and 1e-6
 * to its end, fields within 1e-6 voxels, and each inversion has as many iterations as ITK's. In single precision,
 * fields agree within 0.05 voxels at 99 of 100 points.
 *
 * On a GPU the weights of Mattes' histograms are rounded: a force has an error of 1e-10 of a slope of 1 (ParzenWeight),
 * which 16 iterations amplified to 3e-9 of a value. */
template <bool VSplines, typename TReal = double>
class SynTrajectoriesOf : public GpuOnAndOff
{
protected:
  using Inversions = std::array<itk::CudaSpline::FieldInversionState, 4>;

  /** Runs ITK's class. */
  template <unsigned int VDimension, typename TNumber>
  static SynCourse<VDimension, VSplines, TNumber>
  OfItk(const SynCase & what, const std::function<void()> & atIteration = {})
  {
    const OneItkThread oneThread; // of the filters inside, too
    return Register<VDimension, VSplines, TNumber>(
      SynTypes<VDimension, VSplines, TNumber>::Reference::New(), what, atIteration);
  }

  /** Expects the inversions of an iteration to end where ITK's do. Either end is correct if a norm is within \p share
   * of its tolerance. */
  static void
  ExpectSameInversions(const Inversions & found, const std::vector<InversionNorms> & expected, double share)
  {
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t n = 0; n < found.size(); ++n)
    {
      SCOPED_TRACE("inversion " + std::to_string(n));
      const InversionNorms & norms = expected[n];
      const auto             count = static_cast<std::size_t>(found[n].iterations);
      ASSERT_GE(count, 1U);
      ASSERT_GE(norms.size(), 1U);
      const auto [mean, maximum] = norms[std::min(count, norms.size()) - 1];
      if (count != norms.size())
      {
        EXPECT_LE(std::min(std::abs(mean - 0.001), std::abs(maximum - 0.1)), share)
          << count << " iterations, ITK's are " << norms.size() << " with " << mean << ' ' << maximum;
        continue;
      }
      EXPECT_NEAR(found[n].meanError, mean, share);
      EXPECT_NEAR(found[n].maximumError, maximum, share);
    }
  }

  template <unsigned int VDimension>
  void
  Compare(const SynCase & what, bool isSingle = std::is_same<TReal, float>::value)
  {
    using Types = SynTypes<VDimension, VSplines, TReal>;
    InversionRecorder<typename SynTypes<VDimension, VSplines>::Field> recorder;
    std::vector<std::vector<InversionNorms>>                          norms; // of each event
    const auto              expected = OfItk<VDimension, double>(what, [&] { norms.push_back(recorder.Take()); });
    const auto              method = Types::Method::New();
    std::vector<Inversions> inversions;
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(isSingle ? itk::CudaSplinePrecision::Single : itk::CudaSplinePrecision::Double);
    const auto found =
      Register<VDimension, VSplines, TReal>(method, what, [&] { inversions.push_back(method->GetLastInversions()); });
    EXPECT_EQ(method->GetLastBackend(), GetParam() ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu)
      << method->GetFallbackReason();
    ASSERT_EQ(found.levels, expected.levels);
    itk::SizeValueType inLevel = 0;
    for (std::size_t n = 0; n < expected.values.size(); ++n)
    {
      inLevel = n > 0 && expected.levels[n] == expected.levels[n - 1] ? inLevel + 1 : 0;
      const double early = GetParam() && what.Has(SynTestMetric::Mattes) ? 1e-8 : 1e-9;
      const double share = isSingle ? 1e-3 : (inLevel < 10 ? early : 1e-6);
      EXPECT_NEAR(found.values[n], expected.values[n], share * std::abs(expected.values[n]))
        << "iteration " << inLevel << " of level " << expected.levels[n];
      if (inLevel > 0 && !isSingle) // a level begins with an event that is not an iteration
      {
        SCOPED_TRACE("iteration " + std::to_string(inLevel) + " of level " + std::to_string(expected.levels[n]));
        ExpectSameInversions(inversions.at(n), norms.at(n), share);
      }
      if (inLevel > 5 && !isSingle) // of a whole window: a slope of values that are divided by their sum
      {
        EXPECT_NEAR(found.convergence[n], expected.convergence[n], share)
          << "iteration " << inLevel << " of level " << expected.levels[n];
      }
    }
    // The metric has improved in the first level, which begins with an event that has no value yet.
    const auto count = static_cast<std::size_t>(std::count(expected.levels.begin(), expected.levels.end(), 0U));
    ASSERT_GT(count, 2U);
    if (what.threshold > 0.0) // it has stopped before the maximum number of iterations
    {
      EXPECT_LT(count, what.iterations[0] + 1);
    }
    EXPECT_LT(expected.values[count - 1], expected.values[1]);
    EXPECT_TRUE(std::any_of(norms.begin(),
                            norms.end(),
                            [](const std::vector<InversionNorms> & ofEvent) {
                              return std::any_of(ofEvent.begin(), ofEvent.end(), [](const InversionNorms & inversion) {
                                return inversion.size() > 1;
                              });
                            }))
      << "no inversion iterated";
    for (std::size_t n = 0; n < expected.fields.size(); ++n)
    {
      ASSERT_EQ(found.fields[n]->GetBufferedRegion(), expected.fields[n]->GetBufferedRegion());
      const auto distances = Differences(found.fields[n].GetPointer(), expected.fields[n].GetPointer());
      EXPECT_LE(distances[distances.size() * 99 / 100], isSingle ? 0.05 : 1e-6) << "field " << n;
      if (!isSingle)
      {
        EXPECT_LE(distances.back(), 1e-6) << "field " << n;
      }
    }
  }
};

} // namespace CudaSplineTest

#endif
