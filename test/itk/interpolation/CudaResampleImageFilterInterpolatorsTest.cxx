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
// CudaResampleImageFilter with each interpolator that it knows beyond those of CudaResampleImageFilterTest.cxx: ITK's
// own and the module's.
//
// Expected values: ITK's filter with ITK's interpolator and double output; for cubic convolution, which ITK has not,
// ITK's filter with the module's class, whose single evaluations it runs. Tolerances: windowed sinc as in
// CudaInterpolatorsAgainstItkTest.cxx for double images, and 2^-24 of the largest value for the rounding of float ones;
// coefficients that are ready 1e-12 and 1e-6 of the largest; labels exactly, where the image is smooth: a label is one
// where ITK's error function errs by 3.3e-8 and sums are that close, which is counted.

#include "itkCudaBSplineResampleImageFunction.h"
#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLabelImageGenericInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "ResampleTestSupport.h"

#include "itkBSplineResampleImageFunction.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"

#include <algorithm>
#include <map>

#if !defined(CUDASPLINE_ITK_HAS_GENERIC_LABELS)
namespace itk
{
/** The class in a program whose ITK has the remote module: with its name, and here with its rule. */
template <typename TImage, template <typename, typename> class TInterpolator, typename TCoordRep>
class LabelImageGenericInterpolateImageFunction : public InterpolateImageFunction<TImage, TCoordRep>
{
public:
  using Self = LabelImageGenericInterpolateImageFunction;
  using Superclass = InterpolateImageFunction<TImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  itkCudaSplineTypeMacro(LabelImageGenericInterpolateImageFunction, InterpolateImageFunction);

  void
  SetInputImage(const TImage * image) override
  {
    m_Interpolators.clear();
    Superclass::SetInputImage(image);
    for (SizeValueType i = 0; image != nullptr && i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      const auto label = image->GetBufferPointer()[i];
      if (m_Interpolators.count(label) == 0)
      {
        auto indicator = TImage::New();
        indicator->CopyInformation(image);
        indicator->SetRegions(image->GetBufferedRegion());
        indicator->Allocate();
        std::transform(image->GetBufferPointer(),
                       image->GetBufferPointer() + image->GetBufferedRegion().GetNumberOfPixels(),
                       indicator->GetBufferPointer(),
                       [label](auto pixel) { return static_cast<typename TImage::PixelType>(pixel == label); });
        m_Interpolators[label] = TInterpolator<TImage, TCoordRep>::New();
        m_Interpolators[label]->SetInputImage(indicator);
      }
    }
  }

  typename Superclass::OutputType
  EvaluateAtContinuousIndex(const typename Superclass::ContinuousIndexType & index) const override
  {
    double                     largest = 0.0;
    typename TImage::PixelType winner{};
    for (const auto & entry : m_Interpolators)
    {
      const double value = entry.second->EvaluateAtContinuousIndex(index);
      winner = value > largest ? entry.first : winner;
      largest = std::max(largest, value);
    }
    return winner;
  }

  typename Superclass::SizeType
  GetRadius() const override
  {
    return Superclass::SizeType::Filled(1);
  }

private:
  std::map<typename TImage::PixelType, typename TInterpolator<TImage, TCoordRep>::Pointer> m_Interpolators;
};
} // namespace itk
#endif

using namespace CudaSplineTest;

namespace
{

template <typename TFilter>
void
Prepare(TFilter * filter, const typename TFilter::InputImageType * input)
{
  filter->SetInput(input);
  SetOutputGrid(filter, input);
  if constexpr (TFilter::InputImageDimension == 3)
  {
    auto euler = itk::Euler3DTransform<double>::New();
    euler->SetRotation(0.17, -0.26, 0.35);
    filter->SetTransform(euler);
  }
  else
  {
    auto euler = itk::Euler2DTransform<double>::New();
    euler->SetAngle(0.31);
    filter->SetTransform(euler);
  }
  filter->SetDefaultPixelValue(static_cast<typename TFilter::PixelType>(17));
}

class CudaResampleImageFilterInterpolators : public OnEachBackend
{
protected:
  /** Returns the difference between the module's filter with one interpolator and ITK's with another one. */
  template <typename TOutput, typename TImage>
  Difference
  Compared(const TImage *                                  input,
           itk::InterpolateImageFunction<TImage, double> * ours,
           itk::InterpolateImageFunction<TImage, double> * theirs,
           const std::string &                             name)
  {
    auto filter = itk::CudaResampleImageFilter<TImage, TOutput>::New();
    auto judge = itk::ResampleImageFilter<TImage, itk::Image<double, TImage::ImageDimension>>::New();
    Prepare(filter.GetPointer(), input);
    Prepare(judge.GetPointer(), input);
    filter->SetGPUEnabled(this->OnGpu());
    filter->SetInterpolator(ours);
    judge->SetInterpolator(theirs);
    filter->Update();
    judge->Update();
    ExpectPromisedBackend(filter.GetPointer(), name, this->OnGpu());
    EXPECT_GT(FractionOtherThan(judge->GetOutput(), 17.0), 0.05);
    EXPECT_LT(FractionOtherThan(judge->GetOutput(), 17.0), 0.99);
    return Compare(filter->GetOutput(), judge->GetOutput());
  }

  template <typename TPixel,
            unsigned int D,
            unsigned int VRadius,
            template <unsigned int, typename, typename>
            class TWindow,
            template <typename, typename> class TBoundary = itk::ZeroFluxNeumannBoundaryCondition>
  void
  CompareSinc()
  {
    using Image = itk::Image<TPixel, D>;
    using Window = TWindow<VRadius, double, double>;
    using Boundary = TBoundary<Image, Image>;
    const auto input = MakePhantom<Image>(-1000.0, 2000.0);
    auto       itks = itk::WindowedSincInterpolateImageFunction<Image, VRadius, Window, Boundary>::New();
    auto       ours = itk::CudaWindowedSincInterpolateImageFunction<Image, VRadius, Window, Boundary>::New();
    // ITK's periodic condition reads outside of the buffer at its edges. The reference is the module's class, point by
    // point.
    using Itks = itk::WindowedSincInterpolateImageFunction<Image, VRadius, Window, Boundary>;
    using Ours = itk::CudaWindowedSincInterpolateImageFunction<Image, VRadius, Window, Boundary>;
    constexpr bool isPeriodic = std::is_same<Boundary, itk::PeriodicBoundaryCondition<Image, Image>>::value;
    auto           judge = std::conditional_t<isPeriodic, Ours, Itks>::New();
    const double   norm = std::pow(2.28, D) * 2000.0;
    const double   bound = sizeof(TPixel) == 8
                             ? 0x1p-53 * norm * (2.0 * D * (66.0 * VRadius + 1.0) + std::pow(2.0 * VRadius, D))
                             : 0x1p-24 * norm;
    // The indices of the filter are ITK's, so the same points are compared.
    EXPECT_LE(
      Compared<Image>(input.GetPointer(), itks.GetPointer(), judge.GetPointer(), "WindowedSincInterpolateImageFunction")
        .maximum,
      bound);
    EXPECT_LE(Compared<Image>(
                input.GetPointer(), ours.GetPointer(), judge.GetPointer(), "CudaWindowedSincInterpolateImageFunction")
                .maximum,
              bound);
  }
};

/** Returns labels 0 to 5: levels of a smooth phantom, beginning at index 0. */
template <typename TImage>
typename TImage::Pointer
LabelPhantom(bool atZero)
{
  auto image = MakePhantom<TImage>(0.0, 5.99);
  if (atZero)
  {
    auto region = image->GetBufferedRegion();
    region.SetIndex(typename TImage::IndexType());
    image->SetRegions(region);
  }
  return image;
}

} // namespace

TEST_P(CudaResampleImageFilterInterpolators, WindowedSinc)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using namespace itk::Function;
  CompareSinc<float, 3, 3, CosineWindowFunction>();
  CompareSinc<float, 3, 2, HammingWindowFunction>();
  CompareSinc<double, 2, 5, WelchWindowFunction>();
  CompareSinc<double, 2, 4, LanczosWindowFunction>();
  CompareSinc<float, 2, 1, BlackmanWindowFunction>();
  CompareSinc<double, 3, 3, BlackmanWindowFunction>();
}

TEST_P(CudaResampleImageFilterInterpolators, WindowedSincOfOtherBoundaries)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using namespace itk::Function;
  CompareSinc<float, 3, 3, LanczosWindowFunction, itk::ConstantBoundaryCondition>();
  CompareSinc<double, 2, 4, WelchWindowFunction, itk::ConstantBoundaryCondition>();
  CompareSinc<float, 3, 2, HammingWindowFunction, itk::PeriodicBoundaryCondition>();
  CompareSinc<double, 2, 5, CosineWindowFunction, itk::PeriodicBoundaryCondition>();
}

// The image is not passed to ITK's class, which would make an image of each label.
TEST_P(CudaResampleImageFilterInterpolators, LabelGenericThatIsItks)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<unsigned char, 3>;
  const auto input = LabelPhantom<Image>(false);
  const auto check = [&](auto itks, auto judge, const std::string & method) {
    EXPECT_EQ(Compared<Image>(input.GetPointer(),
                              itks.GetPointer(),
                              judge.GetPointer(),
                              "LabelImageGenericInterpolateImageFunction of " + method)
                .count,
              0)
      << method;
    EXPECT_EQ(itks->GetInputImage(), nullptr) << method;
  };
  using Linear = itk::LabelImageGenericInterpolateImageFunction<Image, itk::LinearInterpolateImageFunction, double>;
  using Nearest =
    itk::LabelImageGenericInterpolateImageFunction<Image, itk::NearestNeighborInterpolateImageFunction, double>;
  check(Linear::New(), Linear::New(), "linear");
  check(Nearest::New(), Nearest::New(), "nearest neighbours");
}

TEST_P(CudaResampleImageFilterInterpolators, LabelGaussian)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<short, 3>;
  const auto input = LabelPhantom<Image>(true);
  using Itks = itk::LabelImageGaussianInterpolateImageFunction<Image>;
  const auto setUp = [](const auto & function) {
    function->SetSigma(itk::FixedArray<double, 3>(0.8));
    function->SetAlpha(3.0);
    return function;
  };
  const auto judge = setUp(Itks::New());
  EXPECT_LE(Compared<Image>(input.GetPointer(),
                            setUp(Itks::New()).GetPointer(),
                            judge.GetPointer(),
                            "LabelImageGaussianInterpolateImageFunction")
              .count,
            2);
  EXPECT_LE(Compared<Image>(input.GetPointer(),
                            setUp(itk::CudaLabelImageGaussianInterpolateImageFunction<Image>::New()).GetPointer(),
                            judge.GetPointer(),
                            "CudaLabelImageGaussianInterpolateImageFunction")
              .count,
            2);
}

// ITK's own class gives ITK's results, including its displacement; this also applies to a deviation of 0.
TEST_P(CudaResampleImageFilterInterpolators, LabelGaussianThatIsItks)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<short, 2>;
  using Itks = itk::LabelImageGaussianInterpolateImageFunction<Image>;
  const auto run = [&](auto filter, const Image * input, double sigma) {
    Prepare(filter.GetPointer(), input);
    auto function = Itks::New();
    function->SetSigma(itk::FixedArray<double, 2>(sigma));
    filter->SetInterpolator(function);
    filter->Update();
    return filter;
  };
  const auto check = [&](const Image * input, double sigma) {
    const auto ours = run(itk::CudaResampleImageFilter<Image, Image>::New(), input, sigma);
    const auto theirs = run(itk::ResampleImageFilter<Image, Image>::New(), input, sigma);
    EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
    EXPECT_FALSE(ours->GetFallbackReason().empty());
    EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
  };
  check(LabelPhantom<Image>(false), 0.8);
  check(LabelPhantom<Image>(true), 0.0);
}

TEST_P(CudaResampleImageFilterInterpolators, NearestLinearAndReadyCoefficients)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 3>;
  const auto input = MakePhantom<Image>(-1000.0, 2000.0);
  EXPECT_EQ(Compared<Image>(input.GetPointer(),
                            itk::CudaNearestNeighborInterpolateImageFunction<Image>::New().GetPointer(),
                            itk::NearestNeighborInterpolateImageFunction<Image>::New().GetPointer(),
                            "CudaNearestNeighborInterpolateImageFunction")
              .count,
            0);
  EXPECT_LE(Compared<Image>(input.GetPointer(),
                            itk::CudaLinearInterpolateImageFunction<Image>::New().GetPointer(),
                            itk::LinearInterpolateImageFunction<Image>::New().GetPointer(),
                            "CudaLinearInterpolateImageFunction")
              .maximum,
            1e-6 * 2000.0);
  const auto doubles = MakePhantom<itk::Image<double, 2>>(-1000.0, 2000.0);
  for (unsigned int order = 0; order <= 5; ++order)
  {
    const auto of = [order](const auto & function) {
      function->SetSplineOrder(order);
      return function;
    };
    using Itks = itk::BSplineResampleImageFunction<Image, double>;
    using Flat = itk::Image<double, 2>;
    const auto judge = of(Itks::New());
    EXPECT_LE(Compared<Image>(
                input.GetPointer(), of(Itks::New()).GetPointer(), judge.GetPointer(), "BSplineResampleImageFunction")
                .maximum,
              2e-6 * 2000.0);
    EXPECT_LE(Compared<Flat>(doubles.GetPointer(),
                             of(itk::CudaBSplineResampleImageFunction<Flat, double>::New()).GetPointer(),
                             of(itk::BSplineResampleImageFunction<Flat, double>::New()).GetPointer(),
                             "CudaBSplineResampleImageFunction")
                .maximum,
              1e-12 * 2000.0);
  }
}

TEST_P(CudaResampleImageFilterInterpolators, CatmullRom)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto check = [this](const auto & input, double relative) {
    using Image = typename std::decay_t<decltype(*input)>;
    auto ours = itk::CudaCatmullRomInterpolateImageFunction<Image>::New();
    auto judge = itk::CudaCatmullRomInterpolateImageFunction<Image>::New();
    ours->SetTension(0.8);
    judge->SetTension(0.8);
    EXPECT_LE((this
                 ->Compared<itk::Image<double, Image::ImageDimension>>(
                   input.GetPointer(), ours.GetPointer(), judge.GetPointer(), "CudaCatmullRomInterpolateImageFunction")
                 .maximum),
              relative * 2000.0);
  };
  check(MakePhantom<itk::Image<double, 3>>(-1000.0, 2000.0), 1e-12);
  check(MakePhantom<itk::Image<short, 2>>(-1000.0, 2000.0), 1e-12); // to double: in double
}

TEST_P(CudaResampleImageFilterInterpolators, CubicConvolution)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto check = [this](const auto & input) {
    using Image = typename std::decay_t<decltype(*input)>;
    auto ours = itk::CudaCubicConvolutionInterpolateImageFunction<Image>::New();
    auto judge = itk::CudaCubicConvolutionInterpolateImageFunction<Image>::New();
    EXPECT_LE(
      (this
         ->Compared<itk::Image<double, Image::ImageDimension>>(
           input.GetPointer(), ours.GetPointer(), judge.GetPointer(), "CudaCubicConvolutionInterpolateImageFunction")
         .maximum),
      1e-12 * 2000.0);
  };
  check(MakePhantom<itk::Image<double, 3>>(-1000.0, 2000.0));
  check(MakePhantom<itk::Image<short, 2>>(-1000.0, 2000.0));
}

namespace
{
template <typename TImage, typename TCoordRep>
using CubicSpline = itk::BSplineInterpolateImageFunction<TImage, TCoordRep, double>;
}

TEST_P(CudaResampleImageFilterInterpolators, GenericLabels)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<short, 2>;
  const auto input = LabelPhantom<Image>(false);
  using Nearest =
    itk::CudaLabelImageGenericInterpolateImageFunction<Image, itk::NearestNeighborInterpolateImageFunction>;
  using Linear = itk::CudaLabelImageGenericInterpolateImageFunction<Image, itk::LinearInterpolateImageFunction>;
  EXPECT_EQ(Compared<Image>(input.GetPointer(),
                            Nearest::New().GetPointer(),
                            itk::NearestNeighborInterpolateImageFunction<Image>::New().GetPointer(),
                            "CudaLabelImageGenericInterpolateImageFunction of nearest neighbours")
              .count,
            0);
  EXPECT_EQ(Compared<Image>(input.GetPointer(),
                            Linear::New().GetPointer(),
                            Linear::New().GetPointer(),
                            "CudaLabelImageGenericInterpolateImageFunction of others")
              .count,
            0);
  using Spline = itk::CudaLabelImageGenericInterpolateImageFunction<Image, CubicSpline>;
  EXPECT_EQ(Compared<Image>(input.GetPointer(),
                            Spline::New().GetPointer(),
                            Spline::New().GetPointer(),
                            "CudaLabelImageGenericInterpolateImageFunction of others")
              .count,
            0);
}

namespace
{

/** A user's class that is derived from one of the module. */
template <typename TFunction>
class Twice : public TFunction
{
public:
  using Self = Twice;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  using TFunction::EvaluateAtContinuousIndex;

  typename TFunction::OutputType
  EvaluateAtContinuousIndex(const typename TFunction::ContinuousIndexType & index) const override
  {
    return 2.0 * TFunction::EvaluateAtContinuousIndex(index);
  }
};

template <typename TFunction>
void
ExpectSuperclass()
{
  using Image = itk::Image<float, 2>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  const auto run = [&](auto filter) {
    Prepare(filter.GetPointer(), input.GetPointer());
    filter->SetInterpolator(Twice<TFunction>::New());
    filter->Update();
    return filter;
  };
  const auto ours = run(itk::CudaResampleImageFilter<Image, Image>::New());
  const auto theirs = run(itk::ResampleImageFilter<Image, Image>::New());
  const auto plain = itk::CudaResampleImageFilter<Image, Image>::New();
  Prepare(plain.GetPointer(), input.GetPointer());
  plain->SetInterpolator(TFunction::New());
  plain->Update();
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_NE(ours->GetFallbackReason().find("derived"), std::string::npos);
  EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
  EXPECT_GT(Compare(ours->GetOutput(), plain->GetOutput()).maximum, 1.0);
  // Its batches, too.
  auto function = Twice<TFunction>::New();
  function->SetInputImage(input);
  typename TFunction::ContinuousIndexType index;
  index[0] = input->GetBufferedRegion().GetIndex(0) + 20.25;
  index[1] = input->GetBufferedRegion().GetIndex(1) + 21.5;
  EXPECT_EQ(function->EvaluateAtContinuousIndices({ index }).front(), function->EvaluateAtContinuousIndex(index));
  EXPECT_EQ(function->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
}

} // namespace

TEST(CudaResampleImageFilterOfDerivedInterpolators, AreAnsweredByTheSuperclass)
{
  using Image = itk::Image<float, 2>;
  ExpectSuperclass<itk::CudaNearestNeighborInterpolateImageFunction<Image>>();
  ExpectSuperclass<itk::CudaLinearInterpolateImageFunction<Image>>();
  ExpectSuperclass<itk::CudaBSplineInterpolateImageFunction<Image>>();
  ExpectSuperclass<itk::CudaBSplineResampleImageFunction<Image, double>>();
  ExpectSuperclass<itk::CudaCatmullRomInterpolateImageFunction<Image>>();
  ExpectSuperclass<itk::CudaCubicConvolutionInterpolateImageFunction<Image>>();
  ExpectSuperclass<itk::CudaWindowedSincInterpolateImageFunction<Image, 2>>();
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterInterpolators);
