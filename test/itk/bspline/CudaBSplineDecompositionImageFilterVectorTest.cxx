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
// CudaBSplineDecompositionImageFilter on pixels of several numbers.
//
// Expected values: the same filter on an image of each component, bit for bit; and ITK's own filter on vectors, within
// the bounds of SplineErrorBounds.h that the scalar tests use, whose low edge is where ITK truncates.

#include "itkCudaBSplineDecompositionImageFilter.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include "itkCovariantVector.h"
#include "itkRGBAPixel.h"
#include "itkRGBPixel.h"
#include "itkVector.h"
#include "itkVectorImage.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::Extension;
using itk::CudaSpline::NameOf;

using Kind = itk::CudaSpline::PrefilterMethod::Kind;

template <typename TImage>
using ComponentOf = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;

/** Returns the numbers in memory. */
template <typename TImage>
ComponentOf<TImage> *
Numbers(const TImage * image)
{
  return reinterpret_cast<ComponentOf<TImage> *>(const_cast<TImage *>(image)->GetBufferPointer());
}

/** Returns noise with its own geometry; \p components of a VectorImage. */
template <typename TImage>
typename TImage::Pointer
VectorNoise(const std::vector<std::int64_t> & size, unsigned int components, Random & random)
{
  const auto geometry = NoiseImage<itk::Image<float, TImage::ImageDimension>>(size, random);
  auto       image = TImage::New();
  image->CopyInformation(geometry);
  image->SetRegions(geometry->GetBufferedRegion());
  image->SetNumberOfComponentsPerPixel(components);
  image->Allocate();
  for (std::size_t i = 0; i < Count(image.GetPointer()) * components; ++i)
  {
    Numbers<TImage>(image)[i] = static_cast<ComponentOf<TImage>>(random.Uniform(0.0, 100.0));
  }
  return image;
}

class CudaBSplineDecompositionImageFilterVectorTest : public GpuOnAndOff
{
protected:
  /** Compares each component with the scalar filter. */
  template <typename TInput, typename TOutput>
  void
  Compare(unsigned int components, const std::vector<std::int64_t> & size, int line)
  {
    constexpr unsigned int dimension = TInput::ImageDimension;
    using Filter = itk::CudaBSplineDecompositionImageFilter<TInput, TOutput>;
    using ScalarInput = itk::Image<ComponentOf<TInput>, dimension>;
    using ScalarOutput = itk::Image<ComponentOf<TOutput>, dimension>;
    static_assert(Filter::IsAccelerated, "vectors are");
    SCOPED_TRACE("line " + std::to_string(line));
    Random     random(static_cast<std::uint64_t>(line));
    const auto image = VectorNoise<TInput>(size, components, random);
    for (const Kind kind : { Kind::Exact, Kind::ItkHorizon, Kind::Fir })
    {
      const auto order = static_cast<unsigned int>(random.Integer(0, 5));
      const auto extension = static_cast<Extension>(random.Integer(0, 2));
      SCOPED_TRACE(std::string(NameOf(kind)) + ", order " + std::to_string(order) + ", " + NameOf(extension));
      const auto prepare = [&](auto * filter) {
        filter->SetGPUEnabled(GetParam());
        filter->SetSplineOrder(order);
        filter->SetPrefilter(kind);
        filter->SetNumberOfTaps(13);
        filter->SetExtension(0, extension);
        filter->Update();
      };
      const auto filter = Filter::New();
      filter->SetInput(image);
      prepare(filter.GetPointer());
      const TOutput * const output = filter->GetOutput();
      ExpectPromised(filter.GetPointer());
      ASSERT_EQ(output->GetNumberOfComponentsPerPixel(), components);
      ASSERT_EQ(output->GetBufferedRegion(), image->GetBufferedRegion());
      EXPECT_EQ(output->GetLargestPossibleRegion(), image->GetLargestPossibleRegion());
      EXPECT_EQ(output->GetSpacing(), image->GetSpacing());
      EXPECT_EQ(output->GetOrigin(), image->GetOrigin());
      EXPECT_EQ(output->GetDirection(), image->GetDirection());
      for (unsigned int component = 0; component < components; ++component)
      {
        const auto alone = ScalarInput::New();
        alone->CopyInformation(image);
        alone->SetRegions(image->GetBufferedRegion());
        alone->Allocate();
        for (std::size_t i = 0; i < Count(alone.GetPointer()); ++i)
        {
          alone->GetBufferPointer()[i] = Numbers<TInput>(image)[i * components + component];
        }
        const auto scalar = itk::CudaBSplineDecompositionImageFilter<ScalarInput, ScalarOutput>::New();
        scalar->SetInput(alone);
        prepare(scalar.GetPointer());
        EXPECT_EQ(scalar->GetLastBackend(), filter->GetLastBackend());
        std::size_t different = 0;
        for (std::size_t i = 0; i < Count(output); ++i)
        {
          // Not a difference, so that NaN fails.
          different +=
            Numbers(output)[i * components + component] == scalar->GetOutput()->GetBufferPointer()[i] ? 0 : 1;
        }
        EXPECT_EQ(different, 0u) << "component " << component;
      }
    }
  }

  template <typename TFilter>
  static void
  ExpectPromised(const TFilter * filter)
  {
    const Backend promised = PromisedBackend(
      { "CudaBSplineDecompositionImageFilter", "vector", std::to_string(TFilter::ImageDimension), "-", "-", "-" },
      GetParam());
    EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(promised));
    EXPECT_EQ(filter->GetFallbackReason().empty(), promised == Backend::Cuda);
  }

  /** Compares with ITK's filter for the same vectors. */
  template <typename TInput, typename TOutput>
  void
  CompareWithItk(const std::vector<std::int64_t> & size, int line)
  {
    constexpr unsigned int dimension = TInput::ImageDimension;
    Random                 random(static_cast<std::uint64_t>(line));
    const unsigned int     components = TInput::PixelType::Dimension;
    const auto             image = VectorNoise<TInput>(size, components, random);
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("line " + std::to_string(line) + ", order " + std::to_string(order));
      const auto reference = itk::BSplineDecompositionImageFilter<TInput, TOutput>::New();
      reference->SetInput(image);
      reference->SetSplineOrder(order);
      reference->Update();
      const auto filter = itk::CudaBSplineDecompositionImageFilter<TInput, TOutput>::New();
      filter->SetInput(image);
      filter->SetSplineOrder(order);
      filter->SetGPUEnabled(GetParam());
      filter->Update();
      ExpectPromised(filter.GetPointer());

      using Number = ComponentOf<TOutput>;
      const PrefilterBounds bounds(order);
      const double          axis = bounds.OwnAxis<Number>() + bounds.ItkAxis<Number>(reference->GetSplinePoles());
      const double          bound[2] = { bounds.Axes(dimension, axis, 100.0),
                                         bounds.Axes(dimension, axis + bounds.ItkLowEdgeAxis(), 100.0) };
      double                worst[2] = { 0.0, 0.0 };
      const auto            start = image->GetBufferedRegion().GetIndex();
      for (std::size_t i = 0; i < Count(image.GetPointer()) * components; ++i)
      {
        const auto index = image->ComputeIndex(static_cast<itk::OffsetValueType>(i / components));
        bool       near = false;
        for (unsigned int d = 0; d < dimension; ++d)
        {
          near = near || index[d] - start[d] < LowEdge;
        }
        const double difference = std::abs(static_cast<double>(Numbers<TOutput>(filter->GetOutput())[i]) -
                                           static_cast<double>(Numbers<TOutput>(reference->GetOutput())[i]));
        worst[near] = difference <= worst[near] ? worst[near] : difference;
      }
      EXPECT_LE(worst[0], bound[0]);
      EXPECT_LE(worst[1], bound[1]);
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineDecompositionImageFilterVectorTest);

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, Vectors)
{
  Compare<itk::Image<itk::Vector<float, 3>, 3>, itk::Image<itk::Vector<float, 3>, 3>>(3, { 23, 35, 7 }, __LINE__);
  Compare<itk::Image<itk::Vector<short, 2>, 2>, itk::Image<itk::Vector<double, 2>, 2>>(2, { 131, 70 }, __LINE__);
  Compare<itk::Image<itk::Vector<double, 1>, 1>, itk::Image<itk::Vector<double, 1>, 1>>(1, { 300 }, __LINE__);
  Compare<itk::Image<itk::CovariantVector<float, 3>, 3>, itk::Image<itk::CovariantVector<double, 3>, 3>>(
    3, { 9, 20, 11 }, __LINE__);
  Compare<itk::Image<itk::CovariantVector<double, 4>, 4>, itk::Image<itk::CovariantVector<float, 4>, 4>>(
    4, { 9, 5, 7, 3 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, Colours)
{
  Compare<itk::Image<itk::RGBPixel<unsigned char>, 2>, itk::Image<itk::RGBPixel<float>, 2>>(3, { 67, 35 }, __LINE__);
  Compare<itk::Image<itk::RGBAPixel<unsigned short>, 3>, itk::Image<itk::RGBAPixel<double>, 3>>(
    4, { 13, 1, 40 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, ComplexNumbers)
{
  Compare<itk::Image<std::complex<float>, 2>, itk::Image<std::complex<float>, 2>>(2, { 70, 41 }, __LINE__);
  Compare<itk::Image<std::complex<double>, 3>, itk::Image<std::complex<double>, 3>>(2, { 7, 8, 40 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, VectorImages)
{
  for (const unsigned int components : { 1u, 2u, 5u, 11u })
  {
    Compare<itk::VectorImage<short, 2>, itk::VectorImage<float, 2>>(components, { 45, 34 }, __LINE__);
    Compare<itk::VectorImage<float, 3>, itk::VectorImage<double, 3>>(components, { 9, 33, 4 }, __LINE__);
  }
}

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, ItkIsTheJudge)
{
  CompareWithItk<itk::Image<itk::Vector<float, 3>, 2>, itk::Image<itk::Vector<float, 3>, 2>>({ 61, 47 }, __LINE__);
  CompareWithItk<itk::Image<itk::Vector<float, 2>, 3>, itk::Image<itk::Vector<double, 2>, 3>>({ 37, 41, 35 }, __LINE__);
}

TEST_P(CudaBSplineDecompositionImageFilterVectorTest, AnotherNumberOfComponents)
{
  using Image = itk::VectorImage<float, 2>;
  Random     random(__LINE__);
  const auto filter = itk::CudaBSplineDecompositionImageFilter<Image, Image>::New();
  filter->SetGPUEnabled(GetParam());
  for (const unsigned int components : { 2u, 5u, 1u })
  {
    filter->SetInput(VectorNoise<Image>({ 20, 9 }, components, random));
    filter->Update();
    EXPECT_EQ(filter->GetOutput()->GetNumberOfComponentsPerPixel(), components) << "it follows the input";
  }
}

TEST(CudaBSplineDecompositionImageFilterVectorOptionsTest, OrdersOfColours)
{
  using Image = itk::Image<itk::RGBPixel<float>, 2>;
  const auto filter = itk::CudaBSplineDecompositionImageFilter<Image, Image>::New();
  EXPECT_EQ(filter->GetSplineOrder(), 3);
  EXPECT_THROW(filter->SetSplineOrder(6), itk::ExceptionObject);
  EXPECT_EQ(filter->GetSplineOrder(), 3);
  const auto before = filter->GetMTime();
  filter->SetSplineOrder(3);
  EXPECT_EQ(filter->GetMTime(), before);
  filter->SetSplineOrder(5);
  EXPECT_NE(filter->GetMTime(), before);
}

TEST(CudaBSplineDecompositionImageFilterVectorOptionsTest, WhatIsAccelerated)
{
  using itk::CudaBSplineDecompositionImageFilter;
  using itk::Image;
  using itk::Vector;
  using Own = itk::CudaSplineDetail::ImageTraits<Image<Vector<float, 3>, 2>>;
  static_assert(Own::Components == 3 && Own::IsReadable && !Own::IsVectorImage, "a vector");
  using Dynamic = itk::CudaSplineDetail::ImageTraits<itk::VectorImage<float, 2>>;
  static_assert(Dynamic::Components == 0 && Dynamic::IsReadable && Dynamic::IsVectorImage, "known at run time");
  static_assert(
    !CudaBSplineDecompositionImageFilter<Image<Vector<float, 2>, 5>, Image<Vector<float, 2>, 5>>::IsAccelerated,
    "dimension");
  static_assert(
    !CudaBSplineDecompositionImageFilter<Image<Vector<long double, 2>, 2>, Image<Vector<double, 2>, 2>>::IsAccelerated,
    "type of the numbers");
}

} // namespace
