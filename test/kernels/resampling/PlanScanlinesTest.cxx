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
// Planning from a few scanlines has the same result as planning from the whole table, for maps of every shape. A shape
// that is derived from matrices is that of the table, to the bit.

#include "kernels/resampling/PlanScanlines.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"
#include "TiledCase.h"

#include <algorithm>
#include <cstring>

using namespace CudaSplineTest;

namespace
{

enum class Kind
{
  Zoom,
  Flip,
  Turn,
  General,
  TurnedBack ///< two rotations; the second one inverts the first except for rounding
};

/** A chain of two affine maps between grids, which are rotated about z for Turn, and about any axis for General. */
TransformChain
MakeChain(Kind kind, unsigned int dimension, FreshRandom & random)
{
  TransformChain chain;
  const auto     fill = [&](TransformChain::Matrix & matrix) {
    for (unsigned int r = 0; r < 3; ++r)
    {
      for (unsigned int c = 0; c < 3; ++c)
      {
        const bool turns =
          kind == Kind::General || ((kind == Kind::Turn || kind == Kind::TurnedBack) && r < 2 && c < 2);
        matrix[r][c] = r == c ? random.Uniform(0.6, 1.4) : (turns ? random.Uniform(-0.4, 0.4) : 0.0);
      }
    }
    if (kind == Kind::Flip)
    {
      matrix[1][1] *= -1.0;
    }
  };
  fill(chain.indexToPoint);
  fill(chain.pointToIndex);
  chain.stages.resize(2);
  for (TransformChain::Stage & stage : chain.stages)
  {
    fill(stage.matrix);
    for (double & offset : stage.offset)
    {
      offset = random.Uniform(-2.0, 2.0);
    }
  }
  if (kind == Kind::TurnedBack)
  {
    const auto & m = chain.stages[0].matrix;
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    chain.stages[1].matrix = {
      { { { m[1][1] / det, -m[0][1] / det, 0 } }, { { -m[1][0] / det, m[0][0] / det, 0 } }, { { 0, 0, 1 / m[2][2] } } }
    };
  }
  for (unsigned int d = 0; d < dimension; ++d)
  {
    chain.regionStart[d] = static_cast<std::int64_t>(random.Engine()() % 7) - 3;
    chain.regionSize[d] = 1 + static_cast<std::int64_t>(random.Engine()() % 60);
    chain.outputOrigin[d] = d == 2 ? -0.0 : random.Uniform(-5.0, 5.0);
    chain.inputOrigin[d] = random.Uniform(-5.0, 5.0);
  }
  return chain;
}

template <unsigned int VDimension>
void
Compare(Kind kind, FreshRandom & random, int & tiled)
{
  const TransformChain chain = MakeChain(kind, VDimension, random);
  ASSERT_TRUE(HasAffineScanlines(chain));
  const AffineScanlines<VDimension> scanlines = ScanlinesOf<VDimension>(chain);
  Case                              test =
    CubicCase(VDimension == 3 ? std::vector<std::int64_t>{ 60, 50, 40 } : std::vector<std::int64_t>{ 60, 50 }, random);
  ResampleDescriptor & resample = test.resample;
  resample.samples = chain.regionSize[0];
  resample.lineOffset = 0;
  resample.lineLength = resample.samples;
  resample.lines = chain.regionSize[1] * chain.regionSize[2];
  resample.sliceLines = VDimension == 3 ? chain.regionSize[1] : 0;
  std::vector<ScanlineEnds<VDimension>> table(static_cast<std::size_t>(resample.lines));
  for (std::int64_t line = 0; line < resample.lines; ++line)
  {
    scanlines.EndsOf(line, table[static_cast<std::size_t>(line)]);
  }
  resample.scanlineEnds = table.front().start;

  const ExecutionContext context;
  const SampleSource     source(test.source, Backend::Cpu, 0, nullptr);
  auto                   wanted = MakeResampleArguments<VDimension>(resample, source);
  const MapShape         shape = ShapeOfMap(resample, VDimension, context);
  const MapShape         promised = ShapeOfMap(scanlines);
  if (kind == Kind::TurnedBack)
  {
    EXPECT_EQ(promised, MapShape::InPlane); // the inverse rotation may be exact
    EXPECT_GE(shape, promised);
  }
  else if (std::min({ chain.regionSize[0], chain.regionSize[1], VDimension == 3 ? chain.regionSize[2] : 2 }) > 1)
  {
    EXPECT_EQ(promised, shape) << static_cast<int>(kind);
  }
  else
  {
    EXPECT_GE(shape, promised) << "an axis of one sample moves nothing";
  }
  wanted.tiles = PlanMapTiles(resample, test.source, { resample.scanlineEnds, VDimension }, promised);

  resample.scanlineEnds = nullptr;
  auto found = MakeResampleArguments<VDimension>(resample, source);
  PlanScanlines(resample, test.source, scanlines, found);
  EXPECT_EQ(found.laneAxis, wanted.laneAxis);
  EXPECT_EQ(std::memcmp(found.steps, wanted.steps, sizeof(found.steps)), 0);
  EXPECT_EQ(found.tiles.shape, wanted.tiles.shape);
  EXPECT_EQ(found.tiles.tileX, wanted.tiles.tileX);
  EXPECT_EQ(found.tiles.tileY, wanted.tiles.tileY);
  EXPECT_EQ(found.tiles.pitch, wanted.tiles.pitch);
  EXPECT_EQ(found.tiles.rows, wanted.tiles.rows);
  EXPECT_EQ(found.tiles.backward, wanted.tiles.backward);
  EXPECT_EQ(found.tiles.square, wanted.tiles.square);
  tiled += found.tiles.shape != MapShape::General ? 1 : 0;
}

} // namespace

TEST(PlanScanlines, FewLinesGiveThePlanOfAll)
{
  FreshRandom random;
  int         tiled = 0;
  for (int round = 0; round < 25; ++round)
  {
    for (const Kind kind : { Kind::Zoom, Kind::Flip, Kind::Turn, Kind::General, Kind::TurnedBack })
    {
      Compare<3>(kind, random, tiled);
      Compare<2>(kind, random, tiled);
    }
  }
  EXPECT_GT(tiled, 40);
}

TEST(PlanScanlines, OtherChainsHaveNone)
{
  TransformChain chain;
  EXPECT_TRUE(HasAffineScanlines(chain)) << "the identity";
  chain.stages.resize(MaxAffineStages);
  EXPECT_TRUE(HasAffineScanlines(chain));
  chain.stages.resize(MaxAffineStages + 1);
  EXPECT_FALSE(HasAffineScanlines(chain));
  chain.stages.resize(1);
  chain.stages[0].kind = TransformKind::DisplacementField;
  EXPECT_FALSE(HasAffineScanlines(chain));
}
