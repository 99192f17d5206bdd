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
// Coefficients in 16 bits, on both backends.
//
// Expected: a value differs from that of float coefficients by at most the error bound of the storage, because the
// weights of a B-spline are non-negative and sum to 1; a derivative by at most twice that. The rounding of two
// evaluations is added, ValueAgreement(), for coefficients of up to max|c|: integers up to half the range plus an
// offset, which adds one rounding; derivatives 2 and 2 (n + 1) units of two evaluations.

#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "../resampling/ResampleCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

const CoefficientStorage PackedStorages[]{ CoefficientStorage::Half, CoefficientStorage::Int16 };

SourceDescriptor
Stored(SourceDescriptor descriptor, CoefficientStorage storage)
{
  descriptor.storage = storage;
  return descriptor;
}

double
LargestOf(const std::vector<float> & values)
{
  double largest = 0.0;
  for (const float value : values)
  {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

/** Values and gradients at points everywhere. */
struct Sampled
{
  std::vector<double> values;
  std::vector<double> gradients;
};

Sampled
SampleAt(const SampleSource & source, const std::vector<double> & points, const ExecutionContext & context)
{
  const SourceDescriptor & samples = source.GetDescriptor();
  PointsDescriptor         descriptor;
  descriptor.interpolation = Interpolation::BSpline;
  descriptor.count = static_cast<std::int64_t>(points.size() / samples.dimension);
  descriptor.points = points.data();
  descriptor.derivatives = Derivatives::First;
  Sampled sampled{ std::vector<double>(static_cast<std::size_t>(descriptor.count)),
                   std::vector<double>(points.size()) };
  descriptor.values = sampled.values.data();
  descriptor.gradients = sampled.gradients.data();
  descriptor.gradientMap = { { { { 0.9, 0.2, -0.1 } }, { { -0.3, 1.1, 0.4 } }, { { 0.1, -0.2, 0.8 } } } };
  for (unsigned int d = 0; d < samples.dimension; ++d)
  {
    descriptor.lower[d] = -100.0;
    descriptor.upper[d] = 1000.0;
  }
  SamplePoints(descriptor, source, context);
  return sampled;
}

void
ExpectWithinBound(const ExecutionContext & context)
{
  FreshRandom random;
  for (const auto & shape : ResampleShapes)
  {
    for (const CoefficientStorage storage : PackedStorages)
    {
      SourceDescriptor descriptor = MakeDescriptor(shape, ScalarType::Int16, ScalarType::Float32, 3);
      const Extension  extensions[]{ Extension::Mirror, Extension::Reflect, Extension::GridWrap };
      for (Extension & extension : descriptor.extension)
      {
        extension = extensions[random.Engine()() % 3];
      }
      const auto          pixels = RandomPixels(ScalarType::Int16, descriptor.Count(), random);
      std::vector<double> points;
      for (unsigned int i = 0; i < 3000 * descriptor.dimension; ++i)
      {
        points.push_back(random.Uniform(-60.0, 120.0));
      }
      std::vector<float> coefficients(static_cast<std::size_t>(descriptor.Count()));
      Prefilter(descriptor, pixels.data(), coefficients.data(), context);

      const auto exact = MakeSource(descriptor, pixels.data(), context);
      const auto packed = MakeSource(Stored(descriptor, storage), pixels.data(), context);
      EXPECT_EQ(packed->GetDescriptor().Bytes() * 2, exact->GetDescriptor().Bytes());
      const double  largest = LargestOf(coefficients);
      const double  rounding = ValueAgreement(descriptor, 3, 2.0 * largest);
      const double  bound = StorageErrorBound(*packed, context);
      const Sampled from = SampleAt(*exact, points, context);
      const Sampled to = SampleAt(*packed, points, context);
      double        worst = 0.0;
      for (std::size_t i = 0; i < from.values.size(); ++i)
      {
        worst = std::max(worst, std::abs(to.values[i] - from.values[i]));
      }
      double worstGradient = 0.0;
      for (std::size_t i = 0; i < from.gradients.size(); ++i)
      {
        worstGradient = std::max(worstGradient, std::abs(to.gradients[i] - from.gradients[i]));
      }
      EXPECT_LE(worst, bound + rounding) << NameOf(storage) << ' ' << shape.size() << 'D';
      EXPECT_LE(worstGradient, 2.0 * bound + 4.0 * rounding) << NameOf(storage) << ' ' << shape.size() << 'D';
      if (descriptor.Count() > 1000) // a few coefficients may be stored exactly
      {
        EXPECT_GT(worst, 0.02 * bound) << "the bound is idle, or nothing was packed";
      }
      EXPECT_GT(bound, 0.0);
      EXPECT_LE(bound,
                storage == CoefficientStorage::Half ? HalfRelativeRounding * largest : largest / 65534.0 * 1.001);
      EXPECT_EQ(StorageErrorBound(*exact, context), 0x1p-24 * largest);
    }
  }
}

} // namespace

TEST(PackedStorage, CpuIsWithinItsBound)
{
  ExpectWithinBound(ExecutionContext());
}

TEST(PackedStorage, CudaIsWithinItsBoundGpu)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectWithinBound(Cuda());
}

// Extremes and packing have no roundings that could differ. The coefficients are given, so no rounding precedes.
TEST(PackedStorage, BothBackendsStoreTheSameGpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const CoefficientStorage storage : PackedStorages)
  {
    SourceDescriptor descriptor = MakeDescriptor({ 5000, 7, 5 }, ScalarType::Float32, ScalarType::Float32, 3);
    descriptor.method.kind = PrefilterMethod::Kind::Coefficients;
    descriptor.storage = storage;
    const auto pixels = RandomPixels(ScalarType::Float32, descriptor.Count(), random);
    const auto cpu = MakeSource(descriptor, pixels.data(), ExecutionContext());
    const auto cuda = MakeSource(descriptor, pixels.data(), Cuda());
    EXPECT_EQ(cpu->GetScale().scale, cuda->GetScale().scale);
    EXPECT_EQ(cpu->GetScale().offset, cuda->GetScale().offset);
    EXPECT_EQ(cpu->GetScale().errorBound, cuda->GetScale().errorBound);
    std::vector<double> points;
    for (int i = 0; i < 3000; ++i)
    {
      points.push_back(std::floor(random.Uniform(-10.0, 100.0)));
    }
    const Sampled onCpu = SampleAt(*cpu, points, ExecutionContext());
    const Sampled onCuda = SampleAt(*cuda, points, Cuda());
    const double  bound = ValueAgreement(descriptor, 3, 4000.0);
    for (std::size_t i = 0; i < onCpu.values.size(); ++i)
    {
      ASSERT_NEAR(onCpu.values[i], onCuda.values[i], bound);
    }
  }
}

TEST(PackedStorage, CpuDoesNotDependOnThreads)
{
  FreshRandom random;
  for (const CoefficientStorage storage : PackedStorages)
  {
    Case test = MakeCase(
      { 43, 37, 29 }, ScalarType::Float32, ScalarType::Float32, Interpolation::BSpline, 3, ScalarType::Float32, random);
    test.source.storage = storage;
    const auto           expected = Compute(test, ExecutionContext());
    const ThreadExecutor executor(7);
    ExecutionContext     context;
    context.host = &executor;
    EXPECT_EQ(Compute(test, context), expected);
    EXPECT_EQ(Compute(test, context, 0x5A), expected);
  }
}

TEST(PackedStorage, LargestAndSmallestMagnitudes)
{
  FreshRandom random;
  for (const CoefficientStorage storage : PackedStorages)
  {
    for (const double magnitude : { 1e-30, 1e-8, 1e5, 1e30 }) // half precision has numbers from 6e-8 to 65504
    {
      SourceDescriptor   descriptor = MakeDescriptor({ 31, 17 }, ScalarType::Float32, ScalarType::Float32, 3);
      std::vector<float> pixels(static_cast<std::size_t>(descriptor.Count()));
      for (float & pixel : pixels)
      {
        pixel = static_cast<float>(random.Uniform(-magnitude, magnitude));
      }
      const auto          exact = MakeSource(descriptor, pixels.data(), ExecutionContext());
      const auto          packed = MakeSource(Stored(descriptor, storage), pixels.data(), ExecutionContext());
      std::vector<double> points;
      for (int i = 0; i < 2000; ++i)
      {
        points.push_back(random.Uniform(0.0, 16.0));
      }
      const Sampled from = SampleAt(*exact, points, ExecutionContext());
      const Sampled to = SampleAt(*packed, points, ExecutionContext());
      const double  bound = packed->GetScale().errorBound + ValueAgreement(descriptor, 3, 2.0 * 9.0 * magnitude);
      EXPECT_LT(bound, 0.006 * magnitude);
      for (std::size_t i = 0; i < from.values.size(); ++i)
      {
        ASSERT_NEAR(from.values[i], to.values[i], bound) << magnitude;
      }
    }
  }
}

TEST(PackedStorage, InfinitePixelsStayLocalInHalvesAndAreRefusedByIntegers)
{
  SourceDescriptor   descriptor = MakeDescriptor({ 400 }, ScalarType::Float32, ScalarType::Float32, 3);
  std::vector<float> pixels(400, 3.0F);
  pixels[200] = std::numeric_limits<float>::quiet_NaN();
  const auto    half = MakeSource(Stored(descriptor, CoefficientStorage::Half), pixels.data(), ExecutionContext());
  const Sampled sampled = SampleAt(*half, { 10.0, 200.0, 390.0 }, ExecutionContext());
  EXPECT_NEAR(sampled.values[0], 3.0, half->GetScale().errorBound + 1e-5);
  EXPECT_TRUE(std::isnan(sampled.values[1]));
  EXPECT_NEAR(sampled.values[2], 3.0, half->GetScale().errorBound + 1e-5);
  EXPECT_THROW(MakeSource(Stored(descriptor, CoefficientStorage::Int16), pixels.data(), ExecutionContext()),
               std::invalid_argument);
}

TEST(PackedStorage, WrongUsesAreRefused)
{
  FreshRandom random;
  const auto  pixels = RandomPixels(ScalarType::Float32, 200, random);
  const auto  make = [&](ScalarType element, unsigned int order, unsigned int components) {
    SourceDescriptor descriptor = MakeDescriptor({ 10, 10 }, ScalarType::Float32, element, order);
    descriptor.components = components;
    return MakeSource(Stored(descriptor, CoefficientStorage::Half), pixels.data(), ExecutionContext());
  };
  EXPECT_THROW(make(ScalarType::Float64, 3, 1), std::invalid_argument);
  EXPECT_THROW(make(ScalarType::Float32, 3, 2), std::invalid_argument);
  EXPECT_THROW(make(ScalarType::Float32, 2, 1), std::invalid_argument);
  EXPECT_THROW(make(ScalarType::Float32, 0, 1), std::invalid_argument);
  const auto         source = make(ScalarType::Float32, 3, 1);
  std::vector<float> coefficients(100);
  EXPECT_THROW(Prefilter(source->GetDescriptor(), pixels.data(), coefficients.data(), ExecutionContext()),
               std::invalid_argument);
  EXPECT_THROW(PrefilterInPlace(source->GetDescriptor(), coefficients.data(), ExecutionContext()),
               std::invalid_argument);

  PointsDescriptor points;
  const double     at[]{ 3.0, 4.0 };
  double           results[3];
  points.count = 1;
  points.points = at;
  points.values = results;
  for (const Interpolation interpolation : AllInterpolations)
  {
    if (interpolation == Interpolation::BSpline)
    {
      continue;
    }
    points.interpolation = interpolation;
    EXPECT_THROW(SamplePoints(points, *source, ExecutionContext()), std::invalid_argument) << NameOf(interpolation);
  }
  points.interpolation = Interpolation::BSpline;
  points.upper = { { 9.0, 9.0, 0.0 } };
  points.derivatives = Derivatives::Second;
  points.hessians = results;
  EXPECT_THROW(SamplePoints(points, *source, ExecutionContext()), std::invalid_argument);
}

TEST(PackedStorage, CachesAndPlansCountTheBytes)
{
  FreshRandom            random;
  const auto             pixels = RandomPixels(ScalarType::Float32, 1000, random);
  const SourceDescriptor whole = MakeDescriptor({ 100, 10 }, ScalarType::Float32, ScalarType::Float32, 3);
  const SourceDescriptor packed = Stored(whole, CoefficientStorage::Int16);
  SourceCache            cache;
  bool                   reused = true;
  cache.Provide(whole, pixels.data(), ExecutionContext(), &reused);
  cache.Provide(packed, pixels.data(), ExecutionContext(), &reused);
  EXPECT_FALSE(reused) << "another storage is another source";
  cache.Provide(packed, pixels.data(), ExecutionContext(), &reused);
  EXPECT_TRUE(reused);
  EXPECT_EQ(cache.GetBytes(), 4000U + 2000U);

  const MemoryPlan plan = PlanSource(packed, 8000);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.sourceBytes, 2000U);
  EXPECT_EQ(plan.PeakBytes(), 8000U) << "two volumes of floats while it is filtered";
  SourceDescriptor ready = packed;
  ready.method.kind = PrefilterMethod::Kind::Coefficients;
  EXPECT_EQ(PlanSource(ready, 8000).PeakBytes(), 6000U) << "floats, and what they become";
  EXPECT_FALSE(PlanSource(ready, 5999).fits);
}
