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
 * \brief The kernels of points, whose instances are compiled in sources of their own: src/CudaSplineInstances.cmake
 * lists them. */

namespace itk::CudaSpline
{

struct OrderedPoints;

/** \brief Enqueues kernels of points in an image of B-splines. Compiled for float and double, orders 0 to 5.
 *
 * All have:
 * \param[in] arguments points, image and results, device;
 * \param[in] points their order;
 * \param[in] stream the stream;
 * \exception DeviceError the kernel cannot be launched */
template <typename TReal, unsigned int VOrder>
struct PointLauncher
{
  /** The derivatives of an order, 0 to 2, at points. */
  static void
  Evaluate(const PointArguments & arguments, const OrderedPoints & points, const Stream & stream);

  /** Their products with weights.
   *
   * \param[in] derivatives 1 to 3 */
  static void
  Contract(const PointArguments & arguments,
           const OrderedPoints &  points,
           unsigned int           derivatives,
           const Stream &         stream);

  /** Adds weights at points to the sums of samples. */
  static void
  Scatter(const PointArguments & arguments,
          const OrderedPoints &  points,
          const ScatterSums &    sums,
          const Stream &         stream);

  /** Makes results NaN where weights are not finite. */
  static void
  Mark(const PointArguments & arguments, const ScatterSums & sums, const Stream & stream);
};

} // namespace itk::CudaSpline

#endif
