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
// Expected: sums of the volumes that the kernels allocate, worked out by hand in each test.

#include "itkCudaSpline/kernels/MemoryPlan.h"
#include "KernelTestData.h"

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
  EXPECT_NE(tight.reason.find("MB"), std::string::npos);
}

TEST(MemoryPlan, OutputIsCutIntoSlabsThatFit)
{
  const SourceDescriptor source = MakeDescriptor({ 10, 10, 10 }, ScalarType::Float32, ScalarType::Float32, 0);
  // Source 4000, table 50 lines x 2 ends x 3 x 8 = 2400, lines of 200 bytes; 8000 leave 1600 for two slabs: 4 lines
  // each.
  const MemoryPlan plan = PlanResample(source, Output(100, 50), 8000);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.tableBytes, 2400U);
  EXPECT_EQ(plan.slabLines, 4);
  EXPECT_LE(plan.PeakBytes(), 8000U);
  EXPECT_EQ(PlanResample(source, Output(100, 50), std::size_t(1) << 30).slabLines, 50);
  // Not even two slabs of one line.
  EXPECT_FALSE(PlanResample(source, Output(100, 50), 6799).fits);
  EXPECT_TRUE(PlanResample(source, Output(100, 50), 6800).fits);
}

TEST(MemoryPlan, LargeOutputsTravelInChunks)
{
  const SourceDescriptor source = MakeDescriptor({ 8, 8, 8 }, ScalarType::UInt8, ScalarType::UInt8, 0);
  const MemoryPlan       plan = PlanResample(source, Output(1024, 1024 * 1024), std::size_t(1) << 40);
  EXPECT_TRUE(plan.fits);
  EXPECT_LE(plan.slabBytes, TransferChunkBytes);
  EXPECT_GT(plan.slabBytes, TransferChunkBytes / 2);
}

TEST(MemoryPlan, EmptyOutputNeedsNothing)
{
  const MemoryPlan plan =
    PlanResample(MakeDescriptor({ 8, 8 }, ScalarType::UInt8, ScalarType::UInt8, 0), Output(0, 0), std::size_t(1) << 20);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.slabBytes, 0U);
}
