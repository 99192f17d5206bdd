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
#ifndef CudaSplineTest_LinearTestSupport_h
#define CudaSplineTest_LinearTestSupport_h

#include "MetricTestImages.h"

#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaSpline/itk/Fields.h"
#include "LinearRegistrationOfImages.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/registration/LinearOptimizer.h"

#include "itkConjugateGradientLineSearchOptimizerv4.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"
#include "itkShrinkImageFilter.h"
#include "itkSmoothingRecursiveGaussianImageFilter.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Registrations with linear transforms: by itk::ImageRegistrationMethodv4, and by the kernels on images and
 * grids that ITK's filters have made. */

namespace CudaSplineTest
{

using itk::CudaSpline::LinearDescent;
using itk::CudaSpline::LinearKind;
using itk::CudaSpline::MetricKind;
using itk::CudaSpline::MetricGradient;

/** Parameters that differ between cases. */
struct LinearCase
{
  LinearKind                kind{ LinearKind::Affine };
  MetricKind                metric{ MetricKind::MeanSquares };
  LinearDescent             descent{ LinearDescent::RegularStep };
  MetricGradient            gradient{ MetricGradient::CentralDifferences };
  bool                      hasMasks{ false };
  bool                      hasInitial{ false }; ///< whether an affine transform and a rigid one follow
  std::vector<unsigned int> shrink{ 2, 1 };
  std::vector<double>       sigmas{ 2.0, 0.0 }; ///< mm
  std::vector<unsigned int> iterations{ 12, 8 };
  double                    step{ 0.0 }; ///< longest first step (mm); 0: 1.5 times the factor of the level

  double
  StepOf(std::size_t level) const
  {
    return step > 0.0 ? step : 1.5 * shrink[level];
  }

  std::string
  Text() const
  {
    return std::string(NameOf(kind)) + ", metric " + std::to_string(static_cast<int>(metric)) + ", descent " +
           std::to_string(static_cast<int>(descent)) + ", gradient " + std::to_string(static_cast<int>(gradient)) +
           (hasMasks ? ", masks" : "") + (hasInitial ? ", initial" : "");
  }
};

/** An iteration of either implementation. */
struct LinearStep
{
  double              value;
  std::vector<double> parameters; ///< after the step
};

/** A registration: consecutive levels. */
struct LinearCourse
{
  std::vector<LinearStep> steps;
  std::vector<double>     parameters; ///< at the end
};

template <unsigned int VDimension>
struct LinearTypes
{
  using Image = itk::Image<double, VDimension>;
  using Base = itk::Transform<double, VDimension, VDimension>;
  using Metric = itk::ImageToImageMetricv4<Image, Image>;
  using Method = itk::ImageRegistrationMethodv4<Image, Image, Base>;
  using Mask = itk::ImageMaskSpatialObject<VDimension>;
};

/** Returns ITK's transform of a kind: the identity about a centre. */
template <unsigned int VDimension>
typename LinearTypes<VDimension>::Base::Pointer
MakeItkLinear(LinearKind kind, const itk::Point<double, VDimension> & centre)
{
  const auto about = [&centre](auto transform) -> typename LinearTypes<VDimension>::Base::Pointer {
    transform->SetCenter(centre);
    return transform.GetPointer();
  };
  switch (kind)
  {
    case LinearKind::Translation:
      return itk::TranslationTransform<double, VDimension>::New().GetPointer();
    case LinearKind::Rigid:
      if constexpr (VDimension == 2)
      {
        return about(itk::Euler2DTransform<double>::New());
      }
      else
      {
        return about(itk::Euler3DTransform<double>::New());
      }
    case LinearKind::Similarity:
      if constexpr (VDimension == 2)
      {
        return about(itk::Similarity2DTransform<double>::New());
      }
      else
      {
        return about(itk::Similarity3DTransform<double>::New());
      }
    default:
      return about(itk::AffineTransform<double, VDimension>::New());
  }
}

template <unsigned int VDimension>
itk::CudaSpline::LinearTransform
MakeLinear(LinearKind kind, const itk::Point<double, VDimension> & centre)
{
  itk::CudaSpline::LinearTransform::Vector place{};
  std::copy(centre.Begin(), centre.End(), place.begin());
  return itk::CudaSpline::LinearTransform(kind, VDimension, place);
}

/** Returns the transforms after the one that is optimized. */
template <unsigned int VDimension>
typename itk::CompositeTransform<double, VDimension>::Pointer
MakeInitial()
{
  const auto initial = itk::CompositeTransform<double, VDimension>::New();
  initial->AddTransform(MetricTransform<VDimension>("affine"));
  initial->AddTransform(MetricTransform<VDimension>("rigid"));
  return initial;
}

/** The images of a registration, with masks if the case has them. */
template <unsigned int VDimension>
struct LinearImages
{
  using Image = typename LinearTypes<VDimension>::Image;
  using Mask = typename LinearTypes<VDimension>::Mask;

  MetricImages<Image>            images;
  typename Mask::Pointer         fixedMask;
  typename Mask::Pointer         movingMask;
  itk::Point<double, VDimension> centre;

  explicit LinearImages(const LinearCase & what)
  {
    centre.Fill(1.25);
    if (what.hasMasks)
    {
      fixedMask = HalfMask(images.fixed.GetPointer(), false);
      movingMask = HalfMask(images.moving.GetPointer(), false);
    }
  }
};

/** Returns a metric of ITK or of the module. */
template <unsigned int VDimension>
typename LinearTypes<VDimension>::Metric::Pointer
MakeItkMetric(const LinearCase & what, const LinearImages<VDimension> & images, bool isModules)
{
  using Image = typename LinearTypes<VDimension>::Image;
  const auto setUp = [&](auto metric) -> typename LinearTypes<VDimension>::Metric::Pointer {
    metric->SetFixedImageMask(images.fixedMask);
    metric->SetMovingImageMask(images.movingMask);
    metric->SetUseMovingImageGradientFilter(what.gradient == MetricGradient::Image);
    metric->SetUseFixedImageGradientFilter(false);
    metric->SetMaximumNumberOfWorkUnits(1);
    return metric.GetPointer();
  };
  const auto ofModule = [&](auto metric) {
    metric->SetGPUEnabled(false);
    return setUp(metric);
  };
  switch (what.metric)
  {
    case MetricKind::MeanSquares:
      return isModules ? ofModule(itk::CudaMeanSquaresImageToImageMetricv4<Image, Image>::New())
                       : setUp(itk::MeanSquaresImageToImageMetricv4<Image, Image>::New());
    case MetricKind::Correlation:
      return isModules ? ofModule(itk::CudaCorrelationImageToImageMetricv4<Image, Image>::New())
                       : setUp(itk::CorrelationImageToImageMetricv4<Image, Image>::New());
    case MetricKind::Mattes: {
      const auto binned = [](auto metric) {
        metric->SetNumberOfHistogramBins(24);
        return metric;
      };
      return isModules ? ofModule(binned(itk::CudaMattesMutualInformationImageToImageMetricv4<Image, Image>::New()))
                       : setUp(binned(itk::MattesMutualInformationImageToImageMetricv4<Image, Image>::New()));
    }
    default: {
      const auto withRadius = [](auto metric) {
        typename std::decay_t<decltype(*metric)>::RadiusType radius;
        radius.Fill(2);
        metric->SetRadius(radius);
        return metric;
      };
      return isModules
               ? ofModule(withRadius(itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image>::New()))
               : setUp(withRadius(itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image>::New()));
    }
  }
}

/** Returns the same metric for the kernels. */
inline itk::CudaSpline::LinearMetric
MakeLinearMetric(const LinearCase & what)
{
  itk::CudaSpline::LinearMetric metric;
  metric.kind = what.metric;
  metric.bins = 24;
  metric.radius = { { 2, 2, 2 } };
  metric.gradient = what.gradient;
  metric.arithmetic = itk::CudaSpline::ScalarType::Float64;
  return metric;
}

/** Returns the optimizer, configured as in CudaSplineRegister. */
inline itk::GradientDescentOptimizerv4Template<double>::Pointer
MakeItkDescent(LinearDescent descent)
{
  itk::GradientDescentOptimizerv4Template<double>::Pointer optimizer;
  if (descent == LinearDescent::RegularStep)
  {
    const auto regular = itk::RegularStepGradientDescentOptimizerv4<double>::New();
    regular->SetMinimumStepLength(0.0);
    regular->SetGradientMagnitudeTolerance(std::numeric_limits<double>::min());
    optimizer = regular.GetPointer();
  }
  else if (descent == LinearDescent::GradientDescent)
  {
    optimizer = itk::GradientDescentOptimizerv4Template<double>::New();
    optimizer->SetReturnBestParametersAndValue(true);
  }
  else
  {
    optimizer = itk::ConjugateGradientLineSearchOptimizerv4Template<double>::New().GetPointer();
  }
  const bool isEach = descent == LinearDescent::GradientDescent;
  optimizer->SetDoEstimateLearningRateOnce(!isEach);
  optimizer->SetDoEstimateLearningRateAtEachIteration(isEach);
  optimizer->SetMinimumConvergenceValue(1e-7);
  optimizer->SetConvergenceWindowSize(10);
  return optimizer;
}

template <typename TTransform>
std::vector<double>
ParametersOf(const TTransform * transform)
{
  const auto & parameters = transform->GetParameters();
  return { parameters.begin(), parameters.end() };
}

/** Runs levels of a registration by ITK's method, which continue from a transform. */
template <unsigned int VDimension>
void
RunLevelsOfItk(const LinearCase &                       what,
               const LinearImages<VDimension> &         images,
               bool                                     hasModulesMetric,
               typename LinearTypes<VDimension>::Base * transform,
               LinearCourse &                           course)
{
  using Types = LinearTypes<VDimension>;
  const auto metric = MakeItkMetric<VDimension>(what, images, hasModulesMetric);
  const auto optimizer = MakeItkDescent(what.descent);
  const auto estimator = itk::RegistrationParameterScalesFromPhysicalShift<typename Types::Metric>::New();
  estimator->SetMetric(metric);
  optimizer->SetScalesEstimator(estimator);
  const auto method = Types::Method::New();
  method->SetFixedImage(images.images.fixed);
  method->SetMovingImage(images.images.moving);
  method->SetMetric(metric);
  method->SetOptimizer(optimizer);
  method->SetInitialTransform(transform);
  method->InPlaceOn();
  method->InitializeCenterOfLinearOutputTransformOff();
  if (what.hasInitial)
  {
    method->SetMovingInitialTransform(MakeInitial<VDimension>());
  }
  const auto levels = what.shrink.size();
  method->SetNumberOfLevels(levels);
  typename Types::Method::ShrinkFactorsArrayType   shrink(levels);
  typename Types::Method::SmoothingSigmasArrayType sigmas(levels);
  std::copy(what.shrink.begin(), what.shrink.end(), shrink.begin());
  std::copy(what.sigmas.begin(), what.sigmas.end(), sigmas.begin());
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->AddObserver(itk::MultiResolutionIterationEvent(), [&](const itk::EventObject &) {
    optimizer->SetNumberOfIterations(what.iterations[method->GetCurrentLevel()]);
    optimizer->SetMaximumStepSizeInPhysicalUnits(what.StepOf(method->GetCurrentLevel()));
  });
  optimizer->AddObserver(itk::IterationEvent(), [&](const itk::EventObject &) {
    course.steps.push_back({ optimizer->GetCurrentMetricValue(), ParametersOf(transform) });
  });
  method->Update();
}

/** Runs a registration by ITK's method. With ITK's Mattes metric, each level needs a new metric: after another
 * Initialize(), its first value would include the histogram of fixed values of the previous level. */
template <unsigned int VDimension>
LinearCourse
RegisterByItk(const LinearCase & what, const LinearImages<VDimension> & images, bool hasModulesMetric)
{
  const auto   transform = MakeItkLinear<VDimension>(what.kind, images.centre);
  LinearCourse course;
  if (hasModulesMetric || what.metric != MetricKind::Mattes)
  {
    RunLevelsOfItk<VDimension>(what, images, hasModulesMetric, transform, course);
  }
  else
  {
    for (std::size_t level = 0; level < what.shrink.size(); ++level)
    {
      LinearCase one = what;
      one.shrink = { what.shrink[level] };
      one.sigmas = { what.sigmas[level] };
      one.iterations = { what.iterations[level] };
      RunLevelsOfItk<VDimension>(one, images, hasModulesMetric, transform, course);
    }
  }
  course.parameters = ParametersOf(transform.GetPointer());
  return course;
}

/** Returns an image of a level. */
template <typename TImage>
itk::CudaSpline::SynSide
MakeSide(const TImage *                                              image,
         const itk::ImageMaskSpatialObject<TImage::ImageDimension> * mask,
         const itk::CudaSpline::Residence &                          residence)
{
  const auto move = [&residence](const auto * from) {
    using Pixel = typename std::decay_t<decltype(*from)>::PixelType;
    itk::CudaSpline::ResidentImage to;
    to.grid = itk::CudaSplineDetail::DescribeFieldGrid<TImage::ImageDimension>(from, from->GetBufferedRegion());
    to.pixel = itk::CudaSpline::ScalarTypeOf<Pixel>();
    const auto array = std::make_shared<itk::CudaSpline::ResidentArray>(
      static_cast<std::size_t>(to.grid.Count()) * sizeof(Pixel), residence);
    itk::CudaSpline::Upload(array->Data(), from->GetBufferPointer(), array->Bytes(), residence);
    to.data = std::shared_ptr<const void>(array, array->Data());
    return to;
  };
  itk::CudaSpline::SynSide side;
  side.image = move(image);
  if (mask != nullptr)
  {
    side.mask = move(mask->GetImage());
  }
  return side;
}

/** Makes levels of a registration by the kernels. Grids and smooth images are ITK's. */
template <unsigned int VDimension>
std::unique_ptr<itk::CudaSpline::LinearLevel>
MakeLevel(const LinearCase &                             what,
          std::size_t                                    level,
          const LinearImages<VDimension> &               images,
          const itk::CudaSpline::LinearMetric &          metric,
          const itk::CudaSpline::Residence &             residence,
          const typename LinearTypes<VDimension>::Base * initial)
{
  using Image = typename LinearTypes<VDimension>::Image;
  const auto smooth = [&](Image * image) -> typename Image::Pointer {
    if (!(what.sigmas[level] > 0.0))
    {
      return image;
    }
    const auto filter = itk::SmoothingRecursiveGaussianImageFilter<Image, Image>::New();
    filter->SetSigma(what.sigmas[level]);
    filter->SetInput(image);
    filter->Update();
    return filter->GetOutput();
  };
  const auto shrinker = itk::ShrinkImageFilter<Image, Image>::New();
  shrinker->SetShrinkFactors(what.shrink[level]);
  shrinker->SetInput(images.images.fixed);
  shrinker->Update();
  const auto grid = itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(shrinker->GetOutput(),
                                                                         shrinker->GetOutput()->GetBufferedRegion());
  auto       fixed = MakeSide(smooth(images.images.fixed).GetPointer(), images.fixedMask.GetPointer(), residence);
  auto       moving = MakeSide(smooth(images.images.moving).GetPointer(), images.movingMask.GetPointer(), residence);
  if (initial != nullptr)
  {
    itk::CudaSpline::TransformChain chain;
    if (!itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(initial, chain))
    {
      throw std::invalid_argument("The initial transform has no description.");
    }
    moving.stages = itk::CudaSpline::MakeResidentStages(chain.stages, VDimension, residence);
  }
  return std::make_unique<itk::CudaSpline::LinearLevel>(grid, std::move(fixed), std::move(moving), metric, residence);
}

/** Runs a registration by the kernels. */
template <unsigned int VDimension>
LinearCourse
RegisterByKernels(const LinearCase &                 what,
                  const LinearImages<VDimension> &   images,
                  const itk::CudaSpline::Residence & residence)
{
  using itk::CudaSpline::LinearTransform;
  LinearTransform transform = MakeLinear<VDimension>(what.kind, images.centre);
  const auto      initial = MakeInitial<VDimension>();
  LinearCourse    course;
  const auto      parametersOf = [](const LinearTransform & of) {
    const auto & parameters = of.GetParameters();
    return std::vector<double>(parameters.begin(),
                               parameters.begin() + static_cast<std::ptrdiff_t>(of.CountParameters()));
  };
  for (std::size_t number = 0; number < what.shrink.size(); ++number)
  {
    const auto level = MakeLevel<VDimension>(
      what, number, images, MakeLinearMetric(what), residence, what.hasInitial ? initial.GetPointer() : nullptr);
    itk::CudaSpline::LinearRules rules;
    rules.descent = what.descent;
    rules.iterations = what.iterations[number];
    rules.maximumStep = what.StepOf(number);
    itk::CudaSpline::LinearOptimizer descent(*level, transform, rules);
    while (const auto iteration = descent.Iterate())
    {
      course.steps.push_back({ iteration->value, parametersOf(descent.GetTransform()) });
    }
    transform = descent.GetTransform();
  }
  course.parameters = parametersOf(transform);
  return course;
}

/** Runs the same from ITK's images, with grids and smooth images of the kernels. */
template <unsigned int VDimension>
LinearCourse
RegisterImages(const LinearCase & what, const LinearImages<VDimension> & images, const std::string & device)
{
  using Registration = itk::CudaSplineDetail::LinearRegistrationOfImages<double, VDimension>;
  const auto transform = MakeItkLinear<VDimension>(what.kind, images.centre);
  const auto initial = MakeInitial<VDimension>();

  itk::CudaSpline::LinearOptions options;
  for (std::size_t level = 0; level < what.shrink.size(); ++level)
  {
    options.levels.push_back({ what.shrink[level], what.sigmas[level], what.iterations[level] });
  }
  options.sigmasInMm = true;
  options.metric = MakeLinearMetric(what);
  options.rules.descent = what.descent;
  options.rules.maximumStep = what.step;
  Registration registration({ images.images.fixed.GetPointer(),
                              images.images.moving.GetPointer(),
                              images.fixedMask.GetPointer(),
                              images.movingMask.GetPointer(),
                              what.hasInitial ? initial.GetPointer() : nullptr },
                            what.kind,
                            transform,
                            options,
                            device);
  LinearCourse course;
  for (std::size_t level = 0; level < what.shrink.size(); ++level)
  {
    registration.RunLevel(level, [&](std::size_t, const itk::CudaSpline::LinearIteration & iteration) {
      registration.CopyTo(transform);
      course.steps.push_back({ iteration.value, ParametersOf(transform.GetPointer()) });
      return true;
    });
  }
  registration.CopyTo(transform);
  course.parameters = ParametersOf(transform.GetPointer());
  return course;
}

} // namespace CudaSplineTest

#endif
