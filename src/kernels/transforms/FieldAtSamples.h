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
#ifndef CudaSplineKernelsTransformsFieldAtSamples_h
#define CudaSplineKernelsTransformsFieldAtSamples_h

#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cstdint>

/** \file
 * \brief A displacement field on the grid whose samples it displaces: its vectors are not interpolated. */

namespace itk::CudaSpline
{

/** \brief The vectors of a field, one for each sample of a grid; at most one of the two pointers is set. Passed by
 * value. */
template <unsigned int VDimension>
struct FieldAtSamples
{
  const double * data{ nullptr };       ///< displacements (mm), x fastest, host or device
  const float *  singleData{ nullptr }; ///< or float displacements

  /** \brief Displaces the point of a sample; has no effect without a field.
   *
   * \param[in] sample its number, x fastest
   * \param[in,out] place its point (mm) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Move(std::int64_t sample, double (&place)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension && singleData != nullptr; ++d)
    {
      place[d] = RoundedSum(place[d], static_cast<double>(singleData[sample * VDimension + d]));
    }
    for (unsigned int d = 0; d < VDimension && data != nullptr; ++d)
    {
      place[d] = RoundedSum(place[d], data[sample * VDimension + d]);
    }
  }
};

} // namespace itk::CudaSpline

#endif
