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
#ifndef OrderedPoints_cuh
#define OrderedPoints_cuh

#include <cuda_runtime.h>

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief The part of a PointOrder that kernels read. */
struct OrderedPoints
{
  static constexpr unsigned int MinOrder = 2; ///< the gain of linear values is less than the cost of the sort

  const std::uint32_t * order{ nullptr };       ///< points of each image of the batch; null: the order of the caller
  const std::uint32_t * isScattered{ nullptr }; ///< 0: the order of the caller, too
  std::int64_t          stride{ 0 };            ///< distance to the next image

  /** \tparam VOrder order of the spline; points are not sorted for low orders
   * \param[in] batch image
   * \param[in] i number in the order
   * \return number of the point */
  template <unsigned int VOrder>
  __device__ __forceinline__ std::int64_t
                             PointAt(std::int64_t batch, std::int64_t i) const
  {
    if constexpr (VOrder >= MinOrder)
    {
      return order != nullptr && __ldg(isScattered) != 0 ? __ldg(order + batch * stride + i) : i;
    }
    return i;
  }
};

} // namespace itk::CudaSpline

#endif
