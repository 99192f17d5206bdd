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

#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"

#include "itkEllipseSpatialObject.h"

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/** \file
 * \brief CudaMattesMutualInformationImageToImageMetricv4 against ITK's metric. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

template <typename TImage>
using MattesReference = itk::MattesMutualInformationImageToImageMetricv4<TImage, TImage>;
template <typename TImage>
using MattesMetric = itk::CudaMattesMutualInformationImageToImageMetricv4<TImage, TImage>;

/** The promises of CudaSplineImageMetric; for orders 2 to 5 see the test of mean squares. */
class CudaMattesMetric : public MetricMatrix<MattesReference, MattesMetric>
{
protected:
  MetricTolerance
  ToleranceOf(const MetricCase & what) const override
  {
    const bool isFiltered = what.splineOrder >= 2;
    return what.isDouble ? (isFiltered ? MetricTolerance{ 1e-8, 1e-6 } : MetricTolerance{ 1e-11, 1e-9 })
                         : MetricTolerance{ 1e-6, 1e-4 };
  }
};

TEST_P(CudaMattesMetric, EveryLinearTransform)
{
  this->CompareTransforms();
}

TEST_P(CudaMattesMetric, SplineTransforms)
{
  this->CompareSplineTransforms();
}

TEST_P(CudaMattesMetric, InterpolatorsAndGradients)
{
  this->CompareInterpolators();
}

TEST_P(CudaMattesMetric, MasksSamplingAndDomain)
{
  this->CompareMasksAndSampling();
}

TEST_P(CudaMattesMetric, NumbersOfBins)
{
  const MetricImages<Image2D> images;
  for (const unsigned int bins : { 5U, 32U, 160U, 161U })
  {
    const MetricCase what;
    auto             reference = MattesReference<Image2D>::New();
    auto             metric = MattesMetric<Image2D>::New();
    const auto       evaluate = [&](auto * one) {
      SetUpMetric(one, what, images);
      one->SetNumberOfHistogramBins(bins);
      one->SetMaximumNumberOfWorkUnits(1);
      one->Initialize();
      std::pair<double, MattesMetric<Image2D>::DerivativeType> result;
      one->GetValueAndDerivative(result.first, result.second);
      return result;
    };
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto expected = evaluate(reference.GetPointer());
    const auto found = evaluate(metric.GetPointer());
    EXPECT_EQ(metric->GetLastBackend() == Backend::Superclass, bins > 160U) << metric->GetFallbackReason();
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
    // With 5 bins all samples are in one bin: there is no information and no derivative, except for roundings.
    EXPECT_NEAR(found.first, expected.first, 1e-11 * std::abs(expected.first) + 1e-14);
    const auto distance = expected.second - found.second;
    EXPECT_LE(distance.two_norm(), 1e-9 * expected.second.two_norm() + 1e-14);
  }
}

// Rounded ends of the range are beyond the bins.
TEST_P(CudaMattesMetric, ValuesFarFromZeroInSinglePrecision)
{
  const MetricImages<DoubleImage3D> images;
  for (auto * image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    for (itk::ImageRegionIterator<DoubleImage3D> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(300.0 + it.Get() / 100.0);
    }
  }
  MetricCase what;
  what.isDouble = false;
  // Roundings of pixels, 1.5e-5 of them, are some 1e-3 of a bin.
  CompareMetric<MattesReference<DoubleImage3D>, MattesMetric<DoubleImage3D>>(what, images, { 1e-4, 1e-2 }, GetParam());
}

/** Gives access to the ranges that Initialize() finds. */
template <typename TMetric>
class ShownRanges : public TMetric
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(ShownRanges);
  using Self = ShownRanges;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  std::vector<double>
  GetRanges() const
  {
    return { this->m_FixedImageTrueMin,        this->m_FixedImageTrueMax, this->m_MovingImageTrueMin,
             this->m_MovingImageTrueMax,       this->m_FixedImageBinSize, this->m_FixedImageNormalizedMin,
             this->m_MovingImageNormalizedMin, this->m_MovingImageBinSize };
  }

protected:
  ShownRanges() = default;
  ~ShownRanges() override = default;
};

/** Compares ranges of ITK and of the module's metric with several threads, for images whose extremes are in the masks
 * or not. */
template <typename TImage>
void
CompareRanges(const MetricCase & what)
{
  SCOPED_TRACE(what.Text());
  const MetricImages<TImage> images;
  Random                     random(__LINE__);
  for (auto * image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    for (itk::ImageRegionIterator<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(static_cast<typename TImage::PixelType>(random.Uniform(-3.0, 5.0)));
    }
  }
  const auto rangesOf = [&](auto metric, unsigned int threads) {
    SetUpMetric(metric.GetPointer(), what, images);
    metric->SetMaximumNumberOfWorkUnits(threads);
    metric->Initialize();
    return metric->GetRanges();
  };
  const auto expected = rangesOf(ShownRanges<MattesReference<TImage>>::New(), 1);
  EXPECT_EQ(rangesOf(ShownRanges<MattesMetric<TImage>>::New(), 1), expected);
  EXPECT_EQ(rangesOf(ShownRanges<MattesMetric<TImage>>::New(), 5), expected);
}

TEST(CudaMattesRanges, AreItks)
{
  for (int choice = 0; choice < 24; ++choice)
  {
    MetricCase what;
    what.fixedMask = (choice & 1) != 0;
    what.movingMask = (choice & 2) != 0;
    what.fixedMoves = (choice & 4) != 0;
    what.sampling = choice / 8;
    CompareRanges<Image2D>(what);
    CompareRanges<DoubleImage3D>(what);
  }
}

TEST(CudaMattesRanges, OfPointsOfTheVirtualDomain)
{
  const MetricImages<Image3D> images;
  MetricCase                  what;
  what.ownDomain = true;
  const auto rangesOf = [&](auto metric) {
    SetUpMetric(metric.GetPointer(), what, images);
    using PointSet = typename std::decay_t<decltype(*metric)>::VirtualPointSetType;
    auto   points = PointSet::New();
    Random random(__LINE__);
    for (unsigned int i = 0; i < 3000; ++i) // some of them outside
    {
      typename PointSet::PointType place;
      for (unsigned int d = 0; d < 3; ++d)
      {
        place[d] = random.Uniform(-40.0, 40.0);
      }
      points->SetPoint(i, place);
    }
    metric->SetVirtualSampledPointSet(points);
    metric->SetUseVirtualSampledPointSet(true);
    metric->SetUseSampledPointSet(true);
    metric->Initialize();
    return metric->GetRanges();
  };
  EXPECT_EQ(rangesOf(ShownRanges<MattesMetric<Image3D>>::New()),
            rangesOf(ShownRanges<MattesReference<Image3D>>::New()));
}

// Points of floats in the space of the fixed image become indices in single precision: there 10.4 is exactly half way
// from -0.1 to the eleventh voxel, but not in double.
TEST(CudaMattesRanges, OfPointsOfTheFixedImage)
{
  const MetricImages<Image2D> images;
  images.fixed->FillBuffer(1.0F);
  images.fixed->SetPixel(
    { { images.fixed->GetBufferedRegion().GetIndex(0) + 11, images.fixed->GetBufferedRegion().GetIndex(1) } }, 9.0F);
  const auto rangesOf = [&](auto metric) {
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    auto                      fixed = images.fixed;
    itk::Point<double, 2>     origin;
    itk::Matrix<double, 2, 2> direction;
    direction.SetIdentity();
    for (unsigned int d = 0; d < 2; ++d)
    {
      origin[d] = -0.1 - static_cast<double>(fixed->GetBufferedRegion().GetIndex(d));
    }
    fixed->SetSpacing(itk::Vector<double, 2>(1.0));
    fixed->SetDirection(direction);
    fixed->SetOrigin(origin);
    metric->SetVirtualDomainFromImage(fixed);
    using PointSet = typename std::decay_t<decltype(*metric)>::FixedSampledPointSetType;
    auto                         points = PointSet::New();
    typename PointSet::PointType place;
    place.Fill(0.0F);
    points->SetPoint(0, place);
    place[0] = 10.4F;
    points->SetPoint(1, place);
    metric->SetFixedSampledPointSet(points);
    metric->SetUseSampledPointSet(true);
    metric->Initialize();
    return metric->GetRanges();
  };
  const auto expected = rangesOf(ShownRanges<MattesReference<Image2D>>::New());
  EXPECT_EQ(rangesOf(ShownRanges<MattesMetric<Image2D>>::New()), expected);
  EXPECT_EQ(expected[1], 9.0); // the extreme is where the rounding leads
}

TEST(CudaMattesRanges, OfNothingAndOfNaN)
{
  const MetricImages<Image2D> images;
  const auto                  rangesOf = [&](auto metric, bool isEmpty) {
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    if (isEmpty)
    {
      auto nowhere = itk::EllipseSpatialObject<2>::New();
      nowhere->SetCenterInObjectSpace(itk::Point<double, 2>(1e5));
      nowhere->Update();
      metric->SetFixedImageMask(nowhere);
    }
    const auto initialize = [&] { metric->Initialize(); };
    if (isEmpty && itk::CudaSplineDetail::MattesRefusesConstantImages)
    {
      EXPECT_THROW(initialize(), itk::ExceptionObject);
    }
    else
    {
      initialize();
    }
    return metric->GetRanges();
  };
  for (const bool isEmpty : { true, false })
  {
    if (!isEmpty) // only pixels after the last NaN count, here one row
    {
      auto index = images.fixed->GetBufferedRegion().GetUpperIndex();
      index[1] -= 1;
      images.fixed->SetPixel(index, std::numeric_limits<float>::quiet_NaN());
    }
    const auto expected = rangesOf(ShownRanges<MattesReference<Image2D>>::New(), isEmpty);
    EXPECT_EQ(rangesOf(ShownRanges<MattesMetric<Image2D>>::New(), isEmpty), expected) << isEmpty;
  }
}

/** A mask that throws at a point. */
class FailingMask : public itk::EllipseSpatialObject<2>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(FailingMask);
  using Self = FailingMask;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  using Superclass = itk::EllipseSpatialObject<2>;
  using Superclass::IsInsideInObjectSpace;
  bool
  IsInsideInObjectSpace(const PointType & place) const override
  {
    if (place[0] > 5.0)
    {
      itkExceptionMacro("The mask failed.");
    }
    return true;
  }

protected:
  FailingMask() = default;
  ~FailingMask() override = default;
};

TEST(CudaMattesRanges, ExceptionsOfMasksReachTheCaller)
{
  const MetricImages<Image2D> images;
  for (const bool isFixed : { true, false })
  {
    auto metric = MattesMetric<Image2D>::New();
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    const auto mask = FailingMask::New();
    isFixed ? metric->SetFixedImageMask(mask) : metric->SetMovingImageMask(mask);
    metric->SetMaximumNumberOfWorkUnits(4);
    try
    {
      metric->Initialize();
      ADD_FAILURE() << "no exception";
    }
    catch (const itk::ExceptionObject & error)
    {
      EXPECT_NE(std::string(error.GetDescription()).find("The mask failed."), std::string::npos);
    }
  }
}

TEST_P(CudaMattesMetric, NoOverlapIsAnException)
{
  const MetricImages<Image2D> images;
  auto                        metric = MattesMetric<Image2D>::New();
  SetUpMetric(metric.GetPointer(), MetricCase(), images);
  auto far = itk::TranslationTransform<double, 2>::New();
  auto offset = far->GetParameters();
  offset.Fill(1e4);
  far->SetParameters(offset);
  metric->SetMovingTransform(far);
  metric->SetGPUEnabled(GetParam());
  metric->Initialize();
  EXPECT_THROW(metric->GetValue(), itk::ExceptionObject);
  EXPECT_EQ(metric->GetNumberOfValidPoints(), 0u);
}

TEST_P(CudaMattesMetric, ConstantImagesAreAnExceptionOfItk)
{
  for (const bool fixedIsConstant : { false, true })
  {
    const MetricImages<Image2D> images;
    (fixedIsConstant ? images.fixed : images.moving)->FillBuffer(7.0F);
    const auto evaluate = [&](auto metric) {
      SetUpMetric(metric.GetPointer(), MetricCase(), images);
      metric->Initialize();
      metric->GetValue();
    };
    EXPECT_THROW(evaluate(MattesReference<Image2D>::New()), itk::ExceptionObject) << fixedIsConstant;
    auto ours = MattesMetric<Image2D>::New();
    ours->SetGPUEnabled(GetParam());
    EXPECT_THROW(evaluate(ours), itk::ExceptionObject) << fixedIsConstant;
  }
}

// ITK 6 refuses in Initialize() images that are constant, or nearly, and masks without a sample; ITK 5 does not.
TEST_P(CudaMattesMetric, InitializesWhatItkDoes)
{
  using Mask = itk::ImageMaskSpatialObject<2>;
  for (const std::string what : { "constant", "nearly constant", "empty mask" })
  {
    for (const bool ofFixed : { true, false })
    {
      SCOPED_TRACE(what + (ofFixed ? ", fixed" : ", moving"));
      const MetricImages<Image2D> images;
      const auto                  image = ofFixed ? images.fixed : images.moving;
      auto                        mask = Mask::New();
      if (what == "empty mask")
      {
        auto pixels = Mask::ImageType::New();
        pixels->CopyInformation(image);
        pixels->SetRegions(image->GetBufferedRegion());
        pixels->Allocate(true);
        mask->SetImage(pixels);
        mask->Update();
      }
      else
      {
        const float value = what == "constant" ? 7.0F : 0.0F;
        image->FillBuffer(value);
        image->GetBufferPointer()[0] = value + (what == "constant" ? 0.0F : 1e-17F);
      }
      const auto throws = [&](auto metric) {
        SetUpMetric(metric.GetPointer(), MetricCase(), images);
        if (what == "empty mask" && ofFixed)
        {
          metric->SetFixedImageMask(mask);
        }
        else if (what == "empty mask")
        {
          metric->SetMovingImageMask(mask);
        }
        try
        {
          metric->Initialize();
        }
        catch (const itk::ExceptionObject &)
        {
          return true;
        }
        return false;
      };
      auto ours = MattesMetric<Image2D>::New();
      ours->SetGPUEnabled(GetParam());
      const bool theirs = throws(MattesReference<Image2D>::New());
      EXPECT_EQ(throws(ours), theirs);
      EXPECT_EQ(theirs, itk::CudaSplineDetail::MattesRefusesConstantImages);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, CudaMattesMetric, testing::Bool(), GpuOrHost);

} // namespace
