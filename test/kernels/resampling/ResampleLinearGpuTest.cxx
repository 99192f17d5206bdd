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
// Expected: linear interpolation along scanlines gives the same bits as the kernel for lists of points, for each
// representation of the samples.

#include "ScanlineCase.h"

using namespace CudaSplineTest;

// From the second evaluation on, linear interpolation reads a texture, in which slices are arranged in several columns
// of one or more slices.
TEST(ResampleLinearGpu, ManyShapes)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom  random;
  std::int64_t inside = 0;
  for (const auto & input : std::vector<std::vector<std::int64_t>>{ { 5, 9000, 7 },
                                                                    { 9, 20000, 5 },
                                                                    { 3, 40000, 4 },
                                                                    { 7, 3, 5000 },
                                                                    { 20000, 3, 4 },
                                                                    { 2, 2, 2 },
                                                                    { 64, 33, 70 } })
  {
    for (const std::size_t map : { 0U, 5U })
    {
      Case test = FloatCase(input, Interpolation::Linear, 0, random);
      PlaceOutput(test, Maps()[map], { 61, 70, 45 }, 0.0, random);
      SCOPED_TRACE(testing::Message() << "input of " << input[0] << " x " << input[1] << " x " << input[2]);
      Check(test, true, inside);
    }
  }
  EXPECT_GT(inside, 1000);
}

TEST(ResampleLinearGpu, EveryPixelType)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const ScalarType output : { ScalarType::UInt8, ScalarType::Int16, ScalarType::Int32, ScalarType::Float64 })
  {
    Case test =
      MakeCase({ 61, 47, 39 }, ScalarType::Int16, output, Interpolation::Linear, 0, ScalarType::Float32, random);
    test.resample.singleCoordinates = false;
    PlaceOutput(test, Maps()[0], OutputSizes[0], 0.0, random);
    ResampleDescriptor resample = test.resample;
    resample.scanlineEnds = test.ends.data();
    const auto                 source = MakeSource(test.source, test.pixels.data(), Cuda());
    const auto                 bytes = static_cast<std::size_t>(resample.samples * resample.lines) * SizeOf(output);
    std::vector<unsigned char> first(bytes, 1);
    std::vector<unsigned char> second(bytes, 2);
    Resample(resample, *source, first.data(), Cuda());
    Resample(resample, *source, second.data(), Cuda());
    EXPECT_TRUE(first == second) << NameOf(output);
    const auto   expected = Compute(test, ExecutionContext());
    const double bound = output == ScalarType::Float64 ? Agreement(test) : 1.0;
    std::int64_t differ = 0;
    for (std::int64_t i = 0; i < resample.samples * resample.lines; ++i)
    {
      const auto cuda = LoadScalar<double>(first.data(), output, i);
      const auto cpu = LoadScalar<double>(expected.data(), output, i);
      ASSERT_NEAR(cuda, cpu, bound) << NameOf(output);
      differ += output != ScalarType::Float64 && cuda != cpu ? 1 : 0;
    }
    EXPECT_LT(differ, resample.samples * resample.lines / 1000) << NameOf(output) << ": rounded otherwise";
  }
}
