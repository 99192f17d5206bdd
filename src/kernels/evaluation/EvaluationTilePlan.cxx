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
#include "kernels/evaluation/EvaluationTilePlan.h"

#include "itkCudaSpline/math/Geometry.h"

#include "kernels/evaluation/EvaluationTuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

namespace itk::CudaSpline
{

namespace
{

/** std::floor() of a number that fits into an int. std::floor() itself is a function call on generic processors. */
int
Floor(double x)
{
  const int whole = static_cast<int>(x);
  return static_cast<double>(whole) > x ? whole - 1 : whole;
}

/** Returns the average number of words that a warp reads from the busiest bank at once. The average is over warps whose
 * first sample is at different positions between the samples of the input. */
double
BankConflicts(const double (&steps)[3][3], int first, int second)
{
  constexpr int places = 12;
  int           sum = 0;
  for (int place = 0; place < places; ++place)
  {
    int words[32]{}; // words of the lanes
    for (int d = 0; d < 3; ++d)
    {
      // Multiples of three irrational numbers are evenly distributed between 0 and 1.
      constexpr double start[3] = { 0.7548776662466927, 0.5698402909980532, 0.4142135623730951 };
      const int        stride = d == 0 ? 1 : (d == 1 ? TileShape::Pitch : TileShape::Slice);
      for (int lane = 0; lane < 32; ++lane)
      {
        const int    row = lane / TileShape::Lanes;
        const double x =
          (place + 0.5) * start[d] + steps[d][first] * (lane % TileShape::Lanes) + steps[d][second] * row;
        words[lane] += Floor(x) * stride;
      }
    }
    int banks[32][32];
    int filled[32]{};
    int fullest = 0;
    for (const int word : words)
    {
      int * const bank = banks[word & 31];
      int &       count = filled[word & 31];
      if (std::find(bank, bank + count, word) == bank + count) // lanes that read the same word share it
      {
        bank[count++] = word;
        fullest = std::max(fullest, count);
      }
    }
    sum += fullest;
  }
  return static_cast<double>(sum) / places;
}

} // namespace

std::size_t
TileBytes(const TilePlan & plan)
{
  return sizeof(TileShared) + (sizeof(ScanlineEnds<3>) << (plan.logExtent[1] + plan.logExtent[2])) +
         sizeof(float) * static_cast<std::size_t>(plan.slices) * TileShape::Slice;
}

TilePlan
PlanTiles(const double (&steps)[3][3],
          const std::int64_t (&counts)[3],
          int         taps,
          std::size_t blockBytes,
          std::size_t multiprocessorBytes,
          int         mostThreads,
          int         residentThreads)
{
  constexpr int    logLanes[2] = { 2, 3 };
  constexpr double reserved = 1024.0; // shared memory in bytes that the system uses in each block
  constexpr double steepest = 1024.0; // a tile has no box of this length; also excludes NaN
  TilePlan         best;
  for (const auto & axis : steps)
  {
    for (const double step : axis)
    {
      if (!(std::abs(step) <= steepest))
      {
        return best;
      }
    }
  }
  // The lines of the output are along one of a warp's axes, so that its stores are adjacent.
  for (const auto & axes : { std::array<int, 2>{ 0, 1 }, { 0, 2 }, { 1, 0 }, { 2, 0 } })
  {
    double       conflicts = 0.0;                   // computed only for candidates, because counting is slow
    const double stores = axes[0] == 0 ? 8.0 : 4.0; // runs of a store
    for (int extents = 0; extents < 4 * 3 * 5; ++extents)
    {
      TilePlan plan;
      plan.axis[0] = axes[0];
      plan.axis[1] = axes[1];
      plan.axis[2] = 3 - axes[0] - axes[1];
      plan.logExtent[plan.axis[0]] = 2 + extents % 4;
      plan.logExtent[plan.axis[1]] = 3 + extents / 4 % 3;
      plan.logExtent[plan.axis[2]] = extents / 12;
      plan.logOther =
        axes[0] == 0 ? plan.logExtent[plan.axis[1]] - logLanes[1] : plan.logExtent[plan.axis[0]] - logLanes[0];
      const int lines = 1 << (plan.logExtent[1] + plan.logExtent[2]);
      if (lines > TileShape::MaxLines || (1 << plan.logExtent[0]) > TileShape::MaxSamples)
      {
        continue;
      }
      // The size of the smallest tile that holds every box of the output: the support of all of its samples, for any
      // position of the first one.
      double size[3];
      for (int d = 0; d < 3; ++d)
      {
        double width = 0.0;
        for (int j = 0; j < 3; ++j)
        {
          width += std::abs(steps[d][j]) * ((1 << plan.logExtent[j]) - 1);
        }
        size[d] = std::ceil(width + 1e-6) + taps;
      }
      const double alignment = 3.0; // a row begins at a multiple of four elements
      if (!(size[0] + alignment <= TileShape::Pitch && size[1] <= TileShape::Rows && size[2] <= 60.0))
      {
        continue; // also for NaN
      }
      plan.slices = static_cast<int>(size[2]);
      const auto bytes = static_cast<double>(TileBytes(plan));
      if (bytes > static_cast<double>(blockBytes))
      {
        continue;
      }
      // Boxes at the end of the output have fewer samples.
      double full = 1.0;
      for (int j = 0; j < 3; ++j)
      {
        const std::int64_t extent = std::int64_t{ 1 } << plan.logExtent[j];
        const std::int64_t covered = (counts[j] + extent - 1) / extent * extent;
        full *= static_cast<double>(counts[j]) / static_cast<double>(covered);
      }
      const double warps = static_cast<double>(1 << (plan.logExtent[0] + plan.logExtent[1] + plan.logExtent[2])) / 32.0;
      for (plan.threads = 256; plan.threads <= mostThreads; plan.threads *= 2)
      {
        const int    mostBlocks = residentThreads / plan.threads;
        const double blocks = std::min(std::floor(static_cast<double>(multiprocessorBytes) / (bytes + reserved)),
                                       static_cast<double>(mostBlocks));
        if (blocks < 1.0 || plan.threads > 32.0 * warps)
        {
          continue;
        }
        // Approximate clocks of a multiprocessor for the samples of a warp: reads and stores of words, other
        // computation, loading of the tile, and the begin of the block. The latency that few warps or a single block
        // cannot hide is added.
        const double resident = blocks * plan.threads / 32.0;
        const auto   costOf = [&](double words) {
          const double clocks = (taps * taps * taps * words + stores + 24.0) +
                                1.5 * (size[0] + alignment) * size[1] * size[2] / (32.0 * warps) +
                                (60.0 * plan.threads / 32.0 + 300.0) / warps;
          return clocks * (1.0 + 3.0 / resident) * (blocks < 2.0 ? 1.5 : (blocks < 3.0 ? 1.08 : 1.0)) / full;
        };
        if (best.exists && costOf(1.0) >= best.clocks) // a bank has at least one word
        {
          continue;
        }
        conflicts = conflicts > 0.0 ? conflicts : BankConflicts(steps, axes[0], axes[1]);
        plan.clocks = costOf(conflicts);
        plan.exists = true;
        if (!best.exists || plan.clocks < best.clocks)
        {
          best = plan;
        }
      }
    }
  }
  return best;
}

TilePlan
PlanTiles(const double (&steps)[3][3],
          const std::int64_t (&counts)[3],
          int                       taps,
          Derivatives               derivatives,
          bool                      isAligned,
          const SharedMemorySizes & memory)
{
  // The plan of the last call of this thread. Consecutive calls are often equal, and planning takes longer than
  // launching a small kernel.
  using Key = std::tuple<std::array<double, 9>, std::array<std::int64_t, 3>, int, Derivatives, int, int>;
  thread_local std::pair<Key, TilePlan> last;
  Key key{ {}, { { counts[0], counts[1], counts[2] } }, taps, derivatives, memory.block, memory.multiprocessor };
  std::copy_n(&steps[0][0], 9, std::get<0>(key).begin());
  if (last.first != key)
  {
    const int threads = BoxThreads(derivatives);
    last.second = PlanTiles(steps,
                            counts,
                            taps,
                            static_cast<std::size_t>(memory.block),
                            static_cast<std::size_t>(memory.multiprocessor),
                            threads,
                            threads * BoxBlocks(derivatives));
    last.first = key;
  }
  TilePlan plan = last.second;
  plan.rows = static_cast<int>(counts[1]);
  plan.isAligned = isAligned;
  return plan;
}

std::array<std::int64_t, 3>
BlocksOf(const TilePlan & plan, std::int64_t samples, std::int64_t lines)
{
  const auto blocksOf = [&plan](std::int64_t count, int axis) {
    return (count + (std::int64_t{ 1 } << plan.logExtent[axis]) - 1) >> plan.logExtent[axis];
  };
  return { blocksOf(samples, 0), blocksOf(plan.rows, 1), blocksOf((lines + plan.rows - 1) / plan.rows, 2) };
}

bool
FitsGrid(const TilePlan & plan, std::int64_t samples, std::int64_t lines)
{
  if (!plan.exists)
  {
    return false;
  }
  const auto blocks = BlocksOf(plan, samples, lines);
  return blocks[1] <= MaxGridBlocks && blocks[2] <= MaxGridBlocks;
}

} // namespace itk::CudaSpline
