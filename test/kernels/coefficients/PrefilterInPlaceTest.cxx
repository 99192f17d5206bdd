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
// Expected: the same bits as Prefilter() from another array, for every order and for planes of components.

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "../common/KernelTestData.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{
const std::vector<std::vector<std::int64_t>> Shapes{ { 1 },      { 500 },        { 3, 70 },
                                                     { 40, 33 }, { 20, 30, 11 }, { 4, 5, 6, 7 } };
} // namespace

TEST(PrefilterInPlace, OnTheHostIsWhatItIsElsewhere)
{
  FreshRandom random;
  for (const auto & shape : Shapes)
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        SCOPED_TRACE(testing::Message() << "order " << order << ", type " << NameOf(type) << ", first size "
                                        << shape[0]);
        SourceDescriptor descriptor = MakeDescriptor(shape, type, type, order);
        const auto       first = RandomPixels(type, descriptor.Count(), random);
        const auto       second = RandomPixels(type, descriptor.Count(), random);
        auto             expected = first;
        Prefilter(descriptor, first.data(), expected.data(), {});
        auto both = first;
        both.insert(both.end(), second.begin(), second.end());
        descriptor.components = 2;
        PrefilterInPlace(descriptor, both.data(), {});
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), both.begin())) << "first plane";
        descriptor.components = 1;
        Prefilter(descriptor, second.data(), expected.data(), {});
        EXPECT_TRUE(
          std::equal(expected.begin(), expected.end(), both.begin() + static_cast<std::ptrdiff_t>(first.size())))
          << "second plane";
      }
    }
  }
}

TEST(PrefilterInPlace, RefusesWhatIsNotReal)
{
  std::vector<float> elements(8);
  EXPECT_THROW(PrefilterInPlace(MakeDescriptor({ 8 }, ScalarType::Int32, ScalarType::Float32, 3), elements.data(), {}),
               std::invalid_argument);
  EXPECT_THROW(PrefilterInPlace(MakeDescriptor({ 8 }, ScalarType::Int32, ScalarType::Int32, 0), elements.data(), {}),
               std::invalid_argument);
  EXPECT_THROW(
    PrefilterInPlace(MakeDescriptor({ 8 }, ScalarType::Float32, ScalarType::Float64, 3), elements.data(), {}),
    std::invalid_argument);
}
