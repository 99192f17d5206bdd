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
#ifndef CudaSplineKernelsTransformsOutputSamples_h
#define CudaSplineKernelsTransformsOutputSamples_h

#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief Tests whether the output of a chain has the samples of another grid. */

namespace itk::CudaSpline
{

/** \brief Whether the requested samples of an output are those of another grid, in the same order, up to rounding
 * errors of their points.
 *
 * \param[in] chain chain with the output
 * \param[in] dimension 1 to 3
 * \param[in] origin point of the other grid's index 0 (mm)
 * \param[in] pointToIndex its indices per mm
 * \tparam TIndices array of integers, one per axis
 * \param[in] start, size its samples */
template <typename TIndices>
bool
AreOutputSamples(const TransformChain &         chain,
                 unsigned int                   dimension,
                 const TransformChain::Vector & origin,
                 const TransformChain::Matrix & pointToIndex,
                 const TIndices &               start,
                 const TIndices &               size)
{
  constexpr double most = 1e-11; // samples: rounding errors of points at a distance of some thousands of samples
  bool             areThose = true;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    areThose = areThose && chain.regionSize[d] == size[d];
  }
  for (unsigned int corner = 0; areThose && corner < 1U << dimension; ++corner)
  {
    double place[3];
    for (unsigned int r = 0; r < dimension; ++r)
    {
      place[r] = chain.outputOrigin[r] - origin[r];
      for (unsigned int c = 0; c < dimension; ++c)
      {
        const std::int64_t at = chain.regionStart[c] + ((corner >> c & 1U) != 0 ? size[c] - 1 : 0);
        place[r] += chain.indexToPoint[r][c] * static_cast<double>(at);
      }
    }
    for (unsigned int r = 0; r < dimension; ++r)
    {
      double index = -static_cast<double>(start[r] + ((corner >> r & 1U) != 0 ? size[r] - 1 : 0));
      for (unsigned int c = 0; c < dimension; ++c)
      {
        index += pointToIndex[r][c] * place[c];
      }
      areThose = areThose && std::abs(index) <= most;
    }
  }
  return areThose;
}

} // namespace itk::CudaSpline

#endif
