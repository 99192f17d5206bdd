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
#include "itkCudaSpline/kernels/common/NonFiniteValues.h"

#include "../common/KernelTestData.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

template <typename TPixel>
void
ExpectCount(const HostExecutor & host)
{
  const auto count = [&host](const std::vector<TPixel> & pixels) {
    return CountNonFiniteValues(pixels.data(), ScalarTypeOf<TPixel>(), static_cast<std::int64_t>(pixels.size()), host);
  };
  EXPECT_EQ(count({}), 0);
  std::vector<TPixel> pixels(200001, std::numeric_limits<TPixel>::max());
  pixels[3] = std::numeric_limits<TPixel>::lowest();
  pixels[4] = std::numeric_limits<TPixel>::denorm_min();
  EXPECT_EQ(count(pixels), 0);
  pixels[0] = pixels[65536] = std::numeric_limits<TPixel>::quiet_NaN();
  pixels[65535] = std::numeric_limits<TPixel>::infinity();
  pixels.back() = -std::numeric_limits<TPixel>::infinity();
  EXPECT_EQ(count(pixels), 4);
}

TEST(NonFiniteValues, AreCounted)
{
  ExpectCount<float>(HostExecutor());
  ExpectCount<double>(HostExecutor());
  ExpectCount<float>(ThreadExecutor(3));
  ExpectCount<double>(ThreadExecutor(3));
  const std::vector<std::int32_t> integers(10, -1);
  EXPECT_EQ(CountNonFiniteValues(integers.data(), ScalarType::Int32, 10, HostExecutor()), 0);
}

} // namespace
