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
#include "itkCudaSpline/math/ValueRange.h"

#include "RandomData.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace
{

using itk::CudaSpline::ValueRange;

/** The loop of ITK's metric. */
template <typename TValue>
void
ExpectLoop(const std::vector<TValue> & values, const ValueRange<TValue> & range)
{
  TValue least = std::numeric_limits<TValue>::max();
  TValue greatest = std::numeric_limits<TValue>::lowest();
  for (const TValue value : values)
  {
    least = least < value ? least : value;
    greatest = greatest > value ? greatest : value;
  }
  const auto isSame = [](TValue a, TValue b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_TRUE(isSame(least, range.GetLeast())) << least << " is not " << range.GetLeast();
  EXPECT_TRUE(isSame(greatest, range.GetGreatest())) << greatest << " is not " << range.GetGreatest();
}

template <typename TValue>
void
CompareParts()
{
  constexpr TValue       infinity = std::numeric_limits<TValue>::infinity();
  CudaSplineTest::Random random(__LINE__);
  for (int list = 0; list < 2000; ++list)
  {
    // Few values of many kinds, so that each kind is the first, the last and the only one of a part.
    std::vector<TValue> values(static_cast<std::size_t>(random.Integer(0, 8)));
    for (TValue & value : values)
    {
      const double kind = random.Uniform(0.0, 10.0);
      value = kind < 1.0   ? std::numeric_limits<TValue>::quiet_NaN()
              : kind < 2.0 ? infinity
              : kind < 3.0 ? -infinity
                           : static_cast<TValue>(random.Uniform(-9.0, 9.0));
    }
    ValueRange<TValue> range;
    for (std::size_t begin = 0; begin < values.size();)
    {
      const auto         left = static_cast<std::int64_t>(values.size() - begin);
      const auto         count = static_cast<std::size_t>(random.Integer(0, left));
      ValueRange<TValue> part;
      const std::size_t  half = count / 2;
      part.Add(values.data() + begin, half);
      part.Add(values.data() + begin + half, count - half);
      range.Append(part);
      begin += count;
    }
    ExpectLoop(values, range);
  }
}

TEST(ValueRange, PartsAreTheLoopOfItk)
{
  CompareParts<float>();
  CompareParts<double>();
}

TEST(ValueRange, EmptyListsAreWhatTheLoopBeginsWith)
{
  ExpectLoop<float>({}, ValueRange<float>());
  ValueRange<double> range;
  range.Append(ValueRange<double>());
  range.Add(nullptr, 0);
  ExpectLoop<double>({}, range);
}

} // namespace
