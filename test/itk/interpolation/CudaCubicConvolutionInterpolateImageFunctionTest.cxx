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
// CudaCubicConvolutionInterpolateImageFunction and CudaCatmullRomInterpolateImageFunction: ITK has no class of this
// kind.
//
// Expected values: the filter of Mitchell and Netravali as it is printed in their paper, and its derivatives, in long
// double on an image that is continued in memory. Tolerance, with u = 2^-53, s the largest sample and N = 1 + B + C the
// sum of the absolute weights at most (for B and C in [0, 1]; the bound doubles it): four weights within 16 units each
// and seven roundings of a sum of N s are 75 N u s an axis (within 8 units each and 40 N u s for B = 0), and each other
// axis amplifies by N. Absolute weights of a derivative sum to at most 3, of the second to at most 12 (within 40 and 80
// units of rounding each): factors 4 and 24 for each order of derivative.

#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "DerivativeTestSupport.h"
#include "InterpolationTestSupport.h"

#include <cmath>
#include <sstream>

namespace
{

using namespace CudaSplineTest;

/** Mitchell and Netravali, 1988, equation 8, and its derivatives, at a distance t + 1 - k from sample k of four, t in
 * [0, 1). At samples, where second derivatives jump, they are those of the segment above. */
long double
Kernel(long double t, int k, const itk::CudaSpline::CubicParameters & parameters, int derivative)
{
  const long double distance = t + 1 - k;
  const long double B = parameters.b;
  const long double C = parameters.c;
  const long double x = std::abs(distance);
  const bool        isInner = k == 1 || k == 2;
  const long double cube = isInner ? 12 - 9 * B - 6 * C : -B - 6 * C;
  const long double square = isInner ? -18 + 12 * B + 6 * C : 6 * B + 30 * C;
  const long double linear = isInner ? 0 : -12 * B - 48 * C;
  const long double constant = isInner ? 6 - 2 * B : 8 * B + 24 * C;
  switch (derivative)
  {
    case 0:
      return (constant + x * (linear + x * (square + x * cube))) / 6;
    case 1:
      return (distance < 0 ? -1 : 1) * (linear + x * (2 * square + x * 3 * cube)) / 6;
    default:
      return (2 * square + x * 6 * cube) / 6;
  }
}

/** The formula on an image that is large enough; \p orders of the derivative by axis. */
template <typename TIndex, unsigned int D>
long double
Formula(const itk::Image<double, D> *            image,
        const TIndex &                           at,
        const itk::CudaSpline::CubicParameters & parameters,
        const std::array<int, D> &               orders)
{
  long double                               weights[D][4];
  typename itk::Image<double, D>::IndexType first;
  for (unsigned int d = 0; d < D; ++d)
  {
    const double floor = std::floor(static_cast<double>(at[d]));
    first[d] = static_cast<itk::IndexValueType>(floor) - 1;
    for (int k = 0; k < 4; ++k)
    {
      weights[d][k] = Kernel(static_cast<long double>(at[d]) - floor, k, parameters, orders[d]);
    }
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

class CudaCubicConvolutionInterpolateImageFunctionTest : public GpuOnAndOff
{
protected:
  template <template <typename, typename> class TFunction, typename TPixel, unsigned int D, typename TCoordinate>
  void
  Compare(const std::vector<std::int64_t> &                     size,
          int                                                   line,
          const std::vector<itk::CudaSpline::CubicParameters> & choices,
          const std::string &                                   name)
  {
    using ImageType = itk::Image<TPixel, D>;
    using Function = TFunction<ImageType, TCoordinate>;
    Random                               random(static_cast<std::uint64_t>(line));
    const auto                           image = NoiseImage<ImageType>(size, random);
    const double                         largest = LargestPixel(image.GetPointer());
    std::array<CudaSplineAddressMode, D> mirror;
    mirror.fill(CudaSplineAddressMode::Mirror);
    const auto padded = Padded(image.GetPointer(), mirror, 0.0, 3);
    auto       function = Function::New();
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    for (const auto & parameters : choices)
    {
      SCOPED_TRACE("line " + std::to_string(line) + ", B " + std::to_string(parameters.b) + ", C " +
                   std::to_string(parameters.c));
      if constexpr (std::is_same_v<Function, itk::CudaCatmullRomInterpolateImageFunction<ImageType, TCoordinate>>)
      {
        function->SetTension(parameters.c);
      }
      else
      {
        function->SetB(parameters.b);
        function->SetC(parameters.c);
      }
      const double norm = 1.0 + parameters.b + parameters.c;
      const double bound = D * (parameters.b == 0.0 ? 40.0 : 75.0) * std::pow(norm, D) * largest * 2.0;
      const auto   points = PointsIn(function.GetPointer(), random, 150, true);
      for (const auto & index : points)
      {
        if (!function->IsInsideBuffer(index))
        {
          continue;
        }
        const std::array<int, D> none{};
        ASSERT_LE(std::abs(static_cast<double>(function->EvaluateAtContinuousIndex(index) -
                                               Formula<decltype(index), D>(padded, index, parameters, none))),
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
          const auto expected = Formula<decltype(index), D>(padded, index, parameters, orders) / spacing[r];
          ASSERT_LE(std::abs(static_cast<double>(gradient[r] - expected)), 4.0 * bound * Unit<double> / spacing[r]);
          for (unsigned int c = r; c < D; ++c)
          {
            auto both = orders;
            ++both[c];
            const auto second =
              Formula<decltype(index), D>(padded, index, parameters, both) / (spacing[r] * spacing[c]);
            ASSERT_LE(std::abs(static_cast<double>(hessian(r, c) - second)),
                      24.0 * bound * Unit<double> / (spacing[r] * spacing[c]));
          }
        }
        function->UseImageDirectionOn();
      }
      const double doubles = 2.0 * bound * Unit<double>;
      const double floats = 2.0 * bound * Unit<float>;
      ExpectBatchesAreSingle(function.GetPointer(), points, doubles, floats, Promised(name, D));
      for (const bool turned : { true, false })
      {
        function->SetUseImageDirection(turned);
        ExpectDerivativeBatchesAreSingle(function.GetPointer(), points, doubles, 24.0 * D);
      }
    }
  }

  template <template <typename, typename> class TFunction>
  void
  CompareAll(const std::vector<itk::CudaSpline::CubicParameters> & choices, const std::string & name)
  {
    Compare<TFunction, double, 1, double>({ 31 }, __LINE__, choices, name);
    Compare<TFunction, unsigned char, 2, double>({ 17, 12 }, __LINE__, choices, name);
    Compare<TFunction, float, 2, float>({ 9, 14 }, __LINE__, choices, name);
    Compare<TFunction, short, 3, double>({ 11, 9, 8 }, __LINE__, choices, name);
    Compare<TFunction, double, 3, double>({ 5, 1, 2 }, __LINE__, choices, name);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaCubicConvolutionInterpolateImageFunctionTest);

TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, MitchellAndNetravalisFilter)
{
  CompareAll<itk::CudaCubicConvolutionInterpolateImageFunction>(
    { itk::CudaSpline::MitchellNetravaliParameters, { 1.0, 0.0 }, { 0.7, 0.4 }, { 0.0, 0.3 } },
    "CudaCubicConvolutionInterpolateImageFunction");
}

TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, CatmullRomIsItWithoutB)
{
  CompareAll<itk::CudaCatmullRomInterpolateImageFunction>({ { 0.0, 0.5 }, { 0.0, 0.0 }, { 0.0, 1.0 }, { 0.0, 0.3 } },
                                                          "CudaCatmullRomInterpolateImageFunction");
}

// With tension 1/2 polynomials of degree 2 are reproduced, with any other tension constants.
TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, Polynomials)
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

// Mitchell and Netravali's filter smooths: at a pixel it weights the neighbours by 1/18 along each axis. Linear
// functions are reproduced. A square is too large by its mean over the weights, 1/9 per squared sample.
TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, SmoothsAtPixels)
{
  using ImageType = itk::Image<double, 2>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 15, 17 }, random);
  auto       function = itk::CudaCubicConvolutionInterpolateImageFunction<ImageType>::New();
  function->SetInputImage(image);
  const auto                      first = image->GetBufferedRegion().GetIndex();
  const double                    weights[3] = { 1.0 / 18.0, 16.0 / 18.0, 1.0 / 18.0 };
  itk::ContinuousIndex<double, 2> at;
  for (itk::IndexValueType y = 1; y < 16; ++y)
  {
    for (itk::IndexValueType x = 1; x < 14; ++x)
    {
      double expected = 0.0;
      for (int j = 0; j < 3; ++j)
      {
        for (int i = 0; i < 3; ++i)
        {
          expected += weights[i] * weights[j] * image->GetPixel({ { first[0] + x + i - 1, first[1] + y + j - 1 } });
        }
      }
      at[0] = static_cast<double>(first[0] + x);
      at[1] = static_cast<double>(first[1] + y);
      EXPECT_NEAR(function->EvaluateAtContinuousIndex(at), expected, 1e-13 * LargestPixel(image.GetPointer()));
    }
  }
  const auto fill = [&](auto polynomial) {
    for (itk::OffsetValueType i = 0; i < 15 * 17; ++i)
    {
      const auto index = image->ComputeIndex(i);
      image->SetPixel(index, polynomial(index[0] - first[0], index[1] - first[1]));
    }
    image->Modified();
  };
  for (int i = 0; i < 100; ++i)
  {
    const double x = random.Uniform(1.0, 13.0);
    const double y = random.Uniform(1.0, 15.0);
    at[0] = first[0] + x;
    at[1] = first[1] + y;
    fill([](double p, double q) { return 2.0 + p - 0.5 * q + 0.25 * p * q; });
    EXPECT_NEAR(function->EvaluateAtContinuousIndex(at), 2.0 + x - 0.5 * y + 0.25 * x * y, 1e-12);
  }
  fill([](double p, double) { return p * p; });
  at[0] = static_cast<double>(first[0] + 5);
  at[1] = first[1] + 5.25;
  EXPECT_NEAR(function->EvaluateAtContinuousIndex(at), 25.0 + 1.0 / 9.0, 1e-12);
}

TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, FiniteDifferences)
{
  using ImageType = itk::Image<float, 3>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 10, 8 }, random);
  auto       catmullRom = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
  catmullRom->SetInputImage(image);
  catmullRom->SetTension(0.7);
  ExpectDerivativesAreDifferences(catmullRom.GetPointer(), random, 0.0, LargestPixel(image.GetPointer()));
  auto mitchell = itk::CudaCubicConvolutionInterpolateImageFunction<ImageType>::New();
  mitchell->SetInputImage(image);
  ExpectDerivativesAreDifferences(mitchell.GetPointer(), random, 0.0, LargestPixel(image.GetPointer()));
}

TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, State)
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
  EXPECT_NE(text.str().find("B: 0\n"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("C: 0.5"), std::string::npos);
  EXPECT_NE(text.str().find("Tension: 0.5"), std::string::npos);
  EXPECT_NE(text.str().find("AddressMode: Itk Reflect"), std::string::npos) << text.str();
}

TEST_P(CudaCubicConvolutionInterpolateImageFunctionTest, ParametersAreMitchellAndNetravalisUntilTheyAreSet)
{
  using ImageType = itk::Image<float, 2>;
  auto function = itk::CudaCubicConvolutionInterpolateImageFunction<ImageType>::New();
  EXPECT_EQ(function->GetB(), 1.0 / 3.0);
  EXPECT_EQ(function->GetC(), 1.0 / 3.0);
  const auto before = function->GetMTime();
  function->SetB(0.25);
  EXPECT_GT(function->GetMTime(), before);
  const auto catmullRom = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
  catmullRom->SetTension(0.25);
  EXPECT_EQ(catmullRom->GetB(), 0.0);
  EXPECT_EQ(catmullRom->GetC(), 0.25);
  const auto method = catmullRom->DescribeMethod(nullptr);
  EXPECT_EQ(method.refusal, nullptr);
  EXPECT_EQ(method.interpolation.cubic.b, 0.0);
  EXPECT_EQ(method.interpolation.cubic.c, 0.25);
}

} // namespace
