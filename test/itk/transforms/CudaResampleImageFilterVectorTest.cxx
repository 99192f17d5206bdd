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
// CudaResampleImageFilter of images with several numbers a pixel. Expected values: ITK's filter. Tolerance of real
// numbers: 1e-9 of the range in double, 1e-6 in float; integers, which ITK truncates, by one where the real value is
// that close to an integer (few, and counted); nearest neighbours the same to the bit.

#include "VectorTestSupport.h"

#include "itkCovariantVector.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkRGBAPixel.h"
#include "itkRGBPixel.h"
#include "itkVectorImage.h"

#include <type_traits>

using namespace CudaSplineTest;

namespace
{

class CudaResampleImageFilterVectors : public OnEachBackend
{
protected:
  /** Compares ITK's result with ours, for both interpolators, with and without an extrapolator. */
  template <typename TInput, typename TOutput>
  void
  ExpectAgreement(unsigned int                                                                   components,
                  const itk::Transform<double, TInput::ImageDimension, TInput::ImageDimension> * transform,
                  const std::string &                                                            kind,
                  const typename TOutput::PixelType &                                            outside,
                  bool                                                                           setOutside = true)
  {
    using Ours = itk::CudaResampleImageFilter<TInput, TOutput>;
    using Theirs = itk::ResampleImageFilter<TInput, TOutput>;
    const auto input = MakeVectors<TInput>(components);
    for (const bool isNearest : { false, true })
    {
      for (const bool isExtrapolated : { false, true })
      {
        const std::string name =
          isNearest ? "NearestNeighborInterpolateImageFunction" : "LinearInterpolateImageFunction";
        SCOPED_TRACE(name + ", " + kind + (isExtrapolated ? ", extrapolated" : ""));
        const auto run = [&](auto filter) {
          filter->SetInput(input);
          SetOutputGrid(filter.GetPointer(), input.GetPointer());
          filter->SetTransform(transform);
          if (isNearest)
          {
            filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<TInput>::New());
          }
          if (isExtrapolated)
          {
            filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<TInput, double>::New());
          }
          if (setOutside)
          {
            filter->SetDefaultPixelValue(outside);
          }
          filter->Update();
        };
        auto ours = Ours::New();
        ours->SetGPUEnabled(this->OnGpu());
        run(ours);
        auto theirs = Theirs::New();
        run(theirs);
        ExpectPromisedBackend(ours.GetPointer(), name, this->OnGpu(), kind, isExtrapolated ? "nearest" : "none");
        ExpectSameNumbers(ours->GetOutput(), theirs->GetOutput(), isNearest);
      }
    }
  }

  template <typename TImage>
  static void
  ExpectSameNumbers(TImage * ours, TImage * theirs, bool isNearest)
  {
    ASSERT_EQ(ours->GetBufferedRegion(), theirs->GetBufferedRegion());
    ASSERT_EQ(ours->GetNumberOfComponentsPerPixel(), theirs->GetNumberOfComponentsPerPixel());
    const auto a = Numbers(ours);
    const auto b = Numbers(theirs);
    using Component = typename decltype(a)::value_type;
    if (isNearest)
    {
      EXPECT_EQ(a, b);
      return;
    }
    const double tolerance =
      std::is_integral<Component>::value ? 1.0 : (std::is_same<Component, double>::value ? 1.3e-7 : 1.3e-4);
    long differing = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
      const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      ASSERT_LE(difference, tolerance) << i;
      differing += difference > 0.0 ? 1 : 0;
    }
    if (std::is_integral<Component>::value)
    {
      EXPECT_LE(differing, static_cast<long>(a.size() / 1000));
    }
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterVectors);

} // namespace

TEST_P(CudaResampleImageFilterVectors, VectorsAndCovariantVectors)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeAffineTransform<2>(0.2);
  const auto volume = MakeAffineTransform<3>(-0.1);
  using Vector = itk::Vector<float, 3>;
  using Precise = itk::Vector<double, 3>;
  this->ExpectAgreement<itk::Image<Vector, 3>, itk::Image<Precise, 3>>(
    3, volume.GetPointer(), "linear", PixelOf<Precise>(-4.0));
  this->ExpectAgreement<itk::Image<Vector, 2>, itk::Image<Vector, 2>>(
    3, plane.GetPointer(), "linear", PixelOf<Vector>(-4.0));
  using Covariant = itk::CovariantVector<double, 2>;
  this->ExpectAgreement<itk::Image<Covariant, 2>, itk::Image<Covariant, 2>>(
    2, plane.GetPointer(), "linear", PixelOf<Covariant>(7.0));
  using Whole = itk::Vector<int, 4>;
  this->ExpectAgreement<itk::Image<Whole, 2>, itk::Image<Whole, 2>>(
    4, plane.GetPointer(), "linear", PixelOf<Whole>(7.0));
}

TEST_P(CudaResampleImageFilterVectors, Colours)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Colour = itk::RGBPixel<unsigned char>;
  this->ExpectAgreement<itk::Image<Colour, 2>, itk::Image<Colour, 2>>(
    3, MakeAffineTransform<2>(0.2).GetPointer(), "linear", PixelOf<Colour>(250.0));
  using Translucent = itk::RGBAPixel<unsigned short>;
  this->ExpectAgreement<itk::Image<Translucent, 3>, itk::Image<Translucent, 3>>(
    4, MakeAffineTransform<3>(0.2).GetPointer(), "linear", PixelOf<Translucent>(60000.0));
}

TEST_P(CudaResampleImageFilterVectors, VectorImages)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeAffineTransform<2>(0.2);
  const auto volume = MakeAffineTransform<3>(-0.1);
  using Image = itk::VectorImage<float, 3>;
  Image::PixelType outside(5);
  outside.Fill(-2.5F);
  this->ExpectAgreement<Image, Image>(5, volume.GetPointer(), "linear", outside);
  this->ExpectAgreement<Image, Image>(5, volume.GetPointer(), "linear", outside, false); // no length: zeros
  using Short = itk::VectorImage<short, 2>;
  using Bytes = itk::VectorImage<unsigned char, 2>;
  this->ExpectAgreement<Short, Bytes>(2, plane.GetPointer(), "linear", Bytes::PixelType(), false);
  this->ExpectAgreement<Short, Bytes>(1, plane.GetPointer(), "linear", Bytes::PixelType(), false);
}

TEST_P(CudaResampleImageFilterVectors, UnderOtherTransforms)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Vector = itk::Vector<float, 2>;
  using Precise = itk::Vector<double, 2>;
  using Input = itk::Image<Vector, 2>;
  using Output = itk::Image<Precise, 2>;
  const auto outside = PixelOf<Precise>(-9.0);
  this->ExpectAgreement<Input, Output>(2, MakeSplineTransform<double, 2, 3>(41).GetPointer(), "bspline", outside);
  this->ExpectAgreement<Input, Output>(2, MakeFieldTransform<2>(42, false).GetPointer(), "displacement", outside);
  this->ExpectAgreement<Input, Output>(2, Wave<2>::New().GetPointer(), "other", outside);
}

TEST_P(CudaResampleImageFilterVectors, TheModulesInterpolators)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<itk::Vector<float, 3>, 2>;
  const auto input = MakeVectors<Image>(3);
  const auto run = [&](auto filter, auto interpolator) {
    filter->SetInput(input);
    SetOutputGrid(filter.GetPointer(), input.GetPointer());
    filter->SetInterpolator(interpolator);
    filter->Update();
    return filter;
  };
  const auto ours = [&](auto interpolator) {
    auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
    filter->SetGPUEnabled(this->OnGpu());
    return run(filter, interpolator);
  };
  const auto theirs = [&](auto interpolator) {
    return run(itk::ResampleImageFilter<Image, Image>::New(), interpolator);
  };
  const auto nearest = ours(itk::CudaNearestNeighborInterpolateImageFunction<Image>::New());
  ExpectPromisedBackend(nearest.GetPointer(), "CudaNearestNeighborInterpolateImageFunction", this->OnGpu());
  this->ExpectSameNumbers(
    nearest->GetOutput(), theirs(itk::NearestNeighborInterpolateImageFunction<Image>::New())->GetOutput(), true);
  const auto linear = ours(itk::CudaLinearInterpolateImageFunction<Image>::New());
  ExpectPromisedBackend(linear.GetPointer(), "CudaLinearInterpolateImageFunction", this->OnGpu());
  this->ExpectSameNumbers(
    linear->GetOutput(), theirs(itk::LinearInterpolateImageFunction<Image>::New())->GetOutput(), false);
}
