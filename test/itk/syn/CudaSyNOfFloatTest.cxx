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
#include "SynTrajectories.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

/** \file
 * \brief SyN with transforms of float, as with `antsRegistration --float 1`: the resulting fields agree with ITK's for
 * double. */

namespace
{

using namespace CudaSplineTest;

class SynOfFloat : public SynTrajectoriesOf<false, float>
{};

TEST_P(SynOfFloat, LocalCorrelation)
{
  this->Compare<2>(SynCase());
  SynCase what;
  what.iterations = { 6, 4 };
  this->Compare<3>(what);
}

TEST_P(SynOfFloat, MasksAndInitialTransforms)
{
  SynCase what;
  what.hasMasks = true;
  what.hasInitialTransforms = true;
  what.isOblique = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  what.filtersGradients = true;
  this->Compare<3>(what);
}

TEST_P(SynOfFloat, ImagesThatAreNotDownsampled)
{
  SynCase what;
  what.downsamples = false;
  what.hasMasks = true;
  what.hasInitialTransforms = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
}

TEST_P(SynOfFloat, SeveralPairsOfImages)
{
  SynCase what;
  what.pairs = { { SynTestMetric::MeanSquares, 0.5 },
                 { SynTestMetric::LocalCorrelation, 1.0 },
                 { SynTestMetric::Mattes, 0.7 } };
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
}

// ITK's class with transforms of float has a larger distance from the results for double.
TEST_P(SynOfFloat, IsNearerToDoubleThanItks)
{
  SynCase what;
  what.iterations = { 6, 4 };
  const auto exact = OfItk<2, double>(what);
  const auto theirs = OfItk<2, float>(what);
  const auto method = SynTypes<2, false, float>::Method::New();
  method->SetGPUEnabled(GetParam());
  const auto ours = Register<2, false, float>(method, what);
  const auto errorOf = [&](const SynCourse<2, false, float> & course) {
    double largest = 0.0;
    for (std::size_t n = 0; n < exact.values.size(); ++n)
    {
      largest = std::max(largest, std::abs(course.values.at(n) - exact.values[n]));
    }
    return largest;
  };
  EXPECT_LT(errorOf(ours), errorOf(theirs));
  EXPECT_LT(errorOf(ours), 1e-4);
}

CUDASPLINE_GPU_ON_AND_OFF(SynOfFloat);

class BSplineSynOfFloat : public SynTrajectoriesOf<true, float>
{};

TEST_P(BSplineSynOfFloat, LocalCorrelation)
{
  SynCase what;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  what.hasMasks = true;
  this->Compare<2>(what);
  what.iterations = { 3, 2 };
  this->Compare<3>(what);
}

CUDASPLINE_GPU_ON_AND_OFF(BSplineSynOfFloat);

} // namespace
