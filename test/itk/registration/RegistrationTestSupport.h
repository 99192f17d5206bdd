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
#ifndef CudaSplineTest_RegistrationTestSupport_h
#define CudaSplineTest_RegistrationTestSupport_h

#include "MetricTestSupport.h"

#include "itkImageRegistrationMethodv4.h"
#include "itkLBFGSOptimizerv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief Registrations by itk::ImageRegistrationMethodv4, as tests configure them. */

namespace CudaSplineTest
{

/** Types of a registration of float images. */
template <unsigned int VDimension>
struct RegistrationOf
{
  using Image = itk::Image<float, VDimension>;
  using Transform = itk::Transform<double, VDimension, VDimension>;
  using Metric = itk::ImageToImageMetricv4<Image, Image>;
  using Method = itk::ImageRegistrationMethodv4<Image, Image, Transform>;
  using Optimizer = typename Method::OptimizerType;
};

/** Levels and samples. */
struct RegistrationPlan
{
  std::vector<unsigned int> shrink{ 2, 1 };
  std::vector<double>       sigmas{ 1.0, 0.0 };   ///< mm
  std::vector<unsigned int> iterations{ 50, 50 }; ///< maximum numbers
  std::vector<double>       fractions;            ///< fraction of the voxels by level, chosen at random; none: all
};

/** Returns a registration that is ready for Update(); the transform is optimized in place. */
template <unsigned int VDimension>
typename RegistrationOf<VDimension>::Method::Pointer
MakeRegistration(typename RegistrationOf<VDimension>::Metric *      metric,
                 const typename RegistrationOf<VDimension>::Image * fixed,
                 const typename RegistrationOf<VDimension>::Image * moving,
                 typename RegistrationOf<VDimension>::Optimizer *   optimizer,
                 typename RegistrationOf<VDimension>::Transform *   transform,
                 const RegistrationPlan &                           plan)
{
  using Method = typename RegistrationOf<VDimension>::Method;
  auto registration = Method::New();
  registration->SetFixedImage(fixed);
  registration->SetMovingImage(moving);
  registration->SetMetric(metric);
  registration->SetOptimizer(optimizer);
  registration->SetInitialTransform(transform);
  registration->InPlaceOn();
  registration->InitializeCenterOfLinearOutputTransformOff();
  const auto levels = plan.shrink.size();
  registration->SetNumberOfLevels(levels);
  typename Method::ShrinkFactorsArrayType   shrink(levels);
  typename Method::SmoothingSigmasArrayType sigmas(levels);
  std::copy(plan.shrink.begin(), plan.shrink.end(), shrink.begin());
  std::copy(plan.sigmas.begin(), plan.sigmas.end(), sigmas.begin());
  registration->SetShrinkFactorsPerLevel(shrink);
  registration->SetSmoothingSigmasPerLevel(sigmas);
  if (!plan.fractions.empty())
  {
    typename Method::MetricSamplingPercentageArrayType fractions(levels);
    std::copy(plan.fractions.begin(), plan.fractions.end(), fractions.begin());
    registration->SetMetricSamplingStrategy(itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy::RANDOM);
    registration->SetMetricSamplingPercentagePerLevel(fractions);
    registration->MetricSamplingReinitializeSeed(121212);
  }
  registration->AddObserver(itk::MultiResolutionIterationEvent(),
                            [method = registration.GetPointer(), optimizer, plan](const itk::EventObject &) {
                              optimizer->SetNumberOfIterations(plan.iterations[method->GetCurrentLevel()]);
                            });
  return registration;
}

/** Returns the corners of an image's outermost voxels. */
template <typename TImage>
std::vector<typename TImage::PointType>
CornersOf(const TImage * image)
{
  std::vector<typename TImage::PointType> corners(1U << TImage::ImageDimension);
  for (unsigned int corner = 0; corner < corners.size(); ++corner)
  {
    auto index = image->GetLargestPossibleRegion().GetIndex();
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      const auto size = static_cast<itk::IndexValueType>(image->GetLargestPossibleRegion().GetSize(d));
      index[d] += ((corner >> d) & 1U) != 0 ? size - 1 : 0;
    }
    image->TransformIndexToPhysicalPoint(index, corners[corner]);
  }
  return corners;
}

/** Returns the largest distance, in mm, of two transforms at the corners of an image. */
template <typename TImage, typename TTransform>
double
CornerDistance(const TImage * image, const TTransform * found, const TTransform * known)
{
  double largest = 0.0;
  for (const auto & corner : CornersOf(image))
  {
    largest = std::max(largest, found->TransformPoint(corner).EuclideanDistanceTo(known->TransformPoint(corner)));
  }
  return largest;
}

/** Returns how far a unit of each parameter moves the corners of an image, root mean square: scales with which
 * parameters of different kinds are similar for a quasi-Newton optimizer. */
template <typename TImage, typename TTransform>
itk::Array<double>
MovementScales(const TImage * image, const TTransform * transform)
{
  const auto         corners = CornersOf(image);
  itk::Array<double> scales(transform->GetNumberOfParameters());
  scales.Fill(0.0);
  for (const auto & corner : corners)
  {
    typename TTransform::JacobianType jacobian;
    transform->ComputeJacobianWithRespectToParameters(corner, jacobian);
    for (unsigned int p = 0; p < scales.Size(); ++p)
    {
      scales[p] += jacobian.get_column(p).squared_magnitude() / static_cast<double>(corners.size());
    }
  }
  for (double & scale : scales)
  {
    scale = std::sqrt(scale);
  }
  return scales;
}

} // namespace CudaSplineTest

#endif
