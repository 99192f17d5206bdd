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
#ifndef ReplaceClasses_h
#define ReplaceClasses_h

// Included before each of ITK's tests: the module's classes by the names of ITK's, or the object factories.

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaBSplineResampleImageFunction.h"
#include "itkCudaComposeDisplacementFieldsImageFilter.h"
#include "itkCudaCorrelationImageToImageMetricv4.h"
#include "itkCudaDemonsImageToImageMetricv4.h"
#include "itkCudaDemonsRegistrationFilter.h"
#include "itkCudaDiffeomorphicDemonsRegistrationFilter.h"
#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"
#include "itkCudaDisplacementFieldToBSplineImageFilter.h"
#include "itkCudaExponentialDisplacementFieldImageFilter.h"
#include "itkCudaFastSymmetricForcesDemonsRegistrationFilter.h"
#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaInterpolateImagePointsFilter.h"
#include "itkCudaInvertDisplacementFieldImageFilter.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaMeanSquaresImageToImageMetricv4.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaRecursiveGaussianImageFilter.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaSplineFactory.h"
#include "itkCudaSplineMetricFactory.h"
#include "itkCudaSymmetricForcesDemonsRegistrationFilter.h"
#include "itkCudaTransformToDisplacementFieldFilter.h"
#include "itkCudaWarpImageFilter.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "itkTestingMacros.h"

// The names of the classes differ, which ITK's macros would report.
#undef ITK_EXERCISE_BASIC_OBJECT_METHODS
#define ITK_EXERCISE_BASIC_OBJECT_METHODS(object, ClassName, SuperclassName) object->Print(std::cout)

#if defined(CUDASPLINE_SUITE_BY_Name)
#  define ANTSNeighborhoodCorrelationImageToImageMetricv4 CudaANTSNeighborhoodCorrelationImageToImageMetricv4
#  define BSplineDecompositionImageFilter CudaBSplineDecompositionImageFilter
#  define BSplineInterpolateImageFunction CudaBSplineInterpolateImageFunction
#  define BSplineResampleImageFunction CudaBSplineResampleImageFunction
#  define ComposeDisplacementFieldsImageFilter CudaComposeDisplacementFieldsImageFilter
#  define CorrelationImageToImageMetricv4 CudaCorrelationImageToImageMetricv4
#  define DemonsImageToImageMetricv4 CudaDemonsImageToImageMetricv4
#  define DemonsRegistrationFilter CudaDemonsRegistrationFilter
#  define DiffeomorphicDemonsRegistrationFilter CudaDiffeomorphicDemonsRegistrationFilter
#  define DisplacementFieldJacobianDeterminantFilter CudaDisplacementFieldJacobianDeterminantFilter
#  define DisplacementFieldToBSplineImageFilter CudaDisplacementFieldToBSplineImageFilter
#  define ExponentialDisplacementFieldImageFilter CudaExponentialDisplacementFieldImageFilter
#  define FastSymmetricForcesDemonsRegistrationFilter CudaFastSymmetricForcesDemonsRegistrationFilter
#  define GradientMagnitudeRecursiveGaussianImageFilter CudaGradientMagnitudeRecursiveGaussianImageFilter
#  define GradientRecursiveGaussianImageFilter CudaGradientRecursiveGaussianImageFilter
#  define InterpolateImagePointsFilter CudaInterpolateImagePointsFilter
#  define InvertDisplacementFieldImageFilter CudaInvertDisplacementFieldImageFilter
#  define LabelImageGaussianInterpolateImageFunction CudaLabelImageGaussianInterpolateImageFunction
#  define LinearInterpolateImageFunction CudaLinearInterpolateImageFunction
#  define MattesMutualInformationImageToImageMetricv4 CudaMattesMutualInformationImageToImageMetricv4
#  define MeanSquaresImageToImageMetricv4 CudaMeanSquaresImageToImageMetricv4
#  define NearestNeighborInterpolateImageFunction CudaNearestNeighborInterpolateImageFunction
#  define RecursiveGaussianImageFilter CudaRecursiveGaussianImageFilter
#  define ResampleImageFilter CudaResampleImageFilter
#  define SmoothingRecursiveGaussianImageFilter CudaSmoothingRecursiveGaussianImageFilter
#  define SymmetricForcesDemonsRegistrationFilter CudaSymmetricForcesDemonsRegistrationFilter
#  define TransformToDisplacementFieldFilter CudaTransformToDisplacementFieldFilter
#  define WarpImageFilter CudaWarpImageFilter
#  define WindowedSincInterpolateImageFunction CudaWindowedSincInterpolateImageFunction
#else
namespace
{
const bool factoriesAreRegistered = [] {
  itk::CudaSplineFactory::RegisterOneFactory();
  itk::CudaSplineMetricFactory::RegisterOneFactory();
  return true;
}();
} // namespace
#endif

#endif
