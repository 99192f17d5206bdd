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
#ifndef PointLauncher_h
#define PointLauncher_h

#include "itkCudaSpline/device/Stream.h"

#include "kernels/gradients/GradientArguments.h"

/** \file
 * \brief The kernels for points. Their instances are compiled in separate sources, which are listed in
 * src/CudaSplineInstances.cmake. */

namespace itk::CudaSpline
{

struct OrderedPoints;

/** \brief Enqueues kernels for points in an image of B-splines. Compiled for float and double, orders 0 to 5.
 *
 * All functions have these parameters:
 * \param[in] arguments points, image and results in device memory
 * \param[in] points order in which the points are processed
 * \param[in] stream stream in which the kernel is enqueued
 * \exception DeviceError the kernel cannot be launched */
template <typename TReal, unsigned int VOrder>
struct PointLauncher
{
  /** Derivatives of order 0 to 2 at points. */
  static void
  Evaluate(const PointArguments & arguments, const OrderedPoints & points, const Stream & stream);

  /** Products of the derivatives and weights.
   *
   * \param[in] derivatives 1 to 3 */
  static void
  Contract(const PointArguments & arguments,
           const OrderedPoints &  points,
           unsigned int           derivatives,
           const Stream &         stream);

  /** Adds the weights at points to the sums of the samples. */
  static void
  Scatter(const PointArguments & arguments,
          const OrderedPoints &  points,
          const ScatterSums &    sums,
          const Stream &         stream);

  /** Sets results to NaN if their weights are not finite. */
  static void
  Mark(const PointArguments & arguments, const ScatterSums & sums, const Stream & stream);
};

} // namespace itk::CudaSpline

#endif
