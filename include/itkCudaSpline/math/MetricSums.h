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
#ifndef itkCudaSpline_math_MetricSums_h
#define itkCudaSpline_math_MetricSums_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief The sums of a registration metric over its samples.
 *
 * Let f be the fixed and m the moving value of a sample, g the gradient of the moving image at the mapped point, x the
 * sample's point in the virtual domain, and J(x) the Jacobian of the transform with respect to its parameters. The
 * derivative of each metric is a sum of w J(x)' g with a weight w that depends on f and m. J of every linear transform
 * is affine in x: the sums of w g_i and w g_i (x_j - c_j), its moments, determine the derivative with respect to all
 * parameters. These are D (D + 1) numbers, for any transform. See ContractMoments(). */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Sums over the valid samples of a metric: their number, values, and sets of moments.
 *
 * They are a flat array, which a device reduces element by element. All of them are double for any type of samples: a
 * volume has 10^8.
 *
 * \tparam VDimension dimension D of the images
 * \tparam VSets sets of moments, each with its own weight: 0 to 2 */
template <unsigned int VDimension, unsigned int VSets>
struct MetricSums
{
  /** Sets of moments. */
  static constexpr unsigned int Sets = VSets;
  /** Whether the pass determines at run time how many of the sets it fills; else it fills all. */
  static constexpr bool AnyPass = false;
  /** Maximum number of sums of values of a metric. */
  static constexpr unsigned int Values = 3;
  /** Numbers per set of moments: D rows of the sum of w g_i, and of those of w g_i (x_j - c_j). */
  static constexpr unsigned int Moments = VDimension * (VDimension + 1);
  /** All numbers: the count, the values, the sets. */
  static constexpr unsigned int Numbers = 1 + Values + VSets * Moments;

  double numbers[Numbers]{}; ///< the count of valid samples (exact up to 2^53), the values, the moments set by set

  /** Counts a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSample()
  {
    numbers[0] += 1.0;
  }

  /** Adds to a sum of values.
   *
   * \param[in] which number of the sum
   * \param[in] value the value */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddValue(unsigned int which, double value)
  {
    numbers[1 + which] += value;
  }

  /** Adds the force of a sample, w g, to a set of moments.
   *
   * \param[in] set number of the set
   * \param[in] weight w
   * \param[in] gradient g (per mm of the moving image's space), x first
   * \param[in] arm x - c (mm), x first */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddForce(unsigned int set, double weight, const double (&gradient)[VDimension], const double (&arm)[VDimension])
  {
    double * const at = numbers + 1 + Values + set * Moments;
    for (unsigned int i = 0; i < VDimension; ++i)
    {
      const double   force = weight * gradient[i];
      double * const row = at + static_cast<std::size_t>(i) * (VDimension + 1);
      row[0] += force;
      for (unsigned int j = 0; j < VDimension; ++j)
      {
        row[1 + j] += force * arm[j];
      }
    }
  }

  /** Adds the sums of other samples. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const MetricSums & other)
  {
    for (unsigned int n = 0; n < Numbers; ++n)
    {
      numbers[n] += other.numbers[n];
    }
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
