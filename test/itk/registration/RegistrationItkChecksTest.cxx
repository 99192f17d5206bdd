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
#include "RegistrationTestSupport.h"

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkBSplineTransformParametersAdaptor.h"
#include "itkConjugateGradientLineSearchOptimizerv4.h"
#include "itkGaussianSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkGaussianSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"

/** \file
 * \brief The checks of ITK's tests of its registration method (itkSimpleImageRegistrationTest,
 * itkBSplineImageRegistrationTest, itkImageRegistrationSamplingTest) for the module's metrics: stages of an affine and
 * of a dense or B-spline transform with adaptors by level, shrink factors by axis, and the samples of each strategy. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using PlaneTypes = RegistrationOf<2>;
using PlaneImage = PlaneTypes::Image;
using PlaneTransform = PlaneTypes::Transform;
using PlaneMethod = PlaneTypes::Method;
using PlaneAffine = itk::AffineTransform<double, 2>;
using PlaneSpline = itk::BSplineTransform<double, 2, 3>;
using PlaneMattes = itk::CudaMattesMutualInformationImageToImageMetricv4<PlaneImage, PlaneImage>;
using PlaneMeanSquares = itk::CudaMeanSquaresImageToImageMetricv4<PlaneImage, PlaneImage>;

/** Returns a B-spline transform on the domain of an image without displacements. */
PlaneSpline::Pointer
SplineOn(const PlaneImage * image, unsigned int cells)
{
  auto                                spline = PlaneSpline::New();
  PlaneSpline::PhysicalDimensionsType extent;
  for (unsigned int d = 0; d < 2; ++d)
  {
    extent[d] = (static_cast<double>(image->GetBufferedRegion().GetSize(d)) - 1.0) * image->GetSpacing()[d];
  }
  spline->SetTransformDomainOrigin(CornersOf(image).front());
  spline->SetTransformDomainDirection(image->GetDirection());
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainMeshSize(PlaneSpline::MeshSizeType::Filled(cells));
  return spline;
}

/** Images of one function, moved by an affine transform followed by B-splines. */
struct MovedPair
{
  PlaneImage::Pointer                         fixed{ BlobImage<PlaneImage>({ 56, 48 }, 1.2, 0.0) };
  PlaneImage::Pointer                         moving{ BlobImage<PlaneImage>({ 80, 70 }, 1.1, 0.0) };
  PlaneAffine::Pointer                        affine{ PlaneAffine::New() };
  itk::CompositeTransform<double, 2>::Pointer known{ itk::CompositeTransform<double, 2>::New() };

  MovedPair()
  {
    affine->Rotate2D(0.07);
    affine->Scale(1.04);
    itk::Vector<double, 2> shift;
    shift[0] = 1.9;
    shift[1] = -1.3;
    affine->Translate(shift);
    const auto spline = SplineOn(fixed, 4);
    auto       parameters = spline->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] = 2.2 * std::sin(1.1 * p);
    }
    spline->SetParametersByValue(parameters);
    known->AddTransform(affine);
    known->AddTransform(spline);
    auto resample = itk::ResampleImageFilter<PlaneImage, PlaneImage>::New();
    resample->SetInput(moving);
    resample->SetTransform(known);
    resample->SetInterpolator(itk::BSplineInterpolateImageFunction<PlaneImage, double>::New());
    resample->SetOutputParametersFromImage(fixed);
    // ITK's displacement fields by level begin at index 0.
    resample->SetOutputOrigin(CornersOf(fixed.GetPointer()).front());
    resample->SetOutputStartIndex({ { 0, 0 } });
    resample->Update();
    fixed = resample->GetOutput();
  }

  /** Returns the root mean square of a transform's distance from the known one in the inner half of the image, mm. */
  double
  DistanceOf(const PlaneTransform * found) const
  {
    double                 sum = 0.0;
    double                 count = 0.0;
    PlaneImage::RegionType inner = fixed->GetBufferedRegion();
    inner.ShrinkByRadius({ { 14, 12 } });
    itk::ImageRegionIteratorWithIndex<PlaneImage> it(fixed, inner);
    for (; !it.IsAtEnd(); ++it)
    {
      PlaneImage::PointType point;
      fixed->TransformIndexToPhysicalPoint(it.GetIndex(), point);
      sum += found->TransformPoint(point).SquaredEuclideanDistanceTo(known->TransformPoint(point));
      count += 1.0;
    }
    return std::sqrt(sum / count);
  }
};

class RegistrationChecks : public GpuOnAndOff
{
protected:
  template <typename TMetric>
  typename TMetric::Pointer
  Make() const
  {
    auto metric = TMetric::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetUseMovingImageGradientFilter(false);
    metric->SetUseFixedImageGradientFilter(false);
    return metric;
  }

  template <typename TMetric>
  void
  ExpectItsBackend(const TMetric * metric, const std::string & transform) const
  {
    MetricCase what;
    what.transform = transform;
    what.splineOrder = transform == "B-spline" ? 3 : -1;
    EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), what, 2, GetParam()))
      << metric->GetFallbackReason();
  }

  /** Runs an affine stage by mutual information. The first level is shrunk by a different factor along each axis. */
  PlaneAffine::Pointer
  AffineStage(const MovedPair & pair) const
  {
    const auto metric = this->Make<PlaneMattes>();
    metric->SetNumberOfHistogramBins(24);
    auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
    optimizer->SetMinimumStepLength(1e-5);
    auto estimator = itk::RegistrationParameterScalesFromPhysicalShift<PlaneMattes>::New();
    estimator->SetMetric(metric);
    optimizer->SetScalesEstimator(estimator);
    auto             affine = PlaneAffine::New();
    RegistrationPlan plan;
    plan.iterations = { 100, 100 };
    const auto registration = MakeRegistration<2>(metric, pair.fixed, pair.moving, optimizer, affine, plan);
    PlaneMethod::ShrinkFactorsPerDimensionContainerType byAxis;
    byAxis[0] = 3;
    byAxis[1] = 2;
    registration->SetShrinkFactorsPerDimension(0, byAxis);
    registration->SetSmoothingSigmasAreSpecifiedInPhysicalUnits(false);
    itk::SizeValueType coarse = 0;
    registration->AddObserver(itk::MultiResolutionIterationEvent(), [&](const itk::EventObject &) {
      coarse = registration->GetCurrentLevel() == 1 ? metric->GetVirtualRegion().GetNumberOfPixels() : coarse;
    });
    registration->Update();
    this->ExpectItsBackend(metric.GetPointer(), "affine");
    EXPECT_EQ(coarse, 18u * 24u); // after the first level, before the second one is prepared
    EXPECT_EQ(registration->GetTransform(), affine.GetPointer());
    return affine;
  }
};

TEST_P(RegistrationChecks, AffineThenDisplacements)
{
  const MovedPair pair;
  const auto      affine = this->AffineStage(pair);
  const double    before = pair.DistanceOf(affine);
  EXPECT_LE(before, 2.5);

  // As in ITK's test: correlation, displacements that are smoothed in each step, a field by level.
  using Field = itk::GaussianSmoothingOnUpdateDisplacementFieldTransform<double, 2>;
  using Adaptor = itk::GaussianSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor<Field>;
  auto transform = Field::New();
  auto displacements = Field::DisplacementFieldType::New();
  displacements->CopyInformation(pair.fixed);
  displacements->SetRegions(pair.fixed->GetBufferedRegion());
  displacements->Allocate(true);
  transform->SetDisplacementField(displacements);
  transform->SetGaussianSmoothingVarianceForTheUpdateField(3.0);
  transform->SetGaussianSmoothingVarianceForTheTotalField(0.5);
  // With mean squares: ITK's correlation assigns the forces of all displacements to the first one.
  const auto metric = this->Make<PlaneMeanSquares>();
  auto       optimizer = itk::GradientDescentOptimizerv4Template<double>::New();
  auto       estimator = itk::RegistrationParameterScalesFromPhysicalShift<PlaneMeanSquares>::New();
  estimator->SetMetric(metric);
  optimizer->SetScalesEstimator(estimator);
  optimizer->SetMaximumStepSizeInPhysicalUnits(0.2);
  optimizer->SetDoEstimateLearningRateOnce(false);
  optimizer->SetDoEstimateLearningRateAtEachIteration(true);
  RegistrationPlan plan;
  plan.iterations = { 20, 20 };
  const auto registration = MakeRegistration<2>(metric, pair.fixed, pair.moving, optimizer, transform, plan);
  registration->SetMovingInitialTransform(affine);
  PlaneMethod::TransformParametersAdaptorsContainerType adaptors;
  for (const unsigned int factor : plan.shrink)
  {
    auto shrink = itk::ShrinkImageFilter<PlaneImage, PlaneImage>::New();
    shrink->SetShrinkFactors(factor);
    shrink->SetInput(pair.fixed);
    shrink->Update();
    auto adaptor = Adaptor::New();
    adaptor->SetRequiredSpacing(shrink->GetOutput()->GetSpacing());
    adaptor->SetRequiredSize(shrink->GetOutput()->GetBufferedRegion().GetSize());
    adaptor->SetRequiredDirection(shrink->GetOutput()->GetDirection());
    adaptor->SetRequiredOrigin(CornersOf(shrink->GetOutput()).front());
    adaptors.emplace_back(adaptor.GetPointer());
  }
  registration->SetTransformParametersAdaptorsPerLevel(adaptors);
  registration->Update();
  this->ExpectItsBackend(metric.GetPointer(), "field");
  auto both = itk::CompositeTransform<double, 2>::New();
  both->AddTransform(affine);
  both->AddTransform(transform);
  EXPECT_LE(pair.DistanceOf(both), 0.8 * before);
}

TEST_P(RegistrationChecks, AffineThenSplines)
{
  const MovedPair pair;
  const auto      affine = this->AffineStage(pair);
  const double    before = pair.DistanceOf(affine);

  const auto metric = this->Make<PlaneMeanSquares>();
  metric->SetUseAnalyticMovingImageGradient(true);
  metric->SetMovingInterpolator(itk::BSplineInterpolateImageFunction<PlaneImage, double>::New());
  auto optimizer = itk::ConjugateGradientLineSearchOptimizerv4Template<double>::New();
  optimizer->SetLowerLimit(0);
  optimizer->SetUpperLimit(4);
  optimizer->SetEpsilon(0.1);
  optimizer->SetMaximumLineSearchIterations(20);
  auto estimator = itk::RegistrationParameterScalesFromPhysicalShift<PlaneMeanSquares>::New();
  estimator->SetMetric(metric);
  optimizer->SetScalesEstimator(estimator);
  auto             spline = SplineOn(pair.fixed, 2);
  RegistrationPlan plan;
  plan.iterations = { 25, 25 };
  const auto registration = MakeRegistration<2>(metric, pair.fixed, pair.moving, optimizer, spline, plan);
  registration->SetMovingInitialTransform(affine);
  PlaneMethod::TransformParametersAdaptorsContainerType adaptors;
  for (const unsigned int cells : { 2U, 4U })
  {
    const auto required = SplineOn(pair.fixed, cells);
    auto       adaptor = itk::BSplineTransformParametersAdaptor<PlaneSpline>::New();
    adaptor->SetRequiredTransformDomainOrigin(required->GetTransformDomainOrigin());
    adaptor->SetRequiredTransformDomainDirection(required->GetTransformDomainDirection());
    adaptor->SetRequiredTransformDomainPhysicalDimensions(required->GetTransformDomainPhysicalDimensions());
    adaptor->SetRequiredTransformDomainMeshSize(required->GetTransformDomainMeshSize());
    adaptors.emplace_back(adaptor.GetPointer());
  }
  registration->SetTransformParametersAdaptorsPerLevel(adaptors);
  registration->Update();
  this->ExpectItsBackend(metric.GetPointer(), "B-spline");
  EXPECT_EQ(spline->GetNumberOfParameters(), 2u * 7u * 7u);
  auto both = itk::CompositeTransform<double, 2>::New();
  both->AddTransform(affine);
  both->AddTransform(spline);
  EXPECT_LE(pair.DistanceOf(both), 0.3 * before);
  EXPECT_LE(pair.DistanceOf(both), 0.15);
}

/** Values and valid points of all strategies are those of ITK's metric, also with a mask, and in the requested number.
 */
TEST_P(RegistrationChecks, SamplesOfEachStrategy)
{
  using Strategy = itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy;
  const MovedPair pair;
  const auto      mask = HalfMask(pair.fixed.GetPointer(), false);
  for (const Strategy strategy : { Strategy::NONE, Strategy::REGULAR, Strategy::RANDOM })
  {
    for (const double part : { 1.0, 0.5, 0.1 })
    {
      for (const bool isMasked : { false, true })
      {
        SCOPED_TRACE(std::to_string(static_cast<int>(strategy)) + ", " + std::to_string(part) +
                     (isMasked ? ", masked" : ""));
        const auto sample = [&](auto metric) {
          metric->SetFixedImageMask(isMasked ? mask.GetPointer() : nullptr);
          metric->SetUseMovingImageGradientFilter(false);
          metric->SetUseFixedImageGradientFilter(false);
          auto optimizer = itk::GradientDescentOptimizerv4Template<double>::New();
          optimizer->SetLearningRate(0.0);
          RegistrationPlan plan;
          plan.shrink = { 1 };
          plan.sigmas = { 0.0 };
          plan.iterations = { 1 };
          auto       affine = PlaneAffine::New();
          const auto registration = MakeRegistration<2>(metric, pair.fixed, pair.moving, optimizer, affine, plan);
          registration->SetMetricSamplingStrategy(strategy);
          registration->SetMetricSamplingPercentage(part);
          registration->MetricSamplingReinitializeSeed(1234);
          registration->Update();
          return std::pair(optimizer->GetValue(), metric->GetNumberOfValidPoints());
        };
        const auto metric = this->Make<PlaneMeanSquares>();
        metric->SetPrecision(itk::CudaSplinePrecision::Double);
        const auto found = sample(metric);
        this->ExpectItsBackend(metric.GetPointer(), "affine");
        const auto expected = sample(itk::MeanSquaresImageToImageMetricv4<PlaneImage, PlaneImage>::New());
        EXPECT_EQ(found.second, expected.second);
        EXPECT_NEAR(found.first, expected.first, 1e-11 * std::abs(expected.first));

        // Every voxel of the fixed image is inside the moving one, and half of them are under the mask. A fraction is
        // relative to all voxels, and the mask then removes some; a regular stride is rounded up.
        const double all = 56.0 * 48.0 * (isMasked ? 0.6 : 1.0);
        const double wanted = all * (strategy == Strategy::NONE ? 1.0 : part);
        EXPECT_NEAR(static_cast<double>(found.second), wanted, 0.12 * wanted + 20.0);
      }
    }
  }
}

CUDASPLINE_GPU_ON_AND_OFF(RegistrationChecks);

} // namespace
