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
#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/arrays/ArrayRun.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
CheckArray(const StridedArray & array, const std::string & name)
{
  if (array.dimension < 1 || array.dimension > MaximumArrayDimension)
  {
    throw std::invalid_argument("The " + name + " has " + std::to_string(array.dimension) + " axes; 1 to " +
                                std::to_string(MaximumArrayDimension) + " are supported.");
  }
  for (unsigned int d = 0; d < array.dimension; ++d)
  {
    if (array.size[d] < 1)
    {
      throw std::invalid_argument("The " + name + " is empty: its size along axis " + std::to_string(d) + " is " +
                                  std::to_string(array.size[d]) + ".");
    }
    // Tables count with 32 bits, also beyond the ends.
    if (array.size[d] > std::numeric_limits<std::int32_t>::max() - 4 * ArrayPadding)
    {
      throw std::invalid_argument("Axis " + std::to_string(d) + " of the " + name + " has " +
                                  std::to_string(array.size[d]) + " elements; at most " +
                                  std::to_string(std::numeric_limits<std::int32_t>::max() - 4 * ArrayPadding) +
                                  " are supported.");
    }
  }
  if (array.data == nullptr)
  {
    throw std::invalid_argument("The " + name + " has no data.");
  }
}

/** Checks that elements have types that kernels read and write. */
void
CheckPlain(const StridedArray & array, const std::string & name)
{
  if (!array.IsPlain())
  {
    throw std::invalid_argument("The " + name +
                                " has swapped bytes or strides that are not multiples of its elements; this is "
                                "supported only for inputs in host memory.");
  }
}

void
CheckElement(ScalarType element)
{
  if (!IsReal(element))
  {
    throw std::invalid_argument(std::string("Arithmetic must be float32 or float64, not ") + NameOf(element) + ".");
  }
}

void
CheckPlace(const ArrayPlace & place, const ExecutionContext & context)
{
  if (place.onDevice != (context.backend == Backend::Cuda))
  {
    throw std::invalid_argument(std::string(place.onDevice ? "Arrays on a device need the Cuda backend"
                                                           : "Arrays in host memory need the Cpu backend") +
                                "; the backend is " + NameOf(context.backend) + ".");
  }
}

void
CheckMap(const ArrayInterpolation & interpolation)
{
  const unsigned int dimension = interpolation.input.dimension;
  bool               isBatched = false;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    isBatched = isBatched || interpolation.isBatch[d];
    if (interpolation.isBatch[d] &&
        (interpolation.output.dimension != dimension || interpolation.input.size[d] != interpolation.output.size[d]))
    {
      throw std::invalid_argument("Axis " + std::to_string(d) +
                                  " is a batch axis, along which input and output must have the same size.");
    }
    if (interpolation.isBatch[d] && GoesByAxes(interpolation.map) &&
        (interpolation.scale[d] != 1.0 || interpolation.shift[d] != 0.0))
    {
      throw std::invalid_argument(
        "Axis " + std::to_string(d) +
        " is a batch axis, along which a map by axis must be the identity (scale 1, shift 0).");
    }
  }
  if (isBatched &&
      (interpolation.map == ArrayMap::Coordinates || (GoesByAxes(interpolation.map) && interpolation.place.onDevice)))
  {
    throw std::invalid_argument("Batch axes are supported only by affine maps and, in host memory, by maps by axis.");
  }
  if (GoesByAxes(interpolation.map) && interpolation.output.dimension != dimension)
  {
    throw std::invalid_argument("The input has " + std::to_string(dimension) + " axes and the output " +
                                std::to_string(interpolation.output.dimension) +
                                "; a map by axis needs the same number of axes.");
  }
  if (interpolation.map == ArrayMap::Coordinates && interpolation.coordinates == nullptr)
  {
    throw std::invalid_argument("The array of coordinates is missing.");
  }
}

} // namespace

void
InterpolateArray(const ArrayInterpolation & interpolation, const ExecutionContext & context)
{
  if (interpolation.order > MaximumSplineOrder)
  {
    throw std::invalid_argument("Spline orders 0 to 5 are supported; the order is " +
                                std::to_string(interpolation.order) + ".");
  }
  CheckArray(interpolation.input, "input");
  CheckArray(interpolation.output, "output");
  CheckElement(interpolation.element);
  CheckPlace(interpolation.place, context);
  CheckMap(interpolation);
  CheckPlain(interpolation.output, "output");
  if (interpolation.place.onDevice)
  {
    CheckPlain(interpolation.input, "input on a device");
  }
  (context.backend == Backend::Cuda ? InterpolateArrayOnCuda : InterpolateArrayOnCpu)(interpolation, context);
}

void
FilterArray(const ArrayFilter & filter, const ExecutionContext & context)
{
  if (filter.order < 2 || filter.order > MaximumSplineOrder)
  {
    throw std::invalid_argument("Prefilters support spline orders 2 to 5; the order is " +
                                std::to_string(filter.order) + ".");
  }
  CheckArray(filter.input, "input");
  CheckArray(filter.output, "output");
  CheckElement(filter.element);
  CheckElement(filter.output.type);
  CheckPlace(filter.place, context);
  CheckPlain(filter.output, "output");
  if (filter.place.onDevice)
  {
    CheckPlain(filter.input, "input on a device");
  }
  if (filter.input.dimension != filter.output.dimension || filter.input.size != filter.output.size)
  {
    throw std::invalid_argument("The output of a filter must have the shape of its input.");
  }
  (context.backend == Backend::Cuda ? FilterArrayOnCuda : FilterArrayOnCpu)(filter, context);
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
InterpolateArrayOnCuda(const ArrayInterpolation &, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
FilterArrayOnCuda(const ArrayFilter &, const ExecutionContext &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
