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
#include "MetricClasses.h"
#include "MetricTestMatrix.h"

#include "itkGradientDescentOptimizerv4.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

/** \file
 * \brief Metrics by the displacements of a field, which has local support: each sample has its own derivative. They
 * are compared with ITK's, and so are the steps of ITK's optimizer. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using Source = itk::ObjectToObjectMetricBaseTemplateEnums::GradientSource;

class MetricFields : public GpuOnAndOff
{
protected:
  template <typename TReference, typename TMetric, typename TImage>
  static void
  Compare(const MetricTolerance & inDouble, const MetricTolerance & inSingle)
  {
    const MetricImages<TImage> images;
    int                        choice = 0;
    for (const std::string & transform : FieldTransforms())
    {
      MetricCase what;
      what.transform = transform;
      what.centralDifferences = choice % 2 == 1;
      what.fixedMask = choice == 1 || choice == 3;
      what.movingMask = choice == 2 || choice == 3;
      what.splineOrder = choice == 2 ? 1 : -1;
      for (const bool isDouble : { true, false })
      {
        what.isDouble = isDouble;
        CompareMetric<TReference, TMetric>(what, images, isDouble ? inDouble : inSingle, GetParam());
      }
      ++choice;
    }
  }

  /** \return the derivative */
  template <typename TImage>
  static itk::Array<double>
  CompareDemons(const MetricCase & what, const MetricImages<TImage> & images, Source source)
  {
    const testing::ScopedTrace trace(
      __FILE__, __LINE__, what.Text() + (source == Source::GRADIENT_SOURCE_FIXED ? ", fixed" : ", moving"));
    const auto evaluate = [&](auto * one) {
      SetUpMetric(one, what, images);
      one->SetGradientSource(source);
      one->Initialize();
      std::pair<double, itk::Array<double>> result;
      one->GetValueAndDerivative(result.first, result.second);
      return result;
    };
    auto reference = DemonsReference<TImage>::New();
    auto metric = Demons<TImage>::New();
    reference->SetMaximumNumberOfWorkUnits(1);
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(what.isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
    const auto expected = evaluate(reference.GetPointer());
    const auto found = evaluate(metric.GetPointer());
    EXPECT_EQ(metric->GetLastBackend(),
              PromisedToMetric(metric->GetNameOfClass(), what, TImage::ImageDimension, GetParam()))
      << metric->GetFallbackReason();
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
    EXPECT_GT(reference->GetNumberOfValidPoints(), 40u);
    const double again = metric->GetValue();
    if (std::isnan(expected.first))
    {
      EXPECT_TRUE(std::isnan(found.first));
      EXPECT_TRUE(std::isnan(again));
    }
    else
    {
      EXPECT_NEAR(found.first, expected.first, (what.isDouble ? 1e-12 : 1e-6) * expected.first);
      EXPECT_EQ(again, found.first);
      EXPECT_FALSE(expected.second.two_norm() == 0.0);
    }
    ExpectTheSameDerivative(expected.second, found.second, what.isDouble ? 1e-10 : 1e-5);
    return found.second;
  }
};

TEST_P(MetricFields, MeanSquares)
{
  const MetricTolerance inDouble{ 1e-12, 1e-10 };
  const MetricTolerance inSingle{ 1e-6, 1e-5 };
  Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          Image2D>(inDouble, inSingle);
  Compare<itk::MeanSquaresImageToImageMetricv4<DoubleImage3D, DoubleImage3D>,
          itk::CudaMeanSquaresImageToImageMetricv4<DoubleImage3D, DoubleImage3D>,
          DoubleImage3D>(inDouble, inSingle);
}

TEST_P(MetricFields, MutualInformation)
{
  const MetricTolerance inDouble{ 1e-11, 1e-9 };
  const MetricTolerance inSingle{ 1e-6, 1e-4 };
  Compare<itk::MattesMutualInformationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>,
          Image2D>(inDouble, inSingle);
  Compare<itk::MattesMutualInformationImageToImageMetricv4<Image3D, Image3D>,
          itk::CudaMattesMutualInformationImageToImageMetricv4<Image3D, Image3D>,
          Image3D>(inDouble, inSingle);
}

TEST_P(MetricFields, LocalCorrelation)
{
  const MetricTolerance inDouble{ 1e-10, 1e-8 };
  const MetricTolerance inSingle{ 1e-5, 1e-4 };
  Compare<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Image2D, Image2D>,
          Image2D>(inDouble, inSingle);
}

TEST_P(MetricFields, Demons)
{
  for (int choice = 0; choice < 8; ++choice)
  {
    MetricCase what;
    what.transform = FieldTransforms()[static_cast<std::size_t>(choice % 4)];
    what.centralDifferences = choice % 2 == 1;
    what.fixedMask = choice % 4 >= 2;
    what.movingMask = choice >= 3;
    for (const Source source : { Source::GRADIENT_SOURCE_FIXED, Source::GRADIENT_SOURCE_MOVING })
    {
      for (const bool isDouble : { true, false })
      {
        what.isDouble = isDouble;
        CompareDemons(what, MetricImages<Image2D>(), source);
        CompareDemons(what, MetricImages<DoubleImage3D>(), source);
        if (choice % 3 == 0)
        {
          CompareDemons(what, MetricImages<Image3D>(), source);
          CompareDemons(what, MetricImages<DoubleImage2D>(), source);
        }
      }
    }
  }
}

TEST_P(MetricFields, DemonsByFixedTransforms)
{
  MetricCase what;
  what.transform = "field";
  for (const bool isField : { true, false })
  {
    what.fixedField = isField;
    what.fixedMoves = !isField;
    for (const Source source : { Source::GRADIENT_SOURCE_FIXED, Source::GRADIENT_SOURCE_MOVING })
    {
      what.centralDifferences = source == Source::GRADIENT_SOURCE_FIXED;
      what.fixedMask = what.movingMask = isField;
      CompareDemons(what, MetricImages<Image2D>(), source);
      CompareDemons(what, MetricImages<DoubleImage3D>(), source);
    }
  }
}

// Results that contain a NaN are NaN, as in ITK: the value, and the forces of samples that read one.
TEST_P(MetricFields, NansOfDemons)
{
  const auto compare = [&](const auto & images, Source source, bool isDouble, bool inFixed) {
    using Image = std::decay_t<decltype(*images.fixed)>;
    auto * const image = inFixed ? images.fixed.GetPointer() : images.moving.GetPointer();
    auto         index = image->GetBufferedRegion().GetIndex();
    for (unsigned int d = 0; d < Image::ImageDimension; ++d)
    {
      index[d] += static_cast<itk::IndexValueType>(image->GetBufferedRegion().GetSize(d) / 2);
    }
    image->SetPixel(index, std::numeric_limits<typename Image::PixelType>::quiet_NaN());
    MetricCase what;
    what.transform = "field";
    what.centralDifferences = true;
    what.isDouble = isDouble;
    const auto numbers = CompareDemons(what, images, source);
    const auto nans = std::count_if(numbers.begin(), numbers.end(), [](double number) { return std::isnan(number); });
    EXPECT_GT(nans, 0);
    EXPECT_LT(nans, static_cast<std::ptrdiff_t>(numbers.Size() / 4));
  };
  for (const bool inFixed : { true, false })
  {
    for (const Source source : { Source::GRADIENT_SOURCE_FIXED, Source::GRADIENT_SOURCE_MOVING })
    {
      for (const bool isDouble : { true, false })
      {
        compare(MetricImages<Image2D>(), source, isDouble, inFixed);
        compare(MetricImages<DoubleImage3D>(), source, isDouble, inFixed);
      }
    }
  }
}

TEST_P(MetricFields, ImagesThatHaveNoSampleInCommonForDemons)
{
  CompareNothingInCommon<DemonsReference<Image2D>, Demons<Image2D>>(MetricImages<Image2D>(), "field", GetParam());
  CompareNothingInCommon<DemonsReference<DoubleImage3D>, Demons<DoubleImage3D>>(
    MetricImages<DoubleImage3D>(), "field", GetParam());
}

// Sampled points: the module computes the value; derivatives are ITK's.
TEST_P(MetricFields, SampledPointsOfDemons)
{
  const auto compare = [&](const auto & images, int sampling) {
    using Image = std::decay_t<decltype(*images.fixed)>;
    MetricCase what;
    what.transform = "field";
    what.sampling = sampling;
    const auto evaluate = [&](auto * one) {
      SetUpMetric(one, what, images);
      one->SetMaximumNumberOfWorkUnits(1);
      one->Initialize();
      double                                                value = 0.0;
      typename std::decay_t<decltype(*one)>::DerivativeType derivative;
      one->GetValueAndDerivative(value, derivative);
      return std::make_pair(value, derivative);
    };
    auto metric = Demons<Image>::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto expected = evaluate(DemonsReference<Image>::New().GetPointer());
    EXPECT_EQ(evaluate(metric.GetPointer()), expected);
    EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(metric->GetFallbackReason().find("sampled points"), std::string::npos) << metric->GetFallbackReason();
    EXPECT_NEAR(metric->GetValue(), expected.first, 1e-12 * expected.first);
    EXPECT_EQ(metric->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  };
  for (const int sampling : { 1, 2 })
  {
    compare(MetricImages<Image2D>(), sampling);
    compare(MetricImages<DoubleImage3D>(), sampling);
  }
}

TEST_P(MetricFields, ExceptionsOfDemonsAreItks)
{
  const MetricImages<Image2D> images;
  auto                        metric = itk::CudaDemonsImageToImageMetricv4<Image2D, Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  MetricCase what;
  SetUpMetric(metric.GetPointer(), what, images);
  EXPECT_THROW(metric->Initialize(), itk::ExceptionObject); // an affine transform
  what.transform = "field";
  SetUpMetric(metric.GetPointer(), what, images);
  metric->SetGradientSource(Source::GRADIENT_SOURCE_BOTH);
  EXPECT_THROW(metric->Initialize(), itk::ExceptionObject);
  metric->SetGradientSource(Source::GRADIENT_SOURCE_FIXED);
  EXPECT_NO_THROW(metric->Initialize());
}

TEST_P(MetricFields, OneVoxelThick)
{
  MetricImages<Image3D> images;
  images.fixed = BlobImage<Image3D>({ 30, 20, 1 }, 2.3, 0.0);
  images.moving = BlobImage<Image3D>({ 30, 20, 1 }, 2.3, 0.0);
  for (unsigned int i = 0; i < 600; ++i)
  {
    images.moving->GetBufferPointer()[i] += static_cast<float>((i * i) % 17);
  }
  MetricCase what;
  what.transform = "field";
  what.centralDifferences = true;
  CompareMetric<itk::MeanSquaresImageToImageMetricv4<Image3D, Image3D>,
                itk::CudaMeanSquaresImageToImageMetricv4<Image3D, Image3D>>(what, images, { 1e-12, 1e-10 }, GetParam());
}

TEST_P(MetricFields, NoOverlap)
{
  for (const char * const transform : { "field", "B-spline" })
  {
    MetricImages<Image2D> images;
    auto                  far = images.moving->GetOrigin();
    far.Fill(1e5);
    images.moving->SetOrigin(far);
    MetricCase what;
    what.transform = transform;
    double                                                                 value = 0.0;
    itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>::DerivativeType derivative;
    const auto                                                             evaluate = [&](auto metric) {
      SetUpMetric(metric.GetPointer(), what, images);
      metric->SetGPUEnabled(GetParam());
      metric->Initialize();
      metric->GetValueAndDerivative(value, derivative);
      EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
      EXPECT_EQ(metric->GetNumberOfValidPoints(), 0u);
    };
    // ITK's largest value and no derivative, or ITK's exception.
    evaluate(itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New());
    EXPECT_EQ(value, itk::NumericTraits<double>::max());
    EXPECT_EQ(derivative.two_norm(), 0.0);
    EXPECT_THROW(evaluate(itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>::New()),
                 itk::ExceptionObject);
  }
}

TEST_P(MetricFields, AnotherVirtualDomainIsAnExceptionOfItk)
{
  const MetricImages<Image2D> images;
  MetricCase                  what;
  what.transform = "field";
  what.ownDomain = true;
  const auto initialize = [&](auto metric) {
    SetUpMetric(metric.GetPointer(), what, images);
    metric->Initialize();
  };
  EXPECT_THROW(initialize(itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>::New()), itk::ExceptionObject);
  EXPECT_THROW(initialize(itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New()), itk::ExceptionObject);
}

TEST_P(MetricFields, SampledPointsAndCorrelationAreTheSuperclass)
{
  const MetricImages<Image2D> images;
  const auto                  compare = [&](auto reference, auto metric, const MetricCase & what, const char * word) {
    const auto evaluate = [&](auto * one) {
      SetUpMetric(one, what, images);
      one->SetMaximumNumberOfWorkUnits(1);
      one->Initialize();
      double                                                value = 0.0;
      typename std::decay_t<decltype(*one)>::DerivativeType derivative;
      one->GetValueAndDerivative(value, derivative);
      return std::make_pair(value, derivative);
    };
    metric->SetGPUEnabled(GetParam());
    EXPECT_EQ(evaluate(metric.GetPointer()), evaluate(reference.GetPointer()));
    EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(metric->GetFallbackReason().find(word), std::string::npos) << metric->GetFallbackReason();
  };
  MetricCase what;
  what.transform = "field";
  const auto correlation = itk::CudaCorrelationImageToImageMetricv4<Image2D, Image2D>::New();
  compare(itk::CorrelationImageToImageMetricv4<Image2D, Image2D>::New(), correlation, what, "correlation");
  EXPECT_LT(correlation->GetValue(), 0.0); // supported by the kernels
  EXPECT_NE(correlation->GetLastBackend(), Backend::Superclass) << correlation->GetFallbackReason();
  what.sampling = 1;
  compare(itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>::New(),
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New(),
          what,
          "sampled points");
}

/** Returns the field after some steps of ITK's optimizer, which updates the transform. */
template <typename TMetric, typename TTransform>
typename TTransform::ParametersType
Descend(TMetric * metric, TTransform * transform, const MetricImages<Image2D> & images, double longest)
{
  metric->SetFixedImage(images.fixed);
  metric->SetMovingImage(images.moving);
  metric->SetMovingTransform(transform);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetMaximumNumberOfWorkUnits(1);
  metric->Initialize();
  double                           value = 0.0;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  auto optimizer = itk::GradientDescentOptimizerv4::New();
  optimizer->SetMetric(metric);
  optimizer->SetNumberOfIterations(10);
  optimizer->SetLearningRate(longest / derivative.inf_norm()); // of the first step, in mm
  optimizer->SetDoEstimateLearningRateOnce(false);
  optimizer->StartOptimization();
  return transform->GetParameters();
}

TEST_P(MetricFields, StepsOfAnOptimizerAreThoseOfItk)
{
  const MetricImages<Image2D> images;
  const auto                  compare = [&](auto reference, auto metric, auto makeTransform) {
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto start = makeTransform();
    const auto expected = Descend(reference.GetPointer(), makeTransform().GetPointer(), images, 0.3);
    const auto found = Descend(metric.GetPointer(), makeTransform().GetPointer(), images, 0.3);
    MetricCase what;
    what.transform = "field";
    EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), what, 2, GetParam()))
      << metric->GetFallbackReason();
    EXPECT_LE((found - expected).inf_norm(), 1e-8);
    EXPECT_GT((expected - start->GetParameters()).inf_norm(), 0.05); // it has moved
  };
  using Field = itk::DisplacementFieldTransform<double, 2>;
  using Smoothed = itk::GaussianSmoothingOnUpdateDisplacementFieldTransform<double, 2>;
  compare(itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>::New(),
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New(),
          [&images] { return WavyField<Field>(images.fixed.GetPointer(), 0.2); });
  compare(itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image2D, Image2D>::New(),
          itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Image2D, Image2D>::New(),
          [&images] { return WavyField<Field>(images.fixed.GetPointer(), 0.2); });
  compare(itk::DemonsImageToImageMetricv4<Image2D, Image2D>::New(),
          itk::CudaDemonsImageToImageMetricv4<Image2D, Image2D>::New(),
          [&images] { return WavyField<Field>(images.fixed.GetPointer(), 0.2); });
  compare(itk::MattesMutualInformationImageToImageMetricv4<Image2D, Image2D>::New(),
          itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>::New(),
          [&images] { return WavyField<Smoothed>(images.fixed.GetPointer(), 0.2); });
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricFields, testing::Bool(), GpuOrHost);

} // namespace
