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
#include "LocalMetricTestSupport.h"

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaDemonsImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

/** \file
 * \brief Metrics with float parameters, as with antsRegistration's option --float. They are compared with metrics of
 * double whose transforms have the same parameters, and with ITK's metrics of both types on one thread.
 *
 * The module's metric of float is that of double, rounded once: the same bits. ITK's also rounds points, products and
 * sums. Its distance from its own metric of double is the bound of the module's error in double arithmetic, in addition
 * to that last rounding. (It is some 1e-7 to 2e-3, the module's 1e-8 to 5e-8.) */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** Half a unit in the last place of float for 1. */
constexpr double FloatRounding = 0.5 * std::numeric_limits<float>::epsilon();

/** Rounds the parameters of a transform to float. */
template <typename TTransform>
void
RoundParameters(TTransform * transform)
{
  auto parameters = transform->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = static_cast<double>(static_cast<float>(parameters[p]));
  }
  transform->SetParametersByValue(parameters);
}

/** A transform of float, and one of double with the same parameters. */
template <unsigned int VDimension>
struct FloatPair
{
  typename itk::Transform<float, VDimension, VDimension>::Pointer  single;
  typename itk::Transform<double, VDimension, VDimension>::Pointer inDouble;
};

/** Makes the pair if a transform is of that class. The given transform becomes the one of double, with rounded
 * parameters. */
template <typename TSingle, typename TDouble, unsigned int VDimension>
bool
MakePairOf(itk::Transform<double, VDimension, VDimension> * transform, FloatPair<VDimension> & pair)
{
  if (typeid(*transform) != typeid(TDouble))
  {
    return false;
  }
  RoundParameters(transform);
  auto single = TSingle::New();
  single->SetFixedParameters(transform->GetFixedParameters());
  const auto &                     from = transform->GetParameters();
  typename TSingle::ParametersType parameters(from.Size());
  std::copy_n(from.data_block(), from.Size(), parameters.data_block());
  single->SetParametersByValue(parameters);
  pair.single = single;
  pair.inDouble = transform;
  return true;
}

template <unsigned int VDimension>
FloatPair<VDimension>
MakeFloatPair(itk::Transform<double, VDimension, VDimension> * transform)
{
  FloatPair<VDimension> pair;
  if (auto * const composite = dynamic_cast<itk::CompositeTransform<double, VDimension> *>(transform))
  {
    auto single = itk::CompositeTransform<float, VDimension>::New();
    auto inDouble = itk::CompositeTransform<double, VDimension>::New();
    for (unsigned int n = 0; n < composite->GetNumberOfTransforms(); ++n)
    {
      const auto part = MakeFloatPair<VDimension>(composite->GetNthTransformModifiablePointer(n));
      single->AddTransform(part.single);
      inDouble->AddTransform(part.inDouble);
    }
    for (unsigned int n = 0; n < composite->GetNumberOfTransforms(); ++n)
    {
      single->SetNthTransformToOptimize(n, composite->GetNthTransformToOptimize(n));
      inDouble->SetNthTransformToOptimize(n, composite->GetNthTransformToOptimize(n));
    }
    pair.single = single;
    pair.inDouble = inDouble;
    return pair;
  }
  using FieldTransform = itk::DisplacementFieldTransform<double, VDimension>;
  if (auto * const ofField = dynamic_cast<FieldTransform *>(transform))
  {
    using SingleTransform = itk::DisplacementFieldTransform<float, VDimension>;
    using SingleField = typename SingleTransform::DisplacementFieldType;
    auto * const field = ofField->GetModifiableDisplacementField();
    auto         singleField = SingleField::New();
    singleField->CopyInformation(field);
    singleField->SetRegions(field->GetBufferedRegion());
    singleField->Allocate();
    for (itk::SizeValueType i = 0; i < field->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const auto rounded = static_cast<float>(field->GetBufferPointer()[i][d]);
        singleField->GetBufferPointer()[i][d] = rounded;
        field->GetBufferPointer()[i][d] = static_cast<double>(rounded);
      }
    }
    auto single = SingleTransform::New();
    single->SetDisplacementField(singleField);
    pair.single = single;
    pair.inDouble = transform;
    return pair;
  }
  bool isKnown =
    MakePairOf<itk::AffineTransform<float, VDimension>, itk::AffineTransform<double, VDimension>>(transform, pair) ||
    MakePairOf<itk::TranslationTransform<float, VDimension>, itk::TranslationTransform<double, VDimension>>(transform,
                                                                                                            pair) ||
    MakePairOf<itk::BSplineTransform<float, VDimension, 3>, itk::BSplineTransform<double, VDimension, 3>>(transform,
                                                                                                          pair);
  if constexpr (VDimension == 2)
  {
    isKnown = isKnown || MakePairOf<itk::Euler2DTransform<float>, itk::Euler2DTransform<double>>(transform, pair) ||
              MakePairOf<itk::Similarity2DTransform<float>, itk::Similarity2DTransform<double>>(transform, pair);
  }
  else
  {
    isKnown =
      isKnown || MakePairOf<itk::Euler3DTransform<float>, itk::Euler3DTransform<double>>(transform, pair) ||
      MakePairOf<itk::VersorRigid3DTransform<float>, itk::VersorRigid3DTransform<double>>(transform, pair) ||
      MakePairOf<itk::Similarity3DTransform<float>, itk::Similarity3DTransform<double>>(transform, pair) ||
      MakePairOf<itk::ScaleSkewVersor3DTransform<float>, itk::ScaleSkewVersor3DTransform<double>>(transform, pair);
  }
  EXPECT_TRUE(isKnown) << transform->GetNameOfClass();
  return pair;
}

/** The settings of a metric, except its transform. */
struct FloatSetting
{
  int  splineOrder{ -1 }; ///< of the moving interpolator; -1: linear
  bool gradientFilter{ true };
  bool masks{ false };
};

/** Results of a metric. */
struct FloatResult
{
  double              value{ 0.0 };
  std::vector<double> derivative;
  itk::SizeValueType  valid{ 0 };
};

template <typename TMetric, typename TImage, typename TTransform>
FloatResult
EvaluateFloat(TMetric *                    metric,
              const MetricImages<TImage> & images,
              TTransform *                 transform,
              const FloatSetting &         setting)
{
  metric->SetFixedImage(images.fixed);
  metric->SetMovingImage(images.moving);
  metric->SetMovingTransform(transform);
  if (setting.splineOrder >= 0)
  {
    using Spline = itk::BSplineInterpolateImageFunction<TImage, typename TMetric::CoordinateRepresentationType>;
    auto spline = Spline::New();
    spline->SetSplineOrder(static_cast<unsigned int>(setting.splineOrder));
    metric->SetMovingInterpolator(spline);
  }
  metric->SetUseMovingImageGradientFilter(setting.gradientFilter);
  metric->SetUseFixedImageGradientFilter(setting.gradientFilter);
  if (setting.masks)
  {
    metric->SetFixedImageMask(HalfMask(images.fixed.GetPointer(), true));
    metric->SetMovingImageMask(HalfMask(images.moving.GetPointer(), true));
  }
  metric->Initialize();
  typename TMetric::MeasureType    value;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  // Without a derivative, sums may have another order: in double precision, so the last rounding may differ.
  EXPECT_NEAR(metric->GetValue(), value, 2.0 * FloatRounding * std::abs(value));
  FloatResult result;
  result.value = static_cast<double>(value);
  result.derivative.assign(derivative.data_block(), derivative.data_block() + derivative.Size());
  result.valid = metric->GetNumberOfValidPoints();
  return result;
}

/** Returns the distance of two derivatives in the L2 norm, relative to the norm of the first one. */
double
FloatDistance(const std::vector<double> & expected, const std::vector<double> & found)
{
  double square = 0.0;
  double distance = 0.0;
  for (std::size_t p = 0; p < expected.size(); ++p)
  {
    square += expected[p] * expected[p];
    distance += (expected[p] - found[p]) * (expected[p] - found[p]);
  }
  return std::sqrt(distance / square);
}

/** \tparam VIsRounded whether the derivative is that of double, rounded; otherwise it uses ITK's gradients of float */
template <template <typename, typename, typename, typename, typename> class TReference,
          template <typename, typename, typename, typename, typename>
          class TMetric,
          typename TImage,
          bool VIsRounded = true>
void
CompareFloat(const std::string & name, const FloatSetting & setting, bool onGpu)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  SCOPED_TRACE(name + (setting.gradientFilter ? ", filter" : ", differences") + ", order " +
               std::to_string(setting.splineOrder) + (setting.masks ? ", masks" : ""));
  const MetricImages<TImage> images;
  const auto                 pair =
    MakeFloatPair<dimension>(name == "field" ? FieldTransform(name, images.fixed.GetPointer()).GetPointer()
                                             : MetricTransform<dimension>(name).GetPointer());
  ASSERT_TRUE(pair.single.IsNotNull());
  using SingleTraits = itk::DefaultImageToImageMetricTraitsv4<TImage, TImage, TImage, float>;
  using DoubleTraits = itk::DefaultImageToImageMetricTraitsv4<TImage, TImage, TImage, double>;
  const auto ofItk = [&](auto reference, auto * transform) {
    reference->SetMaximumNumberOfWorkUnits(1);
    return EvaluateFloat(reference.GetPointer(), images, transform, setting);
  };
  const auto itkDouble =
    ofItk(TReference<TImage, TImage, TImage, double, DoubleTraits>::New(), pair.inDouble.GetPointer());
  const auto itkSingle =
    ofItk(TReference<TImage, TImage, TImage, float, SingleTraits>::New(), pair.single.GetPointer());
  for (const auto precision : { itk::CudaSplinePrecision::Automatic, itk::CudaSplinePrecision::Double })
  {
    const auto ofOurs = [&](auto metric, auto * transform) {
      metric->SetGPUEnabled(onGpu);
      metric->SetPrecision(precision);
      const auto result = EvaluateFloat(metric.GetPointer(), images, transform, setting);
      EXPECT_EQ(metric->GetLastBackend(), onGpu ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
      return result;
    };
    const auto single = ofOurs(TMetric<TImage, TImage, TImage, float, SingleTraits>::New(), pair.single.GetPointer());
    const auto inDouble =
      ofOurs(TMetric<TImage, TImage, TImage, double, DoubleTraits>::New(), pair.inDouble.GetPointer());
    EXPECT_EQ(single.valid, inDouble.valid);
    EXPECT_EQ(single.valid, itkDouble.valid);
    EXPECT_GT(single.valid, 40U);
    EXPECT_EQ(single.value, static_cast<double>(static_cast<float>(inDouble.value)));
    ASSERT_EQ(single.derivative.size(), inDouble.derivative.size());
    for (std::size_t p = 0; p < single.derivative.size() && VIsRounded; ++p)
    {
      ASSERT_EQ(single.derivative[p], static_cast<double>(static_cast<float>(inDouble.derivative[p]))) << p;
    }
    ASSERT_EQ(single.derivative.size(), itkSingle.derivative.size());
    const double scale = std::abs(itkDouble.value);
    const double derivative = FloatDistance(itkDouble.derivative, single.derivative);
    const double value = std::abs(single.value - itkDouble.value);
    if (precision == itk::CudaSplinePrecision::Double)
    {
      EXPECT_LE(derivative, FloatDistance(itkDouble.derivative, itkSingle.derivative) + FloatRounding);
      EXPECT_LE(value, std::abs(itkSingle.value - itkDouble.value) + FloatRounding * scale);
    }
    else // float pixels: the promise of all metrics
    {
      EXPECT_LE(derivative, 1e-4);
      EXPECT_LE(value, 1e-5 * scale);
    }
  }
}

template <template <typename, typename, typename, typename, typename> class TReference,
          template <typename, typename, typename, typename, typename>
          class TMetric>
void
CompareFloatAll(bool ofFields, bool onGpu)
{
  using Image = itk::Image<float, 2>;
  for (const std::string name : { "translation", "rigid", "similarity", "affine", "composite", "B-spline" })
  {
    CompareFloat<TReference, TMetric, Image>(name, FloatSetting(), onGpu);
  }
  for (const std::string name : { "B-spline before others", "B-spline after others" })
  {
    CompareFloat<TReference, TMetric, Image>(name, FloatSetting(), onGpu);
  }
  if (ofFields)
  {
    CompareFloat<TReference, TMetric, Image>("field", FloatSetting(), onGpu);
  }
  FloatSetting setting;
  setting.gradientFilter = false;
  CompareFloat<TReference, TMetric, Image>("affine", setting, onGpu);
  setting.splineOrder = 3;
  setting.masks = true;
  CompareFloat<TReference, TMetric, Image>("affine", setting, onGpu);
}

class MetricOfFloat : public GpuOnAndOff
{};

TEST_P(MetricOfFloat, MeanSquares)
{
  CompareFloatAll<itk::MeanSquaresImageToImageMetricv4, itk::CudaMeanSquaresImageToImageMetricv4>(true, GetParam());
}

TEST_P(MetricOfFloat, MeanSquaresInThreeDimensions)
{
  for (const std::string name : { "rigid", "versor", "similarity", "skew", "affine", "composite", "B-spline", "field" })
  {
    CompareFloat<itk::MeanSquaresImageToImageMetricv4, itk::CudaMeanSquaresImageToImageMetricv4, itk::Image<float, 3>>(
      name, FloatSetting(), GetParam());
  }
}

TEST_P(MetricOfFloat, Correlation)
{
  CompareFloatAll<itk::CorrelationImageToImageMetricv4, itk::CudaCorrelationImageToImageMetricv4>(false, GetParam());
}

TEST_P(MetricOfFloat, MutualInformation)
{
  CompareFloatAll<itk::MattesMutualInformationImageToImageMetricv4,
                  itk::CudaMattesMutualInformationImageToImageMetricv4>(false, GetParam());
}

TEST_P(MetricOfFloat, LocalCorrelation)
{
  CompareFloatAll<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4,
                  itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4>(true, GetParam());
}

TEST_P(MetricOfFloat, DisplacementsInThreeDimensions)
{
  FloatSetting setting;
  for (const bool masks : { false, true })
  {
    setting.masks = masks;
    setting.gradientFilter = !masks;
    CompareFloat<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4,
                 itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4,
                 itk::Image<float, 3>>("field", setting, GetParam());
    CompareFloat<itk::DemonsImageToImageMetricv4, itk::CudaDemonsImageToImageMetricv4, itk::Image<float, 3>, false>(
      "field", setting, GetParam());
  }
}

/** Results of the module's metric and ITK's for dark images of noise. */
template <template <typename, typename, typename, typename, typename> class TMetric, typename TNumber>
FloatResult
EvaluateDark(double scale, bool onGpu)
{
  using Image = itk::Image<float, 2>;
  using Traits = itk::DefaultImageToImageMetricTraitsv4<Image, Image, Image, TNumber>;
  using Metric = TMetric<Image, Image, Image, TNumber, Traits>;
  const auto images = NoisyImages<Image>({ 31, 23 }, 0.0, 0);
  for (Image * const image : { images.fixed.GetPointer(), images.moving.GetPointer() })
  {
    for (itk::SizeValueType n = 0; n < image->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      image->GetBufferPointer()[n] *= static_cast<float>(scale);
    }
  }
  auto metric = Metric::New();
  metric->SetMaximumNumberOfWorkUnits(1);
  if constexpr (std::is_base_of<itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image, Image, TNumber>,
                                Metric>::value)
  {
    metric->SetGPUEnabled(onGpu);
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
  }
  const auto   transform = itk::TranslationTransform<TNumber, 2>::New();
  FloatSetting setting;
  setting.gradientFilter = false;
  return EvaluateFloat(metric.GetPointer(), images, transform.GetPointer(), setting);
}

TEST_P(MetricOfFloat, EpsilonOfLocalCorrelationIsThatOfFloat)
{
  // Windows of 9 to 25 samples, with variances of some 300 per sample at a scale of 1: sums of 3000 to 8000. Their
  // product is the square of that, times the fourth power of the scale.
  const auto ask = [&](double scale) {
    return std::make_pair(
      EvaluateDark<itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4, float>(scale, GetParam()),
      EvaluateDark<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4, float>(scale, false));
  };
  const auto inDouble = [&](double scale) {
    return EvaluateDark<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4, double>(scale, false);
  };
  const auto norm = [](const FloatResult & result) {
    return FloatDistance(result.derivative, std::vector<double>(result.derivative.size(), 0.0));
  };
  // The product is not above the epsilon of float, but the variances are: no correlation, and a derivative.
  const auto [dark, ofItk] = ask(1e-4);
  EXPECT_EQ(dark.value, -1.0);
  EXPECT_EQ(ofItk.value, -1.0);
  EXPECT_LE(FloatDistance(inDouble(1e-4).derivative, dark.derivative), 1e-4);
  EXPECT_GT(inDouble(1e-4).value, -0.9); // without the limit
  // The variances are not above it either.
  const auto [darker, darkerOfItk] = ask(1e-6);
  EXPECT_EQ(darker.value, -1.0);
  EXPECT_EQ(darkerOfItk.value, -1.0);
  EXPECT_EQ(darker.derivative, std::vector<double>(darker.derivative.size(), 0.0));
  EXPECT_EQ(darkerOfItk.derivative, darker.derivative);
  EXPECT_EQ(norm(inDouble(1e-6)), 1.0); // there is a derivative
}

/** A linear transform of a user without a known equivalent of double. */
class OwnFloatTransform : public itk::AffineTransform<float, 2>
{
public:
  using Self = OwnFloatTransform;
  using Superclass = itk::AffineTransform<float, 2>;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);
};

TEST_P(MetricOfFloat, ClassesWithoutATwinAreItks)
{
  using Image = itk::Image<float, 2>;
  const MetricImages<Image> images;
  auto                      metric = itk::CudaMeanSquaresImageToImageMetricv4<Image, Image, Image, float>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetMaximumNumberOfWorkUnits(1);
  auto reference = itk::MeanSquaresImageToImageMetricv4<Image, Image, Image, float>::New();
  reference->SetMaximumNumberOfWorkUnits(1);
  const auto        transform = OwnFloatTransform::New();
  const FloatResult expected = EvaluateFloat(reference.GetPointer(), images, transform.GetPointer(), FloatSetting());
  const FloatResult found = EvaluateFloat(metric.GetPointer(), images, transform.GetPointer(), FloatSetting());
  EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
  EXPECT_EQ(found.value, expected.value);
  EXPECT_EQ(found.derivative, expected.derivative);
}

CUDASPLINE_GPU_ON_AND_OFF(MetricOfFloat);

} // namespace
