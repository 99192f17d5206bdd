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
#ifndef PrefilterCase_h
#define PrefilterCase_h

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/math/FirFilter.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

/** \file
 * \brief Common functions of the tests of the prefilter: runs into poisoned memory, comparisons, names of cases. */

namespace CudaSplineTest
{

/** Returns the number of elements as std::size_t. */
inline std::size_t
ElementsOf(const SourceDescriptor & descriptor)
{
  return static_cast<std::size_t>(descriptor.Elements());
}

/** Returns elements in memory as double. */
inline std::vector<double>
AsDouble(const SourceDescriptor & descriptor, ScalarType type, const void * elements)
{
  std::vector<double> values(ElementsOf(descriptor));
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = LoadScalar<double>(elements, type, static_cast<std::int64_t>(i));
  }
  return values;
}

/** Returns the largest absolute pixel. */
inline double
LargestOf(const std::vector<unsigned char> & pixels, ScalarType type)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < pixels.size() / SizeOf(type); ++i)
  {
    largest = std::max(largest, std::abs(LoadScalar<double>(pixels.data(), type, static_cast<std::int64_t>(i))));
  }
  return largest;
}

/** Returns fresh pixels for a descriptor, with all of its components. */
inline std::vector<unsigned char>
PixelsFor(const SourceDescriptor & descriptor, FreshRandom & random)
{
  return RandomPixels(descriptor.pixel, descriptor.Elements(), random);
}

/** Runs Prefilter() into poisoned memory, so that elements that are not written are detected. */
inline std::vector<double>
Compute(const SourceDescriptor & descriptor, const void * pixels, const ExecutionContext & context)
{
  std::vector<unsigned char> bytes(descriptor.Bytes(), 0xFF);
  Prefilter(descriptor, pixels, bytes.data(), context);
  return AsDouble(descriptor, descriptor.element, bytes.data());
}

inline void
ExpectNear(const std::vector<double> & values,
           const std::vector<double> & expected,
           double                      bound,
           const std::string &         what)
{
  ASSERT_EQ(values.size(), expected.size()) << what;
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const double difference = std::abs(values[i] - expected[i]);
    worst = difference <= worst ? worst : difference;
    if (!(difference <= bound)) // also for NaN
    {
      worst = std::numeric_limits<double>::infinity();
    }
  }
  EXPECT_LE(worst, bound) << what;
}

inline std::string
Name(const SourceDescriptor & descriptor)
{
  std::string name = std::string(NameOf(descriptor.pixel)) + " to " + NameOf(descriptor.element) + ", order " +
                     std::to_string(descriptor.order) + ", " + NameOf(descriptor.method.kind);
  if (descriptor.method.kind == PrefilterMethod::Kind::Fir)
  {
    name += " of " + std::to_string(descriptor.method.taps) + " taps";
  }
  name += ", components " + std::to_string(descriptor.components) + ", size and extension";
  for (unsigned int d = 0; d < descriptor.dimension; ++d)
  {
    name += " " + std::to_string(descriptor.size[d]) + " " + NameOf(descriptor.extension[d]);
  }
  return name;
}

inline ExecutionContext
Cuda()
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  return context;
}

/** Returns a FIR method. */
inline PrefilterMethod
Fir(int taps)
{
  PrefilterMethod method;
  method.kind = PrefilterMethod::Kind::Fir;
  method.taps = taps;
  return method;
}

/** Returns a recursion. */
inline PrefilterMethod
Recursion(PrefilterMethod::Kind kind)
{
  PrefilterMethod method;
  method.kind = kind;
  return method;
}

/** Returns every kind of filter, including numbers of taps with specialised kernels (7 to 27) and without (1, 31, 127).
 */
inline const std::vector<PrefilterMethod> &
AllMethods()
{
  static const std::vector<PrefilterMethod> all{ Recursion(PrefilterMethod::Kind::Exact),
                                                 Recursion(PrefilterMethod::Kind::ItkHorizon),
                                                 Fir(1),
                                                 Fir(7),
                                                 Fir(15),
                                                 Fir(27),
                                                 Fir(31),
                                                 Fir(MaximumFirTaps) };
  return all;
}

/** Chooses a random extension for each axis. */
inline void
ChooseExtensions(SourceDescriptor & descriptor, FreshRandom & random)
{
  for (Extension & extension : descriptor.extension)
  {
    extension = static_cast<Extension>(random.Engine()() % 3);
  }
}

/** Tests that run on one backend each. Those on the GPU have Gpu in their names. */
class OnBackend : public testing::TestWithParam<Backend>
{
protected:
  void
  SetUp() override
  {
    if (GetParam() == Backend::Cuda)
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  static ExecutionContext
  Context()
  {
    return GetParam() == Backend::Cuda ? Cuda() : ExecutionContext();
  }
};

/** Returns the last part of a test's name. */
inline std::string
CpuOrGpu(const testing::TestParamInfo<Backend> & test)
{
  return test.param == Backend::Cuda ? "Gpu" : "Cpu";
}

} // namespace CudaSplineTest

/** Instantiates the tests of a fixture that is derived from OnBackend. */
#define CUDASPLINE_CPU_AND_GPU(fixture)                                                                                \
  INSTANTIATE_TEST_SUITE_P(Backends, fixture, testing::Values(Backend::Cpu, Backend::Cuda), CudaSplineTest::CpuOrGpu)

#endif
