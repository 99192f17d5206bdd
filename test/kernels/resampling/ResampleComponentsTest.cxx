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
// Pixels of several components, and samples with extensions. Expected: on the host the same bytes as for scalar images
// of the components, and as by a plain loop over the output; on a device the same as on the host, where real values
// have the tolerance of the other comparisons of backends.

#include "ResampleCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

class ResampleComponents : public testing::TestWithParam<bool>
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

  /** Expects numbers of the output type to agree: to the bit on the host. */
  void
  ExpectSame(const std::vector<unsigned char> & output,
             const std::vector<unsigned char> & expected,
             ScalarType                         type,
             double                             bound) const
  {
    ASSERT_EQ(output.size(), expected.size());
    if (!this->GetParam())
    {
      EXPECT_EQ(output, expected);
      return;
    }
    // A real value close to an integer may be truncated to that integer or the one below.
    const double tolerance = IsReal(type) ? bound : bound + 1.0;
    for (std::size_t i = 0; i < output.size() / SizeOf(type); ++i)
    {
      const auto at = static_cast<std::int64_t>(i);
      ASSERT_NEAR(LoadScalar<double>(output.data(), type, at), LoadScalar<double>(expected.data(), type, at), tolerance)
        << i;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Backend, ResampleComponents, testing::Bool(), [](const testing::TestParamInfo<bool> & test) {
  return std::string(test.param ? "Gpu" : "Cpu");
});

struct Method
{
  Interpolation interpolation;
  unsigned int  order;
};

const std::vector<Method> Methods{ { Interpolation::Nearest, 0 },     { Interpolation::Linear, 0 },
                                   { Interpolation::BSpline, 0 },     { Interpolation::BSpline, 3 },
                                   { Interpolation::BSpline, 5 },     { Interpolation::CubicConvolution, 0 },
                                   { Interpolation::WindowedSinc, 0 } };

/** Bytes of one component of interleaved pixels. */
std::vector<unsigned char>
ComponentOf(const std::vector<unsigned char> & bytes, std::size_t size, unsigned int component, unsigned int components)
{
  std::vector<unsigned char> result;
  for (std::size_t at = component * size; at < bytes.size(); at += components * size)
  {
    result.insert(result.end(), bytes.begin() + at, bytes.begin() + at + size);
  }
  return result;
}

/** The output of a case whose pixels have several components. */
std::vector<unsigned char>
ComputeComponents(const Case & test, const ResampleDescriptor & resample, const ExecutionContext & context)
{
  std::vector<unsigned char> output(static_cast<std::size_t>(resample.samples * resample.lines) *
                                      SizeOf(resample.output) * test.source.components,
                                    0xA5);
  Resample(resample, *MakeSource(test.source, test.pixels.data(), context), output.data(), context);
  return output;
}

/** A case of an interpolation method with a number of components. */
Case
MakeComponentCase(const std::vector<std::int64_t> & shape,
                  ScalarType                        pixel,
                  ScalarType                        output,
                  const Method &                    method,
                  unsigned int                      components,
                  FreshRandom &                     random)
{
  Case test = MakeCase(shape, pixel, output, method.interpolation, method.order, ScalarType::Float64, random);
  test.source.components = components;
  test.source.element = components > 1 ? ScalarType::Float64 : test.source.element; // several: real
  test.pixels = RandomPixels(pixel, test.source.Elements(), random);
  test.resample.radius = 3;
  if (method.interpolation == Interpolation::WindowedSinc)
  {
    test.source.extension.fill(Extension::Nearest);
  }
  return test;
}

} // namespace

/** Interleaved components have the same bits as separate planes. */
TEST(ResampleInterleaved, HasTheBitsOfPlanes)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const unsigned int components : { 2U, 3U, 6U })
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        for (const ScalarType output : { ScalarType::Float32, ScalarType::Float64, ScalarType::Int16 })
        {
          for (const Method method : { Methods[0], Methods[1] })
          {
            Case test = MakeComponentCase(shape, element, output, method, components, random);
            test.source.element = element;
            test.resample.scanlineEnds = test.ends.data();
            const auto planes = ComputeComponents(test, test.resample, ExecutionContext());
            test.source.isInterleaved = true;
            EXPECT_EQ(ComputeComponents(test, test.resample, ExecutionContext()), planes)
              << NameOf(method.interpolation) << ", " << components << " x " << NameOf(element) << " to "
              << NameOf(output);
          }
        }
      }
    }
  }
  Case test = MakeComponentCase({ 8, 7 }, ScalarType::Float32, ScalarType::Float32, Methods[3], 3, random);
  test.source.isInterleaved = true;
  EXPECT_THROW(MakeSource(test.source, test.pixels.data(), ExecutionContext()), std::invalid_argument);
  test = MakeComponentCase({ 8, 7 }, ScalarType::Float32, ScalarType::Float32, Methods[6], 3, random);
  test.source.isInterleaved = true;
  test.resample.scanlineEnds = test.ends.data();
  EXPECT_THROW(ComputeComponents(test, test.resample, ExecutionContext()), std::invalid_argument);
}

TEST_P(ResampleComponents, AreThoseOfScalarImages)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const Method & method : Methods)
    {
      for (const ScalarType output : { ScalarType::Float64, ScalarType::Float32, ScalarType::UInt8 })
      {
        const auto components = 2 + static_cast<unsigned int>(random.Engine()() % 3);
        const auto test = MakeComponentCase(
          shape, output == ScalarType::UInt8 ? output : ScalarType::Float32, output, method, components, random);
        SCOPED_TRACE(std::to_string(shape.size()) + "D, " + NameOf(method.interpolation) + " " +
                     std::to_string(method.order) + ", " + NameOf(output) + ", " + std::to_string(components));
        std::vector<std::uint64_t> defaults;
        for (unsigned int c = 0; c < components; ++c)
        {
          defaults.push_back(output == ScalarType::UInt8 ? 3 + c : 0);
        }
        ResampleDescriptor resample = test.resample;
        resample.scanlineEnds = test.ends.data();
        resample.defaultPixels = defaults.data();
        const auto all = ComputeComponents(test, resample, this->Context());
        for (unsigned int c = 0; c < components; ++c)
        {
          Case one = test;
          one.source.components = 1;
          one.source.element = method.interpolation == Interpolation::Nearest ? test.source.pixel : test.source.element;
          one.pixels = ComponentOf(test.pixels, SizeOf(test.source.pixel), c, components);
          one.resample.defaultPixel = defaults[c];
          this->ExpectSame(ComponentOf(all, SizeOf(output), c, components),
                           Compute(one, ExecutionContext()),
                           output,
                           Agreement(one) + (output == ScalarType::Float32 ? 1e-6 * Largest(one) : 0.0));
        }
      }
    }
  }
}

TEST_P(ResampleComponents, TheNearestSampleGoesOnOutside)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const Method & method : Methods)
    {
      for (const unsigned int components : { 1U, 3U })
      {
        SCOPED_TRACE(std::to_string(shape.size()) + "D, " + NameOf(method.interpolation) + ", " +
                     std::to_string(components));
        const auto test = MakeComponentCase(shape, ScalarType::Int16, ScalarType::Float64, method, components, random);
        SourceDescriptor plain = test.source;
        plain.order = 0;
        plain.element = components > 1 ? ScalarType::Float32 : plain.pixel;
        const auto         outside = MakeSource(plain, test.pixels.data(), this->Context());
        ResampleDescriptor resample = test.resample;
        resample.singleCoordinates = false;
        resample.scanlineEnds = test.ends.data();
        const auto without = ComputeComponents(test, resample, ExecutionContext());
        resample.extrapolation = outside.get();
        const auto         with = ComputeComponents(test, resample, this->Context());
        const unsigned int dimension = test.source.dimension;
        auto               expected = without;
        for (std::int64_t i = 0; i < resample.samples * resample.lines; ++i)
        {
          const double * const ends = test.ends.data() + i / resample.samples * 2 * dimension;
          const double         alpha =
            static_cast<double>(resample.lineOffset + i % resample.samples) / static_cast<double>(resample.lineLength);
          bool         isOutside = false;
          bool         isNumber = true;
          std::int64_t offset = 0;
          std::int64_t stride = 1;
          for (unsigned int d = 0; d < dimension; ++d)
          {
            const volatile double step = alpha * (ends[d + dimension] - ends[d]);
            const double          index = ends[d] + step;
            isOutside = isOutside || !(index >= resample.lower[d] && index < resample.upper[d]);
            isNumber = isNumber && !std::isnan(index);
            const auto nearest = isNumber ? static_cast<std::int64_t>(std::floor(index + 0.5)) : 0;
            offset +=
              std::min(test.source.size[d] - 1, std::max<std::int64_t>(0, nearest - test.source.start[d])) * stride;
            stride *= test.source.size[d];
          }
          for (unsigned int c = 0; c < components && isOutside && isNumber; ++c)
          {
            const auto value = LoadScalar<double>(test.pixels.data(), ScalarType::Int16, offset * components + c);
            std::memcpy(expected.data() + (i * components + c) * sizeof(double), &value, sizeof(value));
          }
        }
        this->ExpectSame(with, expected, ScalarType::Float64, Agreement(test));
        EXPECT_NE(with, without);
      }
    }
  }
}

TEST_P(ResampleComponents, RefusesSamplesOfAnotherImageForTheOutside)
{
  FreshRandom random;
  const auto  test =
    MakeComponentCase({ 11, 7 }, ScalarType::Float32, ScalarType::Float32, { Interpolation::BSpline, 3 }, 1, random);
  ResampleDescriptor resample = test.resample;
  resample.scanlineEnds = test.ends.data();
  const auto filtered = MakeSource(test.source, test.pixels.data(), this->Context());
  resample.extrapolation = filtered.get();
  EXPECT_THROW(ComputeComponents(test, resample, this->Context()), std::invalid_argument);
  SourceDescriptor smaller = test.source;
  smaller.order = 0;
  smaller.size[0] = 10;
  const auto other = MakeSource(smaller, test.pixels.data(), this->Context());
  resample.extrapolation = other.get();
  EXPECT_THROW(ComputeComponents(test, resample, this->Context()), std::invalid_argument);
}
