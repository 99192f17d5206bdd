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
// Smoothing and gradients of volumes by recursive Gaussians, on both backends. Expected: the same bits as loops over
// the lines of one axis after the other with the formula for a sample (NextOfGaussian()), for any division of an image
// into packs, panels, slices and segments; and on the device the bits of the host.

#include "../common/KernelTestData.h"
#include "Gpu.h"

#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/math/PixelAccess.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Filters a line in place, and rounds to float. */
void
FilterLine(const RecursiveGaussian & filter, double * line, std::int64_t stride, std::int64_t size)
{
  std::vector<RoundedDouble> in;
  for (std::int64_t i = 0; i < size; ++i)
  {
    in.push_back({ line[i * stride] });
  }
  std::vector<double> results(static_cast<std::size_t>(size));
  for (const int direction : { 1, -1 })
  {
    const bool                 isCausal = direction == 1;
    const auto &               edge = isCausal ? in.front() : in.back();
    const auto                 sample = [&](std::int64_t i) { return i >= 0 && i < size ? in[i] : edge; };
    std::vector<RoundedDouble> out(static_cast<std::size_t>(size));
    for (std::int64_t k = 0; k < size; ++k)
    {
      const std::int64_t i = isCausal ? k : size - 1 - k;
      const std::int64_t at = isCausal ? i : i + 1; // the latest sample that is used
      const auto         before = [&](std::int64_t n) { return k - n >= 0 ? out[i - direction * n] : edge; };
      out[i] = NextOfGaussian(isCausal ? filter.causal : filter.anticausal,
                              sample(at),
                              sample(at - direction),
                              sample(at - 2 * direction),
                              sample(at - 3 * direction),
                              filter.feedback,
                              isCausal ? filter.causalEdge : filter.anticausalEdge,
                              before(1),
                              before(2),
                              before(3),
                              before(4),
                              static_cast<int>(k));
      results[i] += out[i].value;
    }
  }
  for (std::int64_t i = 0; i < size; ++i)
  {
    line[i * stride] = static_cast<double>(static_cast<float>(results[i]));
  }
}

void
FilterAxis(const GaussianDescriptor & descriptor, const RecursiveGaussian & filter, unsigned int axis, double * volume)
{
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < axis; ++d)
  {
    stride *= descriptor.size[d];
  }
  const std::int64_t size = descriptor.size[axis];
  for (std::int64_t line = 0; line < descriptor.Count() / size; ++line)
  {
    FilterLine(filter, volume + line / stride * stride * size + line % stride, stride, size);
  }
}

std::vector<double>
Load(const GaussianDescriptor & descriptor, const void * pixels)
{
  std::vector<double> volume;
  for (std::int64_t i = 0; i < descriptor.Count(); ++i)
  {
    volume.push_back(LoadScalar<double>(pixels, descriptor.pixel, i));
  }
  return volume;
}

std::vector<double>
ExpectedSmoothing(const GaussianDescriptor & descriptor, const void * pixels)
{
  std::vector<double> volume = Load(descriptor, pixels);
  const auto          smooth = [&](unsigned int axis) {
    FilterAxis(descriptor,
               MakeRecursiveGaussian(GaussianOrder::Zero, descriptor.sigma[axis], descriptor.spacing[axis], false),
               axis,
               volume.data());
  };
  smooth(descriptor.dimension - 1);
  for (unsigned int axis = 0; axis + 1 < descriptor.dimension; ++axis)
  {
    smooth(axis);
  }
  return volume;
}

/** Returns components plane by plane, not rotated. */
std::vector<double>
ExpectedGradient(const GaussianDescriptor & descriptor, const void * pixels)
{
  std::vector<double> planes;
  for (unsigned int component = 0; component < descriptor.dimension; ++component)
  {
    std::vector<double> volume = Load(descriptor, pixels);
    FilterAxis(descriptor,
               MakeRecursiveGaussian(GaussianOrder::First,
                                     descriptor.sigma[descriptor.dimension - 1],
                                     descriptor.spacing[component],
                                     descriptor.normalizeAcrossScale),
               component,
               volume.data());
    unsigned int next = 0;
    for (unsigned int axis = 0; axis < descriptor.dimension; ++axis)
    {
      if (axis != component)
      {
        FilterAxis(
          descriptor,
          MakeRecursiveGaussian(GaussianOrder::Zero, descriptor.sigma[next++], descriptor.spacing[axis], false),
          axis,
          volume.data());
      }
    }
    for (const double value : volume)
    {
      planes.push_back(static_cast<float>(value / descriptor.spacing[component]));
    }
  }
  return planes;
}

GaussianDescriptor
RandomGaussian(const std::vector<std::int64_t> & sizes, ScalarType pixel, ScalarType output, FreshRandom & random)
{
  GaussianDescriptor descriptor;
  descriptor.dimension = static_cast<unsigned int>(sizes.size());
  descriptor.pixel = pixel;
  descriptor.output = output;
  for (std::size_t d = 0; d < sizes.size(); ++d)
  {
    descriptor.size[d] = sizes[d];
    descriptor.spacing[d] = random.Uniform(0.3, 3.0);
    descriptor.sigma[d] = random.Uniform(0.7, 5.0) * descriptor.spacing[d];
  }
  for (double & element : descriptor.direction)
  {
    element = random.Uniform(-1.0, 1.0);
  }
  return descriptor;
}

const std::vector<std::vector<std::int64_t>> Sizes{ { 4, 4 },      { 17, 5 },      { 16, 33 },    { 31, 70 },
                                                    { 4, 5, 6 },   { 32, 16, 48 }, { 33, 17, 9 }, { 7, 64, 21 },
                                                    { 65, 4, 35 }, { 9, 5, 4, 18 } };

class RecursiveGaussianOnBackend : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }
  ExecutionContext
  Context() const
  {
    ExecutionContext context;
    context.backend = GetParam() ? Backend::Cuda : Backend::Cpu;
    context.host = &m_Threads;
    return context;
  }

private:
  ThreadExecutor m_Threads{ 3 };
};

INSTANTIATE_TEST_SUITE_P(Backend, RecursiveGaussianOnBackend, testing::Bool(), [](const auto & test) {
  return std::string(test.param ? "Gpu" : "Cpu");
});

} // namespace

TEST_P(RecursiveGaussianOnBackend, SmoothsLineByLine)
{
  FreshRandom random;
  for (const auto & size : Sizes)
  {
    for (const ScalarType pixel : AllScalarTypes)
    {
      SCOPED_TRACE(testing::PrintToString(size) + " " + NameOf(pixel));
      const auto         descriptor = RandomGaussian(size, pixel, ScalarType::Float32, random);
      const auto         pixels = RandomPixels(pixel, descriptor.Count(), random);
      const auto         expected = ExpectedSmoothing(descriptor, pixels.data());
      std::vector<float> output(expected.size(), -1e30F);
      SmoothByGaussian(descriptor, pixels.data(), output.data(), this->Context());
      for (std::size_t i = 0; i < expected.size(); ++i)
      {
        ASSERT_EQ(output[i], static_cast<float>(expected[i])) << i;
      }
    }
  }
}

// Outputs of every type are the cast of the floats, in place too.
TEST_P(RecursiveGaussianOnBackend, CastsAndRunsInPlace)
{
  FreshRandom random;
  for (const ScalarType type : AllScalarTypes)
  {
    SCOPED_TRACE(NameOf(type));
    auto                       descriptor = RandomGaussian({ 35, 18, 9 }, type, type, random);
    auto                       pixels = RandomPixels(type, descriptor.Count(), random);
    const auto                 expected = ExpectedSmoothing(descriptor, pixels.data());
    std::vector<unsigned char> output(pixels.size());
    SmoothByGaussian(descriptor, pixels.data(), output.data(), this->Context());
    std::vector<unsigned char> cast(pixels.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
      StoreScalar(cast.data(), type, static_cast<std::int64_t>(i), static_cast<float>(expected[i]));
    }
    EXPECT_EQ(output, cast);
    SmoothByGaussian(descriptor, pixels.data(), pixels.data(), this->Context());
    EXPECT_EQ(pixels, cast);
  }
}

TEST_P(RecursiveGaussianOnBackend, GradientsAndTheirSources)
{
  FreshRandom random;
  for (const auto & size : Sizes)
  {
    for (const ScalarType pixel : { ScalarType::UInt8, ScalarType::Int32, ScalarType::Float32, ScalarType::Float64 })
    {
      for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
      {
        SCOPED_TRACE(testing::PrintToString(size) + " " + NameOf(pixel) + " " + NameOf(type));
        auto descriptor = RandomGaussian(size, pixel, type, random);
        descriptor.normalizeAcrossScale = random.Uniform(0.0, 1.0) < 0.5;
        const auto                 pixels = RandomPixels(pixel, descriptor.Count(), random);
        const auto                 expected = ExpectedGradient(descriptor, pixels.data());
        const auto                 count = static_cast<std::size_t>(descriptor.Count());
        const std::size_t          dimension = descriptor.dimension;
        std::vector<unsigned char> output(expected.size() * SizeOf(type));
        const auto                 at = [&](std::size_t i) {
          return LoadScalar<double>(output.data(), type, static_cast<std::int64_t>(i));
        };
        MakeGaussianGradient(descriptor, pixels.data(), output.data(), this->Context());
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
          ASSERT_EQ(at(i % count * dimension + i / count), expected[i]) << i;
        }
        descriptor.isRotated = true;
        MakeGaussianGradient(descriptor, pixels.data(), output.data(), this->Context());
        for (std::size_t i = 0; i < count; ++i)
        {
          for (std::size_t r = 0; r < dimension; ++r)
          {
            double sum = 0.0;
            for (std::size_t c = 0; c < dimension; ++c)
            {
              sum += descriptor.direction[r * dimension + c] * expected[c * count + i];
            }
            ASSERT_EQ(at(i * dimension + r), type == ScalarType::Float32 ? static_cast<float>(sum) : sum) << i;
          }
        }
        // A source has the same numbers in planes.
        SourceDescriptor described = MakeDescriptor(size, type, type, 0);
        described.components = descriptor.dimension;
        const auto source = MakeGaussianGradientSource(descriptor, described, pixels.data(), this->Context());
        EXPECT_EQ(source->GetBackend(), this->Context().backend);
        EXPECT_TRUE(source->GetDescriptor() == described);
        if (!GetParam())
        {
          for (std::size_t i = 0; i < expected.size(); ++i)
          {
            ASSERT_EQ(LoadScalar<double>(source->GetData(), type, static_cast<std::int64_t>(i)),
                      at(i % count * dimension + i / count));
          }
        }
      }
    }
  }
}

// Infinities and NaN spread as in ITK's formula: along their lines only.
TEST_P(RecursiveGaussianOnBackend, NanAndInfinity)
{
  FreshRandom  random;
  const auto   descriptor = RandomGaussian({ 40, 36 }, ScalarType::Float32, ScalarType::Float32, random);
  auto         bytes = RandomPixels(ScalarType::Float32, descriptor.Count(), random);
  auto * const pixels = reinterpret_cast<float *>(bytes.data());
  pixels[500] = std::numeric_limits<float>::infinity();
  const auto         expected = ExpectedSmoothing(descriptor, pixels);
  std::vector<float> output(expected.size());
  SmoothByGaussian(descriptor, pixels, output.data(), this->Context());
  for (std::size_t i = 0; i < expected.size(); ++i)
  {
    const auto value = static_cast<float>(expected[i]);
    ASSERT_TRUE(output[i] == value || (std::isnan(output[i]) && std::isnan(value))) << i;
  }
}

TEST(RecursiveGaussianErrors, AreInvalidArguments)
{
  GaussianDescriptor good;
  good.dimension = 2;
  good.size = { 5, 6, 1, 1 };
  std::vector<float> image(60);
  const auto         run = [&](const auto & change, bool gradient) {
    GaussianDescriptor descriptor = good;
    change(descriptor);
    if (gradient)
    {
      MakeGaussianGradient(descriptor, image.data(), image.data() + 30, ExecutionContext());
    }
    else
    {
      SmoothByGaussian(descriptor, image.data(), image.data() + 30, ExecutionContext());
    }
  };
  run([](GaussianDescriptor &) {}, false);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.size[1] = 3; }, false), std::invalid_argument);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.sigma[0] = 0.0; }, false), std::invalid_argument);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.sigma[1] = std::nan(""); }, false), std::invalid_argument);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.spacing[0] = 0.0; }, false), std::invalid_argument);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.dimension = 1; }, false), std::invalid_argument);
  EXPECT_THROW(run([](GaussianDescriptor & d) { d.output = ScalarType::Int16; }, true), std::invalid_argument);
  SourceDescriptor source = MakeDescriptor({ 5, 6 }, ScalarType::Float32, ScalarType::Float32, 0);
  EXPECT_THROW(MakeGaussianGradientSource(good, source, image.data(), ExecutionContext()), std::invalid_argument);
}

// The plan: volumes, and the notes of the recursion.
TEST(RecursiveGaussianPlan, CountsItsVolumes)
{
  GaussianDescriptor descriptor;
  descriptor.size = { 256, 256, 256, 1 };
  const std::size_t volume = std::size_t{ 256 } * 256 * 256 * sizeof(float);
  const std::size_t notes = std::size_t{ 256 } * 256 * 15 * 32;
  const auto        smoothing = PlanGaussian(descriptor, GaussianOperation::Smoothing, std::size_t(1) << 40);
  EXPECT_TRUE(smoothing.fits);
  EXPECT_EQ(smoothing.PeakBytes(), 2 * volume + notes);
  const auto gradient = PlanGaussian(descriptor, GaussianOperation::Gradient, std::size_t(1) << 40);
  EXPECT_EQ(gradient.PeakBytes(), 4 * volume + notes);
  const auto source = PlanGaussian(descriptor, GaussianOperation::GradientSource, std::size_t(1) << 40);
  EXPECT_EQ(source.PeakBytes(), 6 * volume);
  const auto little = PlanGaussian(descriptor, GaussianOperation::Smoothing, volume);
  EXPECT_FALSE(little.fits);
  EXPECT_NE(little.reason.find("memory"), std::string::npos);
  EXPECT_GT(CountGaussianWork(descriptor, GaussianOperation::Gradient).filterPasses,
            2.0 * CountGaussianWork(descriptor, GaussianOperation::Smoothing).filterPasses);
}
