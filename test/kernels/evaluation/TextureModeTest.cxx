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
// Texture mode, on both backends.
//
// Expected: the exact sum over the same coefficients in double within ModeErrorBound(), on noise and on smooth data;
// the rounding of the exact evaluation itself is below 1e-12. On the Cpu backend the texture is TextureModel, on a
// device the hardware's.

#include "itkCudaSpline/device/Texture.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "../resampling/ResampleCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

SourceDescriptor
InTexture(SourceDescriptor descriptor, int entries = 0)
{
  descriptor.storage = CoefficientStorage::Texture;
  descriptor.tableEntries = entries;
  return descriptor;
}

std::vector<double>
ValuesAt(const SampleSource &        source,
         Interpolation               interpolation,
         EvaluationMode              mode,
         const std::vector<double> & points,
         const ExecutionContext &    context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  PointsDescriptor         descriptor;
  descriptor.interpolation = interpolation;
  descriptor.mode = mode;
  descriptor.count = static_cast<std::int64_t>(points.size() / samples.dimension);
  descriptor.points = points.data();
  std::vector<double> values(static_cast<std::size_t>(descriptor.count));
  descriptor.values = values.data();
  for (unsigned int d = 0; d < samples.dimension; ++d)
  {
    descriptor.lower[d] = -1000.0;
    descriptor.upper[d] = 1000.0;
  }
  SamplePoints(descriptor, source, context);
  return values;
}

/** Returns pixels: noise, or a wave that is long compared with a sample. */
std::vector<float>
MakePixels(const SourceDescriptor & descriptor, bool smooth, FreshRandom & random)
{
  std::vector<float> pixels(static_cast<std::size_t>(descriptor.Count()));
  for (std::int64_t i = 0; i < descriptor.Count(); ++i)
  {
    double       phase = 0.0;
    std::int64_t rest = i;
    for (unsigned int d = 0; d < descriptor.dimension; ++d)
    {
      phase += 0.05 * (d + 1.0) * static_cast<double>(rest % descriptor.size[d]);
      rest /= descriptor.size[d];
    }
    pixels[static_cast<std::size_t>(i)] =
      static_cast<float>(smooth ? 2000.0 * std::cos(phase) : random.Uniform(-2000.0, 2000.0));
  }
  return pixels;
}

void
ExpectWithinBound(const ExecutionContext & context)
{
  FreshRandom     random;
  const Extension extensions[]{ Extension::Mirror, Extension::Reflect, Extension::GridWrap };
  for (const auto & shape : ResampleShapes)
  {
    for (unsigned int order = 1; order <= 5; ++order)
    {
      const bool       smooth = random.Engine()() % 2 == 0;
      SourceDescriptor descriptor = MakeDescriptor(shape, ScalarType::Float32, ScalarType::Float32, order);
      for (Extension & extension : descriptor.extension)
      {
        extension = extensions[random.Engine()() % 3];
      }
      for (unsigned int d = 0; d < descriptor.dimension; ++d)
      {
        descriptor.start[d] = static_cast<std::int64_t>(random.Engine()() % 41) - 20;
      }
      const auto          pixels = MakePixels(descriptor, smooth, random);
      std::vector<double> points;
      for (unsigned int i = 0; i < 2000 * descriptor.dimension; ++i)
      {
        points.push_back(random.Uniform(-80.0, 120.0));
      }
      // The same coefficients in float, evaluated in double.
      std::vector<float> coefficients(pixels.size());
      Prefilter(descriptor, pixels.data(), coefficients.data(), context);
      SourceDescriptor wide = descriptor;
      wide.element = ScalarType::Float64;
      wide.method.kind = PrefilterMethod::Kind::Coefficients;
      const auto reference = MakeSource(wide, coefficients.data(), ExecutionContext());
      const auto expected =
        ValuesAt(*reference, Interpolation::BSpline, EvaluationMode::Exact, points, ExecutionContext());
      const auto source = MakeSource(InTexture(descriptor, order > 1 ? 128 : 0), pixels.data(), context);
      for (const EvaluationMode mode : { EvaluationMode::Texture, EvaluationMode::TextureTable })
      {
        InterpolationDescriptor method;
        method.interpolation = Interpolation::BSpline;
        method.mode = mode;
        const double bound = ModeErrorBound(method, *source, context);
        const auto   values = ValuesAt(*source, Interpolation::BSpline, mode, points, context);
        double       worst = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i)
        {
          worst = std::max(worst, std::abs(values[i] - expected[i]));
        }
        EXPECT_LE(worst, bound) << NameOf(mode) << ' ' << shape.size() << "D, order " << order << ", smooth " << smooth;
        if (descriptor.Count() > 1000)
        {
          // For order 5, noise has neighbours of opposite sign and seldom the worst case along all axes and for all
          // corner weights.
          EXPECT_GT(worst, 0.0002 * bound) << "the bound is idle, or no texture was read";
        }
      }
    }
  }
}

} // namespace

TEST(TextureMode, CpuIsWithinItsBound)
{
  ExpectWithinBound(ExecutionContext());
}

TEST(TextureMode, CudaIsWithinItsBoundGpu)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectWithinBound(Cuda());
}

// Scanlines through and outside of images, with ITK's bounds: the same pixels outside, within the bound inside.
TEST(TextureMode, CudaResamplesAsTheModelGpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (unsigned int order = 1; order <= 5; ++order)
    {
      Case test = MakeCase(
        shape, ScalarType::Float32, ScalarType::Float64, Interpolation::BSpline, order, ScalarType::Float32, random);
      test.source = InTexture(test.source, 256);
      test.resample.mode = order % 2 == 0 ? EvaluationMode::TextureTable : EvaluationMode::Texture;
      const auto   cuda = Compute(test, Cuda());
      const auto   cpu = Compute(test, ExecutionContext());
      const auto   source = MakeSource(test.source, test.pixels.data(), ExecutionContext());
      const double bound = 2.0 * ModeErrorBound(test.resample, *source, ExecutionContext()) + Agreement(test);
      for (std::int64_t i = 0; i < test.resample.samples * test.resample.lines; ++i)
      {
        const double a = LoadScalar<double>(cuda.data(), ScalarType::Float64, i);
        const double b = LoadScalar<double>(cpu.data(), ScalarType::Float64, i);
        ASSERT_LE(std::abs(a - b), bound) << Place(test, i);
      }
    }
  }
}

// The statistics of the coefficients on both backends.
TEST(TextureMode, BothBackendsMeasureTheSameGpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  SourceDescriptor descriptor = MakeDescriptor({ 41, 23, 17 }, ScalarType::Float32, ScalarType::Float32, 3);
  descriptor.method.kind = PrefilterMethod::Kind::Coefficients;
  descriptor.extension[1] = Extension::GridWrap;
  const auto pixels = MakePixels(descriptor, false, random);
  const auto cpu = MakeSource(InTexture(descriptor), pixels.data(), ExecutionContext());
  const auto cuda = MakeSource(InTexture(descriptor), pixels.data(), Cuda());
  EXPECT_EQ(cpu->GetTexture().largest, cuda->GetTexture().largest);
  EXPECT_EQ(cpu->GetTexture().difference, cuda->GetTexture().difference);
  EXPECT_EQ(cuda->GetData(), nullptr);
  EXPECT_NE(cuda->GetTexture().object, 0U);
}

TEST(TextureMode, DifferencesAreThoseOfNeighbours)
{
  SourceDescriptor   descriptor = MakeDescriptor({ 3, 2 }, ScalarType::Float32, ScalarType::Float32, 1);
  std::vector<float> pixels{ 1.0F, 2.0F, 4.0F, 7.0F, 7.0F, 7.5F };
  const auto         differences = [&] {
    return MakeSource(InTexture(descriptor), pixels.data(), ExecutionContext())->GetTexture().difference;
  };
  EXPECT_EQ(differences(), (std::array<double, 3>{ { 2.0, 6.0, 0.0 } }));
  descriptor.extension[0] = Extension::GridWrap;
  EXPECT_EQ(differences(), (std::array<double, 3>{ { 3.0, 6.0, 0.0 } }));
  // Long rows are measured in pieces.
  SourceDescriptor   line = MakeDescriptor({ 20000 }, ScalarType::Float32, ScalarType::Float32, 1);
  std::vector<float> ramp(20000, 0.0F);
  std::fill(ramp.begin() + 4096, ramp.end(), 9.0F);
  EXPECT_EQ(MakeSource(InTexture(line), ramp.data(), ExecutionContext())->GetTexture().difference[0], 9.0);
}

TEST(TextureMode, CpuDoesNotDependOnThreads)
{
  FreshRandom random;
  Case        test = MakeCase(
    { 43, 37, 29 }, ScalarType::UInt16, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
  test.source = InTexture(test.source);
  test.resample.mode = EvaluationMode::Texture;
  const auto           expected = Compute(test, ExecutionContext());
  const ThreadExecutor executor(7);
  ExecutionContext     context;
  context.host = &executor;
  EXPECT_EQ(Compute(test, context), expected);
  EXPECT_EQ(Compute(test, context, 0x5A), expected);
}

// The interpolation Linear, with ITK's rule at the edges, is order 1.
TEST(TextureMode, LinearIsOrderOne)
{
  FreshRandom      random;
  SourceDescriptor descriptor = MakeDescriptor({ 23, 19 }, ScalarType::Float32, ScalarType::Float32, 0);
  descriptor.extension.fill(Extension::Nearest);
  const auto          pixels = MakePixels(descriptor, false, random);
  std::vector<double> points;
  for (int i = 0; i < 4000; ++i)
  {
    points.push_back(random.Uniform(-0.5, 18.5));
  }
  const auto exact = MakeSource(descriptor, pixels.data(), ExecutionContext());
  const auto source = MakeSource(InTexture(descriptor), pixels.data(), ExecutionContext());
  const auto expected = ValuesAt(*exact, Interpolation::Linear, EvaluationMode::Exact, points, ExecutionContext());
  const auto values = ValuesAt(*source, Interpolation::Linear, EvaluationMode::Texture, points, ExecutionContext());
  InterpolationDescriptor method;
  method.mode = EvaluationMode::Texture;
  const double bound = ModeErrorBound(method, *source, ExecutionContext());
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    ASSERT_NEAR(values[i], expected[i], bound + 1e-3);
  }
  EXPECT_LT(bound, 2 * 4000.0 * 0x1.5p-7); // the fraction and the weights of the corners
}

TEST(TextureMode, WrongUsesAreRefused)
{
  FreshRandom         random;
  SourceDescriptor    descriptor = MakeDescriptor({ 10, 10 }, ScalarType::Float32, ScalarType::Float32, 3);
  const auto          pixels = MakePixels(descriptor, false, random);
  const auto          texture = MakeSource(InTexture(descriptor), pixels.data(), ExecutionContext());
  const auto          exact = MakeSource(descriptor, pixels.data(), ExecutionContext());
  std::vector<double> points{ 3.0, 4.0 };
  const auto          refuses = [&](const SampleSource & source, Interpolation interpolation, EvaluationMode mode) {
    try
    {
      ValuesAt(source, interpolation, mode, points, ExecutionContext());
    }
    catch (const std::invalid_argument & error)
    {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refuses(*texture, Interpolation::CubicConvolution, EvaluationMode::Texture).find("not CubicConvolution"),
            std::string::npos);
  for (const Interpolation interpolation : AllInterpolations)
  {
    if (interpolation == Interpolation::BSpline)
    {
      continue;
    }
    EXPECT_NE(refuses(*texture, interpolation, EvaluationMode::Texture), "") << NameOf(interpolation);
  }
  EXPECT_NE(refuses(*exact, Interpolation::BSpline, EvaluationMode::Texture), "");
  EXPECT_NE(refuses(*texture, Interpolation::BSpline, EvaluationMode::Exact), "");
  EXPECT_NE(refuses(*texture, Interpolation::BSpline, EvaluationMode::TextureTable), "") << "there is no table";
  EXPECT_EQ(refuses(*texture, Interpolation::BSpline, EvaluationMode::Texture), "");
  descriptor.order = 0;
  EXPECT_NE(refuses(*MakeSource(InTexture(descriptor), pixels.data(), ExecutionContext()),
                    Interpolation::BSpline,
                    EvaluationMode::Texture),
            "");

  descriptor.order = 3;
  const auto make = [&](const SourceDescriptor & asked) {
    return MakeSource(asked, pixels.data(), ExecutionContext());
  };
  EXPECT_THROW(make(InTexture(descriptor, 127)), std::invalid_argument);
  EXPECT_THROW(make(InTexture(descriptor, -1)), std::invalid_argument);
  EXPECT_THROW(make(InTexture(descriptor, LargestTable + 1)), std::invalid_argument);
  EXPECT_NO_THROW(make(InTexture(descriptor, 128)));
  SourceDescriptor wide = InTexture(descriptor);
  wide.element = ScalarType::Float64;
  EXPECT_THROW(make(wide), std::invalid_argument);
  SourceDescriptor constant = InTexture(descriptor);
  constant.order = 1;
  constant.extension[1] = Extension::GridConstant;
  EXPECT_THROW(make(constant), std::invalid_argument);
  SourceDescriptor hyper = InTexture(MakeDescriptor({ 5, 5, 2, 2 }, ScalarType::Float32, ScalarType::Float32, 3));
  EXPECT_THROW(make(hyper), std::invalid_argument);

  PointsDescriptor derivatives;
  double           results[3];
  derivatives.interpolation = Interpolation::BSpline;
  derivatives.mode = EvaluationMode::Texture;
  derivatives.count = 1;
  derivatives.points = points.data();
  derivatives.derivatives = Derivatives::First;
  derivatives.gradients = results;
  EXPECT_THROW(SamplePoints(derivatives, *texture, ExecutionContext()), std::invalid_argument);
}

TEST(TextureMode, PlansCountTheMarginsAndKnowTheLimits)
{
  const SourceDescriptor source =
    InTexture(MakeDescriptor({ 60, 12, 4 }, ScalarType::Float32, ScalarType::Float32, 3), 128);
  EXPECT_EQ(source.Bytes(), 64U * 16U * 8U * 4U + 128U * 16U);
  EXPECT_EQ(PlanSource(source, std::size_t(1) << 30).sourceBytes, source.Bytes());
  EXPECT_EQ(PlanSource(source, std::size_t(1) << 30).PeakBytes(), source.Bytes() + source.ElementBytes());
  const auto fits = [](const std::vector<std::int64_t> & sizes) {
    const MemoryPlan plan =
      PlanSource(InTexture(MakeDescriptor(sizes, ScalarType::Float32, ScalarType::Float32, 3)), std::size_t(1) << 60);
    EXPECT_EQ(plan.fits, plan.reason.empty());
    return plan.fits;
  };
  EXPECT_TRUE(fits({ LargestTexture3D - 4, 3, 3 }));
  EXPECT_FALSE(fits({ 3, LargestTexture3D - 3, 3 }));
  EXPECT_TRUE(fits({ LargestTexture2D - 4, 3 }));
  EXPECT_FALSE(fits({ LargestTexture2D - 3, 3 }));
  EXPECT_FALSE(fits({ LargestTexture2D }));
}

TEST(TextureMode, TooLargeForATextureIsAnErrorGpu)
{
  CUDASPLINE_NEEDS_GPU();
  const SourceDescriptor   source = MakeDescriptor({ 70000, 2 }, ScalarType::Float32, ScalarType::Float32, 1);
  const std::vector<float> pixels(140000, 1.0F);
  EXPECT_THROW(MakeSource(InTexture(source), pixels.data(), Cuda()), DeviceError);
}

TEST(TextureMode, CachesTellTablesApart)
{
  FreshRandom            random;
  const SourceDescriptor descriptor = MakeDescriptor({ 20, 10 }, ScalarType::Float32, ScalarType::Float32, 3);
  const auto             pixels = MakePixels(descriptor, false, random);
  SourceCache            cache;
  bool                   reused = true;
  for (const int entries : { 0, 128, 256 })
  {
    cache.Provide(InTexture(descriptor, entries), pixels.data(), ExecutionContext(), &reused);
    EXPECT_FALSE(reused);
    cache.Provide(InTexture(descriptor, entries), pixels.data(), ExecutionContext(), &reused);
    EXPECT_TRUE(reused);
  }
  EXPECT_EQ(cache.GetBytes(), 3U * InTexture(descriptor).Bytes() + 384U * 16U);
}
