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


#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

/** \file
 * \brief Metrics of a transform that is followed by nonlinear ones, as in registrations with several stages, compared
 * with ITK's metrics and finite differences.
 *
 * ITK's Jacobian by position of displacement fields equals that of the kernels if the field is neither rotated nor
 * anisotropic, and away from its borders (before ITK 5.3 it exchanged axes and left the field). The fields here are
 * chosen accordingly. ITK's B-spline transforms have none, so the reference has one with central differences. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

/** A B-spline transform with a Jacobian by position. */
template <unsigned int VDimension, unsigned int VOrder>
class SplineWithSlopes : public itk::BSplineTransform<double, VDimension, VOrder>
{
public:
  using Self = SplineWithSlopes;
  using Superclass = itk::BSplineTransform<double, VDimension, VOrder>;
  using Pointer = itk::SmartPointer<Self>;
  static Pointer
  New()
  {
    Pointer made(new Self);
    made->UnRegister(); // the first reference is that of its creation
    return made;
  }

  using Superclass::ComputeJacobianWithRespectToPosition;
  void
  ComputeJacobianWithRespectToPosition(const typename Superclass::InputPointType & point,
                                       typename Superclass::JacobianPositionType & jacobian) const override
  {
    constexpr double h = 1e-4; // mm: for cubic pieces the error is below 1e-12, and roundings are 1e-11
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      auto above = point;
      auto below = point;
      above[c] += h;
      below[c] -= h;
      const auto difference = this->TransformPoint(above) - this->TransformPoint(below);
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        jacobian(r, c) = difference[r] / (2.0 * h);
      }
    }
  }
};

/** Returns waves on a grid that is not rotated, around all images. */
template <unsigned int VDimension>
typename itk::DisplacementFieldTransform<double, VDimension>::Pointer
FieldAround()
{
  using FieldTransform = itk::DisplacementFieldTransform<double, VDimension>;
  using FieldType = typename FieldTransform::DisplacementFieldType;
  auto                            field = FieldType::New();
  typename FieldType::SizeType    size;
  typename FieldType::SpacingType spacing;
  typename FieldType::PointType   origin;
  size.Fill(40);
  spacing.Fill(3.0);
  origin.Fill(-60.0);
  field->SetRegions(size);
  field->SetSpacing(spacing);
  field->SetOrigin(origin);
  field->Allocate();
  itk::ImageRegionIteratorWithIndex<FieldType> it(field, field->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    typename FieldType::PixelType move;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      move[d] = 1.2 * std::cos(0.31 * it.GetIndex()[0] + 0.53 * it.GetIndex()[1] + 2.0 * d);
    }
    it.Set(move);
  }
  auto transform = FieldTransform::New();
  transform->SetDisplacementField(field);
  return transform;
}

/** Returns splines whose domain contains all images. */
template <typename TTransform>
typename TTransform::Pointer
SplineAround()
{
  constexpr unsigned int                      dimension = TTransform::InputSpaceDimension;
  auto                                        transform = TTransform::New();
  typename TTransform::OriginType             origin;
  typename TTransform::PhysicalDimensionsType extent;
  typename TTransform::MeshSizeType           mesh;
  origin.Fill(-61.0);
  extent.Fill(123.0);
  mesh.Fill(7);
  transform->SetTransformDomainOrigin(origin);
  transform->SetTransformDomainPhysicalDimensions(extent);
  transform->SetTransformDomainMeshSize(mesh);
  auto direction = transform->GetTransformDomainDirection();
  direction[0][0] = direction[1][1] = std::cos(0.1);
  direction[1][0] = std::sin(0.1);
  direction[0][1] = -std::sin(0.1);
  transform->SetTransformDomainDirection(direction);
  auto parameters = transform->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 1.8 * std::cos(1.7 * p + dimension);
  }
  transform->SetParametersByValue(parameters);
  return transform;
}

/** Transforms that follow: a field, splines, or both with a linear transform between. */
const std::vector<std::string> AllBehind{ "field",
                                          "spline of order 1",
                                          "spline of order 2",
                                          "spline of order 3",
                                          "both" };

template <unsigned int VDimension>
using Composite = itk::CompositeTransform<double, VDimension>;

/** Adds the transforms that follow, the last one first.
 *
 * \tparam TSpline BSplineTransform, or a class with its Jacobian */
template <unsigned int VDimension, template <unsigned int, unsigned int> class TSpline>
void
AddBehind(const std::string & behind, Composite<VDimension> * composite)
{
  composite->AddTransform(MetricTransform<VDimension>("affine"));
  if (behind == "field" || behind == "both")
  {
    composite->AddTransform(FieldAround<VDimension>());
    composite->AddTransform(MetricTransform<VDimension>("rigid"));
  }
  if (behind == "spline of order 1")
  {
    composite->AddTransform(SplineAround<TSpline<VDimension, 1>>());
  }
  else if (behind == "spline of order 2")
  {
    composite->AddTransform(SplineAround<TSpline<VDimension, 2>>());
  }
  else if (behind != "field")
  {
    composite->AddTransform(SplineAround<TSpline<VDimension, 3>>());
  }
}

template <unsigned int VDimension, unsigned int VOrder>
using PlainSpline = itk::BSplineTransform<double, VDimension, VOrder>;

/** Returns a composite of the transform of a case and those that follow it. Only the first one is optimized. */
template <template <unsigned int, unsigned int> class TSpline, typename TImage>
typename Composite<TImage::ImageDimension>::Pointer
MakeChain(const MetricCase & what, const std::string & behind, const MetricImages<TImage> & images)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  auto                   chain = Composite<dimension>::New();
  AddBehind<dimension, TSpline>(behind, chain.GetPointer());
  if (what.IsByField())
  {
    chain->AddTransform(FieldTransform(what.transform, images.fixed.GetPointer()));
  }
  else
  {
    chain->AddTransform(MetricTransform<dimension>(what.transform));
  }
  chain->SetOnlyMostRecentTransformToOptimizeOn();
  return chain;
}

class MetricOuterStages : public GpuOnAndOff
{
protected:
  template <typename TReference, typename TMetric, typename TImage>
  static void
  Compare(const MetricCase &           what,
          const std::string &          behind,
          const MetricImages<TImage> & images,
          MetricTolerance              tolerance)
  {
    SCOPED_TRACE(what.Text() + ", " + behind + " behind");
    const auto setUp = [&](auto * metric, auto * chain) {
      SetUpMetric(metric, what, images);
      metric->SetMovingTransform(chain);
      metric->Initialize();
    };
    auto reference = TReference::New();
    reference->SetMaximumNumberOfWorkUnits(1);
    setUp(reference.GetPointer(), MakeChain<SplineWithSlopes>(what, behind, images).GetPointer());
    auto metric = TMetric::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(what.isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
    setUp(metric.GetPointer(), MakeChain<PlainSpline>(what, behind, images).GetPointer());
    double                           expected = 0.0;
    typename TMetric::DerivativeType expectedDerivative;
    reference->GetValueAndDerivative(expected, expectedDerivative);
    double                           value = 0.0;
    typename TMetric::DerivativeType derivative;
    metric->GetValueAndDerivative(value, derivative);
    const auto promised = PromisedToMetric(metric->GetNameOfClass(), what, TImage::ImageDimension, GetParam());
    ASSERT_EQ(metric->GetLastBackend(), promised) << metric->GetFallbackReason();
    ASSERT_GT(reference->GetNumberOfValidPoints(), 40u);
    EXPECT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
    // Splines of the chain are summed in another order than in ITK: some roundings of points of 50 mm.
    EXPECT_NEAR(value, expected, std::max(tolerance.value, 1e-11) * std::abs(expected));
    ASSERT_EQ(derivative.Size(), expectedDerivative.Size());
    // Differences of points of 50 mm, 1e-4 mm apart.
    const double ofReference = behind == "field" ? 0.0 : 1e-9;
    EXPECT_LE(RelativeDistance(expectedDerivative, derivative), tolerance.derivative + ofReference);
    // The transforms that follow have an effect.
    auto alone = TMetric::New();
    alone->SetGPUEnabled(GetParam());
    SetUpMetric(alone.GetPointer(), what, images);
    alone->Initialize();
    EXPECT_GT(std::abs(alone->GetValue() - expected), 1e-4 * std::abs(expected));
    // The same bits again.
    double                           again = 0.0;
    typename TMetric::DerivativeType derivativeAgain;
    metric->SetMaximumNumberOfWorkUnits(1);
    metric->GetValueAndDerivative(again, derivativeAgain);
    EXPECT_EQ(again, value);
    EXPECT_EQ(derivativeAgain, derivative);
  }

  template <template <typename> class TReference, template <typename> class TMetric, typename TImage>
  static void
  CompareAll(const std::vector<std::string> & transforms,
             const MetricTolerance &          inDouble,
             const MetricTolerance &          inSingle)
  {
    const MetricImages<TImage> images;
    std::size_t                choice = 0;
    for (const std::string & transform : transforms)
    {
      for (const std::string & behind : AllBehind)
      {
        MetricCase what;
        what.transform = transform;
        what.centralDifferences = choice % 2 == 1;
        what.fixedMask = choice % 3 == 1;
        what.movingMask = choice % 3 == 2;
        what.splineOrder = choice % 5 == 4 ? 1 : -1;
        what.isDouble = choice % 4 != 3;
        Compare<TReference<TImage>, TMetric<TImage>>(what, behind, images, what.isDouble ? inDouble : inSingle);
        ++choice;
      }
    }
  }
};

TEST_P(MetricOuterStages, MeanSquares)
{
  const MetricTolerance inDouble{ 1e-12, 1e-10 };
  const MetricTolerance inSingle{ 1e-6, 1e-5 };
  CompareAll<MeanSquaresReference, MeanSquares, Image2D>(
    { "B-spline", "B-spline of order 1", "B-spline of order 2", "field", "rigid", "affine" }, inDouble, inSingle);
  CompareAll<MeanSquaresReference, MeanSquares, Image3D>(
    { "B-spline of order 1", "field", "affine" }, inDouble, inSingle);
}

TEST_P(MetricOuterStages, Correlation)
{
  const MetricTolerance inDouble{ 1e-12, 1e-10 };
  const MetricTolerance inSingle{ 1e-6, 1e-5 };
  CompareAll<CorrelationReference, Correlation, Image2D>({ "B-spline", "similarity" }, inDouble, inSingle);
  CompareAll<CorrelationReference, Correlation, Image3D>({ "versor" }, inDouble, inSingle);
}

TEST_P(MetricOuterStages, MutualInformation)
{
  const MetricTolerance inDouble{ 1e-11, 1e-9 };
  const MetricTolerance inSingle{ 1e-6, 1e-4 };
  CompareAll<MattesReference, Mattes, Image2D>({ "B-spline", "field", "composite" }, inDouble, inSingle);
  CompareAll<MattesReference, Mattes, Image3D>({ "rigid" }, inDouble, inSingle);
}

TEST_P(MetricOuterStages, LocalCorrelation)
{
  const MetricTolerance inDouble{ 1e-10, 1e-8 };
  const MetricTolerance inSingle{ 1e-5, 1e-4 };
  CompareAll<LocalCorrelationReference, LocalCorrelation, Image2D>(
    { "field", "B-spline", "rigid" }, inDouble, inSingle);
  CompareAll<LocalCorrelationReference, LocalCorrelation, Image3D>({ "field" }, inDouble, inSingle);
}

TEST_P(MetricOuterStages, Demons)
{
  CompareAll<DemonsReference, Demons, Image2D>({ "field" }, { 1e-12, 1e-10 }, { 1e-6, 1e-5 });
}

TEST_P(MetricOuterStages, SampledPoints)
{
  MetricCase what;
  what.sampling = 2;
  for (const char * const transform : { "B-spline", "affine" })
  {
    what.transform = transform;
    Compare<MattesReference<Image2D>, Mattes<Image2D>>(what, "both", MetricImages<Image2D>(), { 1e-11, 1e-9 });
  }
}

TEST_P(MetricOuterStages, LinearOnesBehindALinearOneAreOptimizedWithIt)
{
  // In a chain of three linear transforms before a field, the second and third are optimized.
  const MetricImages<Image2D> images;
  const auto                  evaluate = [&](auto metric, auto * value, auto * derivative) {
    auto inner = Composite<2>::New();
    inner->AddTransform(MetricTransform<2>("rigid"));
    inner->AddTransform(MetricTransform<2>("affine"));
    auto chain = Composite<2>::New();
    chain->AddTransform(MetricTransform<2>("translation"));
    chain->AddTransform(FieldAround<2>());
    chain->AddTransform(inner);
    chain->AddTransform(MetricTransform<2>("translation"));
    chain->SetAllTransformsToOptimizeOff();
    chain->SetNthTransformToOptimizeOn(2);
    SetUpMetric(metric.GetPointer(), MetricCase(), images);
    metric->SetMovingTransform(chain);
    metric->Initialize();
    metric->GetValueAndDerivative(*value, *derivative);
  };
  double                               expected = 0.0;
  double                               value = 0.0;
  MeanSquares<Image2D>::DerivativeType expectedDerivative;
  MeanSquares<Image2D>::DerivativeType derivative;
  evaluate(MeanSquaresReference<Image2D>::New(), &expected, &expectedDerivative);
  const auto metric = MeanSquares<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetPrecision(itk::CudaSplinePrecision::Double);
  evaluate(metric, &value, &derivative);
  EXPECT_EQ(metric->GetLastBackend(), GetParam() ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  EXPECT_NEAR(value, expected, 1e-11 * expected);
  ASSERT_EQ(derivative.Size(), 9u);
  EXPECT_LE(RelativeDistance(expectedDerivative, derivative), 1e-10);
}

TEST_P(MetricOuterStages, NotBehindWhatIsNotLinearItself)
{
  // A linear transform that follows splines depends on the position by more than a matrix.
  const MetricImages<Image2D> images;
  auto                        chain = Composite<2>::New();
  chain->AddTransform(MetricTransform<2>("affine"));
  chain->AddTransform(MetricTransform<2>("B-spline"));
  chain->SetAllTransformsToOptimizeOff();
  chain->SetNthTransformToOptimizeOn(0);
  const auto evaluate = [&](auto * metric) {
    SetUpMetric(metric, MetricCase(), images);
    metric->SetMovingTransform(chain);
    metric->SetMaximumNumberOfWorkUnits(1);
    metric->Initialize();
    double                               value = 0.0;
    MeanSquares<Image2D>::DerivativeType derivative;
    metric->GetValueAndDerivative(value, derivative);
    return derivative;
  };
  const auto metric = MeanSquares<Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  EXPECT_EQ(evaluate(metric.GetPointer()), evaluate(MeanSquaresReference<Image2D>::New().GetPointer()));
  EXPECT_EQ(metric->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(metric->GetFallbackReason().find("goes through before"), std::string::npos) << metric->GetFallbackReason();
}

CUDASPLINE_GPU_ON_AND_OFF(MetricOuterStages);

} // namespace
