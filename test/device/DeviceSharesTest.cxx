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
// How several devices divide steps and arrays. Expected: each item belongs to exactly one device, in order, and the shares
// differ by at most one item.

#include "device/DeviceShares.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace itk::CudaSpline;

TEST(DeviceShares, RangesCoverAllItemsOnce)
{
  for (const std::int64_t items :
       { std::int64_t{ 1 }, std::int64_t{ 7 }, std::int64_t{ 64 }, std::int64_t{ 1001 }, std::int64_t{ 1 } << 60 })
  {
    for (const std::size_t devices : { 1U, 2U, 3U, 8U })
    {
      std::int64_t next = 0;
      for (std::size_t number = 0; number < devices; ++number)
      {
        const ItemRange range = RangeOf(items, number, devices);
        EXPECT_EQ(range.first, next);
        EXPECT_GE(range.count, items / static_cast<std::int64_t>(devices));
        EXPECT_LE(range.count, items / static_cast<std::int64_t>(devices) + 1);
        next += range.count;
      }
      EXPECT_EQ(next, items);
    }
  }
}

TEST(DeviceShares, SmallArraysAreOnTheFirstDevice)
{
  constexpr std::size_t granularity = std::size_t(1) << 21;
  EXPECT_EQ(StripesOf(1, 3, granularity), (std::vector<std::size_t>{ granularity, 0, 0 }));
  EXPECT_EQ(StripesOf(MinStripedBytes - 1, 2, granularity), (std::vector<std::size_t>{ MinStripedBytes, 0 }));
}

TEST(DeviceShares, LargeArraysHaveStripesOfWholePages)
{
  constexpr std::size_t granularity = std::size_t(1) << 21;
  for (const std::size_t bytes : { MinStripedBytes, MinStripedBytes + 1, 37 * granularity - 5 })
  {
    for (const std::size_t devices : { 1U, 2U, 3U, 8U })
    {
      const std::vector<std::size_t> stripes = StripesOf(bytes, devices, granularity);
      ASSERT_EQ(stripes.size(), devices);
      for (const std::size_t stripe : stripes)
      {
        EXPECT_EQ(stripe % granularity, 0U);
        EXPECT_GT(stripe, 0U);
      }
      EXPECT_EQ(std::accumulate(stripes.begin(), stripes.end(), std::size_t{ 0 }),
                (bytes + granularity - 1) / granularity * granularity);
    }
  }
}
