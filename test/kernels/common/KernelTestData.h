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
#ifndef KernelTestData_h
#define KernelTestData_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "DerivedBounds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

/** \file
 * \brief Fresh random data for the tests of the kernels. */

namespace CudaSplineTest
{
using namespace itk::CudaSpline;

inline const std::vector<ScalarType> AllScalarTypes{ ScalarType::UInt8,  ScalarType::Int8,   ScalarType::UInt16,
                                                     ScalarType::Int16,  ScalarType::UInt32, ScalarType::Int32,
                                                     ScalarType::UInt64, ScalarType::Int64,  ScalarType::Float32,
                                                     ScalarType::Float64 };

/** A generator whose numbers differ between runs, and from those of other generators of a test. The seed of the run is
 * printed with a failure, and CUDASPLINE_TEST_SEED repeats it. */
class FreshRandom
{
public:
  FreshRandom()
    : m_Engine(SeedOfRun() + CountInTest())
    , m_Trace(__FILE__, __LINE__, "seed " + std::to_string(SeedOfRun()))
  {}

  std::mt19937_64 &
  Engine()
  {
    return m_Engine;
  }

  double
  Uniform(double from, double to)
  {
    return std::uniform_real_distribution<double>(from, to)(m_Engine);
  }

private:
  static std::uint64_t
  SeedOfRun()
  {
    static const char * const  given = std::getenv("CUDASPLINE_TEST_SEED");
    static const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    return seed;
  }

  /** Returns the number of generators that the current test has made before. */
  static std::uint64_t
  CountInTest()
  {
    static const testing::TestInfo * last = nullptr;
    static std::uint64_t             count = 0;
    const testing::TestInfo * const  test = testing::UnitTest::GetInstance()->current_test_info();
    count = test == last ? count + 1 : 0;
    last = test;
    return count;
  }

  std::mt19937_64      m_Engine;
  testing::ScopedTrace m_Trace;
};

/** Returns parameters of cubic convolution in [0, 1]: half of them Catmull-Rom with a tension. */
inline CubicParameters
DrawCubicParameters(FreshRandom & random)
{
  const double b = random.Engine()() % 2 == 0 ? 0.0 : random.Uniform(0.0, 1.0);
  return { b, random.Uniform(0.0, 1.0) };
}

/** Returns random pixels of a run-time type: every bit pattern for integers, noise in a range of about +-1000 for
 * reals. */
inline std::vector<unsigned char>
RandomPixels(ScalarType type, std::int64_t count, FreshRandom & random)
{
  std::vector<unsigned char>       bytes(static_cast<std::size_t>(count) * SizeOf(type));
  std::normal_distribution<double> noise(0.0, 300.0);
  for (std::int64_t i = 0; i < count; ++i)
  {
    unsigned char * const at = bytes.data() + static_cast<std::size_t>(i) * SizeOf(type);
    if (type == ScalarType::Float32)
    {
      const auto value = static_cast<float>(noise(random.Engine()));
      std::memcpy(at, &value, sizeof(value));
    }
    else if (type == ScalarType::Float64)
    {
      const double value = noise(random.Engine());
      std::memcpy(at, &value, sizeof(value));
    }
    else
    {
      const std::uint64_t bits = random.Engine()();
      std::memcpy(at, &bits, SizeOf(type));
    }
  }
  return bytes;
}

inline SourceDescriptor
MakeDescriptor(const std::vector<std::int64_t> & sizes, ScalarType pixel, ScalarType element, unsigned int order)
{
  SourceDescriptor descriptor;
  descriptor.dimension = static_cast<unsigned int>(sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d)
  {
    descriptor.size[d] = sizes[d];
  }
  descriptor.pixel = pixel;
  descriptor.element = element;
  descriptor.order = order;
  return descriptor;
}

} // namespace CudaSplineTest

#endif
