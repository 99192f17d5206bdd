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
#ifndef itkCudaSpline_math_LinearEvaluation_h
#define itkCudaSpline_math_LinearEvaluation_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Interpolation between two neighbours along the axes 0 to VAxis - 1, x innermost.
 *
 * \tparam VAxis number of axes; VDimension for the whole
 * \param[in] data first sample, host or device, x fastest
 * \param[in] offset elements from \p data to the lower corner
 * \param[in] step elements to the upper neighbour of each axis, 0 if it does not exist or is not needed
 * \param[in] distance position between the neighbours of each axis, in [0, 1] */
template <unsigned int VAxis, unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
InterpolateCorners(const TReal * data,
                   std::int64_t  offset,
                   const std::int64_t (&step)[VDimension],
                   const TReal (&distance)[VDimension])
{
  if constexpr (VAxis == 0)
  {
    return data[offset];
  }
  else
  {
    const TReal low = InterpolateCorners<VAxis - 1>(data, offset, step, distance);
    if (step[VAxis - 1] == 0)
    {
      return low;
    }
    const TReal high = InterpolateCorners<VAxis - 1>(data, offset + step[VAxis - 1], step, distance);
    return low + (high - low) * distance[VAxis - 1];
  }
}

/** \brief Linear interpolation at a continuous index by the rule of itk::LinearInterpolateImageFunction.
 *
 * The lower corner is the floor, at least the first sample. A neighbour that is beyond the last sample, or whose weight
 * is 0, is not read, even if it is NaN or infinite.
 *
 * \tparam TReal float or double, type of the samples and of the arithmetic
 * \param[in] data first sample, host or device, x fastest
 * \param[in] extent the samples in memory
 * \param[in] index continuous index (samples), inside the buffer by ITK's half-pixel rule
 * \param[in] stride distance of adjacent samples along x (elements) */
template <typename TReal, unsigned int VDimension, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
LinearValue(const TReal *                  data,
            const GridExtent<VDimension> & extent,
            const TCoordinate (&index)[VDimension],
            std::int64_t stride = 1)
{
  std::int64_t offset = 0;
  std::int64_t step[VDimension];
  TReal        distance[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const std::int64_t last = extent.start[d] + extent.size[d] - 1;
    std::int64_t       base = FloorIndex(index[d]); // beyond the last sample if that is -1, just below 0
    base = base < extent.start[d] ? extent.start[d] : (base > last ? last : base);
    const TCoordinate above = RoundedSum(index[d], -static_cast<TCoordinate>(base));
    const bool        hasUpper = above > TCoordinate(0) && base < last;
    distance[d] = static_cast<TReal>(above);
    step[d] = hasUpper ? stride : 0;
    offset += (base - extent.start[d]) * stride;
    stride *= extent.size[d];
  }
  return InterpolateCorners<VDimension>(data, offset, step, distance);
}

/** \brief Interpolation between the two neighbours of each axis among the axes 0 to VAxis - 1, x innermost. Each
 * neighbour is folded into the array or outside it.
 *
 * \param[in] grid the samples
 * \param[in] at offset from the axes above (elements); 0 for the whole
 * \param[in] offset the contribution of the lower and the upper neighbour to it, or OffsetOutside (elements)
 * \param[in] distance position between the neighbours of each axis, in [0, 1): the upper one is not read at 0 */
template <unsigned int VAxis, unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
InterpolateNeighbours(const CoefficientGrid<VDimension, TReal> & grid,
                      std::int64_t                               at,
                      const std::int64_t (&offset)[VDimension][2],
                      const TReal (&distance)[VDimension])
{
  if constexpr (VAxis == 0)
  {
    return at < 0 ? grid.border : grid.data[at];
  }
  else
  {
    const TReal low = InterpolateNeighbours<VAxis - 1>(grid, at + offset[VAxis - 1][0], offset, distance);
    if (distance[VAxis - 1] == TReal(0))
    {
      return low;
    }
    const TReal high = InterpolateNeighbours<VAxis - 1>(grid, at + offset[VAxis - 1][1], offset, distance);
    return low + (high - low) * distance[VAxis - 1];
  }
}

/** \brief Linear interpolation at any continuous index, with samples that are continued outside by the grid's
 * extension.
 *
 * Inside the buffer, and outside it with Extension::Nearest, it follows the rule of LinearValue().
 *
 * \param[in] grid the samples
 * \param[in] index continuous index (samples), with a magnitude below 2^62
 * \param[in] stride distance of adjacent samples along x (elements) */
template <unsigned int VDimension, typename TReal, typename TCoordinate>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
LinearValueExtended(const CoefficientGrid<VDimension, TReal> & grid,
                    const TCoordinate (&index)[VDimension],
                    std::int64_t stride = 1)
{
  std::int64_t offset[VDimension][2];
  TReal        distance[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    std::int64_t base = FloorIndex(index[d]);
    TCoordinate  above = RoundedSum(index[d], -static_cast<TCoordinate>(base));
    if (above < TCoordinate(0)) // FloorIndex() returns the integer above for a number just below it
    {
      above = TCoordinate(0);
    }
    for (int k = 0; k < 2; ++k)
    {
      const std::int64_t folded = FoldIndex(base - grid.extent.start[d] + k, grid.extent.size[d], grid.extension[d]);
      offset[d][k] = folded < 0 ? OffsetOutside : folded * stride;
    }
    distance[d] = static_cast<TReal>(above);
    stride *= grid.extent.size[d];
  }
  return InterpolateNeighbours<VDimension>(grid, std::int64_t{ 0 }, offset, distance);
}

/** @} */
} // namespace itk::CudaSpline

#endif
