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
// The division of lines among blocks. Expected: manually computed cases, and for random ones the promises of the
// division, by a simple search over all lengths.

#include "kernels/coefficients/lines/SegmentsOfPart.h"
#include "../common/KernelTestData.h"

#include <gtest/gtest.h>

using namespace CudaSplineTest;

namespace
{

std::int64_t
Steps(std::int64_t segments, std::int64_t groups, std::int64_t slots, std::int64_t extra, std::int64_t perPart)
{
  const std::int64_t parts = (segments + perPart - 1) / perPart;
  return (groups * parts + slots - 1) / slots * (perPart + extra);
}

} // namespace

TEST(SegmentsOfPart, CasesByHand)
{
  EXPECT_EQ(SegmentsOfPart(1, 1, 100, 1), 1);      // cannot be divided
  EXPECT_EQ(SegmentsOfPart(16, 2048, 528, 1), 16); // 4 rounds of 17 steps; halves: 8 of 9
  EXPECT_EQ(SegmentsOfPart(8, 256, 264, 1), 8);    // a round of 9; halves: 2 of 5
  EXPECT_EQ(SegmentsOfPart(128, 1, 16, 1), 8);     // 16 parts fill the device: one round of 9
  EXPECT_EQ(SegmentsOfPart(128, 16, 256, 1), 8);   // the same
  EXPECT_EQ(SegmentsOfPart(100, 1, 1000, 0), 1);   // more blocks than parts
}

TEST(SegmentsOfPart, NoWorseThanWholeLinesAndThanAFewRounds)
{
  FreshRandom random;
  for (int i = 0; i < 2000; ++i)
  {
    const auto number = [&random](std::int64_t most) {
      return 1 + static_cast<std::int64_t>(random.Engine()() % static_cast<std::uint64_t>(most));
    };
    const std::int64_t segments = number(200);
    const std::int64_t groups = number(3000);
    const std::int64_t slots = number(1000);
    const std::int64_t extra = number(4) - 1;
    const std::int64_t perPart = SegmentsOfPart(segments, groups, slots, extra);
    const std::string  name = std::to_string(segments) + " segments, " + std::to_string(groups) + " groups, " +
                             std::to_string(slots) + " slots, " + std::to_string(extra) + " more";
    ASSERT_GE(perPart, 1) << name;
    ASSERT_LE(perPart, segments) << name;
    const std::int64_t steps = Steps(segments, groups, slots, extra, perPart);
    for (std::int64_t other = 1; other <= segments; ++other)
    {
      const std::int64_t parts = (segments + other - 1) / other;
      if (groups * parts <= 2 * slots || parts <= 6)
      {
        EXPECT_LE(steps, Steps(segments, groups, slots, extra, other)) << name << ", parts of " << other;
      }
    }
  }
}
