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
// Nearest index and floor against itk::Math, bit for bit.
//
// Expected values: itk::Math::RoundHalfIntegerUp and itk::Math::Floor to 64-bit integers, as the interpolators call
// them. On x86-64 these are the SSE2 versions, which the module uses on every machine. Elsewhere ITK has other
// versions, which the test reports. Exact.

#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "RandomData.h"

#include "itkMath.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::FloorIndex;
using itk::CudaSpline::NearestIndex;

template <typename T>
void
ExpectSame(T x)
{
  ASSERT_EQ(NearestIndex(x), (itk::Math::RoundHalfIntegerUp<itk::IndexValueType>(x))) << std::hexfloat << x;
  ASSERT_EQ(FloorIndex(x), (itk::Math::Floor<itk::IndexValueType>(x))) << std::hexfloat << x;
}

template <typename T>
void
ExpectSameEverywhere()
{
  Random random(__LINE__);
  // Next to halves and integers, where one rounding decides.
  for (int half = -4100; half <= 4100; ++half)
  {
    T below = static_cast<T>(0.5 * half);
    T above = below;
    ExpectSame(below);
    for (int step = 0; step < 6; ++step)
    {
      below = std::nextafter(below, -std::numeric_limits<T>::infinity());
      above = std::nextafter(above, std::numeric_limits<T>::infinity());
      ExpectSame(below);
      ExpectSame(above);
    }
  }
  for (int trial = 0; trial < 100000; ++trial)
  {
    const double magnitude = std::pow(2.0, random.Uniform(-60.0, 61.0));
    ExpectSame(static_cast<T>(random.Sign() * magnitude));
    ExpectSame(static_cast<T>(random.Uniform(-1000.0, 1000.0)));
    // Where the spacing of numbers is near a half.
    ExpectSame(static_cast<T>(random.Sign() * random.Uniform(0x1p21, 0x1p25)));
    ExpectSame(static_cast<T>(random.Sign() * random.Uniform(0x1p50, 0x1p54)));
  }
}

TEST(RoundingAgainstITK, Double)
{
#if !defined(ITK_COMPILER_SUPPORTS_SSE2_64)
  GTEST_SKIP() << "ITK rounds by other formulas on this processor.";
#else
  ExpectSameEverywhere<double>();
#endif
}

TEST(RoundingAgainstITK, Float)
{
#if !defined(ITK_COMPILER_SUPPORTS_SSE2_64)
  GTEST_SKIP() << "ITK rounds by other formulas on this processor.";
#else
  ExpectSameEverywhere<float>();
#endif
}

} // namespace
