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

#include <cmath>
#include <cstddef>
#include <string>

/** \file
 * \brief SyN whose fields are smoothed by B-splines takes the same steps as ITK's, level by level with finer meshes.
 * Other cases are computed by ITK's class, with the reason. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using SplineTypes = SynTypes<2, true>;

class BSplineSynTrajectories : public SynTrajectoriesOf<true>
{
protected:
  SplineTypes::Method::Pointer
  Make() const
  {
    auto method = SplineTypes::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(itk::CudaSplinePrecision::Double);
    return method;
  }
  Backend
  Expected() const
  {
    return GetParam() ? Backend::Cuda : Backend::Cpu;
  }
};

TEST_P(BSplineSynTrajectories, OfThePlane)
{
  this->Compare<2>(SynCase());
}

TEST_P(BSplineSynTrajectories, OfSpace)
{
  SynCase what;
  what.iterations = { 11, 2 };
  this->Compare<3>(what);
}

TEST_P(BSplineSynTrajectories, OfSmoothTotalFields)
{
  SynCase what;
  what.totalMesh = 5;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
  what.iterations = { 3, 1 };
  this->Compare<3>(what);
}

TEST_P(BSplineSynTrajectories, OfTotalFieldsAlone)
{
  SynCase what;
  what.updateMesh = 0;
  what.totalMesh = 5;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(BSplineSynTrajectories, OfObliqueGrids)
{
  SynCase what;
  what.isOblique = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  what.iterations = { 4, 1 };
  this->Compare<3>(what);
}

// Samples of a force are weighted with the corresponding mask, moved to the middle.
TEST_P(BSplineSynTrajectories, OfMasks)
{
  SynCase what;
  what.hasMasks = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  what.iterations = { 4, 1 };
  this->Compare<3>(what);
}

// The masks of the first pair are the weights of samples.
TEST_P(BSplineSynTrajectories, OfSeveralPairsOfImages)
{
  SynCase what;
  what.pairs = { { SynTestMetric::MeanSquares, 0.5 }, { SynTestMetric::LocalCorrelation, 1.0 } };
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
  what.hasMasks = true;
  this->Compare<2>(what);
}

TEST_P(BSplineSynTrajectories, OfInitialTransforms)
{
  SynCase what;
  what.hasInitialTransforms = true;
  what.hasMasks = true;
  what.iterations = { 5, 3 };
  this->Compare<2>(what);
}

TEST_P(BSplineSynTrajectories, OfWeightsAndAveragedGradients)
{
  SynCase what;
  what.averages = true;
  what.weighs = true;
  what.iterations = { 6, 4 };
  this->Compare<2>(what);
}

TEST_P(BSplineSynTrajectories, StopsWhereItksDoes)
{
  SynCase what;
  what.iterations = { 60, 10 };
  what.threshold = 1e-3;
  this->Compare<2>(what);
}

TEST_P(BSplineSynTrajectories, OfSinglePrecision)
{
  SynCase what;
  what.totalMesh = 5;
  what.iterations = { 6, 4 };
  this->Compare<2>(what, true);
  what.iterations = { 3, 1 };
  this->Compare<3>(what, true);
  what.hasMasks = true; // by control points, in single precision too
  this->Compare<3>(what, true);
}

TEST_P(BSplineSynTrajectories, GoesOnFromARestoredState)
{
  SynCase what;
  what.iterations = { 3 };
  const auto go = [&](SplineTypes::Base * before, SplineTypes::Base * after) {
    Register<2, true>(before, what);
    after->SetFixedToMiddleTransform(before->GetModifiableFixedToMiddleTransform());
    after->SetMovingToMiddleTransform(before->GetModifiableMovingToMiddleTransform());
    return Register<2, true>(after, what);
  };
  const OneItkThread oneThread;
  const auto         expected = go(SplineTypes::Reference::New(), SplineTypes::Reference::New());
  const auto         method = this->Make();
  const auto         found = go(this->Make(), method);
  EXPECT_EQ(method->GetLastBackend(), this->Expected()) << method->GetFallbackReason();
  ExpectSameValues(found, expected);
}

// Each level's numbers of control points are those of its adaptor, whichever class adapts the fields.
TEST_P(BSplineSynTrajectories, HasTheControlPointsOfTheLevel)
{
  SynCase what;
  what.iterations = { 1, 1 };
  what.totalMesh = 4;
  const auto method = this->Make();
  Register<2, true>(method, what);
  for (const SplineTypes::Transform * transform :
       { method->GetModifiableFixedToMiddleTransform(), method->GetModifiableMovingToMiddleTransform() })
  {
    EXPECT_EQ(transform->GetNumberOfControlPointsForTheUpdateField()[0], 2 * what.updateMesh + 3);
    EXPECT_EQ(transform->GetNumberOfControlPointsForTheUpdateField()[1], 2 * (what.updateMesh + 1) + 3);
    EXPECT_EQ(transform->GetNumberOfControlPointsForTheTotalField()[0], 2 * what.totalMesh + 3);
  }
}

TEST_P(BSplineSynTrajectories, LeavesToItkWhatItDoesNotKnow)
{
  SynCase what;
  what.iterations = { 3, 2 };
  what.splineOrder = 2;
  const OneItkThread oneThread;
  const auto         expected = Register<2, true>(SplineTypes::Reference::New(), what);
  const auto         method = this->Make();
  const auto         found = Register<2, true>(method, what);
  EXPECT_EQ(method->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(method->GetFallbackReason().find("cubic"), std::string::npos) << method->GetFallbackReason();
  EXPECT_EQ(found.values, expected.values);
}

TEST_P(BSplineSynTrajectories, RefusesAFirstLevelWithoutControlPoints)
{
  SynCase what;
  what.iterations = { 1 };
  what.hasPlainAdaptors = true; // ITK's class crashes
  EXPECT_THROW((Register<2, true>(this->Make(), what)), itk::ExceptionObject);
}

CUDASPLINE_GPU_ON_AND_OFF(BSplineSynTrajectories);

} // namespace
