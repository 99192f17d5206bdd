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
// Folding of indices.
//
// Expected values: lines written out by hand as SciPy's documentation of scipy.ndimage draws them (mirror, reflect,
// grid-wrap), and a brute-force construction that writes the extended line sample by sample. Integers: no tolerance.

#include "itkCudaSpline/math/Extension.h"

#include "RandomData.h"
#include "ReferenceSpline.h"
#include "TestOrders.h"

#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Extension;
using itk::CudaSpline::FoldIndex;

std::string
Extended(const std::string & line, Extension extension, std::int64_t from, std::int64_t to)
{
  std::string result;
  for (std::int64_t k = from; k <= to; ++k)
  {
    result += line[static_cast<std::size_t>(FoldIndex(k, static_cast<std::int64_t>(line.size()), extension))];
  }
  return result;
}

TEST(Extension, AsSciPyDrawsThem)
{
  EXPECT_EQ(Extended("abcd", Extension::Mirror, -3, 6), "dcbabcdcba");
  EXPECT_EQ(Extended("abcd", Extension::Mirror, -7, 10), "babcdcbabcdcbabcdc");
  EXPECT_EQ(Extended("abcd", Extension::Reflect, -4, 7), "dcbaabcddcba");
  EXPECT_EQ(Extended("abcd", Extension::GridWrap, -4, 7), "abcdabcdabcd");
  EXPECT_EQ(Extended("ab", Extension::Mirror, -3, 4), "babababa");
  EXPECT_EQ(Extended("ab", Extension::Reflect, -4, 5), "abbaabbaab");
  EXPECT_EQ(Extended("a", Extension::Mirror, -5, 5), "aaaaaaaaaaa");
  EXPECT_EQ(Extended("a", Extension::Reflect, -5, 5), "aaaaaaaaaaa");
  EXPECT_EQ(Extended("a", Extension::GridWrap, -5, 5), "aaaaaaaaaaa");
}

/** Goes from sample 0 to the index step by step, and reverses at the ends as the rule requires. */
std::int64_t
Walk(std::int64_t index, std::int64_t size, Extension extension)
{
  // Two states: the sample, and whether samples rise with the index. Reflect stays one step on the end sample.
  std::int64_t sample = 0;
  bool         rising = true;
  for (std::int64_t step = 0; step != index; step += index < 0 ? -1 : 1)
  {
    const bool         up = (index > 0) == rising;
    const std::int64_t next = sample + (up ? 1 : -1);
    if (next >= 0 && next < size)
    {
      sample = next;
    }
    else if (extension == Extension::GridWrap)
    {
      sample = up ? 0 : size - 1;
    }
    else
    {
      rising = !rising;
      if (extension == Extension::Mirror && size > 1)
      {
        sample += up ? -1 : 1;
      }
    }
  }
  return sample;
}

TEST(Extension, BruteForce)
{
  for (const Extension extension : AllExtensions())
  {
    for (std::int64_t size = 1; size <= 7; ++size)
    {
      const std::vector<std::int64_t> period = ExtensionPeriod(size, extension);
      for (std::int64_t index = -40; index <= 40; ++index)
      {
        const std::int64_t folded = FoldIndex(index, size, extension);
        EXPECT_EQ(folded, Walk(index, size, extension)) << "size " << size << ", index " << index;
        EXPECT_EQ(folded, ReferenceFold(index, period)) << "size " << size << ", index " << index;
        EXPECT_EQ(FoldIndex(folded, size, extension), folded) << "idempotent";
        EXPECT_EQ(FoldIndex(index + static_cast<std::int64_t>(period.size()), size, extension), folded) << "periodic";
      }
    }
  }
}

TEST(Extension, SymmetriesFarOut)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 2000; ++trial)
  {
    const std::int64_t size = random.Integer(2, std::int64_t(1) << 33);
    const std::int64_t index = random.Integer(-(std::int64_t(1) << 60), std::int64_t(1) << 60);
    const auto         mirror = [size](std::int64_t i) { return FoldIndex(i, size, Extension::Mirror); };
    const auto         reflect = [size](std::int64_t i) { return FoldIndex(i, size, Extension::Reflect); };
    const auto         wrap = [size](std::int64_t i) { return FoldIndex(i, size, Extension::GridWrap); };
    EXPECT_EQ(mirror(-index), mirror(index));
    EXPECT_EQ(mirror(size - 1 + index), mirror(size - 1 - index));
    EXPECT_EQ(reflect(-1 - index), reflect(index));
    EXPECT_EQ(reflect(size + index), reflect(size - 1 - index));
    EXPECT_EQ(wrap(index + size), wrap(index));
    for (const Extension extension : AllExtensions())
    {
      EXPECT_GE(FoldIndex(index, size, extension), 0);
      EXPECT_LT(FoldIndex(index, size, extension), size);
    }
  }
}

} // namespace
