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
// Coefficients of CudaBSplineDecompositionImageFilter against those of its parent, for every order, dimension and pixel
// type.
//
// Expected values: ITK's own BSplineDecompositionImageFilter on the same image (no factory is registered here, and its
// dynamic type is checked). Tolerance: the sum of what the module and ITK may be off the exact coefficients, derived in
// SplineErrorBounds.h from the poles: the interior bound at 32 samples and more from the low edge of every axis, and
// nearer to one the bound of ITK's truncated start on top. That these bounds keep the promise of 1e-12 and 1e-9 (times
// norm^dimension, the most by which noise is amplified) is a test of its own.

#include "itkCudaBSplineDecompositionImageFilter.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

class CudaBSplineDecompositionImageFilterTest : public GpuOnAndOff
{
protected:
  template <typename TInput, typename TOutput, unsigned int VDimension>
  void
  Compare(const std::vector<std::int64_t> & size, int line)
  {
    using InputImage = itk::Image<TInput, VDimension>;
    using OutputImage = itk::Image<TOutput, VDimension>;
    Random     random(static_cast<std::uint64_t>(line));
    const auto image = NoiseImage<InputImage>(size, random);
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("line " + std::to_string(line) + ", order " + std::to_string(order));
      auto reference = itk::BSplineDecompositionImageFilter<InputImage, OutputImage>::New();
      ASSERT_EQ(typeid(*reference), typeid(itk::BSplineDecompositionImageFilter<InputImage, OutputImage>));
      reference->SetInput(image);
      reference->SetSplineOrder(order);
      reference->Update();

      auto filter = itk::CudaBSplineDecompositionImageFilter<InputImage, OutputImage>::New();
      filter->SetInput(image);
      filter->SetSplineOrder(order);
      filter->SetGPUEnabled(GetParam());
      EXPECT_EQ(filter->GetLastBackend(), Backend::None);
      filter->Update();
      EXPECT_STREQ(NameOf(filter->GetLastBackend()),
                   NameOf(Promised("CudaBSplineDecompositionImageFilter", VDimension)));
      EXPECT_EQ(filter->GetFallbackReason().empty(), filter->GetLastBackend() == Backend::Cuda);

      ExpectSameGeometry(filter->GetOutput(), reference->GetOutput());
      ExpectClose(filter->GetOutput(),
                  reference->GetOutput(),
                  order,
                  reference->GetSplinePoles(),
                  LargestPixel(image.GetPointer()));
    }
  }

private:
  template <typename TImage>
  static void
  ExpectSameGeometry(const TImage * own, const TImage * itks)
  {
    ASSERT_EQ(own->GetBufferedRegion(), itks->GetBufferedRegion());
    EXPECT_EQ(own->GetRequestedRegion(), itks->GetRequestedRegion());
    EXPECT_EQ(own->GetLargestPossibleRegion(), itks->GetLargestPossibleRegion());
    EXPECT_EQ(own->GetSpacing(), itks->GetSpacing());
    EXPECT_EQ(own->GetOrigin(), itks->GetOrigin());
    EXPECT_EQ(own->GetDirection(), itks->GetDirection());
  }

  template <typename TImage>
  static void
  ExpectClose(const TImage *              own,
              const TImage *              itks,
              unsigned int                order,
              const std::vector<double> & itkPoles,
              double                      largest)
  {
    using Pixel = typename TImage::PixelType;
    constexpr unsigned int dimension = TImage::ImageDimension;
    const PrefilterBounds  bounds(order);
    const double           axis = bounds.OwnAxis<Pixel>() + bounds.ItkAxis<Pixel>(itkPoles);
    const double           interior = bounds.Axes(dimension, axis, largest);
    const double           lowEdge = bounds.Axes(dimension, axis + bounds.ItkLowEdgeAxis(), largest);
    double                 worst[2] = { 0.0, 0.0 };
    const auto             start = own->GetBufferedRegion().GetIndex();
    for (std::size_t i = 0; i < Count(own); ++i)
    {
      const auto index = own->ComputeIndex(static_cast<itk::OffsetValueType>(i));
      bool       near = false;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        near = near || index[d] - start[d] < LowEdge;
      }
      const double difference =
        std::abs(static_cast<double>(own->GetBufferPointer()[i]) - static_cast<double>(itks->GetBufferPointer()[i]));
      // NaN must fail.
      worst[near] = difference <= worst[near] ? worst[near] : difference;
    }
    EXPECT_LE(worst[0], interior);
    EXPECT_LE(worst[1], lowEdge);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterTest);

TEST_P(CudaBSplineDecompositionImageFilterTest, OneDimension)
{
  Compare<double, double, 1>({ 211 }, __LINE__);
  Compare<short, float, 1>({ 1009 }, __LINE__);
  Compare<double, double, 1>({ 7 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterTest, TwoDimensionsEveryPixelType)
{
  Compare<unsigned char, float, 2>({ 67, 41 }, __LINE__);
  Compare<signed char, double, 2>({ 59, 61 }, __LINE__);
  Compare<short, double, 2>({ 83, 37 }, __LINE__);
  Compare<unsigned short, float, 2>({ 37, 89 }, __LINE__);
  Compare<int, double, 2>({ 53, 71 }, __LINE__);
  Compare<unsigned int, float, 2>({ 43, 47 }, __LINE__);
  Compare<long, double, 2>({ 61, 53 }, __LINE__);
  Compare<unsigned long, double, 2>({ 41, 73 }, __LINE__);
  Compare<float, float, 2>({ 101, 67 }, __LINE__);
  Compare<double, float, 2>({ 79, 43 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterTest, ThreeDimensions)
{
  Compare<unsigned char, double, 3>({ 37, 43, 41 }, __LINE__);
  Compare<short, float, 3>({ 47, 37, 53 }, __LINE__);
  Compare<float, double, 3>({ 53, 41, 37 }, __LINE__);
  Compare<double, double, 3>({ 43, 37, 47 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterTest, FourDimensions)
{
  Compare<float, double, 4>({ 37, 11, 13, 7 }, __LINE__);
  Compare<unsigned short, float, 4>({ 11, 7, 5, 41 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterTest, AxesOfOneSample)
{
  // ITK does not filter such an axis, and neither does the module.
  Compare<float, double, 3>({ 41, 1, 37 }, __LINE__);
  Compare<float, float, 3>({ 1, 1, 53 }, __LINE__);
  Compare<float, double, 3>({ 1, 1, 1 }, __LINE__);
}

TEST(CudaBSplineDecompositionImageFilterBoundsTest, KeepThePromise)
{
  using Filter = itk::BSplineDecompositionImageFilter<itk::Image<double, 1>, itk::Image<double, 1>>;
  for (unsigned int order = 2; order <= 5; ++order)
  {
    auto filter = Filter::New();
    filter->SetSplineOrder(order);
    const PrefilterBounds bounds(order);
    const double          axis = bounds.OwnAxis<double>() + bounds.ItkAxis<double>(filter->GetSplinePoles());
    for (unsigned int dimension = 1; dimension <= 4; ++dimension)
    {
      SCOPED_TRACE("order " + std::to_string(order) + ", dimension " + std::to_string(dimension));
      // The range of samples up to 1 in absolute value is 2.
      const double amplified = 2.0 * std::pow(bounds.norm, dimension);
      EXPECT_LE(bounds.Axes(dimension, axis, 1.0), 1e-12 * amplified);
      EXPECT_LE(bounds.Axes(dimension, axis + bounds.ItkLowEdgeAxis(), 1.0), 1e-9 * amplified);
    }
    // Numbers of the documentation: the error of ITK is 1.2e-10 (cubic) to 3.7e-10 (order 5).
    EXPECT_LE(bounds.ItkLowEdgeAxis(), 2e-9);
  }
}

TEST(CudaBSplineDecompositionImageFilterTypesTest, AcceleratedAndNot)
{
  using itk::CudaBSplineDecompositionImageFilter;
  using itk::Image;
  static_assert(CudaBSplineDecompositionImageFilter<Image<unsigned char, 1>, Image<float, 1>>::IsAccelerated, "scalar");
  static_assert(CudaBSplineDecompositionImageFilter<Image<char, 3>, Image<double, 3>>::IsAccelerated, "scalar");
  static_assert(CudaBSplineDecompositionImageFilter<Image<long long, 4>, Image<double, 4>>::IsAccelerated, "scalar");
  static_assert(!CudaBSplineDecompositionImageFilter<Image<float, 5>, Image<double, 5>>::IsAccelerated, "dimension");
  static_assert(!CudaBSplineDecompositionImageFilter<Image<long double, 2>, Image<double, 2>>::IsAccelerated,
                "input type");
  static_assert(!CudaBSplineDecompositionImageFilter<Image<float, 2>, Image<long double, 2>>::IsAccelerated,
                "output type");
  static_assert(!CudaBSplineDecompositionImageFilter<Image<bool, 2>, Image<double, 2>>::IsAccelerated, "input type");
}

} // namespace
