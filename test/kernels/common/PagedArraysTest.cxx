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
// Expected: a step finds the content that the last step wrote, whichever arrays were used in between.

#include "KernelTestData.h"

#include "Gpu.h"

#include "kernels/common/PagedArrays.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{
constexpr std::size_t Arrays = 7;

/** A random step: its arrays, and how it uses them. Undefined arrays are not read. */
std::vector<PageRequest>
RandomStep(std::mt19937_64 & random, std::size_t slots, const std::set<std::size_t> & defined)
{
  std::vector<std::size_t> all(Arrays);
  for (std::size_t which = 0; which < Arrays; ++which)
  {
    all[which] = which;
  }
  std::shuffle(all.begin(), all.end(), random);
  std::vector<PageRequest> step;
  for (std::size_t i = 0; i < 1 + random() % slots; ++i)
  {
    const auto use = defined.count(all[i]) == 0 ? PageUse::Overwrite : static_cast<PageUse>(random() % 3);
    step.push_back({ all[i], use });
  }
  return step;
}

// A length that is not a multiple of the chunks that are copied.
void
CheckContents(Backend backend)
{
  const std::size_t numbers = (backend == Backend::Cuda ? (std::size_t{ 70 } << 20) / sizeof(int) : 4096) + 13;
  ExecutionContext  context;
  context.backend = backend;
  const Residence residence(context);
  PagedArrays     arrays(Arrays, numbers * sizeof(int), 3, residence);
  EXPECT_EQ(arrays.ArePaged(), backend == Backend::Cuda);
  FreshRandom           random;
  std::vector<int>      expected(Arrays, -1);
  std::set<std::size_t> defined;
  std::vector<int>      host(numbers);
  for (int step = 0; step < 60; ++step)
  {
    const std::vector<PageRequest> requests = RandomStep(random.Engine(), 1, defined);
    const PageRequest              request[1] = { requests[0] };
    void * const                   memory = arrays.Use(request)[0];
    const std::size_t              which = request[0].which;
    if (request[0].use != PageUse::Overwrite)
    {
      Download(host.data(), memory, arrays.Bytes(), residence);
      for (const std::size_t i : { std::size_t{ 0 }, numbers / 2, numbers - 1 })
      {
        ASSERT_EQ(host[i], expected[which] + static_cast<int>(i)) << "step " << step << ", array " << which;
      }
    }
    if (request[0].use != PageUse::Read)
    {
      expected[which] = 100000000 + 1000 * step;
      std::iota(host.begin(), host.end(), expected[which]);
      Upload(memory, host.data(), arrays.Bytes(), residence);
    }
    defined.insert(which);
  }
}
} // namespace

// Slots and homes are numbers here: a move copies them as PagedArrays would.
TEST(PagedArrays, TableKeepsContents)
{
  FreshRandom       fresh;
  std::mt19937_64 & random = fresh.Engine();
  for (std::size_t slots = 1; slots <= Arrays; ++slots)
  {
    PageTable             table(Arrays, slots);
    std::vector<int>      inSlots(slots, -1);
    std::vector<int>      homes(Arrays, -1);
    std::vector<int>      expected(Arrays, -1);
    std::set<std::size_t> defined;
    for (int step = 0; step < 2000; ++step)
    {
      const std::vector<PageRequest> requests = RandomStep(random, slots, defined);
      for (const PageTable::Move & move : table.Use(requests))
      {
        ASSERT_LT(move.slot, slots);
        if (move.saves)
        {
          homes[move.evicted] = inSlots[move.slot];
        }
        inSlots[move.slot] = move.loads ? homes[move.which] : -1;
      }
      std::set<std::size_t> used;
      for (const PageRequest & request : requests)
      {
        const std::size_t slot = table.SlotOf(request.which);
        ASSERT_NE(slot, PageTable::None);
        EXPECT_TRUE(used.insert(slot).second) << "two arrays of a step are in slot " << slot;
        if (request.use != PageUse::Overwrite)
        {
          ASSERT_EQ(inSlots[slot], expected[request.which]) << slots << " slots, step " << step;
        }
        if (request.use != PageUse::Read)
        {
          inSlots[slot] = expected[request.which] = step;
        }
        defined.insert(request.which);
      }
      if (random() % 5 == 0)
      {
        const std::size_t dropped = random() % Arrays;
        table.Drop(dropped);
        defined.erase(dropped);
      }
    }
  }
}

TEST(PagedArrays, TableCopiesNoMoreThanNeeded)
{
  PageTable table(3, 2);
  EXPECT_EQ(table.Use({ { 0, PageUse::Overwrite }, { 1, PageUse::Overwrite } }).size(), 2U);
  const auto third = table.Use({ { 2, PageUse::Overwrite }, { 1, PageUse::Read } }); // in place of 0, which changed
  ASSERT_EQ(third.size(), 1U);
  EXPECT_EQ(third[0].evicted, 0U);
  EXPECT_TRUE(third[0].saves);
  EXPECT_FALSE(third[0].loads);
  table.Drop(2);
  const auto again = table.Use({ { 0, PageUse::Read } }); // in place of 2, which is not needed
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].evicted, 2U);
  EXPECT_FALSE(again[0].saves);
  EXPECT_TRUE(again[0].loads);
  EXPECT_TRUE(table.Use({ { 0, PageUse::Read }, { 1, PageUse::Read } }).empty());
  const auto back = table.Use({ { 2, PageUse::Overwrite }, { 1, PageUse::Read } }); // 0 did not change
  ASSERT_EQ(back.size(), 1U);
  EXPECT_FALSE(back[0].saves);
}

TEST(PagedArrays, TableRefuses)
{
  PageTable table(3, 2);
  EXPECT_THROW(table.Use({ { 0, PageUse::Read } }), std::invalid_argument) << "it was never written";
  EXPECT_THROW(table.Use({ { 0, PageUse::Overwrite }, { 1, PageUse::Overwrite }, { 2, PageUse::Overwrite } }),
               std::invalid_argument)
    << "there are 2 slots";
}

TEST(PagedArrays, ContentsSurviveOnHost)
{
  CheckContents(Backend::Cpu);
}

TEST(PagedArraysGpu, ContentsSurviveOnDevice)
{
  CUDASPLINE_NEEDS_GPU();
  CheckContents(Backend::Cuda);
}
