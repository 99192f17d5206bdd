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
#ifndef CudaSplineTest_LocalMetricTestSupport_h
#define CudaSplineTest_LocalMetricTestSupport_h

#include "MetricTestMatrix.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/** \file
 * \brief Compares local correlation with ITK's, and with loops over every window in extended precision. */

namespace CudaSplineTest
{

template <typename TImage>
using LocalReference = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using LocalOurs = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;

const MetricTolerance LocalInDouble{ 1e-10, 1e-8 };
const MetricTolerance LocalInSingle{ 1e-5, 1e-4 };

/** Returns noise of a few grey values about an offset; the second image is correlated with the first one. */
template <typename TImage>
MetricImages<TImage>
NoisyImages(const std::vector<unsigned int> & size, double offset, int direction)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  MetricImages<TImage>   images;
  Random                 random(5 + direction);
  images.fixed = BlobImage<TImage>(size, 0.7, 0.0);
  images.moving = BlobImage<TImage>(size, 0.7, 0.0);
  typename TImage::DirectionType axes;
  axes.SetIdentity();
  if (direction == 1)
  {
    axes[0][0] = axes[1][1] = -1.0;
  }
  if (direction == 2)
  {
    axes = ObliqueDirection<dimension>();
  }
  typename TImage::PointType origin;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    origin[d] = direction == 3 ? 0.0 : -13.3 + 1.7 * d;
  }
  for (TImage * const image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    image->SetDirection(axes);
    image->SetOrigin(origin);
  }
  auto * const f = images.fixed->GetBufferPointer();
  auto * const m = images.moving->GetBufferPointer();
  using Pixel = typename TImage::PixelType;
  for (std::size_t i = 0; i < images.fixed->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    f[i] = static_cast<Pixel>(offset + static_cast<double>(f[i]) + random.Uniform(-30.0, 30.0));
    m[i] = static_cast<Pixel>(0.6 * static_cast<double>(f[i]) + random.Uniform(-20.0, 20.0));
  }
  return images;
}

/** Sets zero fields as SyN does: the same object for both images. */
template <typename TMetric>
void
SetZeroFields(TMetric * metric, const typename TMetric::FixedImageType * image)
{
  const auto zero = WavyField<itk::DisplacementFieldTransform<double, TMetric::FixedImageDimension>>(image, 0.0);
  metric->SetFixedTransform(zero);
  metric->SetMovingTransform(zero);
}

/** Sets the same radius along all axes except the second one, for which it is larger by one. */
template <typename TMetric>
void
SetRadius(TMetric * metric, unsigned int radius)
{
  typename TMetric::RadiusType window;
  window.Fill(radius);
  window[1] = radius + 1;
  metric->SetRadius(window);
}

/** Results of a metric. */
struct LocalAnswer
{
  double             value{ 0.0 };
  itk::Array<double> derivative;
  itk::SizeValueType count{ 0 };
  itk::SizeValueType flatWindows{ 0 };        ///< of the module
  bool               comparesPixels{ false }; ///< of the module
};

/** Results of both metrics. */
struct LocalAnswers
{
  LocalAnswer expected;
  LocalAnswer found;
};

/** \param[in] setUp configures the metric, except its images */
template <typename TMetric, typename TImage, typename TSetUp>
LocalAnswer
AskLocal(TMetric * metric, const MetricImages<TImage> & images, const TSetUp & setUp)
{
  metric->SetFixedImage(images.fixed);
  metric->SetMovingImage(images.moving);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  setUp(metric);
  metric->Initialize();
  LocalAnswer answer;
  metric->GetValueAndDerivative(answer.value, answer.derivative);
  answer.count = metric->GetNumberOfValidPoints();
  return answer;
}

template <typename TImage, typename TSetUp>
LocalAnswer
AskItk(const MetricImages<TImage> & images, const TSetUp & setUp)
{
  auto reference = LocalReference<TImage>::New();
  reference->SetMaximumNumberOfWorkUnits(1);
  return AskLocal(reference.GetPointer(), images, setUp);
}

template <typename TImage, typename TSetUp>
LocalAnswer
AskOurs(const MetricImages<TImage> & images, bool onGpu, bool isDouble, const TSetUp & setUp)
{
  auto metric = LocalOurs<TImage>::New();
  metric->SetGPUEnabled(onGpu);
  metric->SetPrecision(isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
  LocalAnswer answer = AskLocal(metric.GetPointer(), images, setUp);
  EXPECT_NE(metric->GetLastBackend(), itk::CudaSpline::Backend::Superclass) << metric->GetFallbackReason();
  answer.flatWindows = metric->GetNumberOfFlatWindows();
  answer.comparesPixels = metric->GetComparesPixels();
  return answer;
}

template <typename TImage, typename TSetUp>
LocalAnswers
AskBoth(const MetricImages<TImage> & images, bool onGpu, bool isDouble, const TSetUp & setUp)
{
  return { AskItk(images, setUp), AskOurs(images, onGpu, isDouble, setUp) };
}

/** Expects the same results; NaN at the same positions. */
inline void
ExpectTheSame(const LocalAnswers & both, const MetricTolerance & tolerance)
{
  EXPECT_EQ(both.found.count, both.expected.count);
  // A correlation close to 0, as for windows that contain all of two images of noise, is the result of sums that
  // cancel.
  const double scale = std::max(std::abs(both.expected.value), 0.01);
  EXPECT_NEAR(both.found.value, both.expected.value, tolerance.value * scale);
  ExpectTheSameDerivative(both.expected.derivative, both.found.derivative, tolerance.derivative);
}

/** Values of both images on the virtual grid, which is that of the fixed image, and whether both are valid. */
struct LocalValues
{
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };
  std::vector<long double>    fixed;
  std::vector<long double>    moving;
  std::vector<bool>           isValid;
};

/** Computes them with ITK's functions, with a transform and masks of the fixed and the moving image (null: none).
 *
 * \param[in] transform null: the pixels, for images on one grid */
template <typename TImage>
LocalValues
ValuesOn(const MetricImages<TImage> &                                                   images,
         const itk::Transform<double, TImage::ImageDimension, TImage::ImageDimension> * transform = nullptr,
         const itk::SpatialObject<TImage::ImageDimension> *                             fixedMask = nullptr,
         const itk::SpatialObject<TImage::ImageDimension> *                             movingMask = nullptr)
{
  LocalValues values;
  const auto  region = images.fixed->GetBufferedRegion();
  auto        interpolator = itk::LinearInterpolateImageFunction<TImage, double>::New();
  interpolator->SetInputImage(images.moving);
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    values.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  for (itk::ImageRegionConstIteratorWithIndex<TImage> at(images.fixed, region); !at.IsAtEnd(); ++at)
  {
    typename TImage::PointType place;
    images.fixed->TransformIndexToPhysicalPoint(at.GetIndex(), place);
    const auto isIn = [&place](const auto * mask) { return mask == nullptr || mask->IsInsideInWorldSpace(place); };
    bool       isValid = isIn(fixedMask);
    place = transform != nullptr ? transform->TransformPoint(place) : place;
    isValid = isValid && isIn(movingMask) && interpolator->IsInsideBuffer(place);
    values.fixed.push_back(static_cast<long double>(at.Get()));
    const auto moving = transform == nullptr ? static_cast<double>(images.moving->GetPixel(at.GetIndex()))
                        : isValid            ? interpolator->Evaluate(place)
                                             : 0.0;
    values.moving.push_back(static_cast<long double>(static_cast<typename TImage::PixelType>(moving)));
    values.isValid.push_back(isValid);
  }
  return values;
}

/** A window, computed with loops in extended precision that subtract the mean before multiplying. */
struct LocalWindowTruth
{
  unsigned int valid{ 0 };      ///< number of valid samples; 0 if the centre is invalid
  bool         isFlat{ false }; ///< one of the images is constant
  long double  correlation{ 1.0L };
  long double  factor{ 0.0L }; ///< of the gradient of the moving image
  long double  share{
    0.0L
  }; ///< smallest ratio of variance to mean square of both images: roundings are amplified by its inverse
};

inline std::vector<LocalWindowTruth>
WindowsOf(const LocalValues & values, const std::array<std::int64_t, 3> & radius)
{
  std::vector<LocalWindowTruth> windows(values.fixed.size());
  const auto &                  size = values.size;
  for (std::int64_t centre = 0; centre < static_cast<std::int64_t>(windows.size()); ++centre)
  {
    if (!values.isValid[static_cast<std::size_t>(centre)])
    {
      continue;
    }
    const std::int64_t       at[3] = { centre % size[0], centre / size[0] % size[1], centre / size[0] / size[1] };
    std::vector<long double> f;
    std::vector<long double> m;
    const auto               begin = [&](int d) { return std::max<std::int64_t>(at[d] - radius[d], 0); };
    const auto               end = [&](int d) { return std::min(at[d] + radius[d] + 1, size[d]); };
    for (std::int64_t z = begin(2); z < end(2); ++z)
    {
      for (std::int64_t y = begin(1); y < end(1); ++y)
      {
        for (std::int64_t x = begin(0); x < end(0); ++x)
        {
          const auto n = static_cast<std::size_t>((z * size[1] + y) * size[0] + x);
          if (values.isValid[n])
          {
            f.push_back(values.fixed[n]);
            m.push_back(values.moving[n]);
          }
        }
      }
    }
    const auto isConstant = [](const std::vector<long double> & of) {
      return std::all_of(of.begin(), of.end(), [&of](long double number) { return number == of.front(); });
    };
    LocalWindowTruth & window = windows[static_cast<std::size_t>(centre)];
    window.valid = static_cast<unsigned int>(f.size());
    window.isFlat = isConstant(f) || isConstant(m);
    if (window.isFlat)
    {
      continue;
    }
    long double ofF = 0.0L;
    long double ofM = 0.0L;
    for (std::size_t n = 0; n < f.size(); ++n)
    {
      ofF += f[n] / window.valid;
      ofM += m[n] / window.valid;
    }
    long double ff = 0.0L;
    long double mm = 0.0L;
    long double fm = 0.0L;
    for (std::size_t n = 0; n < f.size(); ++n)
    {
      ff += (f[n] - ofF) * (f[n] - ofF);
      mm += (m[n] - ofM) * (m[n] - ofM);
      fm += (f[n] - ofF) * (m[n] - ofM);
    }
    const auto        own = static_cast<std::size_t>(centre);
    const long double n = window.valid;
    window.share = std::min(ff / (ff + n * ofF * ofF), mm / (mm + n * ofM * ofM));
    window.correlation = fm * fm / (ff * mm);
    window.factor = 2.0L * fm / (ff * mm) * (values.fixed[own] - ofF - fm / mm * (values.moving[own] - ofM));
  }
  return windows;
}

/** Returns the number of flat windows. */
inline itk::SizeValueType
CountFlat(const std::vector<LocalWindowTruth> & windows)
{
  return static_cast<itk::SizeValueType>(std::count_if(
    windows.begin(), windows.end(), [](const auto & window) { return window.valid > 0 && window.isFlat; }));
}

} // namespace CudaSplineTest

#endif
