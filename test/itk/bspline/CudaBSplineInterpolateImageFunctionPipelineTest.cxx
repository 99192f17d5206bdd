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
// CudaBSplineInterpolateImageFunction among threads, in pipelines and inside ITK's own filters.
//
// Expected values: one thread's results, bit for bit; ITK's interpolator inside the same filter, within the bounds of
// SplineErrorBounds.h (the whole of it with ITK's truncated start, because a resampled point may be anywhere); where
// the superclass makes the coefficients, the same bound.

#include "itkCudaBSplineInterpolateImageFunction.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include "itkAffineTransform.h"
#include "itkInterpolateImagePointsFilter.h"
#include "itkResampleImageFilter.h"

#include <cmath>
#include <thread>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

using VolumeType = itk::Image<double, 3>;
using OwnOfVolume = itk::CudaBSplineInterpolateImageFunction<VolumeType>;
using ItkOfVolume = itk::BSplineInterpolateImageFunction<VolumeType>;
using VolumeIndex = OwnOfVolume::ContinuousIndexType;
using VolumeVector = OwnOfVolume::CovariantVectorType;

/** Returns the allowed difference of a value from ITK's. */
double
ValueTolerance(const VolumeType * image, const OwnOfVolume * interpolator)
{
  const auto order = static_cast<unsigned int>(interpolator->GetSplineOrder());
  auto       filter = ItkOfVolume::CoefficientFilter::New();
  filter->SetSplineOrder(order);
  const PrefilterBounds bounds(order);
  const double          axis =
    bounds.OwnAxis<double>() + bounds.ItkAxis<double>(filter->GetSplinePoles()) + bounds.ItkLowEdgeAxis();
  return bounds.Axes(3, axis, LargestPixel(image)) +
         ValueBound(order, 3) * LargestPixel(interpolator->GetCoefficients());
}

class CudaBSplineInterpolateImageFunctionPipelineTest : public GpuOnAndOff
{
protected:
  OwnOfVolume::Pointer
  MakeInterpolator(const VolumeType * image = nullptr, unsigned int order = 3) const
  {
    auto interpolator = OwnOfVolume::New();
    interpolator->SetGPUEnabled(GetParam());
    interpolator->SetSplineOrder(order);
    if (image != nullptr)
    {
      interpolator->SetInputImage(image);
    }
    return interpolator;
  }

  static std::vector<VolumeIndex>
  Points(const VolumeType * image, std::size_t count)
  {
    Random                   random(__LINE__);
    std::vector<VolumeIndex> points(count);
    for (VolumeIndex & point : points)
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        const auto start = static_cast<double>(image->GetBufferedRegion().GetIndex(d));
        point[d] =
          random.Uniform(start - 0.5, start + static_cast<double>(image->GetBufferedRegion().GetSize(d)) - 0.5);
      }
    }
    return points;
  }

  static VolumeType::Pointer
  Image(int line, const std::vector<std::int64_t> & size = { 23, 19, 29 })
  {
    Random random(static_cast<std::uint64_t>(line));
    return NoiseImage<VolumeType>(size, random);
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineInterpolateImageFunctionPipelineTest);

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, SixteenThreadsGiveTheBitsOfOne)
{
  constexpr unsigned int threads = 16;
  const auto             image = Image(__LINE__);
  const auto             points = Points(image, 200);
  for (const unsigned int order : { 3, 5 })
  {
    const auto interpolator = this->MakeInterpolator(image, order);
    interpolator->SetNumberOfWorkUnits(threads);
    std::vector<double>       values;
    std::vector<VolumeVector> derivatives;
    for (const VolumeIndex & point : points)
    {
      values.push_back(interpolator->EvaluateAtContinuousIndex(point));
      derivatives.push_back(interpolator->EvaluateDerivativeAtContinuousIndex(point));
    }
    std::vector<std::size_t> wrong(threads, 0);
    std::vector<std::thread> pool;
    for (unsigned int thread = 0; thread < threads; ++thread)
    {
      pool.emplace_back([&, thread] {
        for (std::size_t k = 0; k < points.size(); ++k)
        {
          // Each thread has its own order.
          const std::size_t i = (k * 7 + thread * 13) % points.size();
          double            value = 0.0;
          VolumeVector      derivative;
          interpolator->EvaluateValueAndDerivativeAtContinuousIndex(points[i], value, derivative, thread);
          wrong[thread] += value == values[i] && derivative == derivatives[i] ? 0 : 1;
          wrong[thread] += interpolator->EvaluateAtContinuousIndex(points[i]) == values[i] ? 0 : 1;
          wrong[thread] += interpolator->EvaluateAtContinuousIndex(points[i], thread) == values[i] ? 0 : 1;
          wrong[thread] += interpolator->EvaluateDerivativeAtContinuousIndex(points[i]) == derivatives[i] ? 0 : 1;
          wrong[thread] +=
            interpolator->EvaluateDerivativeAtContinuousIndex(points[i], thread) == derivatives[i] ? 0 : 1;
        }
      });
    }
    for (std::thread & thread : pool)
    {
      thread.join();
    }
    EXPECT_EQ(wrong, std::vector<std::size_t>(threads, 0));
  }
}

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, ConcurrentSetInputImage)
{
  constexpr unsigned int threads = 8;
  const auto             image = Image(__LINE__);
  const auto             other = Image(__LINE__);
  const auto             point = Points(image, 1).front();
  const double           expected = this->MakeInterpolator(image)->EvaluateAtContinuousIndex(point);
  const auto             otherPoint = Points(other, 1).front();
  const double           otherExpected = this->MakeInterpolator(other)->EvaluateAtContinuousIndex(otherPoint);

  // One interpolator and one image, evaluated as soon as it is set; and one interpolator per thread on the shared
  // images.
  const auto               shared = this->MakeInterpolator();
  const auto               turns = this->MakeInterpolator();
  std::vector<int>         right(threads, 0);
  std::vector<std::thread> pool;
  for (unsigned int thread = 0; thread < threads; ++thread)
  {
    pool.emplace_back([&, thread] {
      for (int repetition = 0; repetition < 10; ++repetition)
      {
        shared->SetInputImage(image);
        right[thread] += shared->EvaluateAtContinuousIndex(point) == expected ? 1 : 0;
        const auto own = this->MakeInterpolator((thread + repetition) % 2 == 0 ? image : other);
        const bool first = own->GetInputImage() == image.GetPointer();
        right[thread] +=
          own->EvaluateAtContinuousIndex(first ? point : otherPoint) == (first ? expected : otherExpected) ? 1 : 0;
        // Two images alternately: at the end one of them is complete.
        turns->SetInputImage(first ? image : other);
      }
    });
  }
  for (std::thread & thread : pool)
  {
    thread.join();
  }
  EXPECT_EQ(right, std::vector<int>(threads, 20));
  const bool first = turns->GetInputImage() == image.GetPointer();
  EXPECT_EQ(turns->EvaluateAtContinuousIndex(first ? point : otherPoint), first ? expected : otherExpected);
}

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, ImageOfASourceIsBroughtUpToDate)
{
  const auto image = Image(__LINE__);
  auto       source = StreamingSource<VolumeType>::New();
  source->SetImage(image);
  const auto interpolator = this->MakeInterpolator(source->GetOutput());
  ASSERT_EQ(source->GetRequests().size(), 1u);
  EXPECT_EQ(source->GetRequests().front(), image->GetLargestPossibleRegion());
  const auto point = Points(image, 1).front();
  EXPECT_EQ(interpolator->EvaluateAtContinuousIndex(point),
            this->MakeInterpolator(image)->EvaluateAtContinuousIndex(point));

  // Only a part is in memory: the whole is requested again.
  auto part = image->GetLargestPossibleRegion();
  part.ShrinkByRadius(5);
  source->Modified();
  source->UpdateOutputInformation();
  source->GetOutput()->SetRequestedRegion(part);
  source->Update();
  interpolator->SetInputImage(source->GetOutput());
  EXPECT_EQ(interpolator->GetCoefficients()->GetBufferedRegion(), image->GetLargestPossibleRegion());

  // The source makes another image of the same size.
  const auto other = Copy<VolumeType>(image);
  other->GetBufferPointer()[0] += 1000.0;
  source->SetImage(other);
  interpolator->SetInputImage(source->GetOutput());
  EXPECT_TRUE(SameBits<VolumeType>(interpolator->GetCoefficients(), this->MakeInterpolator(other)->GetCoefficients()));
}

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, BufferedRegionSmallerThanTheLargest)
{
  // An image without a source: the buffered part is the image, for ITK and for the module.
  const auto image = Image(__LINE__);
  const auto buffered = image->GetBufferedRegion();
  auto       largest = buffered;
  largest.PadByRadius(4);
  image->SetLargestPossibleRegion(largest);
  const auto interpolator = this->MakeInterpolator(image);
  image->SetLargestPossibleRegion(largest);
  const auto itks = ItkOfVolume::New();
  itks->SetInputImage(image);
  EXPECT_STREQ(NameOf(interpolator->GetLastBackend()), NameOf(Promised("CudaBSplineInterpolateImageFunction", 3)));
  EXPECT_EQ(interpolator->GetCoefficients()->GetBufferedRegion(), buffered);
  EXPECT_EQ(interpolator->GetStartIndex(), itks->GetStartIndex());
  EXPECT_EQ(interpolator->GetEndIndex(), itks->GetEndIndex());
  for (const VolumeIndex & point : Points(image, 50))
  {
    EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(point),
                itks->EvaluateAtContinuousIndex(point),
                ValueTolerance(image, interpolator));
  }
}

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, InsideItksResampleImageFilter)
{
  const auto image = Image(__LINE__);
  using Resampler = itk::ResampleImageFilter<VolumeType, VolumeType>;
  using Transform = itk::AffineTransform<double, 3>;
  const auto  transform = Transform::New();
  VolumeIndex centre;
  for (unsigned int d = 0; d < 3; ++d)
  {
    const auto & region = image->GetBufferedRegion();
    centre[d] = static_cast<double>(region.GetIndex(d)) + 0.5 * static_cast<double>(region.GetSize(d) - 1);
  }
  VolumeType::PointType point;
  image->TransformContinuousIndexToPhysicalPoint(centre, point);
  transform->SetCenter(point);
  transform->Rotate3D(itk::Vector<double, 3>(1.0), 0.2);
  transform->Scale(1.1);
  for (const unsigned int order : { 1, 3, 5 })
  {
    SCOPED_TRACE("order " + std::to_string(order));
    const auto interpolator = this->MakeInterpolator(nullptr, order);
    const auto parent = ItkOfVolume::New();
    parent->SetSplineOrder(order);
    VolumeType::Pointer outputs[2];
    for (const bool own : { false, true })
    {
      auto              resampler = Resampler::New();
      const Resampler & made = *resampler;
      ASSERT_EQ(typeid(made), typeid(Resampler));
      resampler->SetInput(image);
      resampler->SetTransform(transform);
      resampler->SetReferenceImage(image);
      resampler->UseReferenceImageOn();
      resampler->SetDefaultPixelValue(-1000.0);
      resampler->SetInterpolator(own ? interpolator.GetPointer() : parent.GetPointer());
      resampler->Update();
      outputs[own] = resampler->GetOutput();
    }
    EXPECT_STREQ(NameOf(interpolator->GetLastBackend()), NameOf(Promised("CudaBSplineInterpolateImageFunction", 3)));
    EXPECT_EQ(interpolator->GetCoefficients(), nullptr) << "ITK's filter sets a null image when it is done";
    interpolator->SetInputImage(image);
    const double bound = ValueTolerance(image, interpolator);
    std::size_t  outside = 0;
    for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
    {
      const double expected = outputs[0]->GetBufferPointer()[i];
      outside += expected == -1000.0 ? 1 : 0;
      ASSERT_NEAR(outputs[1]->GetBufferPointer()[i], expected, bound);
    }
    EXPECT_GT(outside, 0u);
    EXPECT_LT(outside, Count(image.GetPointer()));
  }
}

TEST_P(CudaBSplineInterpolateImageFunctionPipelineTest, InsideItksInterpolateImagePointsFilter)
{
  const auto image = Image(__LINE__);
  using OwnFilter = itk::InterpolateImagePointsFilter<VolumeType, VolumeType, double, OwnOfVolume>;
  using ItkFilter = itk::InterpolateImagePointsFilter<VolumeType, VolumeType, double, ItkOfVolume>;
  // Coordinates anywhere around the image, as images on another grid.
  const auto          grid = Image(__LINE__, { 11, 7, 5 });
  const auto          points = Points(image, Count(grid.GetPointer()));
  VolumeType::Pointer coordinates[3];
  for (unsigned int d = 0; d < 3; ++d)
  {
    coordinates[d] = Copy<VolumeType>(grid);
    for (std::size_t i = 0; i < points.size(); ++i)
    {
      coordinates[d]->GetBufferPointer()[i] = points[i][d] + (i % 10 == 0 ? 50.0 : 0.0);
    }
  }
  const auto fill = [&](auto filter) {
    // The order first: SetInputImage() makes the coefficients, which do not change afterwards in ITK.
    filter->GetInterpolator()->SetSplineOrder(4);
    filter->SetInputImage(image);
    filter->SetDefaultPixelValue(-1000.0);
    for (unsigned int d = 0; d < 3; ++d)
    {
      filter->SetInterpolationCoordinate(coordinates[d], d);
    }
    filter->Update();
  };
  const auto own = OwnFilter::New();
  own->GetInterpolator()->SetGPUEnabled(GetParam());
  fill(own);
  const auto itks = ItkFilter::New();
  fill(itks);
  EXPECT_STREQ(NameOf(own->GetInterpolator()->GetLastBackend()),
               NameOf(Promised("CudaBSplineInterpolateImageFunction", 3)));
  const double bound = ValueTolerance(image, own->GetInterpolator());
  std::size_t  outside = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    outside += itks->GetOutput()->GetBufferPointer()[i] == -1000.0 ? 1 : 0;
    ASSERT_NEAR(own->GetOutput()->GetBufferPointer()[i], itks->GetOutput()->GetBufferPointer()[i], bound);
  }
  EXPECT_GE(outside, points.size() / 10);
}

TEST(CudaBSplineInterpolateImageFunctionFallbackTest, CoefficientsOfFiveDimensionsAreTheSuperclasss)
{
  using Image5 = itk::Image<float, 5>;
  Random     random(__LINE__);
  const auto image = NoiseImage<Image5>({ 5, 6, 5, 7, 5 }, random);
  auto       interpolator = itk::CudaBSplineInterpolateImageFunction<Image5>::New();
  interpolator->SetInputImage(image);
  auto parent = itk::BSplineInterpolateImageFunction<Image5>::New();
  parent->SetInputImage(image);
  EXPECT_EQ(PromisedBackend({ "CudaBSplineInterpolateImageFunction", "scalar", "5", "-", "-", "-" }),
            Backend::Superclass);
  EXPECT_STREQ(NameOf(interpolator->GetLastBackend()), "Superclass");
  EXPECT_NE(interpolator->GetFallbackReason(), "");
  itk::ContinuousIndex<double, 5> index;
  for (unsigned int d = 0; d < 5; ++d)
  {
    index[d] = static_cast<double>(image->GetBufferedRegion().GetIndex(d)) + random.Uniform(-0.5, 4.5);
  }
  // The same coefficients: only the evaluation differs.
  EXPECT_NEAR(interpolator->EvaluateAtContinuousIndex(index),
              parent->EvaluateAtContinuousIndex(index),
              ValueBound(3, 5) * LargestPixel(interpolator->GetCoefficients()));
}

} // namespace
