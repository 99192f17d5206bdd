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
#ifndef itkCudaSpline_math_TensorProduct_h
#define itkCudaSpline_math_TensorProduct_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cstddef>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Offsets of a support's taps from the first element of the array, all of them inside: no folding. */
template <unsigned int VDimension>
struct ContiguousTaps
{
  std::int64_t base;               ///< offset of the support's first tap (elements)
  std::int64_t stride[VDimension]; ///< elements between neighbours along each axis

  /** Offset of the first tap (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Base() const
  {
    return base;
  }
  /** What a tap of an axis adds to it (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Offset(unsigned int axis, unsigned int tap) const
  {
    return static_cast<std::int64_t>(tap) * stride[axis];
  }
};

/** \brief Offsets of a support's taps with every index folded into the array. */
template <unsigned int VDimension, unsigned int VTaps>
struct FoldedTaps
{
  std::int64_t offset[VDimension][VTaps]; ///< folded index times stride (elements)

  /** Offset of the first tap (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Base() const
  {
    return 0;
  }
  /** What a tap of an axis adds to it (elements). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Offset(unsigned int axis, unsigned int tap) const
  {
    return offset[axis][tap];
  }
};

/** \brief Sum over the support of coefficient times the product of the weights of all axes, x innermost.
 *
 * \tparam VAxis number of axes that are summed over: VDimension for the whole
 * \tparam VTaps taps an axis
 * \tparam TCoefficient stored type
 * \tparam TReal type of the weights and of the sum
 * \tparam TTaps ContiguousTaps or FoldedTaps
 * \param[in] data first element of the coefficients, host or device, x fastest
 * \param[in] taps ContiguousTaps or FoldedTaps
 * \param[in] at offset of the axes above (elements); taps.Base() for the whole
 * \param[in] weights weights by axis and tap */
template <unsigned int VAxis,
          unsigned int VTaps,
          typename TCoefficient,
          typename TReal,
          typename TTaps,
          unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
TensorProductSum(const TCoefficient * data,
                 const TTaps &        taps,
                 std::int64_t         at,
                 const TReal (&weights)[VDimension][VTaps])
{
  static_assert(VAxis >= 1 && VAxis <= VDimension, "The axes summed over are the first VAxis ones.");
  TReal sum = TReal(0);
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (unsigned int k = 0; k < VTaps; ++k)
  {
    const std::int64_t offset = at + taps.Offset(VAxis - 1, k);
    if constexpr (VAxis == 1)
    {
      sum += weights[0][k] * static_cast<TReal>(data[offset]);
    }
    else
    {
      sum += weights[VAxis - 1][k] * TensorProductSum<VAxis - 1, VTaps>(data, taps, offset, weights);
    }
  }
  return sum;
}

/** @} */
} // namespace itk::CudaSpline

#endif
