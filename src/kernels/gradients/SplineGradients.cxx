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
#include "itkCudaSpline/kernels/gradients/SplineGradients.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include "kernels/gradients/GradientBackends.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

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
CheckElement(ScalarType element)
{
  if (!IsReal(element))
  {
    throw std::invalid_argument(std::string("Arithmetic must be float32 or float64, not ") + NameOf(element) + ".");
  }
}

/** Throws if a number is outside of a range. \p name is its name in the message. */
void
CheckRange(std::int64_t number, std::int64_t least, std::int64_t most, const std::string & name)
{
  if (number < least || number > most)
  {
    throw std::invalid_argument(name + " is " + std::to_string(number) + "; " + std::to_string(least) + " to " +
                                std::to_string(most) + " are supported.");
  }
}

void
CheckPoints(const SplinePoints & points, const ExecutionContext & context)
{
  // Limits, so that products of sizes fit into 64 bits, and tables and coordinates into their types.
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max() / 2;
  constexpr std::int64_t most = std::int64_t{ 1 } << 40;
  CheckRange(points.dimension, 1, 3, "dimension");
  CheckRange(points.order, 0, MaximumSplineOrder, "order");
  CheckRange(points.derivatives, 0, MaxPointDerivatives, "derivatives");
  CheckElement(points.element);
  double elements = 1.0;
  for (unsigned int d = 0; d < points.dimension; ++d)
  {
    CheckRange(points.size[d], 1, longest, "size");
    elements *= static_cast<double>(points.size[d]);
  }
  CheckRange(points.batches, 0, most, "batches");
  CheckRange(points.channels, 0, most, "channels");
  CheckRange(points.count, 0, most, "count");
  const double     lists = static_cast<double>(points.batches) * static_cast<double>(points.channels);
  constexpr double components = 9.0;
  if (lists * elements > 0x1p60 || lists * static_cast<double>(points.count) * components > 0x1p60)
  {
    throw std::invalid_argument("The arrays of " + std::to_string(points.batches) + " batches, " +
                                std::to_string(points.channels) + " channels and " + std::to_string(points.count) +
                                " points have too many elements; at most 2^60 are supported.");
  }
  if (points.pointStride < 0 || points.coefficientStride < 0)
  {
    throw std::invalid_argument("pointStride is " + std::to_string(points.pointStride) + " and coefficientStride is " +
                                std::to_string(points.coefficientStride) + "; both must be at least 0.");
  }
  CheckPlace(points.place, context);
}

void
RequireArray(const void * array, const std::string & name)
{
  if (array == nullptr)
  {
    throw std::invalid_argument(name + " is null.");
  }
}

} // namespace

void
EvaluateDerivatives(const SplinePoints & points, const ExecutionContext & context)
{
  CheckPoints(points, context);
  if (points.batches * points.channels * points.count == 0)
  {
    return;
  }
  RequireArray(points.points, "points");
  RequireArray(points.coefficients, "coefficients");
  RequireArray(points.result, "result");
  (context.backend == Backend::Cuda ? EvaluateDerivativesOnCuda : EvaluateDerivativesOnCpu)(points, context);
}

void
ContractDerivatives(const SplinePoints & points, const ExecutionContext & context)
{
  CheckPoints(points, context);
  if (points.batches * points.count == 0)
  {
    return;
  }
  RequireArray(points.points, "points");
  RequireArray(points.result, "result");
  if (points.channels > 0)
  {
    RequireArray(points.coefficients, "coefficients");
  }
  if (points.weights == nullptr && points.derivatives > 0)
  {
    throw std::invalid_argument("weights is null and derivatives is " + std::to_string(points.derivatives) +
                                "; weights can be null only if derivatives is 0.");
  }
  (context.backend == Backend::Cuda ? ContractDerivativesOnCuda : ContractDerivativesOnCpu)(points, context);
}

void
ScatterDerivatives(const SplinePoints & points, const ExecutionContext & context)
{
  CheckPoints(points, context);
  if (points.batches * points.channels == 0)
  {
    return;
  }
  RequireArray(points.result, "result");
  if (points.count > 0)
  {
    RequireArray(points.points, "points");
    if (points.weights == nullptr && points.derivatives > 0)
    {
      throw std::invalid_argument("weights is null and derivatives is " + std::to_string(points.derivatives) +
                                  "; weights can be null only if derivatives is 0.");
    }
  }
  (context.backend == Backend::Cuda ? ScatterDerivativesOnCuda : ScatterDerivativesOnCpu)(points, context);
}

void
FilterArrayAdjoint(const ArrayFilter & filter, const ExecutionContext & context)
{
  CheckElement(filter.element);
  CheckPlace(filter.place, context);
  if (filter.input.dimension < 1 || filter.input.dimension > MaximumArrayDimension ||
      filter.input.type != filter.element || filter.output.type != filter.element || !filter.input.IsContiguous() ||
      !filter.output.IsContiguous())
  {
    throw std::invalid_argument("The adjoint of a filter needs contiguous arrays of the type of the filter, " +
                                std::string(NameOf(filter.element)) + ", with 1 to " +
                                std::to_string(MaximumArrayDimension) + " axes.");
  }
  RequireArray(filter.input.data, "input");
  (context.backend == Backend::Cuda ? FilterArrayAdjointOnCuda : FilterArrayAdjointOnCpu)(filter, context);
}

#if !defined(CUDASPLINE_HAS_CUDA)
namespace
{

[[noreturn]] void
ThrowWithoutCuda()
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

} // namespace

void
EvaluateDerivativesOnCuda(const SplinePoints &, const ExecutionContext &)
{
  ThrowWithoutCuda();
}

void
ContractDerivativesOnCuda(const SplinePoints &, const ExecutionContext &)
{
  ThrowWithoutCuda();
}

void
ScatterDerivativesOnCuda(const SplinePoints &, const ExecutionContext &)
{
  ThrowWithoutCuda();
}

void
FilterArrayAdjointOnCuda(const ArrayFilter &, const ExecutionContext &)
{
  ThrowWithoutCuda();
}
#endif

} // namespace itk::CudaSpline
