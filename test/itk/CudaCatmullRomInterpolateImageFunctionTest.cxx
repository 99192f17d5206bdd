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
// CudaCatmullRomInterpolateImageFunction: ITK has no class of this kind.
//
// Expected values: the formula of the weights in powers of t, as it is printed (CatmullRomWeights()), and its
// derivatives, in long double on an image that is continued in memory. Tolerance, with u = 2^-53, s the largest sample
// and N = 1 + |tension| the sum of the absolute weights at most (for tensions in [0, 1]; the bound doubles it): four
// weights within 8 units each and seven roundings of a sum of N s are 40 N u s an axis, and each other axis amplifies
// by N. Absolute weights of a derivative sum to at most 4, of the second to at most 24 (within 20 and 40 units of
// rounding each): factors 4 and 24 for each order of derivative.

#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "DerivativeTestSupport.h"
#include "InterpolationTestSupport.h"

#include <cmath>
#include <sstream>

namespace
{

using namespace CudaSplineTest;

/** Weights of the value and its derivatives by t, by the printed formula. */
void
Weights(long double t, long double a, int derivative, long double (&w)[4])
{
  const long double coefficients[4][4] = {
    { 0, -a, 2 * a, -a }, { 1, 0, a - 3, 2 - a }, { 0, a, 3 - 2 * a, a - 2 }, { 0, 0, -a, a }
  };
  for (int k = 0; k < 4; ++k)
  {
    const auto & c = coefficients[k];
    w[k] = derivative == 0 ? c[0] + t * (c[1] + t * (c[2] + t * c[3]))
                           : (derivative == 1 ? c[1] + t * (2 * c[2] + t * 3 * c[3]) : 2 * c[2] + 6 * t * c[3]);
  }
}

/** The formula on an image that is large enough; \p orders of the derivative by axis. */
template <typename TIndex, unsigned int D>
long double
Formula(const itk::Image<double, D> * image, const TIndex & at, double tension, const std::array<int, D> & orders)
{
  long double                               weights[D][4];
  typename itk::Image<double, D>::IndexType first;
  for (unsigned int d = 0; d < D; ++d)
  {
    const double floor = std::floor(static_cast<double>(at[d]));
    first[d] = static_cast<itk::IndexValueType>(floor) - 1;
    Weights(static_cast<long double>(at[d]) - floor, tension, orders[d], weights[d]);
  }
  long double sum = 0;
  for (unsigned int n = 0; n < std::pow(4, D); ++n)
  {
    auto         index = first;
    long double  product = 1;
    unsigned int rest = n;
    for (unsigned int d = 0; d < D; ++d)
    {
      index[d] += rest % 4;
      product *= weights[d][rest % 4];
      rest /= 4;
    }
    sum += product * image->GetPixel(index);
  }
  return sum;
}

class CudaCatmullRomInterpolateImageFunctionTest : public GpuOnAndOff
{
protected:
  template <typename TPixel, unsigned int D, typename TCoordinate>
  void
  Compare(const std::vector<std::int64_t> & size, int line)
  {
    using ImageType = itk::Image<TPixel, D>;
    using Function = itk::CudaCatmullRomInterpolateImageFunction<ImageType, TCoordinate>;
    Random                               random(static_cast<std::uint64_t>(line));
    const auto                           image = NoiseImage<ImageType>(size, random);
    const double                         largest = LargestPixel(image.GetPointer());
    std::array<CudaSplineAddressMode, D> mirror;
    mirror.fill(CudaSplineAddressMode::Mirror);
    const auto padded = Padded(image.GetPointer(), mirror, 0.0, 3);
    auto       function = Function::New();
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    for (const double tension : { 0.5, 0.0, 1.0, 0.3 })
    {
      SCOPED_TRACE("line " + std::to_string(line) + ", tension " + std::to_string(tension));
      function->SetTension(tension);
      const double norm = 1.0 + tension;
      const double bound = D * 40.0 * std::pow(norm, D) * largest * 2.0;
      const auto   points = PointsIn(function.GetPointer(), random, 150, true);
      for (const auto & index : points)
      {
        if (!function->IsInsideBuffer(index))
        {
          continue;
        }
        const std::array<int, D> none{};
        ASSERT_LE(std::abs(static_cast<double>(function->EvaluateAtContinuousIndex(index) -
                                               Formula<decltype(index), D>(padded, index, tension, none))),
                  bound * Unit<double>)
          << index;
        function->UseImageDirectionOff();
        const auto gradient = function->EvaluateDerivativeAtContinuousIndex(index);
        const auto hessian = function->EvaluateHessianAtContinuousIndex(index);
        const auto spacing = image->GetSpacing();
        for (unsigned int r = 0; r < D; ++r)
        {
          auto orders = none;
          orders[r] = 1;
          const auto expected = Formula<decltype(index), D>(padded, index, tension, orders) / spacing[r];
          ASSERT_LE(std::abs(static_cast<double>(gradient[r] - expected)), 4.0 * bound * Unit<double> / spacing[r]);
          for (unsigned int c = r; c < D; ++c)
          {
            auto both = orders;
            ++both[c];
            const auto second = Formula<decltype(index), D>(padded, index, tension, both) / (spacing[r] * spacing[c]);
            ASSERT_LE(std::abs(static_cast<double>(hessian(r, c) - second)),
                      24.0 * bound * Unit<double> / (spacing[r] * spacing[c]));
          }
        }
        function->UseImageDirectionOn();
      }
      const double doubles = 2.0 * bound * Unit<double>;
      const double floats = 2.0 * bound * Unit<float>;
      ExpectBatchesAreSingle(
        function.GetPointer(), points, doubles, floats, Promised("CudaCatmullRomInterpolateImageFunction", D));
      for (const bool turned : { true, false })
      {
        function->SetUseImageDirection(turned);
        ExpectDerivativeBatchesAreSingle(function.GetPointer(), points, doubles, 24.0 * D);
      }
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaCatmullRomInterpolateImageFunctionTest);

TEST_P(CudaCatmullRomInterpolateImageFunctionTest, Formula)
{
  Compare<double, 1, double>({ 31 }, __LINE__);
  Compare<unsigned char, 2, double>({ 17, 12 }, __LINE__);
  Compare<float, 2, float>({ 9, 14 }, __LINE__);
  Compare<short, 3, double>({ 11, 9, 8 }, __LINE__);
  Compare<double, 3, double>({ 5, 1, 2 }, __LINE__);
}

// With tension 1/2 polynomials of degree 2, with any other constants.
TEST_P(CudaCatmullRomInterpolateImageFunctionTest, Polynomials)
{
  using ImageType = itk::Image<double, 2>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 15, 17 }, random);
  const auto first = image->GetBufferedRegion().GetIndex();
  const auto polynomial = [&](double x, double y) {
    const double p = x - first[0];
    const double q = y - first[1];
    return 1.0 + 0.5 * p - 0.25 * p * p + q - 0.125 * q * q + 0.5 * p * q;
  };
  for (itk::OffsetValueType i = 0; i < 15 * 17; ++i)
  {
    const auto index = image->ComputeIndex(i);
    image->SetPixel(index, polynomial(index[0], index[1]));
  }
  auto function = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
  function->SetInputImage(image);
  for (int i = 0; i < 100; ++i)
  {
    itk::ContinuousIndex<double, 2> index;
    index[0] = random.Uniform(first[0] + 1.0, first[0] + 13.0);
    index[1] = random.Uniform(first[1] + 1.0, first[1] + 15.0);
    EXPECT_NEAR(function->EvaluateAtContinuousIndex(index), polynomial(index[0], index[1]), 1e-12);
  }
  image->FillBuffer(4.5);
  function->SetTension(0.9);
  itk::ContinuousIndex<double, 2> index;
  index[0] = first[0] - 0.3;
  index[1] = first[1] + 3.7;
  EXPECT_NEAR(function->EvaluateAtContinuousIndex(index), 4.5, 1e-14);
}

TEST_P(CudaCatmullRomInterpolateImageFunctionTest, FiniteDifferences)
{
  using ImageType = itk::Image<float, 3>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 10, 8 }, random);
  auto       function = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
  function->SetInputImage(image);
  function->SetTension(0.7);
  ExpectDerivativesAreDifferences(function.GetPointer(), random, 0.0, LargestPixel(image.GetPointer()));
}

TEST_P(CudaCatmullRomInterpolateImageFunctionTest, State)
{
  using ImageType = itk::Image<float, 2>;
  auto function = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
  EXPECT_EQ(function->GetTension(), 0.5);
  EXPECT_TRUE(function->GetUseImageDirection());
  EXPECT_EQ(function->GetAddressMode(1), CudaSplineAddressMode::Itk);
  EXPECT_EQ(function->GetRadius(), ImageType::SizeType::Filled(2));
  itk::ContinuousIndex<double, 2> index;
  index.Fill(3.5);
  EXPECT_THROW(function->EvaluateAtContinuousIndex(index), itk::ExceptionObject);
  EXPECT_THROW(function->EvaluateAtContinuousIndices({ index }), itk::ExceptionObject);
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 7 }, random);
  function->SetInputImage(image);
  // It interpolates, exactly.
  for (itk::OffsetValueType i = 0; i < 63; ++i)
  {
    const auto pixel = image->ComputeIndex(i);
    index[0] = static_cast<double>(pixel[0]);
    index[1] = static_cast<double>(pixel[1]);
    EXPECT_EQ(function->EvaluateAtContinuousIndex(index), static_cast<double>(image->GetPixel(pixel)));
  }
  index[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(function->EvaluateAtContinuousIndex(index)));
  EXPECT_FALSE(function->IsInsideBuffer(index));
  EXPECT_THROW(function->SetAddressMode(2, CudaSplineAddressMode::Mirror), itk::ExceptionObject);
  function->SetAddressMode(1, CudaSplineAddressMode::Reflect);
  EXPECT_EQ(function->GetRadius(), image->GetBufferedRegion().GetSize());
  std::ostringstream text;
  function->Print(text);
  EXPECT_NE(text.str().find("Tension: 0.5"), std::string::npos);
  EXPECT_NE(text.str().find("AddressMode: Itk Reflect"), std::string::npos) << text.str();
}

} // namespace
