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
// The module's interpolators against ITK's own, value by value, by single evaluations and by batches of every form.
//
// Expected values: ITK's class on the same image. Tolerances, with u = 2^-53 and s the largest absolute sample:
// - nearest neighbours and labels: none.
// - linear: an axis takes a difference, a product and a sum of numbers up to 2 s: 6 u s for each of the two.
// - B-splines of ready coefficients: ValueBound() and DerivativeBound() of the largest coefficient.
// - windowed sinc: WindowedSincValue() promises D (66 m + 1) N^D u s with N = 2.28; ITK's weights are products of as
// many
//   functions with arguments up to m pi, and it adds (2 m)^D products one by one: the same, and (2 m)^D N^D u s more.
// Results in float are rounded to it, and so are their samples, which float images and bytes have already: 2^-24 of the
// largest value for each operation of an axis.

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaBSplineResampleImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "InterpolationTestSupport.h"

#include "itkConstantBoundaryCondition.h"
#include "itkPeriodicBoundaryCondition.h"

#include <cmath>
#include <string>
#include <typeinfo>

namespace
{

using namespace CudaSplineTest;

template <unsigned int D>
std::vector<std::int64_t>
SizesOf()
{
  const std::int64_t        sizes[] = { 23, 17, 13 };
  std::vector<std::int64_t> size(sizes, sizes + D);
  return size;
}

/** Returns whether ITK's nearest-neighbour interpolator reads outside of the buffer; see NearestPixelInside(). */
template <typename TFunction>
bool
IsBeside(const TFunction * function, const typename TFunction::ContinuousIndexType & index)
{
  bool is = false;
  for (unsigned int d = 0; d < TFunction::ImageDimension; ++d)
  {
    is = is || itk::Math::RoundHalfIntegerUp<itk::IndexValueType>(index[d]) > function->GetEndIndex()[d];
  }
  return is;
}

class CudaInterpolatorsAgainstItk : public GpuOnAndOff
{
protected:
  /** Compares values and inside tests of an interpolator and of ITK's on an image, then batches of the former. */
  template <typename TOwn, typename TItk, typename TImage>
  void
  Compare(const std::string & name,
          const TImage *      image,
          Random &            random,
          double              tolerance,
          double              floatTolerance,
          bool                isAccelerated = true,
          bool                judgesLowEdge = true)
  {
    SCOPED_TRACE(name + " in " + std::to_string(TImage::ImageDimension) + "D of " + typeid(TImage).name());
    auto own = TOwn::New();
    auto itks = TItk::New();
    ASSERT_EQ(typeid(*itks), typeid(TItk));
    own->SetGPUEnabled(GetParam());
    own->SetInputImage(image);
    itks->SetInputImage(image);
    EXPECT_EQ(own->GetRadius(), itks->GetRadius());
    EXPECT_NE(dynamic_cast<TItk *>(own.GetPointer()), nullptr);
    const auto points = PointsIn(own.GetPointer(), random, 300, true);
    for (const auto & index : points)
    {
      ASSERT_EQ(own->IsInsideBuffer(index), itks->IsInsideBuffer(index)) << index;
      if (!own->IsInsideBuffer(index))
      {
        continue;
      }
      bool isLow = false;
      for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
      {
        isLow = isLow || index[d] < static_cast<double>(image->GetBufferedRegion().GetIndex(d));
      }
      if (IsBeside(own.GetPointer(), index) || (isLow && !judgesLowEdge))
      {
        continue;
      }
      const double expected = itks->EvaluateAtContinuousIndex(index);
      ASSERT_LE(std::abs(own->EvaluateAtContinuousIndex(index) - expected), tolerance) << index << " " << expected;
      typename TOwn::PointType point;
      image->TransformContinuousIndexToPhysicalPoint(index, point);
      ASSERT_EQ(own->IsInsideBuffer(point), itks->IsInsideBuffer(point)) << index;
      typename TOwn::ContinuousIndexType back;
      own->ConvertPointToContinuousIndex(point, back);
      if (own->IsInsideBuffer(point) && !IsBeside(own.GetPointer(), back))
      {
        ASSERT_LE(std::abs(own->Evaluate(point) - itks->Evaluate(point)), tolerance) << point;
      }
    }
    ExpectBatchesAreSingle(own.GetPointer(),
                           points,
                           tolerance,
                           floatTolerance,
                           isAccelerated ? Promised(name, TImage::ImageDimension)
                                         : itk::CudaSpline::Backend::Superclass);
    EXPECT_EQ(own->EvaluateAtIndex(image->GetBufferedRegion().GetUpperIndex()),
              itks->EvaluateAtIndex(image->GetBufferedRegion().GetUpperIndex()));
  }

  template <typename TPixel, unsigned int D, typename TCoordinate>
  void
  CompareNearestAndLinear(int line)
  {
    using ImageType = itk::Image<TPixel, D>;
    Random       random(static_cast<std::uint64_t>(line));
    const auto   image = NoiseImage<ImageType>(SizesOf<D>(), random);
    const double largest = LargestPixel(image.GetPointer());
    // Results in float round numbers with more than 24 bits.
    Compare<itk::CudaNearestNeighborInterpolateImageFunction<ImageType, TCoordinate>,
            itk::NearestNeighborInterpolateImageFunction<ImageType, TCoordinate>>(
      "CudaNearestNeighborInterpolateImageFunction",
      image.GetPointer(),
      random,
      0.0,
      sizeof(TPixel) > 2 ? Unit<float> * largest : 0.0);
    Compare<itk::CudaLinearInterpolateImageFunction<ImageType, TCoordinate>,
            itk::LinearInterpolateImageFunction<ImageType, TCoordinate>>("CudaLinearInterpolateImageFunction",
                                                                         image.GetPointer(),
                                                                         random,
                                                                         12.0 * D * Unit<double> * largest,
                                                                         (8.0 * D + 2.0) * Unit<float> * largest);
  }

  template <typename TImage,
            unsigned int VRadius,
            typename TWindow,
            typename TBoundary = itk::ZeroFluxNeumannBoundaryCondition<TImage, TImage>,
            typename TCoordinate = double>
  void
  CompareSinc(int line)
  {
    constexpr unsigned int D = TImage::ImageDimension;
    Random                 random(static_cast<std::uint64_t>(line) + 100 * VRadius);
    const auto             image = NoiseImage<TImage>(SizesOf<D>(), random);
    const double           norm = std::pow(2.28, D) * LargestPixel(image.GetPointer());
    const double           bound = norm * (2.0 * D * (66.0 * VRadius + 1.0) + std::pow(2.0 * VRadius, D));
    Compare<itk::CudaWindowedSincInterpolateImageFunction<TImage, VRadius, TWindow, TBoundary, TCoordinate>,
            itk::WindowedSincInterpolateImageFunction<TImage, VRadius, TWindow, TBoundary, TCoordinate>>(
      "CudaWindowedSincInterpolateImageFunction",
      image.GetPointer(),
      random,
      Unit<double> * bound,
      2.0 * Unit<float> * norm,
      VRadius <= 5,
      !std::is_same<TBoundary, itk::PeriodicBoundaryCondition<TImage>>::value);
  }

  template <typename TCoefficient, unsigned int D, typename TCoordinate>
  void
  CompareReadyCoefficients(int line)
  {
    using ImageType = itk::Image<TCoefficient, D>;
    using Own = itk::CudaBSplineResampleImageFunction<ImageType, TCoordinate>;
    using Itks = itk::BSplineResampleImageFunction<ImageType, TCoordinate>;
    Random       random(static_cast<std::uint64_t>(line));
    const auto   image = NoiseImage<ImageType>(SizesOf<D>(), random);
    const double largest = LargestPixel(image.GetPointer());
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("order " + std::to_string(order));
      auto own = Own::New();
      auto itks = Itks::New();
      own->SetGPUEnabled(GetParam());
      own->SetSplineOrder(order);
      itks->SetSplineOrder(order);
      own->SetInputImage(image);
      itks->SetInputImage(image);
      const auto points = PointsIn(own.GetPointer(), random, 100, true);
      for (const auto & index : points)
      {
        if (!own->IsInsideBuffer(index))
        {
          continue;
        }
        const double bound = ValueBound(order, D) * largest;
        ASSERT_LE(std::abs(own->EvaluateAtContinuousIndex(index) - itks->EvaluateAtContinuousIndex(index)), bound);
        for (const bool turned : { true, false })
        {
          own->SetUseImageDirection(turned);
          itks->SetUseImageDirection(turned);
          const auto gradient = own->EvaluateDerivativeAtContinuousIndex(index);
          const auto expected = itks->EvaluateDerivativeAtContinuousIndex(index);
          // Divided by a spacing of at least 0.3 mm, and rotated: each component of D.
          const double derivativeBound = (DerivativeBound(order, D, 50.0) + 20.0 * Unit<double>)*largest / 0.3 * D;
          for (unsigned int d = 0; d < D; ++d)
          {
            ASSERT_LE(std::abs(gradient[d] - expected[d]), derivativeBound) << index;
          }
        }
      }
      // Batches compute in the type of the coefficients, with as many roundings as ValueBound() counts.
      const double bound = (ValueBound(order, D) / Unit<double>)*Unit<TCoefficient> * largest + Unit<double> * largest;
      ExpectBatchesAreSingle(own.GetPointer(),
                             points,
                             bound,
                             bound + Unit<float> * largest,
                             Promised("CudaBSplineResampleImageFunction", D));
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaInterpolatorsAgainstItk);

TEST_P(CudaInterpolatorsAgainstItk, NearestAndLinear)
{
  CompareNearestAndLinear<double, 1, double>(__LINE__);
  CompareNearestAndLinear<unsigned char, 2, double>(__LINE__);
  CompareNearestAndLinear<float, 2, float>(__LINE__);
  CompareNearestAndLinear<short, 3, double>(__LINE__);
  CompareNearestAndLinear<float, 3, double>(__LINE__);
  CompareNearestAndLinear<std::int64_t, 3, float>(__LINE__);
}

TEST_P(CudaInterpolatorsAgainstItk, SincByWindow)
{
  using ImageType = itk::Image<float, 3>;
  using namespace itk::Function;
  CompareSinc<ImageType, 3, CosineWindowFunction<3>>(__LINE__);
  CompareSinc<ImageType, 3, HammingWindowFunction<3>>(__LINE__);
  CompareSinc<ImageType, 3, WelchWindowFunction<3>>(__LINE__);
  CompareSinc<ImageType, 3, LanczosWindowFunction<3>>(__LINE__);
  CompareSinc<ImageType, 3, BlackmanWindowFunction<3>>(__LINE__);
}

TEST_P(CudaInterpolatorsAgainstItk, SincByRadiusDimensionAndPixel)
{
  using namespace itk::Function;
  CompareSinc<itk::Image<double, 1>, 1, LanczosWindowFunction<1>>(__LINE__);
  CompareSinc<itk::Image<short, 2>, 2, CosineWindowFunction<2>>(__LINE__);
  CompareSinc<itk::Image<unsigned char, 2>, 4, BlackmanWindowFunction<4>>(__LINE__);
  CompareSinc<itk::Image<double, 2>, 5, LanczosWindowFunction<5>>(__LINE__);
  using Floats = itk::Image<float, 2>;
  CompareSinc<Floats, 3, HammingWindowFunction<3>, itk::ZeroFluxNeumannBoundaryCondition<Floats, Floats>, float>(
    __LINE__);
}

// Just below index 0 the distance from index -1 is rounded to 1.
TEST_P(CudaInterpolatorsAgainstItk, SincJustBelowASample)
{
  using ImageType = itk::Image<double, 1>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::RegionType({ { -6 } }, { { 13 } }));
  image->Allocate();
  Random random(__LINE__);
  for (int i = 0; i < 13; ++i)
  {
    image->GetBufferPointer()[i] = random.Uniform(-1.0, 1.0);
  }
  auto own = itk::CudaWindowedSincInterpolateImageFunction<ImageType, 3>::New();
  auto itks = itk::WindowedSincInterpolateImageFunction<ImageType, 3>::New();
  own->SetGPUEnabled(GetParam());
  own->SetInputImage(image);
  itks->SetInputImage(image);
  for (const double at : { -0x1p-54, -0x1p-53, -0x1p-52, -1e-300, 0x1p-54 })
  {
    itk::ContinuousIndex<double, 1> index;
    index[0] = at;
    EXPECT_NEAR(own->EvaluateAtContinuousIndex(index), itks->EvaluateAtContinuousIndex(index), 1e-14) << at;
    EXPECT_NEAR(own->EvaluateAtContinuousIndices({ index }).front(), itks->EvaluateAtContinuousIndex(index), 1e-14);
  }
}

// ITK's periodic condition tests the middle of a neighbourhood to find whether it is inside. In the half sample below
// the first one it reads outside of the line, so it cannot be the reference. There the reference is the address mode
// GridWrap, which has its own test.
TEST_P(CudaInterpolatorsAgainstItk, SincByBoundary)
{
  using ImageType = itk::Image<short, 2>;
  using namespace itk::Function;
  CompareSinc<ImageType, 3, WelchWindowFunction<3>, itk::PeriodicBoundaryCondition<ImageType>>(__LINE__);
  CompareSinc<ImageType, 3, WelchWindowFunction<3>, itk::ConstantBoundaryCondition<ImageType>>(__LINE__);

  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 8 }, random);
  auto       periodic = itk::CudaWindowedSincInterpolateImageFunction<ImageType,
                                                                3,
                                                                WelchWindowFunction<3>,
                                                                itk::PeriodicBoundaryCondition<ImageType>>::New();
  auto       wrapped = itk::CudaWindowedSincInterpolateImageFunction<ImageType, 3, WelchWindowFunction<3>>::New();
  periodic->SetInputImage(image);
  wrapped->SetInputImage(image);
  wrapped->SetAddressMode(CudaSplineAddressMode::GridWrap);
  for (const auto & index : PointsIn(periodic.GetPointer(), random, 100, false))
  {
    EXPECT_EQ(periodic->EvaluateAtContinuousIndex(index), wrapped->EvaluateAtContinuousIndex(index));
  }
}

TEST_P(CudaInterpolatorsAgainstItk, SincOfAnotherRadiusIsTheSuperclasss)
{
  using ImageType = itk::Image<float, 2>;
  CompareSinc<ImageType, 6, itk::Function::HammingWindowFunction<6>>(__LINE__);
  auto own =
    itk::CudaWindowedSincInterpolateImageFunction<ImageType, 6, itk::Function::HammingWindowFunction<6>>::New();
  EXPECT_THROW(own->SetAddressMode(CudaSplineAddressMode::Mirror), itk::ExceptionObject);
  EXPECT_NO_THROW(own->SetAddressMode(CudaSplineAddressMode::Itk));
}

TEST_P(CudaInterpolatorsAgainstItk, ReadyCoefficients)
{
  CompareReadyCoefficients<double, 1, double>(__LINE__);
  CompareReadyCoefficients<float, 2, float>(__LINE__);
  CompareReadyCoefficients<float, 3, double>(__LINE__);
  CompareReadyCoefficients<double, 3, float>(__LINE__);
}

// ITK's rounding rounds the number just below 0.5 up, beyond the last pixel of an axis that ends at index 0.
TEST_P(CudaInterpolatorsAgainstItk, NearestJustBelowTheUpperBound)
{
  using ImageType = itk::Image<short, 1>;
  auto image = ImageType::New();
  image->SetRegions(ImageType::RegionType({ { -2 } }, { { 3 } }));
  image->Allocate();
  image->FillBuffer(1);
  image->SetPixel({ { 0 } }, 5);
  auto nearest = itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New();
  nearest->SetGPUEnabled(GetParam());
  nearest->SetInputImage(image);
  itk::ContinuousIndex<double, 1> index;
  index[0] = std::nextafter(0.5, 0.0);
  EXPECT_TRUE(nearest->IsInsideBuffer(index));
  EXPECT_EQ(nearest->EvaluateAtContinuousIndex(index), 5.0);
  EXPECT_EQ(nearest->EvaluateAtContinuousIndices({ index }).front(), 5.0);
}

} // namespace
