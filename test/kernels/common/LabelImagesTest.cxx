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
#include "itkCudaSpline/kernels/common/LabelImages.h"

#include "../common/KernelTestData.h"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace CudaSplineTest;

namespace
{

template <typename TPixel>
bool
AreLabels(const std::vector<TPixel> & pixels)
{
  return LooksLikeLabels(pixels.data(), ScalarTypeOf<TPixel>(), static_cast<std::int64_t>(pixels.size()));
}

/** Returns pixels with a number of distinct values of equal frequency. */
template <typename TPixel>
std::vector<TPixel>
PixelsOf(int values, int count, int factor = 1)
{
  std::vector<TPixel> pixels;
  for (int i = 0; i < count; ++i)
  {
    pixels.push_back(static_cast<TPixel>(i % values * factor));
  }
  return pixels;
}

template <typename TPixel>
void
ExpectThresholds()
{
  EXPECT_TRUE(AreLabels(PixelsOf<TPixel>(2, 32)));
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(2, 31)));   // 16 pixels per value
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(1, 1000))); // values of a constant image cannot be mixed
  EXPECT_TRUE(AreLabels(PixelsOf<TPixel>(120, 100000)));
  EXPECT_FALSE(AreLabels(std::vector<TPixel>()));
}

TEST(LabelImages, Thresholds)
{
  ExpectThresholds<std::uint8_t>();
  ExpectThresholds<std::int8_t>();
  ExpectThresholds<std::uint16_t>();
  ExpectThresholds<std::int16_t>();
  ExpectThresholds<std::uint32_t>();
  ExpectThresholds<std::int32_t>();
  ExpectThresholds<std::uint64_t>();
  ExpectThresholds<std::int64_t>();
  EXPECT_TRUE(AreLabels(PixelsOf<std::int16_t>(128, 128 * 16, -200)));
  EXPECT_FALSE(AreLabels(PixelsOf<std::int16_t>(129, 129 * 16, -200)));
}

/** Whole numbers of a real type are labels if there are at least 3; mixtures of 0 and 1 are fractions. */
template <typename TPixel>
void
ExpectWholeNumbers()
{
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(2, 1000)));
  EXPECT_TRUE(AreLabels(PixelsOf<TPixel>(3, 48)));
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(3, 47)));
  EXPECT_TRUE(AreLabels(PixelsOf<TPixel>(128, 128 * 16, -200)));
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(129, 129 * 16, -200)));
  EXPECT_TRUE(AreLabels(PixelsOf<TPixel>(3, 48, 1 << 23)));
  EXPECT_FALSE(AreLabels(PixelsOf<TPixel>(3, 48, (1 << 23) + 1)));
  for (const double other : { 0.5, -1e-6, std::nan(""), HUGE_VAL })
  {
    std::vector<TPixel> pixels = PixelsOf<TPixel>(5, 10000);
    EXPECT_TRUE(AreLabels(pixels));
    pixels[7777] = static_cast<TPixel>(other);
    EXPECT_FALSE(AreLabels(pixels)) << other;
  }
}

TEST(LabelImages, WholeNumbersOfRealTypes)
{
  ExpectWholeNumbers<float>();
  ExpectWholeNumbers<double>();
}

/** Values that are not in the sample of pixels are found, too. */
TEST(LabelImages, FewPixelsWithOtherValues)
{
  std::vector<std::int32_t> pixels(1000000, 7);
  EXPECT_FALSE(AreLabels(pixels));
  for (int i = 0; i < 128; ++i)
  {
    pixels[static_cast<std::size_t>(600001 + i)] = 1000000 + i;
  }
  EXPECT_FALSE(AreLabels(pixels));
  pixels[600001] = 7;
  EXPECT_TRUE(AreLabels(pixels));
}

} // namespace
