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
// Address modes of every interpolator that has them, in single evaluations, batches and CudaResampleImageFilter.
//
// Expected values: the same method on an image that was continued in memory, sample by sample from periods that are
// written out (Padded()): ITK's own nearest-neighbour, linear, windowed sinc and B-spline (orders 0 and 1)
// interpolators, which then never see an edge, and the formula for cubic convolution (itself tested against its
// weights). For B-splines of orders 2 to 5, whose coefficients depend on the extension, the interpolation equations of
// that extension in long double (ReferenceSpline.h). Tolerances as in CudaInterpolatorsAgainstItkTest.cxx and
// SplineErrorBounds.h.

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaBSplineResampleImageFunction.h"
#include "itkCudaCatmullRomInterpolateImageFunction.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "InterpolationTestSupport.h"

#include "itkConstantBoundaryCondition.h"
#include "itkVectorImage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace
{

using namespace CudaSplineTest;

constexpr double Border = 12.625; // not an integer, so that the test detects a conversion to the pixel type
constexpr double Reach = 9.0;     // samples beyond the edges

template <unsigned int D>
using Modes = std::array<CudaSplineAddressMode, D>;

/** Returns every mode along all axes, and some mixtures, including ITK's rule along an axis. */
template <unsigned int D>
std::vector<Modes<D>>
EveryMixture(Random & random, const std::vector<CudaSplineAddressMode> & allowed)
{
  std::vector<Modes<D>> mixtures;
  for (const CudaSplineAddressMode mode : allowed)
  {
    mixtures.emplace_back();
    mixtures.back().fill(mode);
  }
  for (int i = 0; i < 3 && D > 1; ++i)
  {
    mixtures.emplace_back();
    for (auto & mode : mixtures.back())
    {
      mode = allowed[static_cast<std::size_t>(random.Integer(0, static_cast<std::int64_t>(allowed.size()) - 1))];
    }
    mixtures.back()[static_cast<std::size_t>(random.Integer(0, D - 1))] = CudaSplineAddressMode::Itk;
  }
  return mixtures;
}

template <unsigned int D>
std::string
NamesOf(const Modes<D> & modes)
{
  std::string names;
  for (const auto mode : modes)
  {
    names += std::string(NameOf(mode)) + " ";
  }
  return names;
}

class CudaInterpolatorAddressModes : public GpuOnAndOff
{
protected:
  /** A filter with the interpolator gives the same values as single evaluations, on a grid that extends beyond the
   * image. */
  template <typename TFunction, typename TImage>
  void
  ExpectResamplerIsSingle(TFunction * function, const TImage * image, double tolerance, bool rounds)
  {
    constexpr unsigned int D = TImage::ImageDimension;
    using Output = itk::Image<double, D>;
    using Filter = itk::CudaResampleImageFilter<TImage, Output>;
    auto filter = Filter::New();
    filter->SetGPUEnabled(GetParam());
    filter->SetInput(image);
    filter->SetInterpolator(function);
    filter->SetDefaultPixelValue(-55.0);
    const auto &                 region = image->GetBufferedRegion();
    typename Filter::SizeType    size;
    typename Filter::IndexType   index = region.GetIndex();
    typename Output::PointType   origin;
    typename Output::SpacingType spacing = image->GetSpacing();
    for (unsigned int d = 0; d < D; ++d)
    {
      size[d] = (region.GetSize(d) + 8) * 4 / 3;
      index[d] -= 4;
      spacing[d] *= 0.76;
    }
    image->TransformIndexToPhysicalPoint(index, origin);
    filter->SetOutputSpacing(spacing);
    filter->SetOutputOrigin(origin);
    filter->SetOutputDirection(image->GetDirection());
    filter->SetSize(size);
    filter->Update();
    EXPECT_STREQ(NameOf(filter->GetLastBackend()), NameOf(Promised(function->GetNameOfClass(), D)))
      << filter->GetFallbackReason();
    function->SetInputImage(image);
    const auto * const output = filter->GetOutput();
    for (itk::OffsetValueType i = 0; i < static_cast<itk::OffsetValueType>(Count(output)); ++i)
    {
      typename Output::PointType point;
      output->TransformIndexToPhysicalPoint(output->ComputeIndex(i), point);
      const auto at = image->template TransformPhysicalPointToContinuousIndex<double>(point);
      bool       isTie = false; // the index of the filter differs by rounding
      for (unsigned int d = 0; d < D; ++d)
      {
        const double half = at[d] + 0.5;
        isTie = isTie || std::abs(half - std::round(half)) < 1e-9;
      }
      if (!(rounds && isTie) && !(isTie && !function->IsInsideBuffer(at)))
      {
        const double expected = function->IsInsideBuffer(at) ? function->EvaluateAtContinuousIndex(at) : -55.0;
        ASSERT_LE(std::abs(output->GetBufferPointer()[i] - expected), tolerance) << at;
      }
    }
  }

  /** Tests an interpolator with each mixture of modes.
   *
   * \param[in] itkMode the equivalent of ITK's rule near the edges
   * \param[in] expected called with the modes; returns a function of the index */
  template <typename TFunction, typename TImage, typename TExpected>
  void
  Compare(TFunction *                                function,
          const TImage *                             image,
          const std::vector<CudaSplineAddressMode> & allowed,
          double                                     tolerance,
          const TExpected &                          expected,
          bool                                       rounds = false)
  {
    constexpr unsigned int D = TImage::ImageDimension;
    Random                 random(D);
    function->SetGPUEnabled(GetParam());
    function->SetInputImage(image);
    function->SetBorderValue(Border);
    for (const auto & modes : EveryMixture<D>(random, allowed))
    {
      SCOPED_TRACE(std::string(function->GetNameOfClass()) + ", " + NamesOf<D>(modes));
      for (unsigned int d = 0; d < D; ++d)
      {
        function->SetAddressMode(d, modes[d]);
        ASSERT_EQ(function->GetAddressMode(d), modes[d]);
      }
      const auto value = expected(modes);
      const auto points = PointsIn(function, random, 120, true, Reach);
      for (const auto & index : points)
      {
        bool inside = true;
        for (unsigned int d = 0; d < D; ++d)
        {
          const auto first = static_cast<double>(image->GetBufferedRegion().GetIndex(d));
          const auto size = static_cast<double>(image->GetBufferedRegion().GetSize(d));
          inside =
            inside && (modes[d] == CudaSplineAddressMode::Itk ? index[d] >= first - 0.5 && index[d] < first + size - 0.5
                                                              : !std::isnan(index[d]));
        }
        ASSERT_EQ(function->IsInsideBuffer(index), inside) << index;
        if (inside)
        {
          ASSERT_LE(std::abs(static_cast<double>(function->EvaluateAtContinuousIndex(index) - value(index))), tolerance)
            << index;
        }
      }
      ExpectPixelsAndBeyond(function, image, random);
      ExpectBatchesAreSingle(function,
                             points,
                             2.0 * tolerance,
                             2.0 * tolerance / Unit<double> * Unit<float> + LargestPixel(image) * 2e-6,
                             Promised(function->GetNameOfClass(), D));
      this->ExpectResamplerIsSingle(function, image, 2.0 * tolerance + LargestPixel(image) * 1e-10, rounds);
    }
  }

  /** Returns a function of the index with one of ITK's interpolators on the padded image. */
  template <typename TItk, unsigned int D, typename TImage>
  static auto
  OnPadded(const TImage * image, Modes<D> modes, CudaSplineAddressMode itkMode)
  {
    for (auto & mode : modes)
    {
      mode = mode == CudaSplineAddressMode::Itk ? itkMode : mode;
    }
    const auto padded = Padded(image, modes, Border, static_cast<std::int64_t>(Reach) + 5);
    auto       itks = TItk::New();
    itks->SetInputImage(padded);
    return [padded, itks](const auto & index) { return itks->EvaluateAtContinuousIndex(index); };
  }

  template <typename TPixel, unsigned int D>
  void
  CompareAll(const std::vector<std::int64_t> & size)
  {
    using ImageType = itk::Image<TPixel, D>;
    using PaddedImage = itk::Image<double, D>;
    using Hamming = itk::Function::HammingWindowFunction<3>;
    Random       random(__LINE__ + D);
    const auto   image = NoiseImage<ImageType>(size, random);
    const double largest = std::max(LargestPixel(image.GetPointer()), Border);
    const auto   nearest = itk::CudaNearestNeighborInterpolateImageFunction<ImageType>::New();
    Compare(
      nearest.GetPointer(),
      image.GetPointer(),
      EveryAddressMode,
      0.0,
      [&](const Modes<D> & modes) {
        return OnPadded<itk::NearestNeighborInterpolateImageFunction<PaddedImage>, D>(
          image.GetPointer(), modes, CudaSplineAddressMode::Nearest);
      },
      true);
    const auto linear = itk::CudaLinearInterpolateImageFunction<ImageType>::New();
    Compare(linear.GetPointer(),
            image.GetPointer(),
            EveryAddressMode,
            12.0 * D * Unit<double> * largest,
            [&](const Modes<D> & modes) {
              return OnPadded<itk::LinearInterpolateImageFunction<PaddedImage>, D>(
                image.GetPointer(), modes, CudaSplineAddressMode::Nearest);
            });
    const auto sinc = itk::CudaWindowedSincInterpolateImageFunction<ImageType, 3>::New();
    Compare(sinc.GetPointer(),
            image.GetPointer(),
            EveryAddressMode,
            Unit<double> * std::pow(2.28, D) * (2.0 * D * 199.0 + std::pow(6.0, D)) * largest,
            [&](const Modes<D> & modes) {
              return OnPadded<itk::WindowedSincInterpolateImageFunction<PaddedImage, 3, Hamming>, D>(
                image.GetPointer(), modes, CudaSplineAddressMode::Nearest);
            });
    // The formula is tested with the class; here with an image without edges.
    const auto catmullRom = itk::CudaCatmullRomInterpolateImageFunction<ImageType>::New();
    Compare(catmullRom.GetPointer(),
            image.GetPointer(),
            EveryAddressMode,
            D * 80.0 * std::pow(1.5, D) * Unit<double> * largest,
            [&](const Modes<D> & modes) {
              return OnPadded<itk::CudaCatmullRomInterpolateImageFunction<PaddedImage>, D>(
                image.GetPointer(), modes, CudaSplineAddressMode::Mirror);
            });
    const auto mitchell = itk::CudaCubicConvolutionInterpolateImageFunction<ImageType>::New();
    Compare(mitchell.GetPointer(),
            image.GetPointer(),
            EveryAddressMode,
            D * 150.0 * std::pow(1.2, D) * Unit<double> * largest,
            [&](const Modes<D> & modes) {
              return OnPadded<itk::CudaCubicConvolutionInterpolateImageFunction<PaddedImage>, D>(
                image.GetPointer(), modes, CudaSplineAddressMode::Mirror);
            });
  }

  template <typename TPixel, unsigned int D>
  void
  CompareSplines(const std::vector<std::int64_t> & size)
  {
    using ImageType = itk::Image<TPixel, D>;
    Random     random(__LINE__ + D);
    const auto image = NoiseImage<ImageType>(size, random);
    const auto samples = Values(image.GetPointer());
    const auto start = StartOf(image.GetPointer());
    for (unsigned int order = 0; order <= 5; ++order)
    {
      SCOPED_TRACE("order " + std::to_string(order));
      const PrefilterBounds bounds(order);
      const double          largest = std::max(LargestPixel(image.GetPointer()), Border);
      const double          tolerance = 2.0 * bounds.Axes(D, bounds.OwnAxis<double>(), largest) +
                               ValueBound(order, D) * largest * std::pow(bounds.norm, D);
      auto spline = itk::CudaBSplineInterpolateImageFunction<ImageType>::New();
      spline->SetSplineOrder(order);
      if (order < 2)
      {
        // Their coefficients are the samples.
        Compare(
          spline.GetPointer(),
          image.GetPointer(),
          EveryAddressMode,
          tolerance,
          [&](const Modes<D> & modes) {
            auto padded = Modes<D>(modes);
            for (auto & mode : padded)
            {
              mode = mode == CudaSplineAddressMode::Itk ? CudaSplineAddressMode::Mirror : mode;
            }
            const auto judge = itk::BSplineInterpolateImageFunction<itk::Image<double, D>>::New();
            judge->SetSplineOrder(order);
            judge->SetInputImage(Padded(image.GetPointer(), padded, Border, static_cast<std::int64_t>(Reach) + 5));
            return [judge](const auto & index) { return judge->EvaluateAtContinuousIndex(index); };
          },
          order == 0);
        continue;
      }
      EXPECT_THROW(spline->SetAddressMode(CudaSplineAddressMode::Nearest), itk::ExceptionObject);
      EXPECT_THROW(spline->SetAddressMode(0, CudaSplineAddressMode::GridConstant), itk::ExceptionObject);
      EXPECT_EQ(spline->GetAddressMode(0), CudaSplineAddressMode::Itk);
      Compare(
        spline.GetPointer(),
        image.GetPointer(),
        { CudaSplineAddressMode::Mirror, CudaSplineAddressMode::Reflect, CudaSplineAddressMode::GridWrap },
        tolerance,
        [&](const Modes<D> & modes) {
          std::vector<Extension> extensions;
          for (const auto mode : modes)
          {
            extensions.push_back(itk::ExtensionOf(mode, Extension::Mirror));
          }
          return [reference = ReferenceSpline(size, samples, order, extensions, start)](const auto & index) {
            return static_cast<double>(reference.Value(std::vector<double>(index.Begin(), index.End())));
          };
        },
        order % 2 == 0);
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaInterpolatorAddressModes);

TEST_P(CudaInterpolatorAddressModes, OneDimension)
{
  CompareAll<double, 1>({ 9 });
  CompareAll<double, 1>({ 1 });
  CompareSplines<double, 1>({ 8 });
  CompareSplines<double, 1>({ 2 });
}

TEST_P(CudaInterpolatorAddressModes, TwoDimensions)
{
  CompareAll<unsigned char, 2>({ 6, 11 });
}

TEST_P(CudaInterpolatorAddressModes, SplinesInTwoDimensions)
{
  CompareSplines<short, 2>({ 7, 3 });
}

TEST_P(CudaInterpolatorAddressModes, ThreeDimensions)
{
  CompareAll<float, 3>({ 7, 5, 2 });
}

TEST_P(CudaInterpolatorAddressModes, SplinesInThreeDimensions)
{
  CompareSplines<double, 3>({ 5, 6, 4 });
}

// Coefficients that were made for an extension, and orders that cannot have a mode.
TEST_P(CudaInterpolatorAddressModes, ReadyCoefficientsAndOrders)
{
  using ImageType = itk::Image<double, 2>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 9, 8 }, random);
  auto       spline = itk::CudaBSplineInterpolateImageFunction<ImageType>::New();
  spline->SetAddressMode(CudaSplineAddressMode::GridWrap);
  spline->SetInputImage(image);
  auto ready = itk::CudaBSplineResampleImageFunction<ImageType, double>::New();
  ready->SetAddressMode(CudaSplineAddressMode::GridWrap);
  ready->SetInputImage(spline->GetCoefficients());
  for (const auto & index : PointsIn(spline.GetPointer(), random, 50, false, Reach))
  {
    EXPECT_EQ(spline->EvaluateAtContinuousIndex(index), ready->EvaluateAtContinuousIndex(index));
    EXPECT_EQ(spline->EvaluateDerivativeAtContinuousIndex(index), ready->EvaluateDerivativeAtContinuousIndex(index));
  }
  EXPECT_THROW(ready->SetAddressMode(CudaSplineAddressMode::Nearest), itk::ExceptionObject);
  spline->SetSplineOrder(1);
  spline->SetAddressMode(CudaSplineAddressMode::GridConstant);
  EXPECT_THROW(spline->SetSplineOrder(3), itk::ExceptionObject);
  EXPECT_EQ(spline->GetSplineOrder(), 1);
}

TEST(CudaInterpolatorAddressModeRefusals, VectorsAndLabels)
{
  using Vectors = itk::Image<itk::Vector<float, 2>, 2>;
  EXPECT_THROW(itk::CudaLinearInterpolateImageFunction<Vectors>::New()->SetAddressMode(CudaSplineAddressMode::Mirror),
               itk::ExceptionObject);
  EXPECT_THROW(
    itk::CudaNearestNeighborInterpolateImageFunction<Vectors>::New()->SetAddressMode(1, CudaSplineAddressMode::Reflect),
    itk::ExceptionObject);
  EXPECT_THROW(itk::CudaLabelImageGaussianInterpolateImageFunction<itk::Image<short>>::New()->SetAddressMode(
                 CudaSplineAddressMode::GridWrap),
               itk::ExceptionObject);
}

} // namespace
