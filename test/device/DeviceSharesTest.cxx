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
// How several devices divide steps and arrays. Expected: each item belongs to exactly one device, in order, and the
// shares differ by at most one item.

#include "device/DeviceShares.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace itk::CudaSpline;

namespace
{
constexpr std::size_t Page = std::size_t(1) << 21;

std::size_t
PagesOf(std::size_t bytes)
{
  return (bytes + Page - 1) / Page;
}
} // namespace

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
  for (const std::size_t bytes : { std::size_t{ 1 }, MinStripedBytes - 1 })
  {
    const std::vector<Stripe> stripes = StripesOf(bytes, 3, Page);
    ASSERT_EQ(stripes.size(), 1U);
    EXPECT_EQ(stripes[0].device, 0U);
    EXPECT_EQ(stripes[0].bytes, PagesOf(bytes) * Page);
  }
}

TEST(DeviceShares, LargeArraysAreDividedEqually)
{
  for (const std::size_t bytes : { MinStripedBytes, MinStripedBytes + 1, 37 * Page - 5 })
  {
    for (const std::size_t devices : { 1U, 2U, 3U, 8U })
    {
      const std::vector<Stripe> stripes = StripesOf(bytes, devices, Page);
      ASSERT_EQ(stripes.size(), devices);
      std::size_t all = 0;
      for (std::size_t number = 0; number < devices; ++number)
      {
        EXPECT_EQ(stripes[number].device, number);
        EXPECT_EQ(stripes[number].bytes % Page, 0U);
        // Half a page at each end, and what the last page has after the array.
        EXPECT_NEAR(static_cast<double>(stripes[number].bytes),
                    static_cast<double>(bytes) / static_cast<double>(devices),
                    1.5 * static_cast<double>(Page));
        all += stripes[number].bytes;
      }
      EXPECT_EQ(all, PagesOf(bytes) * Page);
    }
  }
}

TEST(DeviceShares, EachArrayIsDividedSeparately)
{
  constexpr std::size_t     devices = 2;
  const std::vector<Stripe> stripes = StripesOf(100 * Page, devices, Page, { 20 * Page, 60 * Page });
  ASSERT_EQ(stripes.size(), 3 * devices);
  for (std::size_t number = 0; number < stripes.size(); ++number)
  {
    EXPECT_EQ(stripes[number].device, number % devices);
    EXPECT_EQ(stripes[number].bytes, (number / devices == 1 ? 20 : (number / devices == 0 ? 10 : 20)) * Page);
  }
}
