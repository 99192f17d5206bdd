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
// The loader, the storer and the run-time names of pixel types.
//
// Expected values: the rule of the cast of itk::ResampleImageFilter, written out by hand for each type: clamped,
// truncated towards zero, no rounding; NaN to an integer is 0; infinities to float are the largest finite values; to
// double all passes. (itk/PixelCastTest.cxx compares with ITK.) Exact: no tolerance.

#include "itkCudaSpline/math/PixelAccess.h"

#include "RandomData.h"
#include "TestOrders.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::CopyBits;
using itk::CudaSpline::IsReal;
using itk::CudaSpline::IsSupportedScalar;
using itk::CudaSpline::LoadScalar;
using itk::CudaSpline::NameOf;
using itk::CudaSpline::NeedsDoublePrecision;
using itk::CudaSpline::ScalarType;
using itk::CudaSpline::ScalarTypeOf;
using itk::CudaSpline::SizeOf;
using itk::CudaSpline::StoreScalar;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

template <typename T, typename TReal>
T
Stored(TReal value)
{
  T elements[3] = { T(7), T(7), T(7) };
  StoreScalar(elements, ScalarTypeOf<T>(), 1, value);
  EXPECT_EQ(elements[0], T(7)) << "the neighbours are left alone";
  EXPECT_EQ(elements[2], T(7)) << "the neighbours are left alone";
  return elements[1];
}

/** Clamping and truncation of an integer type whose values TReal can represent. */
template <typename T, typename TReal>
void
ExpectExactInteger()
{
  SCOPED_TRACE(NameOf(ScalarTypeOf<T>()));
  const TReal low = static_cast<TReal>(std::numeric_limits<T>::min());
  const TReal high = static_cast<TReal>(std::numeric_limits<T>::max());
  const TReal up = std::numeric_limits<TReal>::infinity();
  EXPECT_EQ((Stored<T, TReal>(high)), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(std::nextafter(high, -up))), std::numeric_limits<T>::max() - 1);
  EXPECT_EQ((Stored<T, TReal>(std::nextafter(high, up))), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(high + 1)), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(high - TReal(0.5))), std::numeric_limits<T>::max() - 1);
  EXPECT_EQ((Stored<T, TReal>(low)), std::numeric_limits<T>::min());
  EXPECT_EQ((Stored<T, TReal>(std::nextafter(low, -up))), std::numeric_limits<T>::min());
  EXPECT_EQ((Stored<T, TReal>(low - 1)), std::numeric_limits<T>::min());
  EXPECT_EQ((Stored<T, TReal>(low + TReal(0.5))), std::numeric_limits<T>::min() + (std::is_signed<T>::value ? 1 : 0))
    << "towards zero";
  EXPECT_EQ((Stored<T, TReal>(up)), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(-up)), std::numeric_limits<T>::min());
  EXPECT_EQ((Stored<T, TReal>(std::numeric_limits<TReal>::max())), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(std::numeric_limits<TReal>::lowest())), std::numeric_limits<T>::min());
}

/** Properties of every integer type, including those of 64 bits. */
template <typename T, typename TReal>
void
ExpectInteger()
{
  SCOPED_TRACE(NameOf(ScalarTypeOf<T>()));
  const bool isSigned = std::is_signed<T>::value;
  EXPECT_EQ((Stored<T, TReal>(std::numeric_limits<TReal>::quiet_NaN())), T(0));
  EXPECT_EQ((Stored<T, TReal>(-std::numeric_limits<TReal>::quiet_NaN())), T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(0))), T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(-0.0))), T(0));
  EXPECT_EQ((Stored<T, TReal>(std::numeric_limits<TReal>::denorm_min())), T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(0.5))), T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(-0.5))), T(0));
  EXPECT_EQ((Stored<T, TReal>(std::nextafter(TReal(1), TReal(0)))), T(0)) << "truncated, not rounded";
  EXPECT_EQ((Stored<T, TReal>(TReal(1.5))), T(1));
  EXPECT_EQ((Stored<T, TReal>(TReal(99.999))), T(99));
  EXPECT_EQ((Stored<T, TReal>(TReal(-99.999))), isSigned ? T(-99) : T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(-1))), isSigned ? T(-1) : T(0));
  EXPECT_EQ((Stored<T, TReal>(TReal(1e30))), std::numeric_limits<T>::max());
  EXPECT_EQ((Stored<T, TReal>(TReal(-1e30))), std::numeric_limits<T>::min());
}

TEST(PixelAccess, StoresIntegers)
{
  ExpectExactInteger<std::uint8_t, float>();
  ExpectExactInteger<std::int8_t, float>();
  ExpectExactInteger<std::uint16_t, float>();
  ExpectExactInteger<std::int16_t, float>();
  ExpectExactInteger<std::uint8_t, double>();
  ExpectExactInteger<std::int8_t, double>();
  ExpectExactInteger<std::uint16_t, double>();
  ExpectExactInteger<std::int16_t, double>();
  ExpectExactInteger<std::uint32_t, double>();
  ExpectExactInteger<std::int32_t, double>();
  ExpectInteger<std::uint8_t, float>();
  ExpectInteger<std::int8_t, float>();
  ExpectInteger<std::uint16_t, float>();
  ExpectInteger<std::int16_t, float>();
  ExpectInteger<std::uint32_t, float>();
  ExpectInteger<std::int32_t, float>();
  ExpectInteger<std::uint64_t, float>();
  ExpectInteger<std::int64_t, float>();
  ExpectInteger<std::uint8_t, double>();
  ExpectInteger<std::int8_t, double>();
  ExpectInteger<std::uint16_t, double>();
  ExpectInteger<std::int16_t, double>();
  ExpectInteger<std::uint32_t, double>();
  ExpectInteger<std::int32_t, double>();
  ExpectInteger<std::uint64_t, double>();
  ExpectInteger<std::int64_t, double>();
}

// The limits of 64-bit integers cannot be represented in double: 2^63 and 2^64 are the first values that are clamped,
// the double below them is not.
TEST(PixelAccess, StoresTheEndsOfLongIntegers)
{
  EXPECT_EQ(Stored<std::int64_t>(0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Stored<std::int64_t>(std::nextafter(0x1p63, 0.0)), std::numeric_limits<std::int64_t>::max() - 1023);
  EXPECT_EQ(Stored<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Stored<std::int64_t>(std::nextafter(-0x1p63, 0.0)), std::numeric_limits<std::int64_t>::min() + 1024);
  EXPECT_EQ(Stored<std::uint64_t>(0x1p64), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Stored<std::uint64_t>(std::nextafter(0x1p64, 0.0)), std::numeric_limits<std::uint64_t>::max() - 2047);
  EXPECT_EQ(Stored<std::uint64_t>(0x1p63), std::uint64_t(1) << 63);
  // The same in single precision, which cannot represent 32-bit limits.
  EXPECT_EQ((Stored<std::int32_t>(0x1p31F)), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ((Stored<std::int32_t>(std::nextafter(0x1p31F, 0.0F))), std::numeric_limits<std::int32_t>::max() - 127);
  EXPECT_EQ((Stored<std::int32_t>(-0x1p31F)), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((Stored<std::uint32_t>(0x1p32F)), std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ((Stored<std::int64_t>(0x1p63F)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((Stored<std::uint64_t>(0x1p64F)), std::numeric_limits<std::uint64_t>::max());
}

TEST(PixelAccess, StoresReals)
{
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(Stored<float>(infinity), largest);
  EXPECT_EQ(Stored<float>(-infinity), -largest);
  EXPECT_EQ(Stored<float>(1e300), largest);
  EXPECT_EQ(Stored<float>(-1e300), -largest);
  EXPECT_EQ(Stored<float>(std::nextafter(static_cast<double>(largest), infinity)), largest);
  EXPECT_EQ(Stored<float>(static_cast<double>(largest)), largest);
  EXPECT_EQ(Stored<float>(static_cast<double>(-largest)), -largest);
  EXPECT_EQ(Stored<float>(0.1), 0.1F) << "rounded to nearest";
  EXPECT_EQ(Stored<float>(std::numeric_limits<double>::denorm_min()), 0.0F);
  EXPECT_TRUE(std::isnan(Stored<float>(notANumber)));
  EXPECT_TRUE(std::signbit(Stored<float>(-0.0)));
  EXPECT_EQ(Stored<float>(std::numeric_limits<float>::infinity()), largest);
  EXPECT_EQ(Stored<float>(-std::numeric_limits<float>::infinity()), -largest);
  EXPECT_EQ(Stored<float>(0.1F), 0.1F);
  EXPECT_TRUE(std::isnan(Stored<float>(std::numeric_limits<float>::quiet_NaN())));

  EXPECT_EQ(Stored<double>(infinity), infinity);
  EXPECT_EQ(Stored<double>(-infinity), -infinity);
  EXPECT_EQ(Stored<double>(1e300), 1e300);
  EXPECT_EQ(Stored<double>(std::numeric_limits<double>::denorm_min()), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(Stored<double>(notANumber)));
  EXPECT_TRUE(std::signbit(Stored<double>(-0.0)));
}

template <typename T, typename TReal>
void
ExpectLoads(const std::vector<T> & elements)
{
  SCOPED_TRACE(NameOf(ScalarTypeOf<T>()));
  for (std::size_t k = 0; k < elements.size(); ++k)
  {
    const TReal loaded = LoadScalar<TReal>(elements.data(), ScalarTypeOf<T>(), static_cast<std::int64_t>(k));
    EXPECT_EQ(loaded, static_cast<TReal>(elements[k])) << k;
  }
  // In reverse order, from the middle of an array.
  EXPECT_EQ(LoadScalar<TReal>(elements.data() + 1, ScalarTypeOf<T>(), -1), static_cast<TReal>(elements[0]));
}

template <typename T>
void
ExpectLoadsOfInteger()
{
  using Limits = std::numeric_limits<T>;
  const std::vector<T> elements{ Limits::min(), T(Limits::min() + 1), T(0),         T(1),
                                 T(100),        T(Limits::max() - 1), Limits::max() };
  ExpectLoads<T, double>(elements);
  ExpectLoads<T, float>(elements);
}

TEST(PixelAccess, LoadsEveryType)
{
  ExpectLoadsOfInteger<std::uint8_t>();
  ExpectLoadsOfInteger<std::int8_t>();
  ExpectLoadsOfInteger<std::uint16_t>();
  ExpectLoadsOfInteger<std::int16_t>();
  ExpectLoadsOfInteger<std::uint32_t>();
  ExpectLoadsOfInteger<std::int32_t>();
  ExpectLoadsOfInteger<std::uint64_t>();
  ExpectLoadsOfInteger<std::int64_t>();
  ExpectLoads<float, double>(
    { -1.5F, 0.1F, std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min() });
  ExpectLoads<float, float>({ -1.5F, 0.1F, std::numeric_limits<float>::infinity() });
  ExpectLoads<double, double>({ -1.5, 0.1, std::numeric_limits<double>::max(), -infinity });
  ExpectLoads<double, float>({ -1.5, 0.1, 1.0 + 0x1p-30 });
  const double bad = notANumber;
  EXPECT_TRUE(std::isnan(LoadScalar<float>(&bad, ScalarType::Float64, 0)));
  // To the nearest, ties to even.
  const std::uint64_t tie = (std::uint64_t(1) << 53) + 1;
  EXPECT_EQ(LoadScalar<double>(&tie, ScalarType::UInt64, 0), 0x1p53);
}

// Loading and storing in a precision that represents the type returns the same value.
template <typename T, typename TReal>
void
ExpectRoundTrip(Random & random, double low, double high)
{
  for (int trial = 0; trial < 500; ++trial)
  {
    const T value = static_cast<T>(random.Uniform(low, high));
    EXPECT_EQ((Stored<T, TReal>(LoadScalar<TReal>(&value, ScalarTypeOf<T>(), 0))), value);
  }
}

TEST(PixelAccess, RoundTrip)
{
  Random random(__LINE__);
  ExpectRoundTrip<std::uint8_t, float>(random, 0, 256);
  ExpectRoundTrip<std::int8_t, float>(random, -128, 128);
  ExpectRoundTrip<std::uint16_t, float>(random, 0, 65536);
  ExpectRoundTrip<std::int16_t, float>(random, -32768, 32768);
  ExpectRoundTrip<std::uint32_t, double>(random, 0, 0x1p32);
  ExpectRoundTrip<std::int32_t, double>(random, -0x1p31, 0x1p31);
  ExpectRoundTrip<float, float>(random, -1e6, 1e6);
  ExpectRoundTrip<double, double>(random, -1e6, 1e6);
}

TEST(PixelAccess, CopiesBits)
{
  // A signalling NaN, and a label that float cannot represent, do not change.
  const std::uint64_t from[2] = { 0x7FF0000000000001u, 0xFEDCBA9876543211u };
  for (const std::size_t bytes : { 1u, 2u, 4u, 8u })
  {
    const auto                  elements = static_cast<std::int64_t>(16 / bytes);
    alignas(8) unsigned char    to[24];
    const unsigned char * const source = reinterpret_cast<const unsigned char *>(from);
    std::memset(to, 0xAA, sizeof(to));
    for (std::int64_t k = 0; k < elements; ++k)
    {
      CopyBits(to, k, from, elements - 1 - k, bytes);
    }
    for (std::int64_t k = 0; k < elements; ++k)
    {
      const std::size_t at = static_cast<std::size_t>(k) * bytes;
      EXPECT_EQ(std::memcmp(to + at, source + 16 - bytes - at, bytes), 0) << bytes;
    }
    for (int k = 16; k < 24; ++k)
    {
      EXPECT_EQ(to[k], 0xAA) << "nothing beyond the elements is written";
    }
  }
}

TEST(ScalarType, NamesEveryType)
{
  EXPECT_EQ(ScalarTypeOf<unsigned char>(), ScalarType::UInt8);
  EXPECT_EQ(ScalarTypeOf<signed char>(), ScalarType::Int8);
  EXPECT_EQ(ScalarTypeOf<char>(), std::is_signed<char>::value ? ScalarType::Int8 : ScalarType::UInt8);
  EXPECT_EQ(ScalarTypeOf<unsigned short>(), ScalarType::UInt16);
  EXPECT_EQ(ScalarTypeOf<short>(), ScalarType::Int16);
  EXPECT_EQ(ScalarTypeOf<unsigned int>(), ScalarType::UInt32);
  EXPECT_EQ(ScalarTypeOf<int>(), ScalarType::Int32);
  EXPECT_EQ(ScalarTypeOf<unsigned long>(), sizeof(long) == 8 ? ScalarType::UInt64 : ScalarType::UInt32);
  EXPECT_EQ(ScalarTypeOf<long>(), sizeof(long) == 8 ? ScalarType::Int64 : ScalarType::Int32);
  EXPECT_EQ(ScalarTypeOf<unsigned long long>(), ScalarType::UInt64);
  EXPECT_EQ(ScalarTypeOf<long long>(), ScalarType::Int64);
  EXPECT_EQ(ScalarTypeOf<float>(), ScalarType::Float32);
  EXPECT_EQ(ScalarTypeOf<double>(), ScalarType::Float64);
  EXPECT_FALSE(IsSupportedScalar<bool>);
  EXPECT_FALSE(IsSupportedScalar<void *>);
  EXPECT_TRUE(IsSupportedScalar<long long>);
}

TEST(ScalarType, SizesAndPrecision)
{
  struct Row
  {
    ScalarType   type;
    std::size_t  size;
    bool         real;
    bool         needsDouble;
    const char * name;
  };
  for (const Row & row : { Row{ ScalarType::UInt8, 1, false, false, "uint8" },
                           Row{ ScalarType::Int8, 1, false, false, "int8" },
                           Row{ ScalarType::UInt16, 2, false, false, "uint16" },
                           Row{ ScalarType::Int16, 2, false, false, "int16" },
                           Row{ ScalarType::UInt32, 4, false, true, "uint32" },
                           Row{ ScalarType::Int32, 4, false, true, "int32" },
                           Row{ ScalarType::UInt64, 8, false, true, "uint64" },
                           Row{ ScalarType::Int64, 8, false, true, "int64" },
                           Row{ ScalarType::Float32, 4, true, false, "float32" },
                           Row{ ScalarType::Float64, 8, true, true, "float64" } })
  {
    EXPECT_EQ(SizeOf(row.type), row.size) << row.name;
    EXPECT_EQ(IsReal(row.type), row.real) << row.name;
    EXPECT_EQ(NeedsDoublePrecision(row.type), row.needsDouble) << row.name;
    EXPECT_STREQ(NameOf(row.type), row.name);
  }
}

} // namespace
