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
#include "MetricTestMatrix.h"

#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkLinearInterpolateImageFunction.h"
#include "itkScaleTransform.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/** \file
 * \brief Samples of the fixed image: the module's own functions are compared with ITK's, which are used for every
 * class that the module does not support. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** An ITK interpolator with another name, so that it is called for each sample; it may throw. */
template <typename TInterpolator>
class UnknownInterpolator : public TInterpolator
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(UnknownInterpolator);
  using Self = UnknownInterpolator;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  typename TInterpolator::OutputType
  EvaluateAtContinuousIndex(const typename TInterpolator::ContinuousIndexType & index) const override
  {
    if (++asked > failsAt)
    {
      itkExceptionMacro("The interpolator failed.");
    }
    return TInterpolator::EvaluateAtContinuousIndex(index);
  }

  mutable std::atomic<std::size_t> asked{ 0 };
  std::size_t                      failsAt{ std::numeric_limits<std::size_t>::max() };

protected:
  UnknownInterpolator() = default;
  ~UnknownInterpolator() override = default;
};

/** An ITK transform that counts the points that it maps. */
template <typename TTransform>
class CountingTransform : public TTransform
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CountingTransform);
  using Self = CountingTransform;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  typename TTransform::OutputPointType
  TransformPoint(const typename TTransform::InputPointType & point) const override
  {
    ++asked;
    return TTransform::TransformPoint(point);
  }

  mutable std::atomic<std::size_t> asked{ 0 };

protected:
  CountingTransform() = default;
  ~CountingTransform() override = default;
};

/** Results of a metric. */
template <typename TMetric>
struct Answer
{
  typename TMetric::MeasureType    value{};
  typename TMetric::DerivativeType derivative;
  itk::SizeValueType               count{ 0 };
  itk::SizeValueType               samples{ 0 }; ///< of the virtual domain
  std::size_t                      asked{ 0 };   ///< points that the fixed transform has mapped
};

template <typename TMetric>
Answer<TMetric>
Ask(TMetric * metric)
{
  metric->SetGPUEnabled(false);
  metric->Initialize();
  Answer<TMetric> answer;
  metric->GetValueAndDerivative(answer.value, answer.derivative);
  answer.count = metric->GetNumberOfValidPoints();
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cpu) << metric->GetFallbackReason();
  return answer;
}

/** Properties of the images of a case in addition to MetricCase. */
enum class Grid
{
  Oblique, ///< no axis is along those of space
  Aligned, ///< along them, with rounded spacings
  Exact,   ///< along them, and all indices are exact
  Flipped, ///< the same, with reversed and exchanged axes
  Thin     ///< one sample along the last axis
};

template <typename TImage>
void
Arrange(MetricImages<TImage> & images, Grid grid)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  if (grid == Grid::Oblique)
  {
    return;
  }
  typename TImage::DirectionType direction;
  direction.SetIdentity();
  if (grid == Grid::Flipped)
  {
    direction[0][0] = direction[1][1] = 0.0;
    direction[0][1] = -1.0;
    direction[1][0] = 1.0;
  }
  if (grid == Grid::Thin)
  {
    auto                        thin = TImage::New();
    typename TImage::RegionType region = images.fixed->GetBufferedRegion();
    region.SetSize(dimension - 1, 1);
    thin->CopyInformation(images.fixed);
    thin->SetRegions(region);
    thin->Allocate();
    std::copy_n(images.fixed->GetBufferPointer(), region.GetNumberOfPixels(), thin->GetBufferPointer());
    images.fixed = thin;
  }
  typename TImage::PointType origin;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const double spacing = grid == Grid::Exact || grid == Grid::Flipped ? 2.0 : images.fixed->GetSpacing()[d];
    origin[d] = -0.5 * spacing * static_cast<double>(images.fixed->GetBufferedRegion().GetSize(d) / 2 * 2);
  }
  if (grid == Grid::Exact || grid == Grid::Flipped)
  {
    typename TImage::SpacingType spacing;
    spacing.Fill(2.0);
    images.fixed->SetSpacing(spacing);
    if (grid == Grid::Flipped)
    {
      origin[0] = -origin[1];
    }
  }
  images.fixed->SetDirection(direction);
  images.fixed->SetOrigin(origin);
}

/** Compares the metric with the module's samples and with ITK's: the same bits. */
template <typename TImage, bool VNearest>
void
CompareSamples(const MetricCase & what, Grid grid)
{
  using Metric = itk::CudaMeanSquaresImageToImageMetricv4<TImage, TImage>;
  using Nearest = itk::NearestNeighborInterpolateImageFunction<TImage, double>;
  using Linear = itk::LinearInterpolateImageFunction<TImage, double>;
  using Interpolator = std::conditional_t<VNearest, Nearest, Linear>;
  using Affine = itk::AffineTransform<double, TImage::ImageDimension>;
  SCOPED_TRACE(what.Text() + ", grid " + std::to_string(static_cast<int>(grid)) +
               (VNearest ? ", nearest" : ", linear"));
  MetricImages<TImage> images;
  Arrange(images, grid);
  const auto ask = [&](auto interpolator) {
    auto metric = Metric::New();
    SetUpMetric(metric.GetPointer(), what, images);
    metric->SetFixedInterpolator(interpolator);
    auto       fixed = CountingTransform<Affine>::New();
    const auto translation =
      dynamic_cast<const itk::TranslationTransform<double, TImage::ImageDimension> *>(metric->GetFixedTransform());
    if (const auto affine = dynamic_cast<const Affine *>(metric->GetFixedTransform()))
    {
      fixed->SetMatrix(affine->GetMatrix());
      fixed->SetOffset(affine->GetOffset());
    }
    else if (translation != nullptr)
    {
      fixed->SetOffset(translation->GetOffset());
    }
    metric->SetFixedTransform(fixed);
    fixed->asked = 0;
    auto answer = Ask(metric.GetPointer());
    answer.samples = metric->GetNumberOfDomainPoints();
    answer.asked = fixed->asked;
    return answer;
  };
  const auto expected = ask(UnknownInterpolator<Interpolator>::New());
  const auto found = ask(Interpolator::New());
  EXPECT_GE(expected.asked, expected.samples); // ITK's class was called for each
  EXPECT_LT(found.asked, 60u);                 // and here only to check whether the transform is what it seems
  EXPECT_EQ(found.value, expected.value);
  EXPECT_EQ(found.derivative, expected.derivative);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_GT(found.count, 10u);
}

TEST(MetricSampling, HasTheBitsOfItksFunctions)
{
  for (const Grid grid : { Grid::Oblique, Grid::Aligned, Grid::Exact, Grid::Flipped, Grid::Thin })
  {
    for (int choice = 0; choice < 24; ++choice)
    {
      MetricCase what;
      what.transform = "rigid";
      what.centralDifferences = true;
      what.fixedMask = (choice & 1) != 0;
      what.fixedMoves = (choice & 2) != 0;
      what.ownDomain = (choice & 4) != 0;
      what.sampling = choice / 8;
      if (grid == Grid::Thin && (what.ownDomain || what.fixedMoves || what.fixedMask))
      {
        continue; // outside of the image
      }
      CompareSamples<DoubleImage3D, false>(what, grid);
      CompareSamples<Image2D, false>(what, grid);
      CompareSamples<Image3D, true>(what, grid);
    }
  }
}

TEST(MetricSampling, AsksItkForMapsThatItRoundsOtherwise)
{
  using Scale = itk::ScaleTransform<double, 3>;
  const MetricImages<Image3D> images;
  MetricCase                  what;
  what.transform = "rigid";
  auto metric = itk::CudaMeanSquaresImageToImageMetricv4<Image3D, Image3D>::New();
  SetUpMetric(metric.GetPointer(), what, images);
  auto                  scale = CountingTransform<Scale>::New();
  itk::Point<double, 3> centre;
  centre.Fill(1.7);
  scale->SetCenter(centre);
  scale->Scale(0.93);
  metric->SetFixedTransform(scale);
  Ask(metric.GetPointer());
  EXPECT_GE(scale->asked.load(), metric->GetNumberOfDomainPoints());
}

// Pixels may be read directly: other memory of the same container is another image.
TEST(MetricSampling, PixelsOfAnotherMemoryAreSeen)
{
  MetricImages<DoubleImage3D> images;
  Arrange(images, Grid::Exact);
  MetricCase what;
  what.transform = "rigid";
  what.centralDifferences = true;
  const auto make = [&] {
    auto metric = itk::CudaMeanSquaresImageToImageMetricv4<DoubleImage3D, DoubleImage3D>::New();
    SetUpMetric(metric.GetPointer(), what, images);
    metric->SetGPUEnabled(false);
    metric->Initialize();
    return metric;
  };
  const auto   metric = make();
  const double before = metric->GetValue();
  for (auto * image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    auto * const        container = image->GetPixelContainer();
    std::vector<double> pixels(container->Size(), 3.5);
    pixels[pixels.size() / 2] = 70.0;
    container->SetImportPointer(pixels.data(), container->Size(), false);
    EXPECT_NE(metric->GetValue(), before);
    EXPECT_EQ(metric->GetValue(), make()->GetValue());
    EXPECT_EQ(metric->GetLastBackend(), Backend::Cpu) << metric->GetFallbackReason();
    auto own = std::vector<double>(pixels); // the memory of the container has to outlive the metric
    container->Initialize();
    container->Reserve(own.size());
    std::copy(own.begin(), own.end(), container->GetBufferPointer());
  }
}

TEST(MetricSampling, ExceptionsOfInterpolatorsReachTheCaller)
{
  using Interpolator = UnknownInterpolator<itk::LinearInterpolateImageFunction<Image3D, double>>;
  const MetricImages<Image3D> images;
  for (const int sampling : { 0, 2 })
  {
    MetricCase what;
    what.sampling = sampling;
    auto metric = itk::CudaMeanSquaresImageToImageMetricv4<Image3D, Image3D>::New();
    SetUpMetric(metric.GetPointer(), what, images);
    auto interpolator = Interpolator::New();
    metric->SetFixedInterpolator(interpolator);
    metric->SetGPUEnabled(false);
    metric->SetMaximumNumberOfWorkUnits(4);
    metric->Initialize();
    interpolator->failsAt = 1000;
    try
    {
      metric->GetValue();
      ADD_FAILURE() << "no exception";
    }
    catch (const itk::ExceptionObject & error)
    {
      EXPECT_NE(std::string(error.GetDescription()).find("The interpolator failed."), std::string::npos);
    }
    interpolator->failsAt = std::numeric_limits<std::size_t>::max();
    EXPECT_GT(metric->GetValue(), 0.0); // it no longer exists
  }
}

TEST(MetricSampling, PointsThatAreAllOutsideAreItks)
{
  const MetricImages<Image2D> images;
  const auto                  evaluate = [&](auto metric) {
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    using PointSet = typename std::decay_t<decltype(*metric)>::VirtualPointSetType;
    auto                         points = PointSet::New();
    typename PointSet::PointType place;
    place.Fill(1e4F);
    points->SetPoint(0, place);
    metric->SetVirtualSampledPointSet(points);
    metric->SetUseVirtualSampledPointSet(true);
    metric->SetUseSampledPointSet(true);
    metric->Initialize();
    return metric->GetValue();
  };
  auto ours = itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New();
  EXPECT_EQ(evaluate(ours), evaluate(itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>::New()));
  EXPECT_EQ(ours->GetLastBackend(), Backend::Superclass);
}

} // namespace
