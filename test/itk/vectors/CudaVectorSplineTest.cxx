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
// B-splines and cubic convolution of images with several numbers a pixel, which ITK lacks. Expected values: of
// B-splines ITK's filter and its BSplineInterpolateImageFunction of each component; of cubic convolution ITK's filter
// with the module's interpolator of each component, which evaluates on the host point by point. Tolerance of real
// numbers: 1e-9 of the range in double (ITK's own truncation near the low edge is 3.7e-10), 1e-6 in float; integers,
// which are truncated, by one where the real value is that close to an integer (few, and counted).

#include "VectorTestSupport.h"

#include "itkCovariantVector.h"
#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaVectorBSplineInterpolateImageFunction.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkRGBAPixel.h"
#include "itkRGBPixel.h"

#include <type_traits>

using namespace CudaSplineTest;

namespace
{

class CudaVectorSplines : public OnEachBackend
{
protected:
  enum class Kind
  {
    BSpline,
    CatmullRom,
    CubicConvolution
  };

  template <typename TImage>
  using Base = itk::InterpolateImageFunction<TImage, double>;

  template <typename TImage>
  static typename Base<TImage>::Pointer
  MakeOurs(Kind kind, unsigned int order)
  {
    if (kind == Kind::CatmullRom)
    {
      return itk::CudaCatmullRomInterpolateImageFunction<TImage>::New().GetPointer();
    }
    if (kind == Kind::CubicConvolution)
    {
      return itk::CudaCubicConvolutionInterpolateImageFunction<TImage>::New().GetPointer();
    }
    auto spline = itk::CudaVectorBSplineInterpolateImageFunction<TImage>::New();
    spline->SetSplineOrder(order);
    return spline.GetPointer();
  }

  /** Returns the reference for a component. */
  template <typename TScalars>
  static typename Base<TScalars>::Pointer
  MakeTheirs(Kind kind, unsigned int order)
  {
    if (kind == Kind::CatmullRom)
    {
      return itk::CudaCatmullRomInterpolateImageFunction<TScalars>::New().GetPointer();
    }
    if (kind == Kind::CubicConvolution)
    {
      return itk::CudaCubicConvolutionInterpolateImageFunction<TScalars>::New().GetPointer();
    }
    auto spline = itk::BSplineInterpolateImageFunction<TScalars, double, double>::New();
    spline->SetSplineOrder(order);
    return spline.GetPointer();
  }

  /** Runs our filter for the vectors, and ITK's for each component. */
  template <typename TInput, typename TOutput>
  void
  ExpectAgreement(unsigned int                                                                   components,
                  const itk::Transform<double, TInput::ImageDimension, TInput::ImageDimension> * transform,
                  const std::string &                                                            transformKind,
                  Kind                                                                           kind,
                  unsigned int                                                                   order,
                  bool                                                                           isExtrapolated = false)
  {
    using Component = typename itk::CudaSplineDetail::ImageTraits<TInput>::ComponentType;
    using OutputComponent = typename itk::CudaSplineDetail::ImageTraits<TOutput>::ComponentType;
    const std::string name = kind == Kind::BSpline
                               ? "CudaVectorBSplineInterpolateImageFunction"
                               : (kind == Kind::CatmullRom ? "CudaCatmullRomInterpolateImageFunction"
                                                           : "CudaCubicConvolutionInterpolateImageFunction");
    SCOPED_TRACE(name + " of order " + std::to_string(order) + ", " + transformKind +
                 (isExtrapolated ? ", extrapolated" : ""));
    const auto input = MakeVectors<TInput>(components);
    const auto setUp = [&](auto filter, auto image) {
      filter->SetInput(image);
      SetOutputGrid(filter.GetPointer(), image.GetPointer());
      filter->SetTransform(transform);
    };
    typename TOutput::PixelType outside;
    itk::NumericTraits<typename TOutput::PixelType>::SetLength(outside, components);
    for (unsigned int c = 0; c < components; ++c)
    {
      outside[c] = static_cast<OutputComponent>(3 + 2 * c);
    }
    auto ours = itk::CudaResampleImageFilter<TInput, TOutput>::New();
    ours->SetGPUEnabled(this->OnGpu());
    setUp(ours, input);
    ours->SetInterpolator(MakeOurs<TInput>(kind, order));
    ours->SetDefaultPixelValue(outside);
    if (isExtrapolated)
    {
      ours->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<TInput, double>::New());
    }
    ours->Update();
    ExpectPromisedBackend(ours.GetPointer(), name, this->OnGpu(), transformKind, isExtrapolated ? "nearest" : "none");
    for (unsigned int c = 0; c < components; ++c)
    {
      using Scalars = itk::Image<Component, TInput::ImageDimension>;
      using Results = itk::Image<OutputComponent, TOutput::ImageDimension>;
      auto theirs = itk::ResampleImageFilter<Scalars, Results>::New();
      setUp(theirs, ComponentOf(input.GetPointer(), c));
      theirs->SetInterpolator(MakeTheirs<Scalars>(kind, order));
      theirs->SetDefaultPixelValue(static_cast<OutputComponent>(3 + 2 * c));
      if (isExtrapolated)
      {
        theirs->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Scalars, double>::New());
      }
      theirs->Update();
      const auto component = ComponentOf(ours->GetOutput(), c);
      const auto difference = Compare(component.GetPointer(), theirs->GetOutput());
      const bool isDouble = itk::CudaSpline::NeedsDoublePrecision(itk::CudaSpline::ScalarTypeOf<Component>()) ||
                            itk::CudaSpline::NeedsDoublePrecision(itk::CudaSpline::ScalarTypeOf<OutputComponent>());
      if (std::is_integral<OutputComponent>::value)
      {
        EXPECT_LE(difference.maximum, 1.0) << "component " << c;
        EXPECT_LE(difference.count, static_cast<long>(Numbers(theirs->GetOutput()).size() / 1000)) << "component " << c;
      }
      else
      {
        EXPECT_LE(difference.maximum, isDouble ? 1.3e-7 : 1.3e-4) << "component " << c;
      }
      const double inside = FractionOtherThan(theirs->GetOutput(), 3 + 2 * c);
      EXPECT_GT(inside, 0.2);
      EXPECT_EQ(FractionOtherThan(component.GetPointer(), 3 + 2 * c) == 1.0, inside == 1.0);
    }
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaVectorSplines);

template <typename TPixel, unsigned int VDimension>
using ImageOf = itk::Image<TPixel, VDimension>;

} // namespace

TEST_P(CudaVectorSplines, EveryOrder)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeAffineTransform<2>(0.2);
  using Vector = ImageOf<itk::Vector<float, 3>, 2>;
  using Precise = ImageOf<itk::Vector<double, 3>, 2>;
  for (unsigned int order = 0; order <= 5; ++order)
  {
    this->ExpectAgreement<Vector, Precise>(3, plane.GetPointer(), "linear", Kind::BSpline, order);
  }
  for (unsigned int order = 0; order <= 3; ++order)
  {
    this->ExpectAgreement<Vector, Vector>(3, plane.GetPointer(), "linear", Kind::BSpline, order);
  }
}

TEST_P(CudaVectorSplines, EveryPixelType)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeAffineTransform<2>(0.2);
  const auto volume = MakeAffineTransform<3>(-0.1);
  using Covariant = ImageOf<itk::CovariantVector<double, 2>, 2>;
  using Colour = ImageOf<itk::RGBPixel<unsigned char>, 2>;
  using Translucent = ImageOf<itk::RGBAPixel<unsigned short>, 3>;
  using Whole = ImageOf<itk::Vector<int, 2>, 2>;
  this->ExpectAgreement<Covariant, Covariant>(2, plane.GetPointer(), "linear", Kind::BSpline, 3);
  this->ExpectAgreement<Colour, Colour>(3, plane.GetPointer(), "linear", Kind::BSpline, 3);
  this->ExpectAgreement<Translucent, Translucent>(4, volume.GetPointer(), "linear", Kind::BSpline, 3);
  this->ExpectAgreement<Whole, Whole>(2, plane.GetPointer(), "linear", Kind::BSpline, 2);
  using Vectors = itk::VectorImage<float, 3>;
  using Short = itk::VectorImage<short, 2>;
  using Real = itk::VectorImage<double, 2>;
  this->ExpectAgreement<Vectors, Vectors>(5, volume.GetPointer(), "linear", Kind::BSpline, 3);
  this->ExpectAgreement<Short, Real>(2, plane.GetPointer(), "linear", Kind::BSpline, 5);
  this->ExpectAgreement<Short, Real>(1, plane.GetPointer(), "linear", Kind::BSpline, 3);
}

TEST_P(CudaVectorSplines, OtherTransformsAndTheOutside)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Vector = ImageOf<itk::Vector<float, 2>, 2>;
  using Precise = ImageOf<itk::Vector<double, 2>, 2>;
  const auto spline = MakeSplineTransform<double, 2, 3>(41);
  const auto field = MakeFieldTransform<2>(42, false);
  const auto other = Wave<2>::New();
  const auto affine = MakeAffineTransform<2>(0.2);
  this->ExpectAgreement<Vector, Precise>(2, spline.GetPointer(), "bspline", Kind::BSpline, 3);
  this->ExpectAgreement<Vector, Precise>(2, field.GetPointer(), "displacement", Kind::BSpline, 3, true);
  this->ExpectAgreement<Vector, Precise>(2, other.GetPointer(), "other", Kind::BSpline, 3);
  this->ExpectAgreement<Vector, Precise>(2, affine.GetPointer(), "linear", Kind::BSpline, 3, true);
}

TEST_P(CudaVectorSplines, CubicConvolution)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeAffineTransform<2>(0.2);
  const auto volume = MakeAffineTransform<3>(-0.1);
  using Vector = ImageOf<itk::Vector<float, 3>, 2>;
  using Precise = ImageOf<itk::Vector<double, 3>, 2>;
  using Colour = ImageOf<itk::RGBPixel<unsigned char>, 2>;
  using Vectors = itk::VectorImage<double, 3>;
  this->ExpectAgreement<Vector, Precise>(3, plane.GetPointer(), "linear", Kind::CatmullRom, 0);
  this->ExpectAgreement<Colour, Colour>(3, plane.GetPointer(), "linear", Kind::CatmullRom, 0, true);
  this->ExpectAgreement<Vectors, Vectors>(4, volume.GetPointer(), "linear", Kind::CatmullRom, 0);
  this->ExpectAgreement<Vector, Precise>(3, plane.GetPointer(), "linear", Kind::CubicConvolution, 0);
  this->ExpectAgreement<Vectors, Vectors>(4, volume.GetPointer(), "linear", Kind::CubicConvolution, 0);
}

// The coefficients remain in memory for another transform, and are computed again for other pixels.
TEST_P(CudaVectorSplines, TheSourceIsKept)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = ImageOf<itk::Vector<float, 3>, 3>;
  const auto input = MakeVectors<Image>(3);
  auto       filter = itk::CudaResampleImageFilter<Image, Image>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->KeepSourceOn();
  filter->SetInput(input);
  SetOutputGrid(filter.GetPointer(), input.GetPointer());
  filter->SetInterpolator(itk::CudaVectorBSplineInterpolateImageFunction<Image>::New());
  filter->Update();
  EXPECT_FALSE(filter->GetSourceReused());
  filter->SetTransform(MakeAffineTransform<3>(0.1));
  filter->Update();
  EXPECT_TRUE(filter->GetSourceReused());
  input->GetBufferPointer()[77][1] += 1.0F;
  filter->SetTransform(MakeAffineTransform<3>(0.2));
  filter->Update();
  EXPECT_FALSE(filter->GetSourceReused());
}
