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
// Bounds of indices hold for every index that the kernels compute; here some are computed by the functions of the
// kernels.
#include "kernels/resampling/IndexBounds.h"
#include "kernels/transforms/TransformStages.h"

#include "PieceCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

TEST(IndexBounds, HoldEveryIndexOfAChain)
{
  FreshRandom random;
  double      tightest = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 60; ++turn)
  {
    const char * const stages[] = { "", "a", "aa", "3", "1", "2", "f", "n", "L", "N", "3a3", "aLa", "f3n" };
    PieceCase          test = ChainCase(3, stages[turn % 13], Interpolation::Linear, random);
    ResampleTask &     task = test.task;
    task.extrapolates = false;
    for (unsigned int d = 0; d < 3; ++d)
    {
      task.resampling.lower[d] = -1e6; // all points are requested
      task.resampling.upper[d] = 1e6;
    }
    const auto                     bounds = MakeIndexBounds(task, ExecutionContext());
    EvaluationArguments<3>         arguments{};
    std::vector<TransformStage<3>> kernels;
    SetGrids(test.chain, arguments);
    for (const TransformChain::Stage & stage : test.chain.stages)
    {
      kernels.push_back(MakeStage<3>(stage, DisplacementsOf(stage)));
    }
    arguments.stages = kernels.data();
    for (int box = 0; box < 20; ++box)
    {
      std::array<std::int64_t, 3> first{};
      std::array<std::int64_t, 3> size{};
      for (unsigned int d = 0; d < 3; ++d)
      {
        first[d] = static_cast<std::int64_t>(random.Engine()() % 40);
        size[d] = 1 + static_cast<std::int64_t>(random.Engine()() % (test.chain.regionSize[d] - first[d]));
        size[d] = box % 2 == 0 ? std::min<std::int64_t>(size[d], 3) : size[d];
      }
      const IndexBox found = bounds->Of(first, size);
      ASSERT_FALSE(found.empty);
      double least[3] = { 1e9, 1e9, 1e9 };
      double most[3] = { -1e9, -1e9, -1e9 };
      for (std::int64_t z = first[2]; z < first[2] + size[2]; ++z)
      {
        for (std::int64_t y = first[1]; y < first[1] + size[1]; ++y)
        {
          for (std::int64_t x = first[0]; x < first[0] + size[0]; ++x)
          {
            double index[3];
            arguments.IndexOf(z * test.chain.regionSize[1] + y, x, index);
            for (unsigned int d = 0; d < 3; ++d)
            {
              least[d] = std::min(least[d], index[d]);
              most[d] = std::max(most[d], index[d]);
            }
          }
        }
      }
      for (unsigned int d = 0; d < 3; ++d)
      {
        EXPECT_LE(found.lower[d], least[d]) << test.name;
        EXPECT_GE(found.upper[d], most[d]) << test.name;
        tightest = std::min(tightest, (found.upper[d] - found.lower[d]) - (most[d] - least[d]));
      }
    }
  }
  EXPECT_LT(tightest, 1e-6) << "under affine maps alone bounds are those of the corners";
}

TEST(IndexBounds, ADisplacementThatIsNoNumberBoundsNothing)
{
  FreshRandom                   random;
  PieceCase                     test = ChainCase(2, "f", Interpolation::Linear, random);
  const auto &                  stage = test.chain.stages.front();
  const auto                    count = static_cast<std::size_t>(TransformChain::CountOf(stage, 2));
  const std::shared_ptr<double> data(new double[count], std::default_delete<double[]>());
  std::copy_n(stage.data.get(), count, data.get());
  data.get()[count / 2] = std::numeric_limits<double>::infinity();
  test.chain.stages.front().data = data;
  test.task.extrapolates = true;
  const auto     bounds = MakeIndexBounds(test.task, ExecutionContext());
  const IndexBox all = bounds->Of({ { 0, 0, 0 } }, { { 47, 48, 1 } });
  for (unsigned int d = 0; d < 2; ++d)
  {
    EXPECT_LE(all.lower[d], static_cast<double>(test.task.samples.start[d]));
    EXPECT_GE(all.upper[d], static_cast<double>(test.task.samples.start[d] + test.task.samples.size[d] - 1));
  }
}

TEST(IndexBounds, HoldPointsOnBothSidesOfAGridsBorder)
{
  FreshRandom random;
  for (const char * const stages : { "f", "3", "n", "L" })
  {
    PieceCase                     test = ChainCase(1, stages, Interpolation::Linear, random);
    TransformChain::Stage &       stage = test.chain.stages.front();
    const auto                    count = static_cast<std::size_t>(TransformChain::CountOf(stage, 1));
    const std::shared_ptr<double> data(new double[count], std::default_delete<double[]>());
    std::fill_n(data.get(), count, 5.0); // constant: only the value of points outside is 0
    stage.data = stage.singleData == nullptr ? data : nullptr;
    if (stage.singleData != nullptr)
    {
      const std::shared_ptr<float> single(new float[count], std::default_delete<float[]>());
      std::fill_n(single.get(), count, 5.0F);
      stage.singleData = single;
    }
    test.chain.indexToPoint[0][0] = 1.0;
    test.chain.outputOrigin[0] = stage.origin[0] - 20.0;
    test.chain.regionStart[0] = 0;
    test.task.extrapolates = false;
    test.task.resampling.lower[0] = -1e6;
    test.task.resampling.upper[0] = 1e6;
    const auto             bounds = MakeIndexBounds(test.task, ExecutionContext());
    EvaluationArguments<1> arguments{};
    SetGrids(test.chain, arguments);
    const auto kernel = MakeStage<1>(stage, DisplacementsOf(stage));
    arguments.stages = &kernel;
    for (std::int64_t first = 0; first < test.chain.regionSize[0] - 8; ++first)
    {
      const IndexBox box = bounds->Of({ { first, 0, 0 } }, { { 8, 1, 1 } });
      for (std::int64_t i = first; i < first + 8; ++i)
      {
        double index[1];
        arguments.IndexOf(0, i, index);
        EXPECT_TRUE(box.lower[0] <= index[0] && index[0] <= box.upper[0]) << stages << " at " << i;
      }
    }
  }
}

} // namespace
