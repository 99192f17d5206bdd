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
#ifndef LocalCorrelationLossBackends_h
#define LocalCorrelationLossBackends_h

#include "kernels/gradients/LocalCorrelationLossBody.h"

#include <algorithm>
#include <array>
#include <cstdint>

/** \file
 * \brief EvaluateLocalCorrelationLoss() on the host, or on a device; arguments checked, none of them empty. */

namespace itk::CudaSpline
{

void
EvaluateLocalCorrelationLossOnCpu(const LocalCorrelationPairs & pairs, const ExecutionContext & context);
void
EvaluateLocalCorrelationLossOnCuda(const LocalCorrelationPairs & pairs, const ExecutionContext & context);

/** \brief Whether a gradient is wanted. */
inline bool
HasGradient(const LocalCorrelationPairs & pairs)
{
  return pairs.fixedGradient != nullptr || pairs.movingGradient != nullptr;
}

/** \brief Which of a window's numbers the gradients take, in their order. */
inline std::array<bool, WindowFactors>
FactorsOf(const LocalCorrelationPairs & pairs)
{
  const bool ofFixed = pairs.fixedGradient != nullptr;
  const bool ofMoving = pairs.movingGradient != nullptr;
  return { { HasGradient(pairs), ofFixed, ofFixed, ofMoving, ofMoving } };
}

/** \brief An axis, x first, as those of the descriptor, or one sample where that has no more. */
inline std::int64_t
AxisOf(const LocalCorrelationPairs & pairs, const std::array<std::int64_t, 3> & numbers, unsigned int axis, int none)
{
  return axis < pairs.dimension ? numbers[pairs.dimension - 1 - axis] : none;
}

/** \brief Radii with which windows that are cut at the ends are the same; x first. */
inline std::array<std::int64_t, 3>
CutRadiusOf(const LocalCorrelationPairs & pairs)
{
  std::array<std::int64_t, 3> radius{};
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    radius[axis] = std::min(AxisOf(pairs, pairs.radius, axis, 0), AxisOf(pairs, pairs.size, axis, 1) - 1);
  }
  return radius;
}

/** \brief Roundings of sums that are 2 r + 2 additions deep along each axis, four units of each, and of what
 * interpolation makes of a constant; see MakeLocalBounds(). */
inline LossBounds
MakeLossBounds(const LocalCorrelationPairs & pairs)
{
  double depth = 8.0;
  for (const std::int64_t radius : CutRadiusOf(pairs))
  {
    depth += 2.0 * static_cast<double>(radius) + 2.0;
  }
  return { 4.0 * depth * 0x1p-53, pairs.element == ScalarType::Float32 ? 0x1p-44 : 0.0 };
}

/** \brief Inputs of the bodies, except those in the memory of an operation. */
template <typename TReal>
LossArguments<TReal>
LossArgumentsOf(const LocalCorrelationPairs & pairs)
{
  LossArguments<TReal> arguments{};
  arguments.plane = 1;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    arguments.size[axis] = AxisOf(pairs, pairs.size, axis, 1);
    arguments.plane *= arguments.size[axis];
  }
  arguments.fixed = static_cast<const TReal *>(pairs.fixed);
  arguments.moving = static_cast<const TReal *>(pairs.moving);
  arguments.mask = pairs.mask;
  arguments.maskStride = pairs.maskStride;
  arguments.fixedGradient = static_cast<TReal *>(pairs.fixedGradient);
  arguments.movingGradient = static_cast<TReal *>(pairs.movingGradient);
  arguments.bounds = MakeLossBounds(pairs);
  return arguments;
}

/** \brief Calls \p run with the arguments in the type of the elements. */
template <typename TRun>
void
DispatchLoss(const LocalCorrelationPairs & pairs, const TRun & run)
{
  if (pairs.element == ScalarType::Float32)
  {
    run(LossArgumentsOf<float>(pairs));
  }
  else
  {
    run(LossArgumentsOf<double>(pairs));
  }
}

} // namespace itk::CudaSpline

#endif
