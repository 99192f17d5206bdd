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

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"

#include "itkImageRegistrationMethodv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"
#include "itkResampleImageFilter.h"

/** \file
 * \brief Registrations by itk::ImageRegistrationMethodv4 with two levels and ITK's optimizer: the module's metrics
 * take the same steps as ITK's, and a known transform is found. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using TransformBase = itk::Transform<double, 2, 2>;
using Registration = itk::ImageRegistrationMethodv4<Image2D, Image2D, TransformBase>;
using Optimizer = itk::RegularStepGradientDescentOptimizerv4<double>;
using MetricBase = itk::ImageToImageMetricv4<Image2D, Image2D>;

/** How a registration ended. */
struct Trajectory
{
  TransformBase::ParametersType parameters;
  double                        value;
  itk::SizeValueType            iterations;
  std::string                   stop;
};

using Sampling = itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy;

/** Allowed difference of parameters from ITK's after 50 iterations per level. */
constexpr double SameParameters = 1e-8;

/** Runs a registration; \p transform is optimized, after \p before if there is one. */
Trajectory
Register(MetricBase *                  metric,
         const MetricImages<Image2D> & images,
         TransformBase *               transform,
         unsigned int                  iterations,
         Sampling                      sampling = Sampling::NONE,
         const TransformBase *         before = nullptr)
{
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetMaximumNumberOfWorkUnits(1);
  auto optimizer = Optimizer::New();
  optimizer->SetNumberOfIterations(iterations);
  optimizer->SetLearningRate(0.5);
  optimizer->SetMinimumStepLength(1e-7);
  optimizer->SetRelaxationFactor(0.6);
  Optimizer::ScalesType scales(transform->GetNumberOfParameters());
  scales.Fill(1.0);
  // Angles and matrices move points by their distance from the centre, some 30 mm here.
  for (unsigned int p = 0; transform->IsLinear() && p + 2 < scales.Size(); ++p)
  {
    scales[p] = 900.0;
  }
  optimizer->SetScales(scales);

  auto registration = Registration::New();
  registration->SetFixedImage(images.fixed);
  registration->SetMovingImage(images.moving);
  registration->SetMetric(metric);
  registration->SetOptimizer(optimizer);
  registration->SetInitialTransform(transform);
  registration->InPlaceOn();
  registration->SetNumberOfLevels(2);
  Registration::ShrinkFactorsArrayType shrink(2);
  shrink[0] = 2;
  shrink[1] = 1;
  registration->SetShrinkFactorsPerLevel(shrink);
  Registration::SmoothingSigmasArrayType sigmas(2);
  sigmas[0] = 1.0;
  sigmas[1] = 0.0;
  registration->SetSmoothingSigmasPerLevel(sigmas);
  registration->SetMetricSamplingStrategy(sampling);
  if (sampling != Sampling::NONE)
  {
    registration->SetMetricSamplingPercentage(0.3);
    registration->MetricSamplingReinitializeSeed(121212);
  }
  if (before != nullptr)
  {
    registration->SetMovingInitialTransform(before);
  }
  registration->Update();
  return { transform->GetParameters(),
           optimizer->GetValue(),
           optimizer->GetCurrentIteration(),
           optimizer->GetStopConditionDescription() };
}

/** Returns a B-spline transform without displacements. */
itk::BSplineTransform<double, 2, 3>::Pointer
FlatSpline()
{
  const auto spline = WavySpline<2, 3>();
  auto       parameters = spline->GetParameters();
  parameters.Fill(0.0);
  spline->SetParametersByValue(parameters);
  return spline;
}

class MetricTrajectories : public GpuOnAndOff
{
protected:
  /** Runs 50 iterations per level with either metric. The difference of two trajectories increases with each step from
   * different points; the promise for 50 of them is 1e-8. */
  template <typename TReference, typename TMetric, typename TMakeTransform>
  void
  Compare(const TMakeTransform & makeTransform,
          double                 tolerance,
          Sampling               sampling = Sampling::NONE,
          const TransformBase *  before = nullptr)
  {
    const MetricImages<Image2D> images;
    auto                        reference = TReference::New();
    auto                        metric = TMetric::New();
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto       start = makeTransform();
    const auto       transform = makeTransform();
    const auto       referenceTransform = makeTransform();
    const Trajectory expected = Register(reference, images, referenceTransform, 50, sampling, before);
    const Trajectory found = Register(metric, images, transform, 50, sampling, before);
    SCOPED_TRACE(std::string(metric->GetNameOfClass()) + ", " + transform->GetNameOfClass());
    EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), MetricCase(), 2, GetParam()))
      << metric->GetFallbackReason();
    // The magnitude of the gradient is in brackets: it agrees if the points do.
    const auto reason = tolerance > SameParameters ? expected.stop.find(" (") : std::string::npos;
    EXPECT_EQ(found.stop.substr(0, reason), expected.stop.substr(0, reason));
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_NEAR(found.value, expected.value, tolerance * std::abs(expected.value));
    const auto distance = found.parameters - expected.parameters;
    EXPECT_LE(distance.inf_norm(), tolerance);
    EXPECT_GT((expected.parameters - start->GetParameters()).inf_norm(), 0.01); // it has moved
  }
};

TEST_P(MetricTrajectories, ThoseOfItk)
{
  using Rigid = itk::Euler2DTransform<double>;
  using Affine = itk::AffineTransform<double, 2>;
  Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>>(&Rigid::New, SameParameters);
  Compare<itk::CorrelationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaCorrelationImageToImageMetricv4<Image2D, Image2D>>(&Affine::New, SameParameters);
  Compare<itk::MattesMutualInformationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>>(&Rigid::New, SameParameters);
}

TEST_P(MetricTrajectories, ThoseOfItkByCoefficients)
{
  Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>>(FlatSpline, SameParameters);
  Compare<itk::CorrelationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaCorrelationImageToImageMetricv4<Image2D, Image2D>>(FlatSpline, SameParameters);
  Compare<itk::MattesMutualInformationImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>>(FlatSpline, SameParameters);
}

// As in itkBSplineImageRegistrationTest: the result of an affine stage is applied first.
TEST_P(MetricTrajectories, ThoseOfItkBehindAnotherStage)
{
  const auto before = MetricTransform<2>("affine");
  Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>>(
    &itk::Euler2DTransform<double>::New, SameParameters, Sampling::NONE, before);
  Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
          itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>>(
    FlatSpline, SameParameters, Sampling::NONE, before);
}

// As in itkImageRegistrationSamplingTest: the same points from the same seed.
TEST_P(MetricTrajectories, ThoseOfItkOnSamples)
{
  for (const Sampling sampling : { Sampling::REGULAR, Sampling::RANDOM })
  {
    // Derivatives agree to 1e-11 along the whole trajectory. But the length of a step does not depend on the gradient:
    // a step across the optimum amplifies a difference by its length times the curvature divided by the gradient. For
    // 400 random samples, 4e-12 (two thirds of the first level) became 3e-10 in a step at a gradient of 1e-6, and 4e-8
    // at the end. For ITK with one and three threads, 1e-16 became 1e-14.
    Compare<itk::MattesMutualInformationImageToImageMetricv4<Image2D, Image2D>,
            itk::CudaMattesMutualInformationImageToImageMetricv4<Image2D, Image2D>>(
      &itk::Euler2DTransform<double>::New,
      sampling == Sampling::RANDOM ? 10.0 * SameParameters : SameParameters,
      sampling);
    Compare<itk::MeanSquaresImageToImageMetricv4<Image2D, Image2D>,
            itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>>(FlatSpline, SameParameters, sampling);
  }
}

TEST_P(MetricTrajectories, AKnownTransformIsFound)
{
  // The moving image is the function of the fixed one, moved: blobs are sampled at the transformed points.
  MetricImages<Image2D> images;
  auto                  known = itk::Euler2DTransform<double>::New();
  known->SetAngle(0.06);
  itk::Euler2DTransform<double>::OutputVectorType shift;
  shift[0] = 2.2;
  shift[1] = -1.4;
  known->SetTranslation(shift);
  images.moving = BlobImage<Image2D>({ 60, 60 }, 1.0, 0.0);
  auto resample = itk::ResampleImageFilter<Image2D, Image2D>::New();
  resample->SetInput(images.moving);
  resample->SetTransform(known);
  resample->SetInterpolator(itk::BSplineInterpolateImageFunction<Image2D, double>::New());
  resample->SetOutputParametersFromImage(images.fixed);
  resample->Update();
  images.fixed = resample->GetOutput();
  auto metric = itk::CudaMeanSquaresImageToImageMetricv4<Image2D, Image2D>::New();
  metric->SetGPUEnabled(GetParam());
  metric->SetMovingInterpolator(itk::BSplineInterpolateImageFunction<Image2D, double>::New());
  auto transform = itk::Euler2DTransform<double>::New();
  Register(metric, images, transform, 300);
  EXPECT_NE(metric->GetLastBackend(), Backend::Superclass) << metric->GetFallbackReason();
  const auto & region = images.fixed->GetLargestPossibleRegion();
  for (int corner = 0; corner < 4; ++corner)
  {
    auto index = region.GetIndex();
    index[0] += (corner & 1) != 0 ? static_cast<itk::IndexValueType>(region.GetSize(0)) - 1 : 0;
    index[1] += (corner & 2) != 0 ? static_cast<itk::IndexValueType>(region.GetSize(1)) - 1 : 0;
    Image2D::PointType place;
    images.fixed->TransformIndexToPhysicalPoint(index, place);
    EXPECT_LE(transform->TransformPoint(place).EuclideanDistanceTo(known->TransformPoint(place)), 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MetricTrajectories, testing::Bool(), GpuOrHost);

} // namespace
