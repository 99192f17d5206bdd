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
// Rounding of outputs to integers. Expected: the real output of the same resampling, rounded by StoreScalar(); on the
// host to the bit, for each code path. A device uses other kernels for real outputs, whose values may differ by
// rounding errors: there integers may differ by 1 where the real value is that close to a half.

#include "ResampleCase.h"

#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/math/StoredType.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

class ResampleRounding : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (this->GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  ExecutionContext
  Context() const
  {
    return this->GetParam() ? Cuda() : ExecutionContext();
  }

  /** Expects integers to be rounded real values.
   *
   * \param[in] integers output of the type \p type
   * \param[in] reals output of the type \p real
   * \param[in] bound maximum difference of the real values of two kernels of a device */
  void
  ExpectRounded(const std::vector<unsigned char> & integers,
                StoredType                         type,
                const std::vector<unsigned char> & reals,
                ScalarType                         real,
                std::uint64_t                      outside,
                double                             bound) const
  {
    const std::size_t count = integers.size() / SizeOf(type);
    ASSERT_EQ(count, reals.size() / SizeOf(real));
    std::size_t rounded = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
      const auto          at = static_cast<std::int64_t>(i);
      const double        value = LoadScalar<double>(reals.data(), real, at);
      const double        found = LoadScalar<double>(integers.data(), type, at);
      const std::uint64_t bits = LoadBits(integers.data(), at, SizeOf(type));
      std::uint64_t       expectedBits = 0;
      StoreScalar(&expectedBits, type, 0, value);
      if (LoadBits(reals.data(), at, SizeOf(real)) == outside)
      {
        continue;
      }
      rounded += value != std::trunc(value) ? 1 : 0;
      const bool isNearHalf = std::abs(std::abs(value - std::floor(value)) - 0.5) <= bound;
      if (bits != expectedBits && this->GetParam() && isNearHalf)
      {
        EXPECT_LE(std::abs(found - value), 0.5 + bound) << i;
        continue;
      }
      ASSERT_EQ(bits, expectedBits) << i << ": " << value << " became " << found;
    }
    if (count > 1000)
    {
      EXPECT_GT(rounded, 0U); // otherwise nothing is tested
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, ResampleRounding, testing::Bool(), [](const testing::TestParamInfo<bool> & test) {
  return std::string(test.param ? "Gpu" : "Cpu");
});

struct Method
{
  Interpolation interpolation;
  unsigned int  order;
};

const std::vector<Method> Methods{ { Interpolation::Nearest, 0 },          { Interpolation::Linear, 0 },
                                   { Interpolation::BSpline, 0 },          { Interpolation::BSpline, 1 },
                                   { Interpolation::BSpline, 3 },          { Interpolation::BSpline, 5 },
                                   { Interpolation::CubicConvolution, 0 }, { Interpolation::WindowedSinc, 0 } };

TEST_P(ResampleRounding, Scanlines)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const Method & method : Methods)
    {
      for (const ScalarType integer : { ScalarType::UInt8, ScalarType::Int16, ScalarType::Int32 })
      {
        const ScalarType element = integer == ScalarType::Int32 ? ScalarType::Float64 : ScalarType::Float32;
        // With double elements values are stored as they are computed: sums of windowed sincs are double.
        Case test = MakeCase(shape, element, ScalarType::Float64, method.interpolation, method.order, element, random);
        test.resample.defaultPixel = 0x7F800001; // not a rounded real value
        const auto reals = Compute(test, this->Context());
        test.resample.output = { integer, IntegerRounding::HalfToEven };
        const auto integers = Compute(test, this->Context());
        SCOPED_TRACE(NameOf(method.interpolation) + std::to_string(method.order) + " to " + NameOf(integer));
        this->ExpectRounded(integers,
                            test.resample.output,
                            reals,
                            ScalarType::Float64,
                            test.resample.defaultPixel,
                            Agreement(test) + 1e-6);
      }
    }
  }
}

/** Values at points are rounded by the same rule. */
TEST_P(ResampleRounding, Points)
{
  FreshRandom               random;
  const std::vector<double> places{ 0.5, 1.25, 2.5, 3.5, 1.5, 0.75, 2.0, 1.0 };
  const std::vector<float>  pixels{ 0, 1, 2, 5, 6 };
  SourceDescriptor          descriptor = MakeDescriptor({ 5 }, ScalarType::Float32, ScalarType::Float32, 0);
  const auto                source = MakeSource(descriptor, pixels.data(), this->Context());
  PointsDescriptor          points;
  points.interpolation = Interpolation::Linear;
  points.lower[0] = -0.5;
  points.upper[0] = 4.5;
  points.count = static_cast<std::int64_t>(places.size());
  points.points = places.data();
  std::vector<std::int16_t> values(places.size());
  points.output = { ScalarType::Int16, IntegerRounding::HalfToEven };
  points.values = values.data();
  SamplePoints(points, *source, this->Context());
  EXPECT_EQ(values, (std::vector<std::int16_t>{ 0, 1, 4, 6, 2, 1, 2, 1 })); // from 0.5 1.25 3.5 5.5 1.5 0.75 2 1
  points.output = ScalarType::Int16;
  SamplePoints(points, *source, this->Context());
  EXPECT_EQ(values, (std::vector<std::int16_t>{ 0, 1, 3, 5, 1, 0, 2, 1 }));
}

/** Samples of real images with extensions are rounded, too. */
TEST_P(ResampleRounding, Outside)
{
  FreshRandom random;
  Case        test = MakeCase(
    { 9, 8, 7 }, ScalarType::Float32, ScalarType::Float32, Interpolation::Linear, 0, ScalarType::Float32, random);
  for (std::size_t i = 0; i < test.pixels.size() / sizeof(float); ++i)
  {
    StoreScalar(test.pixels.data(), ScalarType::Float32, static_cast<std::int64_t>(i), 2.75);
  }
  const auto source = MakeSource(test.source, test.pixels.data(), this->Context());
  test.resample.scanlineEnds = test.ends.data();
  test.resample.extrapolation = source.get();
  test.resample.output = { ScalarType::UInt8, IntegerRounding::HalfToEven };
  std::vector<unsigned char> output(static_cast<std::size_t>(test.resample.samples * test.resample.lines));
  Resample(test.resample, *source, output.data(), this->Context());
  const auto threes = std::count(output.begin(), output.end(), 3);
  EXPECT_EQ(threes, static_cast<std::ptrdiff_t>(output.size() - static_cast<std::size_t>(test.resample.samples)));
}

} // namespace
