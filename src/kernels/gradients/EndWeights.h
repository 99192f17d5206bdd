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
#ifndef EndWeights_h
#define EndWeights_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief The factors by which FilterArrayAdjoint() multiplies the elements of a contiguous array: W^-1 and W of its
 * axes, as described there. */
struct EndWeights
{
  unsigned int dimension;
  std::int64_t size[MaximumArrayDimension];
  bool         isWeighted[MaximumArrayDimension]; ///< axes that are filtered with the extension Mirror

  explicit EndWeights(const ArrayFilter & filter)
    : dimension(filter.input.dimension)
    , size{}
    , isWeighted{}
  {
    for (unsigned int d = 0; d < dimension; ++d)
    {
      size[d] = filter.input.size[d];
      isWeighted[d] = filter.isFiltered[d] && size[d] > 1 && FilterExtensionOf(filter.mode) == Extension::Mirror;
    }
  }

  /** \param[in] number index of the element
   * \param[in] isBefore true for W^-1, which is applied before the prefilter; false for W */
  CUDASPLINE_HOST_DEVICE double
  Of(std::int64_t number, bool isBefore) const
  {
    double weight = 1.0;
    for (unsigned int d = dimension; d-- > 0; number /= size[d])
    {
      const std::int64_t index = number % size[d];
      if (isWeighted[d] && (index == 0 || index == size[d] - 1))
      {
        weight *= isBefore ? 2.0 : 0.5;
      }
    }
    return weight;
  }
};

} // namespace itk::CudaSpline

#endif
