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
/** \file
 * \brief Processes that do not choose a device. reproduction/whole-processes measures their wall time:
 *
 *   CudaSplineChoiceBenchmark loop 1000 64              resamples a cube of 64^3 floats 1000 times by a cubic
 *   CudaSplineChoiceBenchmark decomposition 256         makes the cubic's coefficients of a cube once
 *   CudaSplineChoiceBenchmark points 100000 10          asks an interpolator 100000 times for ten points
 *   CudaSplineChoiceBenchmark registration FIXED MOVING 0.25
 *                                                       rigid and affine by ITK's own classes, Mattes, a part of the
 *                                                       voxels (1: each), with the factories
 *
 * CUDASPLINE_DEVICE chooses for it, as for any program. Prints a number that depends on all results, and the backend
 * that computed them. */

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSplineFactory.h"
#include "itkCudaSplineMetricFactory.h"
#include "itkCudaSplineSystem.h"

#include "itkAffineTransform.h"
#include "itkCenteredTransformInitializer.h"
#include "itkEuler3DTransform.h"
#include "itkImageFileReader.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using ImageType = itk::Image<float, 3>;

ImageType::Pointer
MakeNoise(unsigned int size)
{
  const auto          image = ImageType::New();
  ImageType::SizeType sizes;
  sizes.Fill(size);
  image->SetRegions(sizes);
  image->Allocate();
  std::minstd_rand random(1);
  std::generate_n(image->GetBufferPointer(), image->GetPixelContainer()->Size(), [&] {
    return static_cast<float>(random() & 0xfff);
  });
  return image;
}

double
Loop(int count, unsigned int size)
{
  const auto image = MakeNoise(size);
  const auto transform = itk::Euler3DTransform<double>::New();
  double     sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    using FilterType = itk::CudaResampleImageFilter<ImageType, ImageType>;
    const auto filter = FilterType::New();
    transform->SetRotation(0.0005 * i, 0.1, 0.05);
    filter->SetInput(image);
    filter->SetTransform(transform);
    filter->SetOutputParametersFromImage(image);
    filter->SetInterpolator(itk::BSplineInterpolateImageFunction<ImageType, double, double>::New());
    filter->Update();
    sum += filter->GetOutput()->GetBufferPointer()[size * size + size + 1];
  }
  return sum;
}

double
Decompose(unsigned int size)
{
  const auto filter = itk::CudaBSplineDecompositionImageFilter<ImageType, ImageType>::New();
  filter->SetInput(MakeNoise(size));
  filter->Update();
  return filter->GetOutput()->GetBufferPointer()[size + 1];
}

double
AskForPoints(int count, std::size_t points)
{
  using InterpolatorType = itk::CudaBSplineInterpolateImageFunction<ImageType>;
  const auto interpolator = InterpolatorType::New();
  interpolator->SetInputImage(MakeNoise(64));
  std::vector<InterpolatorType::PointType> places(points);
  std::vector<double>                      values(points);
  itk::CudaSplineBatchResults<double>      results;
  results.values = values.data();
  std::minstd_rand random(1);
  double           sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    for (auto & place : places)
    {
      for (unsigned int d = 0; d < 3; ++d)
      {
        place[d] = static_cast<double>(random() % 62000) / 1000.0;
      }
    }
    interpolator->EvaluateAtPoints(places, results);
    sum += values.front();
  }
  return sum;
}

/** Runs a stage with ITK's own classes, as in a program that does not use the module. */
template <typename TTransform>
typename TTransform::Pointer
RunStage(const ImageType::Pointer &           fixed,
         const ImageType::Pointer &           moving,
         const itk::Transform<double, 3, 3> * before,
         const typename TTransform::Pointer & start,
         double                               part)
{
  using MethodType = itk::ImageRegistrationMethodv4<ImageType, ImageType, TTransform>;
  using MetricType = itk::MattesMutualInformationImageToImageMetricv4<ImageType, ImageType>;
  const auto metric = MetricType::New();
  metric->SetNumberOfHistogramBins(32);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  const auto scales = itk::RegistrationParameterScalesFromPhysicalShift<MetricType>::New();
  scales->SetMetric(metric);
  const auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
  optimizer->SetScalesEstimator(scales);
  optimizer->SetLearningRate(1.0);
  optimizer->SetNumberOfIterations(150);
  optimizer->SetMinimumStepLength(1e-4);

  const auto method = MethodType::New();
  method->SetFixedImage(fixed);
  method->SetMovingImage(moving);
  method->SetMetric(metric);
  method->SetOptimizer(optimizer);
  method->SetNumberOfLevels(3);
  typename MethodType::ShrinkFactorsArrayType   shrink(3);
  typename MethodType::SmoothingSigmasArrayType sigmas(3);
  for (unsigned int level = 0; level < 3; ++level)
  {
    shrink[level] = 4U >> level;
    sigmas[level] = level < 2 ? 2.0 - level : 0.0;
  }
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  if (part < 1.0)
  {
    method->SetMetricSamplingStrategy(itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy::REGULAR);
    method->SetMetricSamplingPercentage(part);
  }
  if (before != nullptr)
  {
    method->SetMovingInitialTransform(before);
  }
  method->SetInitialTransform(start);
  method->InPlaceOn();
  method->Update();
  return start;
}

double
RegisterImages(const std::string & fixedFile, const std::string & movingFile, double part)
{
  itk::CudaSplineFactory::RegisterOneFactory();
  itk::CudaSplineMetricFactory::RegisterOneFactory();
  const auto read = [](const std::string & file) {
    const auto reader = itk::ImageFileReader<ImageType>::New();
    reader->SetFileName(file);
    reader->Update();
    return ImageType::Pointer(reader->GetOutput());
  };
  const auto fixed = read(fixedFile);
  const auto moving = read(movingFile);

  using RigidType = itk::Euler3DTransform<double>;
  using AffineType = itk::AffineTransform<double, 3>;
  const auto rigid = RigidType::New();
  const auto initializer = itk::CenteredTransformInitializer<RigidType, ImageType, ImageType>::New();
  initializer->SetTransform(rigid);
  initializer->SetFixedImage(fixed);
  initializer->SetMovingImage(moving);
  initializer->MomentsOn();
  initializer->InitializeTransform();
  RunStage<RigidType>(fixed, moving, nullptr, rigid, part);
  const auto affine = AffineType::New();
  affine->SetCenter(rigid->GetCenter());
  RunStage<AffineType>(fixed, moving, rigid, affine, part);
  double sum = 0.0;
  for (unsigned int i = 0; i < affine->GetNumberOfParameters(); ++i)
  {
    sum += affine->GetParameters()[i];
  }
  return sum;
}

double
Run(const std::vector<std::string> & words)
{
  const auto number = [&words](std::size_t i) { return std::atoi(words.at(i).c_str()); };
  const auto size = [&number](std::size_t i) { return static_cast<unsigned int>(number(i)); };
  if (words.at(0) == "loop")
  {
    return Loop(number(1), size(2));
  }
  if (words[0] == "decomposition")
  {
    return Decompose(size(1));
  }
  if (words[0] == "points")
  {
    return AskForPoints(number(1), size(2));
  }
  if (words[0] == "registration")
  {
    return RegisterImages(words.at(1), words.at(2), std::atof(words.at(3).c_str()));
  }
  throw std::invalid_argument("loop, decomposition, points and registration are known, not " + words[0]);
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    const double result = Run({ argv + 1, argv + argc });
    std::cout << "result " << result << "; " << DescribeUse(itk::CudaSpline::GetBackendUse()) << std::endl;
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::cerr << "CudaSplineChoiceBenchmark: " << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
