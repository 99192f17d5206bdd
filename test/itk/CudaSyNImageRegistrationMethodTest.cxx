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
#include "GpuOnAndOff.h"
#include "SynTestSupport.h"

#include <gtest/gtest.h>

#include <cmath>

/** \file
 * \brief SyN with local correlation takes the steps of ITK's: the metric's value at every iteration of two levels, the
 * number of iterations, and the fields.
 *
 * Double mode against ITK on one thread: values within 1e-9 of them for the first ten iterations of a level and 1e-6 to
 * its end, fields within 1e-6 voxels. Single mode: fields within 0.05 voxels at 99 of 100 places. */

namespace
{

using namespace CudaSplineTest;

class SynTrajectories : public GpuOnAndOff
{
protected:
  template <unsigned int VDimension>
  void
  Compare(const SynCase & what, bool isSingle = false)
  {
    using Types = SynTypes<VDimension>;
    const auto reference = Types::Reference::New();
    reference->SetNumberOfWorkUnits(1);
    const auto expected = Register<VDimension>(reference, what);
    const auto method = Types::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(isSingle ? itk::CudaSplinePrecision::Single : itk::CudaSplinePrecision::Double);
    const auto found = Register<VDimension>(method, what);
    EXPECT_EQ(method->GetLastBackend(), GetParam() ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu)
      << method->GetFallbackReason();
    ASSERT_EQ(found.levels, expected.levels);
    itk::SizeValueType inLevel = 0;
    for (std::size_t n = 0; n < expected.values.size(); ++n)
    {
      inLevel = n > 0 && expected.levels[n] == expected.levels[n - 1] ? inLevel + 1 : 0;
      const double share = isSingle ? 1e-3 : (inLevel < 10 ? 1e-9 : 1e-6);
      EXPECT_NEAR(found.values[n], expected.values[n], share * std::abs(expected.values[n]))
        << "iteration " << inLevel << " of level " << expected.levels[n];
    }
    EXPECT_LT(expected.values.back(), expected.values.front()); // it did improve
    for (std::size_t n = 0; n < expected.fields.size(); ++n)
    {
      ASSERT_EQ(found.fields[n]->GetBufferedRegion(), expected.fields[n]->GetBufferedRegion());
      const auto norms = Differences(found.fields[n].GetPointer(), expected.fields[n].GetPointer());
      EXPECT_LE(norms[norms.size() * 99 / 100], isSingle ? 0.05 : 1e-6) << "field " << n;
      if (!isSingle)
      {
        EXPECT_LE(norms.back(), 1e-6) << "field " << n;
      }
    }
  }
};

TEST_P(SynTrajectories, OfThePlane)
{
  this->Compare<2>(SynCase());
}

TEST_P(SynTrajectories, OfSpace)
{
  this->Compare<3>(SynCase());
}

TEST_P(SynTrajectories, OfObliqueGrids)
{
  SynCase what;
  what.isOblique = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfMasks)
{
  SynCase what;
  what.hasMasks = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfInitialTransforms)
{
  SynCase what;
  what.hasInitialTransforms = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
}

TEST_P(SynTrajectories, OfGradientsByGaussians)
{
  SynCase what;
  what.filtersGradients = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  this->Compare<3>(what);
  what.isOblique = true;
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfAveragedGradients)
{
  SynCase what;
  what.averages = true;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfWeights)
{
  SynCase what;
  what.weighs = true;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfOtherVariances)
{
  for (const double total : { 0.0, 0.3, 1.0 })
  {
    SCOPED_TRACE(total);
    SynCase what;
    what.updateVariance = total == 0.3 ? 0.0 : 2.0;
    what.totalVariance = total;
    what.iterations = { 6, 4 };
    this->Compare<2>(what);
    what.iterations = { 4, 2 };
    this->Compare<3>(what);
  }
}

TEST_P(SynTrajectories, OfLargeOffsets)
{
  SynCase what;
  what.offset = 1000.0;
  what.radius = 4;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, StopsWhereItksDoes)
{
  SynCase what;
  what.iterations = { 60, 10 };
  what.threshold = 1e-3;
  this->Compare<2>(what);
}

TEST_P(SynTrajectories, OfSinglePrecision)
{
  this->Compare<2>(SynCase(), true);
  SynCase what;
  what.iterations = { 6, 4 };
  this->Compare<3>(what, true);
}

CUDASPLINE_GPU_ON_AND_OFF(SynTrajectories);

} // namespace
