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
// Expected: sums of the volumes that the kernels allocate, computed manually in each test.

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"
#include "KernelTestData.h"

#include <memory>

using namespace CudaSplineTest;

namespace
{
ResampleDescriptor
Output(std::int64_t samples, std::int64_t lines)
{
  ResampleDescriptor descriptor;
  descriptor.output = ScalarType::UInt16;
  descriptor.samples = samples;
  descriptor.lines = lines;
  return descriptor;
}
} // namespace

TEST(MemoryPlan, SourceOfUnchangedPixelsIsItself)
{
  const MemoryPlan plan = PlanSource(MakeDescriptor({ 100, 10 }, ScalarType::Float32, ScalarType::Float32, 0), 4000);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.sourceBytes, 4000U);
  EXPECT_EQ(plan.workspaceBytes, 0U);
}

TEST(MemoryPlan, PrefilterNeedsASecondVolumeAndConversionAChunk)
{
  const SourceDescriptor source = MakeDescriptor({ 100, 10 }, ScalarType::UInt16, ScalarType::Float32, 3);
  const MemoryPlan       plan = PlanSource(source, 10000);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.workspaceBytes, 4000U + 2000U);
  EXPECT_EQ(plan.PeakBytes(), 10000U);
  const MemoryPlan tight = PlanSource(source, 9999);
  EXPECT_FALSE(tight.fits);
  EXPECT_NE(tight.reason.find("of memory"), std::string::npos);
}

TEST(MemoryPlan, OutputIsCutIntoSlabsThatFit)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 10, 10 }, ScalarType::Float32, ScalarType::Float32, 0);
  // Source 4000, table 50 lines x 2 ends x 3 x 8 = 2400 and 100 fractions of a line x 8 = 800, lines of 200 bytes; 8800
  // leave 1600 for two slabs: 4 lines each.
  const MemoryPlan plan = PlanResample(source, Output(100, 50), 8800);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.tableBytes, 3200U);
  EXPECT_EQ(plan.slabLines, 4);
  EXPECT_LE(plan.PeakBytes(), 8800U);
  EXPECT_EQ(PlanResample(source, Output(100, 50), std::size_t(1) << 30).slabLines, 50);
  // Too little for two slabs of one line.
  EXPECT_FALSE(PlanResample(source, Output(100, 50), 7599).fits);
  EXPECT_TRUE(PlanResample(source, Output(100, 50), 7600).fits);
}

TEST(MemoryPlan, LargeOutputsTravelInChunks)
{
  const SourceDescriptor source = MakeDescriptor({ 8, 8, 8 }, ScalarType::UInt8, ScalarType::UInt8, 0);
  const MemoryPlan       plan = PlanResample(source, Output(1024, 1024 * 1024), std::size_t(1) << 40);
  EXPECT_TRUE(plan.fits);
  EXPECT_LE(plan.slabBytes, TransferChunkBytes);
  EXPECT_GT(plan.slabBytes, TransferChunkBytes / 2);
}

TEST(MemoryPlan, TransformsReplaceTheTableOfScanlines)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 10, 10 }, ScalarType::Float32, ScalarType::Float32, 0);
  TransformChain         chain;
  chain.stages.resize(2); // an affine chain has no displacements
  chain.stages[1].kind = TransformKind::BSpline;
  chain.stages[1].size = { { 4, 5, 6 } };
  ResampleDescriptor resample = Output(100, 50);
  resample.chain = &chain;
  const MemoryPlan walked = PlanResample(source, resample, std::size_t(1) << 30);
  EXPECT_EQ(walked.tableBytes, 4U * 5 * 6 * 3 * 8 + 2 * sizeof(TransformStage<3>));

  // Three doubles per sample are copied with its slab, and begin at a multiple of eight bytes.
  resample.chain = nullptr;
  resample.indexProvider = [](std::int64_t, std::int64_t, double *) {};
  const MemoryPlan provided = PlanResample(source, resample, std::size_t(1) << 30);
  EXPECT_EQ(provided.tableBytes, 0U);
  EXPECT_EQ(provided.slabBytes, 50U * 100 * (2 + 24) + 8);
}

TEST(MemoryPlan, DisplacementsOfFloatAreFloat)
{
  TransformChain chain;
  chain.stages.resize(1);
  chain.stages[0].kind = TransformKind::DisplacementField;
  chain.stages[0].size = { { 3, 1, 1 } };
  EXPECT_EQ(chain.Bytes(3), 9U * 8 + sizeof(TransformStage<3>));
  chain.stages[0].singleData = std::make_shared<float>(0.0F);
  EXPECT_EQ(chain.Bytes(3), 40U + sizeof(TransformStage<3>)); // nine floats, rounded up: doubles may follow
}

TEST(MemoryPlan, WrittenDisplacements)
{
  TransformChain         chain;
  DisplacementDescriptor descriptor;
  descriptor.dimension = 3;
  descriptor.output = ScalarType::Float64;
  descriptor.samples = 100;
  descriptor.lines = 50;
  descriptor.chain = &chain;
  const MemoryPlan walked = PlanDisplacements(descriptor, std::size_t(1) << 30);
  EXPECT_TRUE(walked.fits);
  EXPECT_EQ(walked.tableBytes, 0U);
  EXPECT_EQ(walked.slabBytes, 50U * 100 * 3 * 8);
  // Two lines of 2400 bytes in addition to the table of 50 lines x 2 ends x 3 x 8, and not less.
  descriptor.chain = nullptr;
  const MemoryPlan straight = PlanDisplacements(descriptor, 2400 + 2 * 2400);
  EXPECT_TRUE(straight.fits);
  EXPECT_EQ(straight.tableBytes, 2400U);
  EXPECT_EQ(straight.slabLines, 1);
  EXPECT_FALSE(PlanDisplacements(descriptor, 2400 + 2 * 2400 - 1).fits);
}

TEST(MemoryPlan, PixelsOfSeveralComponents)
{
  SourceDescriptor source = MakeDescriptor({ 10, 10, 10 }, ScalarType::UInt8, ScalarType::Float32, 0);
  source.components = 3;
  const MemoryPlan plan = PlanResample(source, Output(100, 50), std::size_t(1) << 30);
  EXPECT_EQ(plan.sourceBytes, 12000U);
  EXPECT_EQ(plan.slabBytes, 50U * 100 * 3 * 2);
}

TEST(MemoryPlan, EmptyOutputNeedsNothing)
{
  const MemoryPlan plan =
    PlanResample(MakeDescriptor({ 8, 8 }, ScalarType::UInt8, ScalarType::UInt8, 0), Output(0, 0), std::size_t(1) << 20);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.slabBytes, 0U);
}

// Cubic in single precision: 13 samples beyond either end of a segment, so a slab of 32 k coefficients has 32 k + 26
// slices twice, here of 10 x 5 samples of 4 bytes.
TEST(MemoryPlan, PrefilterThatFitsIsDoneWhole)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 3);
  const MemoryPlan       plan = PlanPrefilter(source, 400000);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.slabLines, 0);
  EXPECT_EQ(plan.PeakBytes(), 400000U);
}

TEST(MemoryPlan, PrefilterIsCutIntoSlabsOfWholeSegments)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 3);
  for (const std::int64_t segments : { 1, 2, 3, 29 })
  {
    const auto samples = static_cast<std::size_t>(32 * segments + 26);
    for (const std::size_t budget : { 400 * samples, 400 * (samples + 31) + 399 })
    {
      const MemoryPlan plan = PlanPrefilter(source, budget);
      EXPECT_TRUE(plan.fits);
      EXPECT_EQ(plan.reason, "");
      EXPECT_EQ(plan.slabLines, 32 * segments) << budget;
      EXPECT_EQ(plan.sourceBytes, 200 * samples);
      EXPECT_EQ(plan.PeakBytes(), 400 * samples);
    }
  }
  // The largest budget that is insufficient for the whole.
  EXPECT_EQ(PlanPrefilter(source, 399999).slabLines, 960);
}

TEST(MemoryPlan, PrefilterOfLessThanASlabIsRefused)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 3);
  for (const std::size_t budget :
       { std::size_t{ 400 } * 58 - 1, std::size_t{ 400 } * 26, std::size_t{ 1 }, std::size_t{ 0 } })
  {
    const MemoryPlan plan = PlanPrefilter(source, budget);
    EXPECT_FALSE(plan.fits) << budget;
    EXPECT_EQ(plan.slabLines, 0);
    EXPECT_NE(plan.reason.find("of memory"), std::string::npos);
  }
}

TEST(MemoryPlan, PrefilterSlabsNeedRoomForRawPixels)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Int16, ScalarType::Float32, 3);
  EXPECT_TRUE(PlanPrefilter(source, 500000).fits);
  EXPECT_EQ(PlanPrefilter(source, 500000).slabLines, 0);
  EXPECT_EQ(PlanPrefilter(source, 400 * 58 + 100000).slabLines, 32);
  EXPECT_FALSE(PlanPrefilter(source, 400 * 58 + 99999).fits);
  EXPECT_FALSE(PlanPrefilter(source, 99999).fits) << "not even the pixels";
}

TEST(MemoryPlan, PrefilterSlabsReachAsFarAsTheFilter)
{
  SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 5);
  const auto       least = [&source] { // slices of the smallest slab
    std::size_t budget = 0;
    while (!PlanPrefilter(source, budget).fits)
    {
            budget += 50 * 2 * SizeOf(source.element);
    }
    return budget / (50 * 2 * SizeOf(source.element));
  };
  EXPECT_EQ(least(), 32U + 2 * 23);
  source.method.kind = PrefilterMethod::Kind::ItkHorizon;
  EXPECT_EQ(least(), 32U + 2 * 28);
  source.method.kind = PrefilterMethod::Kind::Fir;
  source.method.taps = 127;
  EXPECT_EQ(least(), 32U + 2 * 63);
  source.method.taps = 1;
  EXPECT_EQ(least(), 32U);
  source.method.kind = PrefilterMethod::Kind::Exact;
  source.pixel = source.element = ScalarType::Float64;
  EXPECT_EQ(least(), 32U + 2 * 46);
  source.method.kind = PrefilterMethod::Kind::Fir;
  source.method.taps = 129;
  EXPECT_THROW(PlanPrefilter(source, 1), std::invalid_argument);
}

TEST(MemoryPlan, PrefilterSlabsAreAlongTheSlowestAxisThatHasSamples)
{
  // Slices of one sample: 8 bytes for the two of them.
  EXPECT_EQ(PlanPrefilter(MakeDescriptor({ 1000 }, ScalarType::Float32, ScalarType::Float32, 3), 8 * 90).slabLines, 64);
  EXPECT_EQ(
    PlanPrefilter(MakeDescriptor({ 1, 1000, 1, 1 }, ScalarType::Float32, ScalarType::Float32, 3), 8 * 90).slabLines,
    64);
  EXPECT_EQ(
    PlanPrefilter(MakeDescriptor({ 10, 5, 2, 500 }, ScalarType::Float32, ScalarType::Float32, 3), 800 * 90).slabLines,
    64);
}

TEST(MemoryPlan, WhatIsNotCut)
{
  SourceDescriptor source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 3);
  source.components = 3;
  EXPECT_TRUE(PlanPrefilter(source, 3 * 400000 + 600000).fits) << "planes twice and the pixels";
  EXPECT_FALSE(PlanPrefilter(source, 3 * 400000 + 599999).fits);
  EXPECT_EQ(PlanPrefilter(source, 400000).slabLines, 0);
  // Without a filter, slabs save no memory.
  source = MakeDescriptor({ 10, 5, 1000 }, ScalarType::Float32, ScalarType::Float32, 1);
  EXPECT_TRUE(PlanPrefilter(source, 200000).fits);
  EXPECT_FALSE(PlanPrefilter(source, 199999).fits);
  EXPECT_EQ(PlanPrefilter(source, 199999).slabLines, 0);
  // A single sample has no axis.
  EXPECT_FALSE(PlanPrefilter(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 3), 7).fits);
  EXPECT_TRUE(PlanPrefilter(MakeDescriptor({ 1 }, ScalarType::Float32, ScalarType::Float32, 3), 8).fits);
}
