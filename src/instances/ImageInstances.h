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
#ifndef ImageInstances_h
#define ImageInstances_h

/** \file
 * \brief Classes of ITK that nearly every test and program of the module uses: instantiated once, in a separate
 * library.
 *
 * cudaspline_use_instances() includes this file first in its targets. The listed classes are then not instantiated in
 * their files, which halves the compile time. A class that many files use should be listed here; a class of few files
 * should not.
 */

#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkImage.h"
#include "itkImageMaskSpatialObject.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkVector.h"

/** Instances for a dimension. \p make is `extern` for users, and empty in the library. */
#define CUDASPLINE_SPACE_INSTANCES(make, dimension)                                                                    \
  make template class itk::ImageBase<dimension>;                                                                       \
  make template class itk::Image<itk::Vector<double, dimension>, dimension>;                                           \
  make template class itk::ImageSource<itk::Image<itk::Vector<double, dimension>, dimension>>;                         \
  make template class itk::Image<itk::CovariantVector<double, dimension>, dimension>;                                  \
  make template class itk::ImageSource<itk::Image<itk::CovariantVector<double, dimension>, dimension>>;                \
  make template class itk::Transform<double, dimension, dimension>;                                                    \
  make template class itk::MultiTransform<double, dimension, dimension>;                                               \
  make template class itk::CompositeTransform<double, dimension>;                                                      \
  make template class itk::IdentityTransform<double, dimension>;                                                       \
  make template class itk::MatrixOffsetTransformBase<double, dimension, dimension>;                                    \
  make template class itk::DisplacementFieldTransform<double, dimension>;                                              \
  make template class itk::BSplineBaseTransform<double, dimension, 3>;                                                 \
  make template class itk::BSplineTransform<double, dimension, 3>;                                                     \
  make template class itk::SpatialObject<dimension>;                                                                   \
  make template class itk::ImageMaskSpatialObject<dimension>;                                                          \
  make template class itk::CudaSplineDetail::TransformDescriber<dimension>

/** Instances for a pixel type and a dimension. */
#define CUDASPLINE_IMAGE_INSTANCES(make, pixel, dimension)                                                             \
  make template class itk::Image<pixel, dimension>;                                                                    \
  make template class itk::ImageSource<itk::Image<pixel, dimension>>;                                                  \
  make template class itk::ImageToImageFilter<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>;             \
  make template class itk::LinearInterpolateImageFunction<itk::Image<pixel, dimension>, double>;                       \
  make template class itk::BSplineDecompositionImageFilter<itk::Image<pixel, dimension>,                               \
                                                           itk::Image<double, dimension>>;                             \
  make template class itk::BSplineInterpolateImageFunction<itk::Image<pixel, dimension>, double, double>;              \
  make template class itk::ResampleImageFilter<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>;            \
  make template class itk::CudaResampleImageFilter<itk::Image<pixel, dimension>, itk::Image<pixel, dimension>>

CUDASPLINE_SPACE_INSTANCES(extern, 2);
CUDASPLINE_SPACE_INSTANCES(extern, 3);
CUDASPLINE_IMAGE_INSTANCES(extern, float, 2);
CUDASPLINE_IMAGE_INSTANCES(extern, float, 3);
CUDASPLINE_IMAGE_INSTANCES(extern, double, 2);
CUDASPLINE_IMAGE_INSTANCES(extern, double, 3);

#endif
