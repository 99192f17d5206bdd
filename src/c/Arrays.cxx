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
#include "itkCudaSpline/c/CudaSplineArraysC.h"

#include "c/ArrayDescriptors.h"
#include "c/Call.h"
#include "c/Descriptors.h"

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include <algorithm>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

static_assert(CUDASPLINE_MAXIMUM_ARRAY_DIMENSION == MaximumArrayDimension, "Arrays have as many axes in C.");

namespace
{

StridedArray
DescribeArray(const cudaspline_array & from, const std::string & name)
{
  if (from.dimension < 1 || from.dimension > CUDASPLINE_MAXIMUM_ARRAY_DIMENSION)
  {
    throw std::invalid_argument(name + ".dimension is " + std::to_string(from.dimension) + "; 1 to " +
                                std::to_string(CUDASPLINE_MAXIMUM_ARRAY_DIMENSION) + " are supported.");
  }
  StridedArray array;
  array.data = from.data;
  constexpr std::int32_t layout = CUDASPLINE_ARRAY_SWAPPED | CUDASPLINE_ARRAY_BYTE_STRIDES;
  array.type = ScalarTypeOfCode(from.type & ~layout, (name + ".type").c_str());
  array.isSwapped = (from.type & CUDASPLINE_ARRAY_SWAPPED) != 0;
  array.hasByteStrides = (from.type & CUDASPLINE_ARRAY_BYTE_STRIDES) != 0;
  array.dimension = static_cast<unsigned int>(from.dimension);
  std::copy_n(from.size, from.dimension, array.size.begin());
  std::copy_n(from.stride, from.dimension, array.stride.begin());
  return array;
}

ArrayMap
MapOfCode(std::int32_t code)
{
  if (code < CUDASPLINE_MAP_COORDINATES || code > CUDASPLINE_MAP_PIXEL_SCALE)
  {
    throw std::invalid_argument("interpolation.map is " + std::to_string(code) + "; 0 to " +
                                std::to_string(CUDASPLINE_MAP_PIXEL_SCALE) + " are allowed.");
  }
  return static_cast<ArrayMap>(code);
}

} // namespace

namespace itk::CudaSpline
{

ArrayMode
ArrayModeOfCode(std::int32_t code, const char * name)
{
  if (code < CUDASPLINE_ARRAY_MIRROR || code > CUDASPLINE_ARRAY_WRAP)
  {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(code) + "; 0 to " +
                                std::to_string(CUDASPLINE_ARRAY_WRAP) + " are allowed.");
  }
  return static_cast<ArrayMode>(code);
}

unsigned int
UnsignedOf(std::int32_t number, const char * name)
{
  if (number < 0)
  {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(number) + "; it must be at least 0.");
  }
  return static_cast<unsigned int>(number);
}

ArrayFilter
DescribeFilter(const cudaspline_array_filter & filter)
{
  ArrayFilter descriptor;
  descriptor.input = DescribeArray(filter.input, "filter.input");
  descriptor.output = DescribeArray(filter.output, "filter.output");
  descriptor.order = UnsignedOf(filter.order, "filter.order");
  descriptor.mode = ArrayModeOfCode(filter.mode, "filter.mode");
  descriptor.element = ScalarTypeOfCode(filter.element, "filter.element");
  for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
  {
    descriptor.isFiltered[d] = filter.filtered[d] != 0;
  }
  descriptor.place = { filter.device >= 0, filter.stream };
  return descriptor;
}

} // namespace itk::CudaSpline

std::int32_t
cudaspline_interpolate_array(const cudaspline_array_interpolation * interpolation, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(interpolation, "interpolation");
    CallExecution      call(execution);
    ArrayInterpolation descriptor;
    descriptor.input = DescribeArray(interpolation->input, "interpolation.input");
    descriptor.output = DescribeArray(interpolation->output, "interpolation.output");
    descriptor.order = UnsignedOf(interpolation->order, "interpolation.order");
    descriptor.mode = ArrayModeOfCode(interpolation->mode, "interpolation.mode");
    descriptor.border = interpolation->border;
    descriptor.padding = interpolation->padding;
    descriptor.prefilter = interpolation->coefficients == 0;
    descriptor.element = ScalarTypeOfCode(interpolation->element, "interpolation.element");
    descriptor.map = MapOfCode(interpolation->map);
    descriptor.coordinates = interpolation->coordinates;
    descriptor.coordinateType = ScalarTypeOfCode(interpolation->coordinate_type, "interpolation.coordinate_type");
    descriptor.coordinateStride = interpolation->coordinate_stride;
    for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
    {
      std::copy_n(interpolation->matrix[d], MaximumArrayDimension, descriptor.matrix[d].begin());
      descriptor.offset[d] = interpolation->offset[d];
      descriptor.isBatch[d] = interpolation->batch[d] != 0;
      descriptor.scale[d] = interpolation->scale[d];
      descriptor.shift[d] = interpolation->shift[d];
    }
    descriptor.place = { interpolation->device >= 0, interpolation->stream };
    Naming("interpolation", [&] { InterpolateArray(descriptor, call.ContextOf(interpolation->device)); });
    call.Report(interpolation->device);
  });
}

std::int32_t
cudaspline_filter_array(const cudaspline_array_filter * filter, cudaspline_execution * execution)
{
  return Call([=] {
    RequirePointer(filter, "filter");
    CallExecution     call(execution);
    const ArrayFilter descriptor = DescribeFilter(*filter);
    Naming("filter", [&] { FilterArray(descriptor, call.ContextOf(filter->device)); });
    call.Report(filter->device);
  });
}
