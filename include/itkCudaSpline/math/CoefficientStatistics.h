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
#ifndef itkCudaSpline_math_CoefficientStatistics_h
#define itkCudaSpline_math_CoefficientStatistics_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>
#include <limits>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Statistics of coefficients: extremes, and differences of neighbours.
 *
 * Only comparisons are used: the order in which coefficients are added does not matter, and threads and blocks compute
 * the same result.
 *
 * \tparam TReal float or double */
template <typename TReal>
struct CoefficientStatistics
{
  TReal minimum{ std::numeric_limits<TReal>::max() };    ///< of the finite ones; above maximum if there is none
  TReal maximum{ std::numeric_limits<TReal>::lowest() }; ///< of the finite ones
  /** Largest magnitude of the difference of neighbours along each axis; infinite ones count. */
  TReal        difference[3]{};
  std::int64_t infinite{ 0 }; ///< number of infinite or NaN coefficients

  /** Adds a coefficient. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(TReal value)
  {
    const TReal magnitude = value < TReal(0) ? -value : value;
    if (magnitude <= std::numeric_limits<TReal>::max())
    {
      minimum = value < minimum ? value : minimum;
      maximum = value > maximum ? value : maximum;
    }
    else
    {
      ++infinite;
    }
  }

  /** Adds two neighbours along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddNeighbours(unsigned int axis, TReal first, TReal second)
  {
    const TReal change = first < second ? second - first : first - second;
    difference[axis] = change > difference[axis] ? change : difference[axis];
  }

  /** Adds the statistics of other coefficients. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Merge(const CoefficientStatistics & other)
  {
    minimum = other.minimum < minimum ? other.minimum : minimum;
    maximum = other.maximum > maximum ? other.maximum : maximum;
    infinite += other.infinite;
    for (unsigned int d = 0; d < 3; ++d)
    {
      difference[d] = other.difference[d] > difference[d] ? other.difference[d] : difference[d];
    }
  }

  /** Largest magnitude of the finite ones. */
  double
  Largest() const
  {
    const double low = -static_cast<double>(minimum);
    const double high = static_cast<double>(maximum);
    const double largest = low > high ? low : high;
    return largest > 0.0 ? largest : 0.0; // all are 0, or there is no coefficient
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
