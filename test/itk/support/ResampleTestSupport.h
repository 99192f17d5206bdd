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
#ifndef ResampleTestSupport_h
#define ResampleTestSupport_h

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "BackendTable.h"
#include "Gpu.h"
#include "ItkObjectTestSupport.h"

#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

/** \file
 * \brief Images, configurations and comparisons of the tests of CudaResampleImageFilter with ITK's
 * ResampleImageFilter.
 *
 * No object factory is registered in these programs, so every ITK class that they create is ITK's own. */

namespace CudaSplineTest
{

/** Tests run once on the Cpu backend, and once on the GPU if there is one. */
class OnEachBackend : public testing::TestWithParam<bool>
{
protected:
  bool
  OnGpu() const
  {
    return this->GetParam();
  }
};

#define CUDASPLINE_ON_EACH_BACKEND(suite)                                                                              \
  INSTANTIATE_TEST_SUITE_P(Backend, suite, testing::Bool(), [](const testing::TestParamInfo<bool> & test) {            \
    return std::string(test.param ? "Gpu" : "Cpu");                                                                    \
  })

#define CUDASPLINE_NEEDS_ITS_BACKEND()                                                                                 \
  if (this->OnGpu())                                                                                                   \
  {                                                                                                                    \
    CUDASPLINE_NEEDS_GPU();                                                                                            \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

/** Returns an oblique rotation by arbitrary angles. */
template <unsigned int VDimension>
typename itk::Image<float, VDimension>::DirectionType
ObliqueDirection()
{
  typename itk::Image<float, VDimension>::DirectionType direction;
  direction.SetIdentity();
  const double a = 0.31;
  direction[0][0] = std::cos(a);
  direction[0][1] = -std::sin(a);
  direction[1][0] = std::sin(a);
  direction[1][1] = std::cos(a);
  if constexpr (VDimension == 3)
  {
    typename itk::Image<float, VDimension>::DirectionType tilt;
    tilt.SetIdentity();
    const double b = -0.23;
    tilt[1][1] = std::cos(b);
    tilt[1][2] = -std::sin(b);
    tilt[2][1] = std::sin(b);
    tilt[2][2] = std::cos(b);
    direction = direction * tilt;
  }
  return direction;
}

/** \brief Returns an image of prime sizes, anisotropic spacing, oblique direction and non-zero start index.
 *
 * It is a smooth phantom of ellipsoids with some noise, scaled to [low, high]. */
template <typename TImage>
typename TImage::Pointer
MakePhantom(double low, double high, unsigned int seed = 1)
{
  constexpr unsigned int       D = TImage::ImageDimension;
  auto                         image = TImage::New();
  typename TImage::RegionType  region;
  const itk::SizeValueType     sizes[] = { 53, 47, 31 };
  const itk::IndexValueType    starts[] = { -7, 11, 3 };
  typename TImage::SpacingType spacing;
  typename TImage::PointType   origin;
  for (unsigned int d = 0; d < D; ++d)
  {
    region.SetSize(d, sizes[d]);
    region.SetIndex(d, starts[d]);
    spacing[d] = 0.7 + 0.35 * d;
    origin[d] = -31.5 + 12.25 * d;
  }
  image->SetRegions(region);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(ObliqueDirection<D>());
  image->Allocate();
  std::mt19937                     random(seed);
  std::normal_distribution<double> noise(0.0, 0.02);
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, region); !it.IsAtEnd(); ++it)
  {
    double radius = 0.0;
    double wave = 0.0;
    for (unsigned int d = 0; d < D; ++d)
    {
      const double x =
        2.0 * static_cast<double>(it.GetIndex()[d] - region.GetIndex(d)) / static_cast<double>(region.GetSize(d)) - 1.0;
      radius += x * x * (1.0 + 0.4 * d);
      wave += std::sin((5.0 + d) * x);
    }
    double value = 0.5 / (1.0 + std::exp(12.0 * (radius - 0.7))) + 0.1 * wave + 0.3 + noise(random);
    value = std::min(1.0, std::max(0.0, value));
    it.Set(static_cast<typename TImage::PixelType>(low + value * (high - low)));
  }
  return image;
}

/** An interpolator for resampling. */
struct Interpolator
{
  std::string name; ///< as in the backend table
  int         order{ 0 };
};

inline const std::vector<Interpolator> EveryInterpolator{
  { "NearestNeighborInterpolateImageFunction", 0 }, { "LinearInterpolateImageFunction", 0 },
  { "BSplineInterpolateImageFunction", 0 },         { "BSplineInterpolateImageFunction", 1 },
  { "BSplineInterpolateImageFunction", 2 },         { "BSplineInterpolateImageFunction", 3 },
  { "BSplineInterpolateImageFunction", 4 },         { "BSplineInterpolateImageFunction", 5 },
  { "CudaBSplineInterpolateImageFunction", 3 }
};

inline const std::vector<Interpolator> ThreeInterpolators{ { "NearestNeighborInterpolateImageFunction", 0 },
                                                           { "LinearInterpolateImageFunction", 0 },
                                                           { "BSplineInterpolateImageFunction", 3 } };

/** A user's interpolator that computes a different result than its base class. */
template <typename TImage, typename TCoordinate = double>
class Doubled : public itk::LinearInterpolateImageFunction<TImage, TCoordinate>
{
public:
  using Self = Doubled;
  using Superclass = itk::LinearInterpolateImageFunction<TImage, TCoordinate>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  typename Superclass::OutputType
  EvaluateAtContinuousIndex(const typename Superclass::ContinuousIndexType & index) const override
  {
    return 2.0 * Superclass::EvaluateAtContinuousIndex(index);
  }
};

/** \brief Returns the interpolator for a filter. ITK's B-spline has double coefficients, because ITK in double is the
 * reference.
 *
 * \tparam TFilter a ResampleImageFilter */
template <typename TFilter>
typename TFilter::InterpolatorType::Pointer
MakeInterpolator(const Interpolator & wanted, bool itkOnly)
{
  using Image = typename TFilter::InputImageType;
  using Coordinate = typename TFilter::InterpolatorType::ContinuousIndexType::ValueType;
  if (wanted.name == "NearestNeighborInterpolateImageFunction")
  {
    return itk::NearestNeighborInterpolateImageFunction<Image, Coordinate>::New().GetPointer();
  }
  if (wanted.name == "LinearInterpolateImageFunction")
  {
    return itk::LinearInterpolateImageFunction<Image, Coordinate>::New().GetPointer();
  }
  if (wanted.name == "CudaBSplineInterpolateImageFunction" && !itkOnly)
  {
    auto spline = itk::CudaBSplineInterpolateImageFunction<Image, Coordinate, double>::New();
    spline->SetSplineOrder(static_cast<unsigned int>(wanted.order));
    return spline.GetPointer();
  }
  auto spline = itk::BSplineInterpolateImageFunction<Image, Coordinate, double>::New();
  spline->SetSplineOrder(static_cast<unsigned int>(wanted.order));
  return spline.GetPointer();
}

/** Sets an output grid that covers the input and some outside, finer and differently rotated, with its own start index.
 */
template <typename TFilter>
void
SetOutputGrid(TFilter * filter, const typename TFilter::InputImageType * input)
{
  constexpr unsigned int            D = TFilter::OutputImageDimension;
  typename TFilter::SizeType        size;
  typename TFilter::IndexType       start;
  typename TFilter::SpacingType     spacing;
  typename TFilter::OriginPointType origin = input->GetOrigin();
  const itk::SizeValueType          sizes[] = { 59, 43, 37 };
  for (unsigned int d = 0; d < D; ++d)
  {
    size[d] = sizes[d];
    start[d] = static_cast<itk::IndexValueType>(5 - 4 * static_cast<int>(d));
    spacing[d] = 0.83 * input->GetSpacing()[d];
    origin[d] += 2.37 - 3.1 * d;
  }
  auto direction = input->GetDirection();
  direction[0][0] = -direction[0][0];
  for (unsigned int d = 1; d < D; ++d)
  {
    direction[d][0] = -direction[d][0];
  }
  // Reversed: the origin is at the other end of x.
  for (unsigned int d = 0; d < D; ++d)
  {
    origin[d] -= direction[d][0] * spacing[0] * 45.0;
    for (unsigned int k = 1; k < D; ++k)
    {
      origin[d] += direction[d][k] * spacing[k] * 3.0;
    }
  }
  filter->SetSize(size);
  filter->SetOutputStartIndex(start);
  filter->SetOutputSpacing(spacing);
  filter->SetOutputOrigin(origin);
  filter->SetOutputDirection(direction);
}

/** Differences of two images. */
struct Difference
{
  double maximum{ 0.0 };
  double outside{ 0.0 }; ///< voxels that are NaN in one image only
  long   count{ 0 };     ///< number of voxels that differ
};

template <typename TImageA, typename TImageB>
Difference
Compare(const TImageA * a, const TImageB * b)
{
  Difference difference;
  if (a->GetBufferedRegion() != b->GetBufferedRegion())
  {
    difference.maximum = std::numeric_limits<double>::infinity();
    return difference;
  }
  itk::ImageRegionConstIterator<TImageA> itA(a, a->GetBufferedRegion());
  itk::ImageRegionConstIterator<TImageB> itB(b, b->GetBufferedRegion());
  for (; !itA.IsAtEnd(); ++itA, ++itB)
  {
    const double x = static_cast<double>(itA.Get());
    const double y = static_cast<double>(itB.Get());
    if (x != y && !(std::isnan(x) && std::isnan(y)))
    {
      ++difference.count;
      difference.outside += std::isnan(x) != std::isnan(y) ? 1.0 : 0.0;
      difference.maximum =
        std::max(difference.maximum, std::isnan(x - y) ? std::numeric_limits<double>::infinity() : std::abs(x - y));
    }
  }
  return difference;
}

/** Returns the fraction of the voxels that have another value. */
template <typename TImage>
double
FractionOtherThan(const TImage * image, double value)
{
  long count = 0;
  for (itk::ImageRegionConstIterator<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    count += it.Get() != value ? 1 : 0;
  }
  return static_cast<double>(count) / static_cast<double>(image->GetBufferedRegion().GetNumberOfPixels());
}

/** Expects that a filter ran on the backend that the table specifies for the combination. */
template <typename TFilter>
void
ExpectPromisedBackend(const TFilter *     filter,
                      const std::string & interpolator,
                      bool                onGpu,
                      const std::string & transform = "linear",
                      const std::string & extrapolator = "none")
{
  const std::string dimension = std::to_string(TFilter::InputDimension);
  EXPECT_EQ(
    filter->GetLastBackend(),
    PromisedBackend({ "CudaResampleImageFilter",
                      itk::CudaSpline::IsSupportedScalar<typename TFilter::InputPixelType> ? "scalar" : "vector",
                      dimension,
                      interpolator,
                      transform,
                      extrapolator },
                    onGpu))
    << filter->GetFallbackReason();
  EXPECT_EQ(filter->GetFallbackReason().empty(), filter->GetLastBackend() == itk::CudaSpline::Backend::Cuda);
}

} // namespace CudaSplineTest

#endif
