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
#ifndef GradientBackends_h
#define GradientBackends_h

#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include "kernels/gradients/GradientArguments.h"

#include <type_traits>

/** \file
 * \brief The operations at points on the host or on a device. The arguments have been checked, and none of them is
 * empty. */

namespace itk::CudaSpline
{

void
EvaluateDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context);
void
EvaluateDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context);
void
ContractDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context);
void
ContractDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context);
void
ScatterDerivativesOnCpu(const SplinePoints & points, const ExecutionContext & context);
void
ScatterDerivativesOnCuda(const SplinePoints & points, const ExecutionContext & context);
void
FilterArrayAdjointOnCpu(const ArrayFilter & filter, const ExecutionContext & context);
void
FilterArrayAdjointOnCuda(const ArrayFilter & filter, const ExecutionContext & context);

/** \brief Converts the points to the arguments of the operations. */
inline PointArguments
PointArgumentsOf(const SplinePoints & points)
{
  PointArguments arguments{};
  arguments.dimension = points.dimension;
  arguments.plane = 1;
  for (unsigned int axis = PointAxes; axis-- > 0;)
  {
    const unsigned int first = arguments.FirstAxis();
    arguments.size[axis] = axis >= first ? points.size[axis - first] : 1;
    arguments.bound[axis] = FloatBound(arguments.size[axis]);
    arguments.stride[axis] = arguments.plane;
    arguments.plane *= arguments.size[axis];
  }
  arguments.batches = points.batches;
  arguments.channels = points.channels;
  arguments.count = points.count;
  arguments.order = points.order;
  arguments.mode = points.mode;
  arguments.border = points.border;
  arguments.derivatives = points.derivatives;
  arguments.components = 1;
  for (unsigned int i = 0; i < points.derivatives; ++i)
  {
    arguments.components *= points.dimension;
  }
  arguments.numbers = arguments.count * arguments.components;
  arguments.points = points.points;
  arguments.pointStride = points.pointStride;
  arguments.coefficients = points.coefficients;
  arguments.coefficientStride = points.coefficientStride;
  arguments.weights = points.weights;
  arguments.result = points.result;
  return arguments;
}

/** \brief The exponent of the smallest power of two that is not less than a number. */
inline int
CeilingOfLogarithm(double number)
{
  int exponent = 0;
  while (number > 1.0)
  {
    number *= 0.5;
    ++exponent;
  }
  return exponent;
}

/** \brief Sets the bounds for the sums of ScatterDerivatives(). All numbers of an image and channel may contribute to
 * the same sample, and the weights of a derivative of order n sum up to 2^n in magnitude. */
inline void
BoundSums(const PointArguments & arguments, ScatterSums & sums)
{
  const auto    numbers = static_cast<double>(arguments.count) * arguments.components;
  constexpr int mostTaps = 6 * 6 * 6;
  constexpr int bits = 62; // available for the sum of the parts
  sums.growth = CeilingOfLogarithm(numbers) + static_cast<int>(arguments.derivatives);
  sums.parts = bits - CeilingOfLogarithm(static_cast<double>(arguments.count) * mostTaps);
}

/** \brief Calls \p run with the number of derivatives as std::integral_constant, at least \p VLeast. */
template <unsigned int VLeast, typename TRun>
void
DispatchPointDerivatives(unsigned int derivatives, const TRun & run)
{
  switch (derivatives)
  {
    case VLeast:
      run(std::integral_constant<unsigned int, VLeast>());
      break;
    case VLeast + 1:
      run(std::integral_constant<unsigned int, VLeast + 1>());
      break;
    default:
      run(std::integral_constant<unsigned int, VLeast + 2>());
      break;
  }
}

/** \brief Calls \p run with the order and the number of derivatives as std::integral_constant. The number of
 * derivatives is at least \p VLeast.
 */
template <unsigned int VLeast, typename TRun>
void
DispatchPointKernel(unsigned int order, unsigned int derivatives, const TRun & run)
{
  DispatchSplineOrder(order, [&](auto constantOrder) {
    DispatchPointDerivatives<VLeast>(derivatives, [&](auto total) { run(constantOrder, total); });
  });
}

} // namespace itk::CudaSpline

#endif
