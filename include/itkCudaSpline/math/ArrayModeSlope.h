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
#ifndef itkCudaSpline_math_ArrayModeSlope_h
#define itkCudaSpline_math_ArrayModeSlope_h

#include "itkCudaSpline/math/ArrayMode.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The derivative of FoldCoordinate() with respect to its coordinate: 1, -1 where the array is mirrored, and 0
 * for folded coordinates of an axis with one sample. It has the same branches as FoldCoordinate().
 *
 * \param[in] x coordinate (samples) before it is folded, for which FoldCoordinate() is true
 * \param[in] size samples of the axis
 * \param[in] mode the mode */
CUDASPLINE_HOST_DEVICE inline double
SlopeOfFold(double x, std::int64_t size, ArrayMode mode)
{
  const auto last = static_cast<double>(size - 1);
  if ((x >= 0.0 && x <= last) || IsPadded(mode))
  {
    return 1.0;
  }
  if (size <= 1)
  {
    return 0.0;
  }
  const auto   length = static_cast<double>(size);
  const double period = mode == ArrayMode::Mirror ? 2.0 * last : 2.0 * length;
  const auto   whole = [](double quotient) { return static_cast<double>(static_cast<std::int64_t>(quotient)); };
  if (mode == ArrayMode::Mirror && x < 0.0)
  {
    return RoundedSum(period * whole(-x / period), x) <= -last ? 1.0 : -1.0;
  }
  if (mode == ArrayMode::Reflect && x < 0.0)
  {
    return (x < -period ? RoundedSum(period * whole(-x / period), x) : x) < -length ? 1.0 : -1.0;
  }
  if (mode == ArrayMode::Mirror || mode == ArrayMode::Reflect)
  {
    return RoundedSum(x, -(period * whole(x / period))) >= length ? -1.0 : 1.0;
  }
  return 1.0; // GridWrap, Wrap: moved by whole periods
}

/** @} */
} // namespace itk::CudaSpline

#endif
