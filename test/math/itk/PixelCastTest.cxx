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
// The storer against the cast of itk::ResampleImageFilter, for every pixel type.
//
// Expected values: the filter itself, run with the nearest-neighbour interpolator on an image of doubles and an output
// grid that is the input's: it only casts. NaN is left out for integers, where ITK's result is undefined (0 here).
// Exact: no tolerance.

#include "itkCudaSpline/math/PixelAccess.h"

#include "RandomData.h"

#include "itkImage.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::ScalarTypeOf;
using itk::CudaSpline::StoreScalar;

constexpr double infinity = std::numeric_limits<double>::infinity();

using InputType = itk::Image<double, 2>;

/** Limits of every type with their neighbours, halves, and values of every magnitude. */
InputType::Pointer
Values()
{
  std::vector<double> values{ 0.0,       -0.0,  0.5,    -0.5,   0.999999, -0.999999, infinity,
                              -infinity, 1e300, -1e300, 5e-324, 1e-40,    -1e-40 };
  for (const double limit : { 127.0,
                              -128.0,
                              255.0,
                              32767.0,
                              -32768.0,
                              65535.0,
                              0x1p31,
                              -0x1p31,
                              0x1p32,
                              0x1p63,
                              -0x1p63,
                              0x1p64,
                              static_cast<double>(std::numeric_limits<float>::max()),
                              0x1p31 - 1,
                              0x1p32 - 1,
                              1.0,
                              -1.0 })
  {
    for (const double value : { limit, -limit })
    {
      values.insert(values.end(), { value, value - 1, value + 1, value - 0.5, value + 0.5 });
      values.insert(values.end(), { std::nextafter(value, infinity), std::nextafter(value, -infinity) });
    }
  }
  Random random(__LINE__);
  while (values.size() % 64 != 0 || values.size() < 4096)
  {
    values.push_back(random.Sign() * std::pow(2.0, random.Uniform(-3.0, 70.0)));
  }
  const auto         image = InputType::New();
  const itk::Size<2> size{ { 64, values.size() / 64 } };
  image->SetRegions(itk::ImageRegion<2>(size));
  image->Allocate();
  std::copy(values.begin(), values.end(), image->GetBufferPointer());
  return image;
}

template <typename T>
void
ExpectCast()
{
  using OutputType = itk::Image<T, 2>;
  SCOPED_TRACE(itk::CudaSpline::NameOf(ScalarTypeOf<T>()));
  const auto input = Values();
  const auto filter = itk::ResampleImageFilter<InputType, OutputType>::New();
  filter->SetInput(input);
  filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<InputType>::New());
  filter->SetOutputParametersFromImage(input);
  filter->Update();
  const double * values = input->GetBufferPointer();
  const T *      expected = filter->GetOutput()->GetBufferPointer();
  for (std::size_t k = 0; k < input->GetBufferedRegion().GetNumberOfPixels(); ++k)
  {
    T stored;
    StoreScalar(&stored, ScalarTypeOf<T>(), 0, values[k]);
    ASSERT_EQ(stored, expected[k]) << std::hexfloat << values[k];
  }
}

TEST(PixelCastAgainstITK, SmallIntegers)
{
  ExpectCast<unsigned char>();
  ExpectCast<signed char>();
  ExpectCast<unsigned short>();
  ExpectCast<short>();
}

TEST(PixelCastAgainstITK, LargeIntegers)
{
  ExpectCast<unsigned int>();
  ExpectCast<int>();
  ExpectCast<unsigned long>();
  ExpectCast<long>();
}

TEST(PixelCastAgainstITK, Reals)
{
  ExpectCast<float>();
  ExpectCast<double>();
}

} // namespace
