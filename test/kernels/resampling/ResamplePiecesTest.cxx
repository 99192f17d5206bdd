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
// Expected: every piece fits the memory limit, pieces cover the output exactly once, windows are smaller than the input
// where this is possible, and the bits are those of resampling as a whole by the same backend.
#include "PieceCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

std::vector<unsigned char>
ComputePieces(const PieceCase &        test,
              const PiecePlan &        plan,
              const ExecutionContext & context,
              const std::vector<int> & devices = {})
{
  auto output = OutputFor(test.task);
  ResamplePieces(test.task, plan, test.pixels.data(), output.data(), context, devices);
  return output;
}

/** Expects the same bits; a failure reports the number of differences, the first position and the values there. */
testing::AssertionResult
HaveSameBits(const PieceCase &                  test,
             const std::vector<unsigned char> & pieces,
             const std::vector<unsigned char> & whole)
{
  const ScalarType  type = test.task.resampling.output;
  const std::size_t bytes = SizeOf(type);
  std::size_t       count = 0;
  std::size_t       first = 0;
  for (std::size_t at = whole.size() / bytes; at-- > 0;)
  {
    if (!std::equal(whole.begin() + at * bytes, whole.begin() + (at + 1) * bytes, pieces.begin() + at * bytes))
    {
      ++count;
      first = at;
    }
  }
  if (count == 0)
  {
    return testing::AssertionSuccess();
  }
  const auto i = static_cast<std::int64_t>(first);
  return testing::AssertionFailure() << count << " of " << whole.size() / bytes << " numbers differ, first number " << i
                                     << ": " << std::setprecision(17) << LoadScalar<double>(pieces.data(), type, i)
                                     << ", not " << LoadScalar<double>(whole.data(), type, i);
}

/** Every sample of the output is in exactly one piece, and each piece fits the limit. */
void
ExpectCover(const PieceCase & test, const PiecePlan & plan, std::size_t budget)
{
  const auto                 size = OutputSizeOf(test.task.resampling);
  std::vector<unsigned char> covered(static_cast<std::size_t>(size[0] * size[1] * size[2]), 0);
  for (const ResamplePiece & piece : plan.pieces)
  {
    EXPECT_TRUE(piece.memory.fits);
    for (std::int64_t z = piece.first[2]; z < piece.first[2] + piece.size[2]; ++z)
    {
      for (std::int64_t y = piece.first[1]; y < piece.first[1] + piece.size[1]; ++y)
      {
        for (std::int64_t x = piece.first[0]; x < piece.first[0] + piece.size[0]; ++x)
        {
          ++covered[static_cast<std::size_t>((z * size[1] + y) * size[0] + x)];
        }
      }
    }
    for (unsigned int d = 0; d < MaximumDimension; ++d)
    {
      EXPECT_GE(piece.windowFirst[d], 0);
      EXPECT_GE(piece.windowSize[d], 1);
      EXPECT_LE(piece.windowFirst[d] + piece.windowSize[d], test.task.samples.size[d]);
      if (test.task.samples.NeedsFilter())
      {
        EXPECT_EQ(piece.windowFirst[d] % 32, 0);
      }
    }
  }
  EXPECT_EQ(std::count(covered.begin(), covered.end(), 1), static_cast<std::ptrdiff_t>(covered.size()));
  EXPECT_LE(plan.PeakBytes(), budget);
}

/** Compares with resampling as a whole for decreasing memory limits, until there is no plan.
 * \return number of plans with windows that are smaller than the input */
int
ComparePieces(const PieceCase & test, const ExecutionContext & context)
{
  const testing::ScopedTrace trace(__FILE__, __LINE__, test.name);
  const auto                 whole = ComputeWhole(test, context);
  int                        plans = 0;
  for (std::size_t budget = BytesOfWhole(test.task) / 4 * 3; budget > 0; budget /= 2)
  {
    const PiecePlan plan = PlanPieces(test.task, budget, 1, context.host);
    if (!plan.fits || plan.pieces.size() > 50)
    {
      EXPECT_NE(plan.fits, plan.pieces.empty());
      EXPECT_NE(plan.fits, !plan.reason.empty());
      break;
    }
    ExpectCover(test, plan, budget);
    EXPECT_TRUE(HaveSameBits(test, ComputePieces(test, plan, context), whole))
      << plan.pieces.size() << " pieces of " << budget << " bytes";
    plans += plan.pieces.front().WindowCount() < test.task.samples.Count() ? 1 : 0;
  }
  return plans;
}

/** Chains that the GPU supports, too. */
using ResamplePiecesOn = ChainOnBackend;

TEST_P(ResamplePiecesOn, BitsOfTheWholeAlongScanlines)
{
  FreshRandom random;
  // Axes for which the lengths of segments and margins of the recursion are divisors, and others.
  const std::vector<std::vector<std::int64_t>> shapes{ { 900 },         { 430, 41 },   { 35, 560 },   { 17, 20, 420 },
                                                       { 13, 350, 11 }, { 450, 9, 8 }, { 1, 400, 13 } };
  int                                          plans = 0;
  for (const auto & shape : shapes)
  {
    for (const Interpolation interpolation : AllInterpolations)
    {
      plans += ComparePieces(ScanlineCase(shape, interpolation, random), this->Context());
    }
  }
  EXPECT_GE(plans, 60) << "of " << shapes.size() * AllInterpolations.size() * 5;
}

TEST_P(ResamplePiecesOn, BitsOfTheWholeUnderChains)
{
  FreshRandom random;
  int         plans = 0;
  std::size_t turn = random.Engine()() % AllInterpolations.size();
  for (unsigned int dimension = 1; dimension <= 3; ++dimension)
  {
    for (const char * const stages : { "a", "3", "2a1", "f", "n", "L", "aN", "3f" })
    {
      const Interpolation interpolation = AllInterpolations[turn++ % AllInterpolations.size()];
      plans += ComparePieces(ChainCase(dimension, stages, interpolation, random), this->Context());
    }
  }
  EXPECT_GE(plans, 6); // about 30; the windows of many B-splines, and of periodic axes, are the whole input
}

INSTANTIATE_TEST_SUITE_P(Cpu, ResamplePiecesOn, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Gpu, ResamplePiecesOn, testing::Values(true));

TEST(ResamplePieces, FoldWhatIsFarOutside)
{
  // Pieces whose samples are all outside: they read as far inside as they are outside.
  FreshRandom random;
  for (const Extension extension :
       { Extension::Mirror, Extension::Reflect, Extension::GridWrap, Extension::Nearest, Extension::GridConstant })
  {
    PieceCase test = ScanlineCase({ 300 }, Interpolation::Linear, random);
    test.task.samples.extension[0] = extension;
    test.task.samples.element = ScalarType::Float64; // the whole needs more memory than the limit
    test.task.resampling.lower[0] = -1000.0;
    test.task.resampling.upper[0] = 1000.0;
    test.task.extrapolates = false;
    test.task.needsOutside = false;
    for (std::size_t line = 0; line < test.ends.size() / 2; ++line)
    {
      const bool below = line % 2 == 0;
      test.ends[2 * line] = static_cast<double>(test.task.samples.start[0] + (below ? -9 : 304));
      test.ends[2 * line + 1] = static_cast<double>(test.task.samples.start[0] + (below ? -12 : 308));
    }
    test.Link();
    const auto        whole = ComputeWhole(test, ExecutionContext());
    const std::size_t budget = 2000;
    const PiecePlan   plan = PlanPieces(test.task, budget, 1, nullptr);
    if (extension == Extension::GridWrap)
    {
      EXPECT_FALSE(plan.fits) << "it reads the other end";
      continue;
    }
    ASSERT_TRUE(plan.fits) << plan.reason;
    ExpectCover(test, plan, budget);
    EXPECT_TRUE(HaveSameBits(test, ComputePieces(test, plan, ExecutionContext()), whole)) << NameOf(extension);
  }
}

TEST(ResamplePieces, AreSpreadOverSeveralWorkers)
{
  FreshRandom     random;
  const PieceCase test = ZoomCase(random);
  const auto      whole = ComputeWhole(test, ExecutionContext());
  for (const std::int64_t workers : { 2, 3, 5 })
  {
    const PiecePlan plan = PlanPieces(test.task, BytesOfWhole(test.task), workers, nullptr);
    ASSERT_TRUE(plan.fits);
    EXPECT_EQ(plan.pieces.size(), static_cast<std::size_t>(workers));
    std::vector<double> reports;
    ExecutionContext    context;
    context.progress = [&reports](double fraction) {
      reports.push_back(fraction);
      return true;
    };
    std::vector<int> devices(static_cast<std::size_t>(workers));
    EXPECT_TRUE(HaveSameBits(test, ComputePieces(test, plan, context, devices), whole));
    EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
    EXPECT_EQ(reports.back(), 1.0);
  }
}

TEST(ResamplePieces, AnAbortEndsAllWorkers)
{
  FreshRandom      random;
  const PieceCase  test = ZoomCase(random);
  const PiecePlan  plan = PlanPieces(test.task, BytesOfWhole(test.task), 16, nullptr);
  ExecutionContext context;
  context.progress = [](double fraction) { return fraction < 0.2; };
  EXPECT_THROW(ComputePieces(test, plan, context, { 0, 1 }), OperationAborted);
  EXPECT_THROW(ComputePieces(test, plan, context), OperationAborted);
}

TEST(ResamplePieces, AFailureOfOneWorkerIsThrown)
{
  FreshRandom random;
  PieceCase   test = ZoomCase(random);
  PiecePlan   plan = PlanPieces(test.task, BytesOfWhole(test.task), 16, nullptr);
  plan.pieces[7].windowSize[1] = 0; // a source refuses this window
  EXPECT_THROW(ComputePieces(test, plan, ExecutionContext(), { 0, 1, 2 }), std::invalid_argument);
  plan.pieces.clear();
  EXPECT_THROW(ComputePieces(test, plan, ExecutionContext()), std::invalid_argument);
}

TEST(ResamplePieces, WhatCannotBeCutSaysWhy)
{
  FreshRandom  random;
  PieceCase    test = ZoomCase(random);
  ResampleTask task = test.task;
  EXPECT_NE(PlanPieces(task, 100, 1, nullptr).reason.find("one sample"), std::string::npos);
  task.samples.storage = CoefficientStorage::Texture;
  EXPECT_NE(PlanPieces(task, 1 << 20, 1, nullptr).reason.find("storage"), std::string::npos);
  task = test.task;
  task.resampling.scanlineEnds = nullptr;
  task.resampling.indexProvider = [](std::int64_t, std::int64_t, double *) {};
  EXPECT_NE(PlanPieces(task, 1 << 20, 1, nullptr).reason.find("the transform computes"), std::string::npos);
}

TEST(ResamplePieces, ASmallOutputReadsASmallWindow)
{
  FreshRandom random;
  PieceCase   test = ScanlineCase({ 300, 300 }, Interpolation::BSpline, random);
  for (std::size_t i = 0; i < test.ends.size(); ++i)
  {
    test.ends[i] = static_cast<double>(test.task.samples.start[i % 2]) + 150.0 + static_cast<double>(i % 7);
  }
  test.Link();
  const PiecePlan plan = PlanPieces(test.task, BytesOfWhole(test.task), 1, nullptr);
  ASSERT_EQ(plan.pieces.size(), 1u);
  EXPECT_LT(plan.WindowCount(), test.task.samples.Count() / 2);
  EXPECT_TRUE(
    HaveSameBits(test, ComputePieces(test, plan, ExecutionContext()), ComputeWhole(test, ExecutionContext())));
}

TEST(ResamplePiecesGpu, SeveralDevices)
{
  CUDASPLINE_NEEDS_GPU();
  if (DeviceCount() < 2)
  {
    GTEST_SKIP() << "there is one device";
  }
  FreshRandom      random;
  std::vector<int> devices;
  for (int device = 0; device < DeviceCount(); ++device)
  {
    devices.push_back(device);
  }
  for (const Interpolation interpolation : AllInterpolations)
  {
    const PieceCase test = ScanlineCase({ 37, 30, 220 }, interpolation, random);
    const auto      whole = ComputeWhole(test, Cuda());
    for (const std::int64_t least : { 2, 8 })
    {
      const PiecePlan plan = PlanPieces(test.task, BytesOfWhole(test.task), least, nullptr);
      ASSERT_TRUE(plan.fits);
      EXPECT_TRUE(HaveSameBits(test, ComputePieces(test, plan, Cuda(), devices), whole)) << test.name;
    }
  }
}

TEST(ResamplePiecesGpu, TwoWorkersOnOneDevice)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom     random;
  const PieceCase test = ScanlineCase({ 37, 30, 220 }, Interpolation::BSpline, random);
  const PiecePlan plan = PlanPieces(test.task, BytesOfWhole(test.task), 8, nullptr);
  ASSERT_TRUE(plan.fits);
  EXPECT_TRUE(HaveSameBits(test, ComputePieces(test, plan, Cuda(), { 0, 0 }), ComputeWhole(test, Cuda())));
}

} // namespace
