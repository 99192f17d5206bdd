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

#include "itkRegistrationParameterScalesFromPhysicalShift.h"

/** \file
 * \brief In 3D, too, the module's metrics take the same steps as ITK's: 50 iterations at two levels, with scales and
 * steps from ITK's estimator, in double precision and with gradients by central differences. The stop condition is the
 * same, and parameters agree within 1e-8, and within 1e-6 for mutual information: steps of a given length across an
 * optimum amplify roundings (doc/Accuracy.md). */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

using SpaceTypes = RegistrationOf<3>;
using SpaceImage = SpaceTypes::Image;
using SpaceTransform = SpaceTypes::Transform;
using SpaceDescent = itk::RegularStepGradientDescentOptimizerv4<double>;

/** How a registration ended. */
struct Ending
{
  SpaceTransform::ParametersType parameters;
  double                         value;
  itk::SizeValueType             iterations;
  std::string                    stop;
};

template <typename TMetric>
Ending
Descend(const typename TMetric::Pointer & metric, const MetricImages<SpaceImage> & images, SpaceTransform * transform)
{
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetMaximumNumberOfWorkUnits(1);
  auto optimizer = SpaceDescent::New();
  optimizer->SetMinimumStepLength(1e-9);
  optimizer->SetRelaxationFactor(0.6);
  auto estimator = itk::RegistrationParameterScalesFromPhysicalShift<TMetric>::New();
  estimator->SetMetric(metric);
  if (transform->IsLinear())
  {
    optimizer->SetScalesEstimator(estimator);
  }
  else
  {
    SpaceDescent::ScalesType scales(transform->GetNumberOfParameters());
    scales.Fill(1.0);
    optimizer->SetScales(scales);
    optimizer->SetLearningRate(4.0); // mm, for all coefficients together
  }
  RegistrationPlan plan;
  plan.iterations = { 25, 25 };
  MakeRegistration<3>(metric, images.fixed, images.moving, optimizer, transform, plan)->Update();
  return { transform->GetParameters(),
           optimizer->GetValue(),
           optimizer->GetCurrentIteration(),
           optimizer->GetStopConditionDescription() };
}

class SpaceTrajectories : public GpuOnAndOff
{
protected:
  template <typename TReference, typename TMetric>
  void
  Compare(const std::string & kind, double sameParameters)
  {
    const auto make = [&kind]() -> SpaceTransform::Pointer {
      if (kind == "B-spline")
      {
        const auto spline = WavySpline<3, 3>();
        auto       parameters = spline->GetParameters();
        parameters.Fill(0.0);
        spline->SetParametersByValue(parameters);
        return spline.GetPointer();
      }
      if (kind == "affine")
      {
        return itk::AffineTransform<double, 3>::New().GetPointer();
      }
      return itk::Euler3DTransform<double>::New().GetPointer();
    };
    const MetricImages<SpaceImage> images;
    const auto                     metric = TMetric::New();
    SCOPED_TRACE(kind + ", " + metric->GetNameOfClass());
    metric->SetGPUEnabled(GetParam());
    metric->SetPrecision(itk::CudaSplinePrecision::Double);
    const auto   referenceTransform = make();
    const auto   transform = make();
    const Ending expected = Descend<TReference>(TReference::New(), images, referenceTransform);
    const Ending found = Descend<TMetric>(metric, images, transform);
    MetricCase   what;
    what.transform = kind;
    EXPECT_EQ(metric->GetLastBackend(), PromisedToMetric(metric->GetNameOfClass(), what, 3, GetParam()))
      << metric->GetFallbackReason();
    EXPECT_EQ(found.stop.substr(0, found.stop.find(" (")), expected.stop.substr(0, expected.stop.find(" (")));
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_NEAR(found.value, expected.value, sameParameters * std::abs(expected.value));
    EXPECT_LE((found.parameters - expected.parameters).inf_norm(), sameParameters);
    EXPECT_GT((expected.parameters - make()->GetParameters()).inf_norm(), 0.01); // it has moved
  }

  /** One metric with all kinds of transforms. */
  template <typename TReference, typename TMetric>
  void
  CompareAll(double sameParameters = 1e-8)
  {
    for (const char * const kind : { "rigid", "affine", "B-spline" })
    {
      this->Compare<TReference, TMetric>(kind, sameParameters);
    }
  }
};

TEST_P(SpaceTrajectories, OfMeanSquares)
{
  this->CompareAll<itk::MeanSquaresImageToImageMetricv4<SpaceImage, SpaceImage>,
                   itk::CudaMeanSquaresImageToImageMetricv4<SpaceImage, SpaceImage>>();
}

TEST_P(SpaceTrajectories, OfCorrelation)
{
  this->CompareAll<itk::CorrelationImageToImageMetricv4<SpaceImage, SpaceImage>,
                   itk::CudaCorrelationImageToImageMetricv4<SpaceImage, SpaceImage>>();
}

TEST_P(SpaceTrajectories, OfMattes)
{
  this->CompareAll<itk::MattesMutualInformationImageToImageMetricv4<SpaceImage, SpaceImage>,
                   itk::CudaMattesMutualInformationImageToImageMetricv4<SpaceImage, SpaceImage>>(1e-6);
}

CUDASPLINE_GPU_ON_AND_OFF(SpaceTrajectories);

} // namespace
