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
#ifndef itkCudaSpline_math_LinearCell_h
#define itkCudaSpline_math_LinearCell_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The cell that contains a continuous index, for linear interpolation of several arrays of one extent.
 *
 * The values of finite samples are bitwise equal to LinearValue(). That function first tests whether a neighbour is
 * needed. Here all corners are read, and a corner that is not needed is replaced by the lower one, at a distance of 0:
 * a device can issue all reads at once. An infinite sample whose neighbour is not needed gives NaN.
 *
 * \tparam VDimension dimension, 1 to 3 */
template <unsigned int VDimension>
struct LinearCell
{
  std::int64_t offset{ 0 }; ///< of the lower corner (elements)
  /** To the upper neighbour of each axis (elements); 0: it does not exist or is not needed. */
  std::int64_t step[VDimension];
  double       distance[VDimension]; ///< position between the neighbours of each axis, in [0, 1]

  /** \param[in] extent the samples in memory
   * \param[in] index continuous index (samples), inside the buffer by ITK's half-pixel rule */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  LinearCell(const GridExtent<VDimension> & extent, const double (&index)[VDimension])
  {
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t last = extent.start[d] + extent.size[d] - 1;
      std::int64_t       base = Floor(index[d]); // beyond the last sample if that is -1, just below 0
      base = base < extent.start[d] ? extent.start[d] : (base > last ? last : base);
      const double above = RoundedSum(index[d], -static_cast<double>(base));
      const bool   hasUpper = above > 0.0 && base < last;
      distance[d] = hasUpper ? above : 0.0;
      step[d] = hasUpper ? stride : 0;
      offset += (base - extent.start[d]) * stride;
      stride *= extent.size[d];
    }
  }

  /** The value of an array.
   *
   * \tparam TReal float or double, type of the arithmetic
   * \param[in] data first sample, host or device, x fastest: float or double */
  template <typename TReal, typename TSample>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Value(const TSample * data) const
  {
    constexpr unsigned int corners = 1U << VDimension;
    TReal                  value[corners];
    for (unsigned int corner = 0; corner < corners; ++corner)
    {
      std::int64_t at = offset;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        at += ((corner >> d) & 1U) != 0 ? step[d] : 0;
      }
      value[corner] = static_cast<TReal>(data[at]);
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto upper = static_cast<TReal>(distance[d]);
      for (unsigned int pair = 0; pair < (corners >> (d + 1)); ++pair)
      {
        const TReal low = value[2 * pair];
        value[pair] = low + (value[2 * pair + 1] - low) * upper;
      }
    }
    return value[0];
  }

  /** FloorIndex(), on a device ShortFloorIndex() for the indices that it supports. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE std::int64_t
                                                  Floor(double x)
  {
#if defined(__CUDA_ARCH__)
    if (fabs(x) < 536870912.0)
    {
      return ShortFloorIndex(x);
    }
#endif
    return FloorIndex(x);
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
