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
// Linear interpolation against itk::LinearInterpolateImageFunction.
//
// Expected values: ITK's class on the same pixels. In double the operations and their order are the same, so the
// results are too, bit for bit, where neither compiler fuses multiplications and additions (-ffp-contract=off): NaN,
// infinities, the half-pixel border, neighbours of weight 0. In float the bound is that of nested interpolation: 5
// units of 2^-24 of the largest value per axis.

#include "itkCudaSpline/math/LinearEvaluation.h"

#include "RandomData.h"

#include "itkImage.h"
#include "itkLinearInterpolateImageFunction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::LinearValue;

/** A coordinate inside of the buffer: anywhere, on a lattice of halves, next to it, or on the border. */
template <typename T>
T
RandomCoordinate(Random & random, std::int64_t start, std::int64_t size)
{
  const double low = static_cast<double>(start) - 0.5;
  const double high = static_cast<double>(start + size) - 0.5;
  T            x;
  do
  {
    switch (random.Integer(0, 3))
    {
      case 0:
        x = static_cast<T>(low + 0.5 * static_cast<double>(random.Integer(0, 2 * size)));
        break;
      case 1:
        x = random.Near(static_cast<T>(low + 0.5 * static_cast<double>(random.Integer(0, 2 * size))), 4);
        break;
      default:
        x = static_cast<T>(random.Uniform(low, high));
    }
  } while (!(x >= low && x < high));
  return x;
}

template <typename TPixel, unsigned int VDimension, typename TCoordinate, typename TReal>
void
ExpectLinear(double unitsAnAxis)
{
  using ImageType = itk::Image<TPixel, VDimension>;
  using FunctionType = itk::LinearInterpolateImageFunction<ImageType, TCoordinate>;
  Random random(__LINE__ + VDimension);
  for (int trial = 0; trial < 60; ++trial)
  {
    const auto                     image = ImageType::New();
    typename ImageType::RegionType region;
    GridExtent<VDimension>         extent;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent.start[d] = random.Integer(-20, 20);
      extent.size[d] = random.Integer(1, 5);
      region.SetIndex(d, extent.start[d]);
      region.SetSize(d, static_cast<itk::SizeValueType>(extent.size[d]));
    }
    image->SetRegions(region);
    image->Allocate();
    std::vector<TReal> data;
    const bool         notFinite = std::is_same<TPixel, double>::value && trial % 3 == 0;
    for (std::int64_t k = 0; k < extent.Count(); ++k)
    {
      double value = random.Uniform(-1000.0, 1000.0);
      if (notFinite && random.Integer(0, 4) == 0)
      {
        value = random.Integer(0, 1) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                          : random.Sign() * std::numeric_limits<double>::infinity();
      }
      image->GetBufferPointer()[k] = static_cast<TPixel>(value);
      data.push_back(static_cast<TReal>(image->GetBufferPointer()[k]));
    }
    const auto function = FunctionType::New();
    function->SetInputImage(image);
    for (int point = 0; point < 200; ++point)
    {
      typename FunctionType::ContinuousIndexType itkIndex;
      TCoordinate                                index[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] = RandomCoordinate<TCoordinate>(random, extent.start[d], extent.size[d]);
        itkIndex[d] = index[d];
      }
      ASSERT_TRUE(function->IsInsideBuffer(itkIndex)) << itkIndex;
      const double expected = function->EvaluateAtContinuousIndex(itkIndex);
      const double value = LinearValue(data.data(), extent, index);
      if (std::isnan(expected))
      {
        ASSERT_TRUE(std::isnan(value)) << itkIndex;
      }
      else if (unitsAnAxis == 0)
      {
        ASSERT_EQ(value, expected) << itkIndex << ' ' << region;
      }
      else
      {
        ASSERT_NEAR(value, expected, unitsAnAxis * VDimension * 0x1p-24 * 1000.0) << itkIndex;
      }
    }
  }
}

TEST(LinearAgainstITK, SameBitsInDouble)
{
  ExpectLinear<double, 1, double, double>(0);
  ExpectLinear<double, 2, double, double>(0);
  ExpectLinear<double, 3, double, double>(0);
}

TEST(LinearAgainstITK, SameBitsWithFloatCoordinates)
{
  ExpectLinear<double, 1, float, double>(0);
  ExpectLinear<double, 2, float, double>(0);
  ExpectLinear<double, 3, float, double>(0);
}

TEST(LinearAgainstITK, SameBitsOfIntegers)
{
  ExpectLinear<short, 2, double, double>(0);
  ExpectLinear<short, 3, double, double>(0);
}

TEST(LinearAgainstITK, WithinRoundingInFloat)
{
  ExpectLinear<float, 2, double, float>(5);
  ExpectLinear<float, 3, double, float>(5);
}

} // namespace
