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
#ifndef itkCudaSpline_math_Lanes_h
#define itkCudaSpline_math_Lanes_h

#include "itkCudaSpline/math/HostDevice.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Neighbours along x, which are stored and summed together: the innermost axis of a support.
 *
 * Compilers turn loops of constant length over an array into vector instructions on the host and into registers on the
 * device. The operations on a lane are the same in the same order everywhere; the device fuses each product with the
 * sum to which it is added. This is explicit because the compiler may fuse either of two products that are added, and
 * would choose differently in different kernels.
 *
 * \tparam VCount number of neighbours
 * \tparam TReal float or double */
template <unsigned int VCount, typename TReal>
struct Lanes
{
  TReal lane[VCount]; ///< x first

  /** Sets every lane to weight times that of \p other. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  SetProduct(TReal weight, const Lanes & other)
  {
    for (unsigned int i = 0; i < VCount; ++i)
    {
      lane[i] = weight * other.lane[i];
    }
  }

  /** Adds weight times \p other. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddProduct(TReal weight, const Lanes & other)
  {
    for (unsigned int i = 0; i < VCount; ++i)
    {
      lane[i] = MultiplyAdd(weight, other.lane[i], lane[i]);
    }
  }

  /** Sum over the lanes of weight times lane, x first.
   *
   * \param[in] weights VCount of them */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Dot(const TReal * weights) const
  {
    TReal sum = weights[0] * lane[0];
    for (unsigned int i = 1; i < VCount; ++i)
    {
      sum = MultiplyAdd(weights[i], lane[i], sum);
    }
    return sum;
  }

private:
  /** a b + c, rounded once on the device. */
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE TReal
  MultiplyAdd(TReal a, TReal b, TReal c)
  {
#if defined(__CUDA_ARCH__)
    return fma(a, b, c);
#else
    return a * b + c;
#endif
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
