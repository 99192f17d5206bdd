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
#ifndef GridSources_h
#define GridSources_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>

/** \file
 * \brief Images of a registration as the sources of a metric. */

namespace itk::CudaSpline
{

/** \brief Describes the pixels of a grid as a source; the elements are the pixels. */
inline SourceDescriptor
DescribeGrid(const FieldGrid & grid, ScalarType pixel)
{
  SourceDescriptor source;
  source.dimension = grid.dimension;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    source.start[d] = grid.start[d];
    source.size[d] = grid.size[d];
  }
  source.pixel = pixel;
  source.element = pixel;
  return source;
}

/** \brief Describes a list of numbers as a source. */
inline SourceDescriptor
DescribeList(std::int64_t count, ScalarType type)
{
  SourceDescriptor source;
  source.dimension = 1;
  source.size[0] = count;
  source.pixel = type;
  source.element = type;
  return source;
}

/** \brief Describes the interpolation of an image, with the bounds of itk::ImageFunction. */
inline InterpolationDescriptor
DescribeInterpolation(const FieldGrid & grid, Interpolation method)
{
  InterpolationDescriptor interpolation;
  interpolation.interpolation = method;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    interpolation.lower[d] = static_cast<double>(grid.start[d]) - 0.5;
    interpolation.upper[d] = static_cast<double>(grid.start[d] + grid.size[d] - 1) + 0.5;
  }
  return interpolation;
}

} // namespace itk::CudaSpline

#endif
