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
#ifndef RegistrationInstances_h
#define RegistrationInstances_h

/** \file
 * \brief The counterpart of ImageInstances.h for registrations: metrics of ITK and the module, and their optimizers.
 */

#include "ImageInstances.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"

#include "itkGradientDescentOptimizerv4.h"
#include "itkGradientRecursiveGaussianImageFilter.h"
#include "itkWindowConvergenceMonitoringFunction.h"

/** A metric of ITK, and the module's metric. */
#define CUDASPLINE_METRIC_INSTANCES(make, name, pixel, dimension)                                                      \
  make template class itk::name<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>;                           \
  make template class itk::CudaSplineImageMetric<                                                                      \
    itk::name<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>>;                                            \
  make template class itk::Cuda##name<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>

/** Instances for a pixel type and a dimension. */
#define CUDASPLINE_REGISTRATION_INSTANCES(make, pixel, dimension)                                                      \
  make template class itk::ObjectToObjectMetric<dimension, dimension, itk::Image<pixel, dimension>, double>;           \
  make template class itk::ImageToImageMetricv4<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>;           \
  CUDASPLINE_METRIC_INSTANCES(make, MattesMutualInformationImageToImageMetricv4, pixel, dimension);                    \
  CUDASPLINE_METRIC_INSTANCES(make, CorrelationImageToImageMetricv4, pixel, dimension);                                \
  CUDASPLINE_METRIC_INSTANCES(make, MeanSquaresImageToImageMetricv4, pixel, dimension);                                \
  make template class itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<itk::Image<pixel, dimension>,               \
                                                                           itk::Image<pixel, dimension>>;              \
  make template class itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<itk::Image<pixel, dimension>,           \
                                                                               itk::Image<pixel, dimension>>;          \
  make template class itk::GradientRecursiveGaussianImageFilter<                                                       \
    itk::Image<pixel, dimension>,                                                                                      \
    itk::Image<itk::CovariantVector<double, dimension>, dimension>>;                                                   \
  make template class itk::CudaRegistrationParameterScalesFromPhysicalShift<                                           \
    itk::ImageToImageMetricv4<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>>

/** Optimizers, in double precision. */
#define CUDASPLINE_OPTIMIZER_INSTANCES(make)                                                                           \
  make template class itk::Function::WindowConvergenceMonitoringFunction<double>;                                      \
  make template class itk::GradientDescentOptimizerBasev4Template<double>;                                             \
  make template class itk::GradientDescentOptimizerv4Template<double>

CUDASPLINE_OPTIMIZER_INSTANCES(extern);
CUDASPLINE_REGISTRATION_INSTANCES(extern, float, 2);
CUDASPLINE_REGISTRATION_INSTANCES(extern, float, 3);
CUDASPLINE_REGISTRATION_INSTANCES(extern, double, 2);
CUDASPLINE_REGISTRATION_INSTANCES(extern, double, 3);

#endif
