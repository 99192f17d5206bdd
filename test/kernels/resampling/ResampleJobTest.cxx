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
// Expected: planning has no side effects, a run executes the given plan, and the bits are the same as for a source that
// is prepared and evaluated separately.
#include "PieceCase.h"

#include "itkCudaSpline/kernels/resampling/ResampleJob.h"
#include "itkCudaSpline/kernels/transforms/ScanlinesOfChain.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

using namespace CudaSplineTest;

namespace
{

/** A description whose scanlines are mapped on request; counts the requests. */
ResampleDescription
Describe(const PieceCase & test, int & mapped)
{
  ResampleDescription description;
  description.samples = test.task.samples;
  description.resampling = test.task.resampling;
  description.extrapolates = test.task.extrapolates;
  description.defaultPixels.assign(test.task.samples.components, test.task.resampling.defaultPixel);
  if (test.task.resampling.chain != nullptr)
  {
    description.chain = test.chain;
  }
  else
  {
    description.mapScanlines = [&test, &mapped](const ExecutionContext &) {
      ++mapped;
      std::unique_ptr<double[]> ends(new double[test.ends.size()]);
      std::copy(test.ends.begin(), test.ends.end(), ends.get());
      return ends;
    };
  }
  return description;
}

/** A case with the default pixel and extension of its description. */
PieceCase
Completed(PieceCase test, std::vector<std::uint64_t> & defaultPixels)
{
  defaultPixels.assign(test.task.samples.components, test.task.resampling.defaultPixel);
  test.task = MakeResampleTask(test.task.samples, test.task.resampling, test.task.extrapolates);
  test.task.resampling.defaultPixels = test.task.samples.components > 1 ? defaultPixels.data() : nullptr;
  return test;
}

class ResampleJobOn : public ChainOnBackend
{
protected:
  std::vector<int>
  Devices() const
  {
    return this->GetParam() ? std::vector<int>{ 0 } : std::vector<int>();
  }

  /** Output of a run of a plan on this backend. */
  std::vector<unsigned char>
  Run(ResampleJob & job, const ResamplePlan & plan, const PieceCase & test, ResampleRecord & record) const
  {
    auto output = OutputFor(test.task);
    record = job.Run(plan, test.pixels.data(), output.data(), this->Context());
    return output;
  }
};

TEST_P(ResampleJobOn, DoesAtOnceWhatFits)
{
  FreshRandom random;
  for (const Interpolation interpolation : AllInterpolations)
  {
    for (const bool isChain : { false, true })
    {
      std::vector<std::uint64_t> defaultPixels;
      PieceCase                  test = Completed(isChain ? ChainCase(3, "a3", interpolation, random)
                                         : ScanlineCase({ 17, 20, 42 }, interpolation, random),
                                 defaultPixels);
      test.Link();
      const testing::ScopedTrace trace(__FILE__, __LINE__, test.name);
      int                        mapped = 0;
      ResampleJob                job(Describe(test, mapped), ResampleOptions(), nullptr);
      const ResamplePlan         plan = job.Plan(this->Devices());
      EXPECT_TRUE(plan.memory.fits);
      EXPECT_FALSE(plan.pieces.fits);
      EXPECT_EQ(plan.Count(), 1u);
      EXPECT_EQ(plan.devices, this->Devices());
      EXPECT_EQ(mapped, 0);
      ResampleRecord record;
      EXPECT_TRUE(this->Run(job, plan, test, record) == ComputeWhole(test, this->Context()));
      EXPECT_EQ(mapped, isChain ? 0 : 1);
      EXPECT_EQ(record.pieces, 1u);
      EXPECT_FALSE(record.sourceReused);
      EXPECT_GT(record.times.preparation + record.times.evaluation, 0.0);
      EXPECT_TRUE(std::isnan(record.errorBound));
    }
  }
}

TEST_P(ResampleJobOn, CutsWhatExceedsTheLimit)
{
  FreshRandom                random;
  std::vector<std::uint64_t> defaultPixels;
  PieceCase                  test = Completed(ZoomCase(random), defaultPixels);
  test.Link();
  ResampleOptions options;
  options.memoryLimit = BytesOfWhole(test.task) / 2;
  int                mapped = 0;
  ResampleJob        job(Describe(test, mapped), options, nullptr);
  const ResamplePlan plan = job.Plan(this->Devices());
  EXPECT_EQ(mapped, 1);
  EXPECT_TRUE(plan.memory.fits);
  ASSERT_TRUE(plan.pieces.fits) << plan.pieces.reason;
  EXPECT_GT(plan.Count(), 1u);
  EXPECT_LE(plan.pieces.PeakBytes(), options.memoryLimit);
  EXPECT_EQ(plan.GetBoxes(job.GetTask()).size(), plan.Count());
  // Plans are values: another plan is equal and independent.
  const ResamplePlan again = job.Plan(this->Devices());
  EXPECT_EQ(again.Count(), plan.Count());
  const auto whole = ComputeWhole(test, this->Context());
  for (const ResamplePlan * const one : { &again, &plan, &again })
  {
    ResampleRecord record;
    EXPECT_TRUE(this->Run(job, *one, test, record) == whole);
    EXPECT_EQ(record.pieces, plan.Count());
  }
  EXPECT_EQ(mapped, 1);

  // Errors are bounded only for a source as a whole.
  options.wantsBound = true;
  ResampleJob        bounded(Describe(test, mapped), options, nullptr);
  const ResamplePlan uncut = bounded.Plan(this->Devices());
  EXPECT_FALSE(uncut.pieces.fits);
  EXPECT_EQ(uncut.memory.fits, !this->GetParam());
  if (this->GetParam())
  {
    EXPECT_NE(uncut.memory.reason.find("error bound"), std::string::npos) << uncut.memory.reason;
  }
}

/** A device computes the scanlines of affine maps itself, except for pieces, which the host plans from the scanlines.
 */
TEST_P(ResampleJobOn, MapsAffineScanlinesWhereItRuns)
{
  FreshRandom random;
  int         cut = 0;
  for (const Interpolation interpolation : AllInterpolations)
  {
    std::vector<std::uint64_t> defaultPixels;
    PieceCase                  test = Completed(ChainCase(3, "aa", interpolation, random), defaultPixels);
    const testing::ScopedTrace trace(__FILE__, __LINE__, test.name);
    const TransformChain       chain = std::exchange(test.chain, TransformChain());
    const auto                 scanlines = ScanlinesOf<3>(chain);
    ResampleDescriptor &       resampling = test.task.resampling;
    resampling.lineLength = resampling.samples;
    for (std::int64_t line = 0; line < resampling.lines; ++line)
    {
      ScanlineEnds<3> ends;
      scanlines.EndsOf(line, ends);
      test.ends.insert(test.ends.end(), ends.start, ends.start + 3);
      test.ends.insert(test.ends.end(), ends.end, ends.end + 3);
    }
    test.Link();
    const auto      whole = ComputeWhole(test, this->Context());
    ResampleOptions options;
    for (const std::size_t limit : { std::size_t{ 0 }, BytesOfWhole(test.task) / 4 * 3 })
    {
      options.memoryLimit = limit;
      int                 mapped = 0;
      ResampleDescription description = Describe(test, mapped);
      description.scanlineChain = chain;
      ResampleJob        job(std::move(description), options, nullptr);
      const ResamplePlan plan = job.Plan(this->Devices());
      if (!plan.memory.fits)
      {
        continue; // a rotation whose pieces read too much of the input
      }
      cut += plan.pieces.fits ? 1 : 0;
      ResampleRecord record;
      EXPECT_TRUE(this->Run(job, plan, test, record) == whole);
      EXPECT_EQ(job.DescribeKernel(plan).empty(), !this->GetParam());
      EXPECT_EQ(mapped, this->GetParam() && !plan.pieces.fits ? 0 : 1);
    }
  }
  EXPECT_GT(cut, 0);
}

TEST_P(ResampleJobOn, BoundsTheErrorWhereItIsWanted)
{
  FreshRandom                random;
  std::vector<std::uint64_t> defaultPixels;
  PieceCase                  test = Completed(ScanlineCase({ 40, 50 }, Interpolation::BSpline, random), defaultPixels);
  test.Link();
  ResampleOptions options;
  options.wantsBound = true;
  int            mapped = 0;
  ResampleJob    job(Describe(test, mapped), options, nullptr);
  ResampleRecord record;
  this->Run(job, job.Plan(this->Devices()), test, record);
  EXPECT_GT(record.errorBound, 0.0);
}

TEST_P(ResampleJobOn, APlanChangesNoCache)
{
  FreshRandom                random;
  std::vector<std::uint64_t> defaultPixels;
  PieceCase test = Completed(ScanlineCase({ 40, 50, 31 }, Interpolation::BSpline, random), defaultPixels);
  test.Link();
  const auto      whole = ComputeWhole(test, this->Context());
  const auto      backend = static_cast<std::size_t>(this->Context().backend);
  SourceCache     cache;
  ResampleHistory history;
  ResampleOptions options;
  options.cache = &cache;
  options.history = &history;
  for (int call = 0; call < 3; ++call)
  {
    int                mapped = 0;
    ResampleJob        job(Describe(test, mapped), options, nullptr);
    const std::size_t  kept = cache.GetBytes();
    const ResamplePlan plan = job.Plan(this->Devices());
    EXPECT_EQ(cache.GetBytes(), kept);
    EXPECT_EQ(kept > 0, call > 0);
    EXPECT_FALSE(plan.emptiesCache);
    // The source of the last call is reused: only its pixels are read.
    const BackendWork work = job.CountWork(0);
    const auto &      mine = this->GetParam() ? work.device : work.host;
    EXPECT_EQ(mine.filterPasses > 0.0, call < 2);
    options.isFirst = false;
    ResampleRecord record;
    EXPECT_TRUE(this->Run(job, plan, test, record) == whole);
    EXPECT_EQ(record.sourceReused, call > 0);
    EXPECT_EQ(history.reused, call > 0);
    EXPECT_EQ(history.reusedBy[backend], call > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, ResampleJobOn, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Gpu, ResampleJobOn, testing::Values(true));

TEST(ResampleJob, ItsOperationRunsThePlanThatWasMade)
{
  FreshRandom                random;
  std::vector<std::uint64_t> defaultPixels;
  PieceCase                  test = Completed(ZoomCase(random), defaultPixels);
  test.Link();
  ResampleOptions options;
  options.memoryLimit = BytesOfWhole(test.task) / 2;
  int         mapped = 0;
  ResampleJob job(Describe(test, mapped), options, nullptr);
  EXPECT_EQ(job.GetPlan(), nullptr);
  auto            output = OutputFor(test.task);
  const auto      operation = job.MakeOperation(test.pixels.data(), output.data());
  const RunRecord record = RunOperation(operation, "cpu", ExecutionContext());
  EXPECT_EQ(record.backend, Backend::Cpu);
  ASSERT_NE(job.GetPlan(), nullptr);
  EXPECT_TRUE(job.GetPlan()->devices.empty());
  EXPECT_GT(job.GetPlan()->Count(), 1u);
  EXPECT_EQ(job.GetRecord().pieces, job.GetPlan()->Count());
  EXPECT_TRUE(output == ComputeWhole(test, ExecutionContext()));
}

TEST(ResampleJob, TellsPixelsFromWhatIsDoneWithThem)
{
  FreshRandom     random;
  const PieceCase good = ScanlineCase({ 40, 50 }, Interpolation::Linear, random);
  const auto      run = [](const PieceCase & test) {
    int         mapped = 0;
    ResampleJob job(Describe(test, mapped), ResampleOptions(), nullptr);
    auto        output = OutputFor(test.task);
    job.Run(job.Plan({}), test.pixels.data(), output.data(), ExecutionContext());
  };
  EXPECT_NO_THROW(run(good));
  PieceCase noPixels = good;
  noPixels.task.samples.size[1] = 0;
  EXPECT_THROW(run(noPixels), InvalidPixels);
  PieceCase otherOrder = good;
  otherOrder.task.resampling.interpolation = Interpolation::BSpline;
  otherOrder.task.resampling.mode = EvaluationMode::Texture;
  try
  {
    run(otherOrder);
    FAIL() << "a texture that there is not was read";
  }
  catch (const InvalidPixels & error)
  {
    FAIL() << error.what();
  }
  catch (const std::invalid_argument &)
  {}
}

} // namespace
