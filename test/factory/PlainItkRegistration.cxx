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
// A registration with ITK's classes that does not use the module: it includes no header of it and is not linked to it.
// The test of the object factory runs it with and without ITK_AUTOLOAD_PATH.
//
// usage: PlainItkRegistration
//
// The standard output has a line for each metric: name of the class that computed it, its value at the end, and the
// parameters that were found. Then one for each metric by a displacement field: name, value, the norm of the derivative
// and two of its numbers.

#include "itkANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCorrelationImageToImageMetricv4.h"
#include "itkDemonsImageToImageMetricv4.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler2DTransform.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkMeanSquaresImageToImageMetricv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace
{

using Image = itk::Image<float, 2>;
using Transform = itk::Euler2DTransform<double>;

/** Returns some blobs, rotated about the middle and shifted. */
Image::Pointer
Blobs(double angle, double shift)
{
  auto               image = Image::New();
  const itk::Size<2> size{ { 60, 54 } };
  image->SetRegions(Image::RegionType(size));
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const double x = static_cast<double>(it.GetIndex()[0]) - 29.5 - shift;
    const double y = static_cast<double>(it.GetIndex()[1]) - 26.5 + 0.5 * shift;
    const double u = std::cos(angle) * x + std::sin(angle) * y;
    const double v = std::cos(angle) * y - std::sin(angle) * x;
    it.Set(static_cast<float>(100.0 * std::exp(-(u * u / 150.0 + v * v / 60.0)) +
                              60.0 * std::exp(-((u - 9.0) * (u - 9.0) + (v + 8.0) * (v + 8.0)) / 30.0)));
  }
  return image;
}

template <typename TMetric>
void
Register(const Image * fixed, const Image * moving, double rate)
{
  using Method = itk::ImageRegistrationMethodv4<Image, Image, Transform>;
  const typename TMetric::Pointer metric = TMetric::New();
  auto                            optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
  optimizer->SetNumberOfIterations(30);
  optimizer->SetLearningRate(rate);
  optimizer->SetMinimumStepLength(1e-5);
  optimizer->SetReturnBestParametersAndValue(false);
  itk::OptimizerParameterScalesEstimatorTemplate<double>::ScalesType scales(3);
  scales.Fill(1.0);
  scales[0] = 400.0; // mm^2 for a rotation by 1
  optimizer->SetScales(scales);
  auto                      transform = Transform::New();
  Transform::InputPointType centre;
  centre[0] = 29.5;
  centre[1] = 26.5;
  transform->SetCenter(centre);
  auto method = Method::New();
  method->SetFixedImage(fixed);
  method->SetMovingImage(moving);
  method->SetMetric(metric);
  method->SetOptimizer(optimizer);
  method->SetInitialTransform(transform);
  method->InPlaceOn();
  method->SetNumberOfLevels(1);
  typename Method::ShrinkFactorsArrayType shrink(1);
  shrink.Fill(1);
  method->SetShrinkFactorsPerLevel(shrink);
  typename Method::SmoothingSigmasArrayType sigmas(1);
  sigmas.Fill(0.0);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->Update();
  std::cout << metric->GetNameOfClass() << ' ' << std::setprecision(12) << optimizer->GetValue();
  for (const double parameter : transform->GetParameters())
  {
    std::cout << ' ' << parameter;
  }
  std::cout << std::endl;
}

template <typename TMetric>
void
EvaluateByField(const Image * fixed, const Image * moving)
{
  using FieldTransform = itk::DisplacementFieldTransform<double, 2>;
  auto field = FieldTransform::DisplacementFieldType::New();
  field->CopyInformation(fixed);
  field->SetRegions(fixed->GetBufferedRegion());
  field->Allocate();
  using Iterator = itk::ImageRegionIteratorWithIndex<FieldTransform::DisplacementFieldType>;
  for (Iterator it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    FieldTransform::OutputVectorType move;
    move[0] = 0.8 * std::sin(0.2 * static_cast<double>(it.GetIndex()[1]));
    move[1] = 0.6 * std::cos(0.3 * static_cast<double>(it.GetIndex()[0]));
    it.Set(move);
  }
  auto transform = FieldTransform::New();
  transform->SetDisplacementField(field);
  const typename TMetric::Pointer metric = TMetric::New();
  metric->SetFixedImage(fixed);
  metric->SetMovingImage(moving);
  metric->SetMovingTransform(transform);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetUseMovingImageGradientFilter(false);
  metric->Initialize();
  typename TMetric::MeasureType    value;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  const unsigned int middle = derivative.Size() / 2;
  std::cout << metric->GetNameOfClass() << ' ' << std::setprecision(12) << value << ' ' << derivative.two_norm() << ' '
            << derivative[middle] << ' ' << derivative[middle + 61] << std::endl;
}

} // namespace

int
main()
{
  try
  {
    const auto fixed = Blobs(0.0, 0.0);
    const auto moving = Blobs(0.1, 1.5);
    Register<itk::MeanSquaresImageToImageMetricv4<Image, Image>>(fixed, moving, 0.5);
    Register<itk::CorrelationImageToImageMetricv4<Image, Image>>(fixed, moving, 0.5);
    Register<itk::MattesMutualInformationImageToImageMetricv4<Image, Image>>(fixed, moving, 0.5);
    EvaluateByField<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image>>(fixed, moving);
    EvaluateByField<itk::DemonsImageToImageMetricv4<Image, Image>>(fixed, moving);
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << std::endl;
    return EXIT_FAILURE;
  }
}
