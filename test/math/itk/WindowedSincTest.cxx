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
// Windowed sinc against itk::WindowedSincInterpolateImageFunction.
//
// Expected values: ITK's class on the same pixels, with its boundary conditions. On samples of all axes the same bits.
// Elsewhere, in units u = 2^-53: ITK steps from distance to distance, which moves them by 4 u, times a slope of at most
// 1.5; rounds pi x by 14 u over 5 pi; and the angle of the window by 5 u: 16 u per weight, in addition to the 32 u of
// WindowedSinc.h. With N <= 2.28 the sum of absolute weights, D axes differ by D 2m 48 u N^(D-1), and ITK's sum of
// (2m)^D products of D + 1 factors rounds by ((2m)^D + D) u N^D, ours by D (2m + 1) u N^D, times the largest sample.

#include "itkCudaSpline/math/WindowedSinc.h"

#include "RandomData.h"

#include "itkConstantBoundaryCondition.h"
#include "itkImage.h"
#include "itkPeriodicBoundaryCondition.h"
#include "itkWindowedSincInterpolateImageFunction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::GridExtent;
using itk::CudaSpline::NameOf;
using itk::CudaSpline::SincWindow;
using itk::CudaSpline::WindowedSincValue;

enum class Border
{
  Clamp,
  Zero,
  Wrap
};

/** A coordinate inside of the buffer: anywhere, on a lattice of halves, next to it, or on the border. */
double
RandomCoordinate(Random & random, double low, double high)
{
  const auto halves = static_cast<std::int64_t>(2 * (high - low));
  double     x;
  do
  {
    const double lattice = low + 0.5 * static_cast<double>(random.Integer(0, halves));
    switch (random.Integer(0, 3))
    {
      case 0:
        x = lattice;
        break;
      case 1:
        x = random.Near(lattice, 4);
        break;
      default:
        x = random.Uniform(low, high);
    }
  } while (!(x >= low && x < high));
  return x;
}

template <typename TFunction, typename TCoordinate, unsigned int VRadius>
void
ExpectAgreement(SincWindow window, Border border, Random & random)
{
  using ImageType = typename TFunction::InputImageType;
  using TPixel = typename ImageType::PixelType;
  constexpr unsigned int D = ImageType::ImageDimension;
  SCOPED_TRACE(std::string(NameOf(window)) + ", radius " + std::to_string(VRadius) + ", dimension " +
               std::to_string(D));
  const auto                     image = ImageType::New();
  typename ImageType::RegionType region;
  GridExtent<D>                  extent;
  for (unsigned int d = 0; d < D; ++d)
  {
    extent.start[d] = random.Integer(-20, 20);
    // ITK wraps once only, so its neighbourhood has to fit.
    extent.size[d] = border == Border::Wrap ? random.Integer(2 * VRadius + 2, 14) : random.Integer(1, 12);
    region.SetIndex(d, extent.start[d]);
    region.SetSize(d, static_cast<itk::SizeValueType>(extent.size[d]));
  }
  image->SetRegions(region);
  image->Allocate();
  for (std::int64_t k = 0; k < extent.Count(); ++k)
  {
    image->GetBufferPointer()[k] = static_cast<TPixel>(random.Uniform(-1000.0, 1000.0));
  }
  const auto function = TFunction::New();
  function->SetInputImage(image);
  const auto fold = [&](std::int64_t index, unsigned int axis) -> std::int64_t {
    const std::int64_t size = extent.size[axis];
    switch (border)
    {
      case Border::Clamp:
        return std::min(std::max<std::int64_t>(index, 0), size - 1);
      case Border::Zero:
        return index < 0 || index >= size ? -1 : index;
      default:
        return (index + size) % size;
    }
  };
  const double taps = std::pow(2.0 * VRadius, D);
  const double bound = (D * 2 * VRadius * 48 * std::pow(2.28, D - 1.0) +
                        (taps + D + D * (2 * VRadius + 1.0)) * std::pow(2.28, static_cast<double>(D))) *
                       0x1p-53 * 1000.0;
  for (int point = 0; point < 40; ++point)
  {
    typename TFunction::ContinuousIndexType itkIndex;
    TCoordinate                             index[D];
    bool                                    onSample = true;
    for (unsigned int d = 0; d < D; ++d)
    {
      const double start = static_cast<double>(extent.start[d]);
      // Below the first sample ITK's periodic condition takes the wrong end and reads outside of the image.
      const double low = border == Border::Wrap ? start : start - 0.5;
      const double x = point == 0 ? start + static_cast<double>(random.Integer(0, extent.size[d] - 1))
                                  : RandomCoordinate(random, low, start + static_cast<double>(extent.size[d]) - 0.5);
      index[d] = static_cast<TCoordinate>(x);
      itkIndex[d] = index[d];
      onSample = onSample && index[d] == std::floor(index[d]);
    }
    const double expected = function->EvaluateAtContinuousIndex(itkIndex);
    const double value =
      WindowedSincValue(image->GetBufferPointer(), extent, index, static_cast<int>(VRadius), window, fold, 0.0);
    if (onSample)
    {
      ASSERT_EQ(value, expected) << itkIndex << ' ' << region;
    }
    else
    {
      ASSERT_NEAR(value, expected, bound) << itkIndex << ' ' << region;
    }
  }
}

template <typename TImage>
using Constant = itk::ConstantBoundaryCondition<TImage>;
template <typename TImage>
using Neumann = itk::ZeroFluxNeumannBoundaryCondition<TImage, TImage>;
template <typename TImage>
using Periodic = itk::PeriodicBoundaryCondition<TImage>;

template <typename TImage, template <typename> class TBorder, typename TCoordinate, unsigned int VRadius>
void
ExpectWindows(Border border, int trials)
{
  namespace F = itk::Function;
  Random random(__LINE__ + 100 * VRadius + TImage::ImageDimension);
  for (int trial = 0; trial < trials; ++trial)
  {
    const auto expect = [&](auto windowFunction, SincWindow window) {
      using FunctionType = itk::
        WindowedSincInterpolateImageFunction<TImage, VRadius, decltype(windowFunction), TBorder<TImage>, TCoordinate>;
      ExpectAgreement<FunctionType, TCoordinate, VRadius>(window, border, random);
    };
    expect(F::CosineWindowFunction<VRadius>(), SincWindow::Cosine);
    expect(F::HammingWindowFunction<VRadius>(), SincWindow::Hamming);
    expect(F::WelchWindowFunction<VRadius>(), SincWindow::Welch);
    expect(F::LanczosWindowFunction<VRadius>(), SincWindow::Lanczos);
    expect(F::BlackmanWindowFunction<VRadius>(), SincWindow::Blackman);
  }
}

template <typename TImage, template <typename> class TBorder = Neumann, typename TCoordinate = double>
void
ExpectRadii(Border border, int trials)
{
  ExpectWindows<TImage, TBorder, TCoordinate, 1>(border, trials);
  ExpectWindows<TImage, TBorder, TCoordinate, 2>(border, trials);
  ExpectWindows<TImage, TBorder, TCoordinate, 3>(border, trials);
  ExpectWindows<TImage, TBorder, TCoordinate, 4>(border, trials);
  ExpectWindows<TImage, TBorder, TCoordinate, 5>(border, trials);
}

TEST(WindowedSincAgainstITK, Lines)
{
  ExpectRadii<itk::Image<short, 1>>(Border::Clamp, 100);
}

TEST(WindowedSincAgainstITK, Planes)
{
  ExpectRadii<itk::Image<float, 2>>(Border::Clamp, 40);
}

TEST(WindowedSincAgainstITK, Volumes)
{
  ExpectRadii<itk::Image<float, 3>>(Border::Clamp, 8);
}

TEST(WindowedSincAgainstITK, FloatCoordinates)
{
  ExpectWindows<itk::Image<short, 2>, Neumann, float, 3>(Border::Clamp, 40);
}

TEST(WindowedSincAgainstITK, ZeroOutside)
{
  ExpectWindows<itk::Image<float, 2>, Constant, double, 3>(Border::Zero, 40);
  ExpectWindows<itk::Image<short, 3>, Constant, double, 2>(Border::Zero, 3);
}

TEST(WindowedSincAgainstITK, Periodic)
{
  ExpectWindows<itk::Image<float, 1>, Periodic, double, 5>(Border::Wrap, 100);
  ExpectWindows<itk::Image<short, 2>, Periodic, double, 3>(Border::Wrap, 40);
}

} // namespace
