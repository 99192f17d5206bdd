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
// Expected: equal checksums for equal bytes, different ones for every change within one word (which is a theorem of the
// construction), and independence of the number of threads.

#include "itkCudaSpline/kernels/coefficients/ContentChecksum.h"
#include "../common/KernelTestData.h"

#include <algorithm>

using namespace CudaSplineTest;

TEST(ContentChecksum, SeesEveryChangedByte)
{
  FreshRandom                random;
  std::vector<unsigned char> data = RandomPixels(ScalarType::UInt8, 1003, random);
  const ExecutionContext     context;
  const std::uint64_t        before = ContentChecksum(data.data(), data.size(), context);
  for (unsigned char & byte : data)
  {
    const unsigned char kept = byte;
    byte = static_cast<unsigned char>(kept ^ (1U << (random.Engine()() % 8)));
    EXPECT_NE(ContentChecksum(data.data(), data.size(), context), before);
    byte = kept;
  }
  EXPECT_EQ(ContentChecksum(data.data(), data.size(), context), before);
}

TEST(ContentChecksum, DependsOnLengthAndOrder)
{
  const std::vector<unsigned char> zeros(64, 0);
  const ExecutionContext           context;
  EXPECT_NE(ContentChecksum(zeros.data(), 63, context), ContentChecksum(zeros.data(), 64, context));
  EXPECT_NE(ContentChecksum(zeros.data(), 0, context), ContentChecksum(zeros.data(), 1, context));
  // Parts of 1 MB have their own checksums: exchanged parts must be noticed.
  FreshRandom                random;
  std::vector<unsigned char> data = RandomPixels(ScalarType::UInt8, 2 << 20, random);
  const std::uint64_t        before = ContentChecksum(data.data(), data.size(), context);
  std::swap_ranges(data.begin(), data.begin() + (1 << 20), data.begin() + (1 << 20));
  EXPECT_NE(ContentChecksum(data.data(), data.size(), context), before);
}

TEST(ContentChecksum, DoesNotDependOnThreads)
{
  FreshRandom                      random;
  const std::vector<unsigned char> data = RandomPixels(ScalarType::UInt8, (5 << 20) + 13, random);
  const std::uint64_t              expected = ContentChecksum(data.data(), data.size(), ExecutionContext());
  for (const unsigned int threads : { 1U, 2U, 3U, 7U, 16U })
  {
    const ThreadExecutor executor(threads);
    ExecutionContext     context;
    context.host = &executor;
    EXPECT_EQ(ContentChecksum(data.data(), data.size(), context), expected) << threads << " threads";
  }
}
