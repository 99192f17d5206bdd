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
#ifndef FieldSmooth_h
#define FieldSmooth_h

#include "itkCudaSpline/kernels/fields/FieldOperations.h"

#include "kernels/fields/common/FieldGeometry.h"
#include "kernels/fields/common/FieldLinear.h"

#include <cstdint>

/** \file
 * \brief Smoothing of fields: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief The operation at a sample after it was smoothed along the last axis. */
template <unsigned int VDimension, typename TReal>
struct FieldBlend
{
  GridExtent<VDimension> extent;
  const TReal *          input; ///< the original field
  bool                   blends;
  TReal                  share;
  TReal                  rest;

  FieldBlend(const FieldGrid & grid, const void * field, const FieldSmoothing & smoothing)
    : extent(MakeGeometry<VDimension>(grid).extent)
    , input(static_cast<const TReal *>(field))
    , blends(smoothing.blends)
    , share(static_cast<TReal>(smoothing.share))
    , rest(static_cast<TReal>(1.0 - static_cast<double>(static_cast<TReal>(smoothing.share))))
  {}

  /** \param[in] at the sample
   * \param[in] number offset of a component of its vector
   * \param[in] smoothed the component after all axes
   * \return the result */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  operator()(const std::int64_t (&at)[3], std::int64_t number, TReal smoothed) const
  {
    if (!blends)
    {
      return smoothed;
    }
    if (IsOnBorder(extent, at))
    {
      return TReal(0);
    }
    return rest == TReal(0) ? smoothed
                            : RoundedSum(RoundedProduct(smoothed, share), RoundedProduct(input[number], rest));
  }
};

/** \brief Adds a weighted number: with ITK's operations for double fields, with a fused operation if available for
 * float fields. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
AddWeighted(TReal sum, TReal weight, TReal number)
{
  if constexpr (sizeof(TReal) == sizeof(double))
  {
    return RoundedSum(sum, RoundedProduct(weight, number));
  }
  else
  {
    return sum + weight * number;
  }
}

} // namespace itk::CudaSpline

#endif
