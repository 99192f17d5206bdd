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

/** \file
 * \brief SyN with local correlation takes the same steps as ITK's: the value of the metric at every iteration of two
 * levels, the number of iterations, and the fields. */

namespace
{

using namespace CudaSplineTest;

class SynTrajectories : public SynTrajectoriesOf<false>
{};

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

// Values and gradients of the original images, also in the coarse level.
TEST_P(SynTrajectories, OfImagesThatAreNotDownsampled)
{
  SynCase what;
  what.downsamples = false;
  this->Compare<2>(what);
  what.iterations = { 4, 2 };
  this->Compare<3>(what);
  what.hasMasks = true;
  what.hasInitialTransforms = true; // gradients are pulled back through them
  this->Compare<2>(what);
  what.filtersGradients = true;
  this->Compare<2>(what);
  what.isOblique = true;
  what.iterations = { 3, 1 };
  this->Compare<3>(what);
  what.hasMasks = false;
  this->Compare<2>(what, true);
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

// A phantom before a constant background. ITK's linear interpolation keeps it, and its sums of whole numbers are exact,
// so that flat windows have correlation 1 and no derivative in ITK, too. A background of 0 remains so when it is
// smoothed. With another background there is neither smoothing nor an index that is rounded, both of which would create
// noise. (In 3D noise also occurs occasionally, if a voxel is moved into the phantom by a very small distance.)
TEST_P(SynTrajectories, OfFlatBackgrounds)
{
  SynCase what;
  what.hasBackground = true;
  what.iterations = { 8, 4 };
  this->Compare<2>(what);
  what.hasMasks = true;
  what.radius = 3;
  what.iterations = { 4, 2 };
  this->Compare<2>(what);
  what.hasMasks = false;
  what.radius = 2;
  what.iterations = { 3, 1 };
  this->Compare<3>(what);
  what.background = -1000.0; // air
  what.isExact = true;
  what.iterations = { 10 };
  this->Compare<2>(what);
}

// More than the ten iterations whose values agree to 1e-9: in both levels if a GPU is compared, because ITK takes a
// minute for this; on the host in the first one.
TEST_P(SynTrajectories, OfManyIterationsInACube)
{
  SynCase what;
  what.cube = 32;
  what.iterations = { 24, this->GetParam() ? 20U : 4U };
  this->Compare<3>(what);
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
