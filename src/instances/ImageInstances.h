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
 * \brief Classes of ITK that nearly every test and program of the module uses: made once, in a library of their own.
 *
 * Included ahead of all else by targets that cudaspline_use_instances() names. What is listed is not made in their
 * files any more: with it they compile in half the time. A class that many files use belongs here; one of few does not.
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

/** By dimension. \p make is `extern` for those who use them, and nothing where they are made. */
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

/** By pixel and dimension. */
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
