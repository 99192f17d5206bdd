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
#ifndef itkCudaSpline_kernels_transforms_ScanlinesOfChain_h
#define itkCudaSpline_kernels_transforms_ScanlinesOfChain_h

#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/AffineScanlines.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief True if a chain maps scanlines to straight lines: all its stages are affine, and there are not too many.
 *
 * \param[in] chain the chain */
inline bool
HasAffineScanlines(const TransformChain & chain)
{
  bool isAffine = chain.stages.size() <= static_cast<std::size_t>(MaxAffineStages);
  for (const TransformChain::Stage & stage : chain.stages)
  {
    isAffine = isAffine && stage.kind == TransformKind::Affine;
  }
  return isAffine;
}

/** \brief The scanlines of a chain for which HasAffineScanlines() is true; its region is the whole output.
 *
 * \param[in] chain the chain */
template <unsigned int VDimension>
AffineScanlines<VDimension>
ScanlinesOf(const TransformChain & chain)
{
  AffineScanlines<VDimension> scanlines;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    // The sum of a point begins with the origin. Adding 0 replaces -0, whose sign would else depend on that of the
    // index.
    scanlines.outputOrigin[r] = chain.outputOrigin[r] + 0.0;
    scanlines.inputOrigin[r] = chain.inputOrigin[r];
    scanlines.start[r] = chain.regionStart[r];
    scanlines.size[r] = chain.regionSize[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      scanlines.indexToPoint[r][c] = chain.indexToPoint[r][c];
      scanlines.pointToIndex[r][c] = chain.pointToIndex[r][c];
    }
  }
  for (const TransformChain::Stage & stage : chain.stages)
  {
    AffineMap<VDimension> & map = scanlines.stages[scanlines.stageCount++];
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      map.offset[r] = stage.offset[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        map.matrix[r][c] = stage.matrix[r][c];
      }
    }
  }
  return scanlines;
}

/** @} */
} // namespace itk::CudaSpline

#endif
