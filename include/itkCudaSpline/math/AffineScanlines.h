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
#ifndef itkCudaSpline_math_AffineScanlines_h
#define itkCudaSpline_math_AffineScanlines_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Maximum number of affine maps in AffineScanlines. */
inline constexpr int MostAffineStages = 8;

/** \brief The ends of the scanlines of an output in the input, mapped by affine maps one after the other, as
 * itk::ResampleImageFilter maps them with an itk::CompositeTransform of these. */
template <unsigned int VDimension>
struct AffineScanlines
{
  double                outputOrigin[VDimension]{};             ///< point of the output's index 0 (mm)
  double                indexToPoint[VDimension][VDimension]{}; ///< of the output (mm per index)
  AffineMap<VDimension> stages[MostAffineStages];               ///< in the order in which they map points (mm)
  int                   stageCount{ 0 };                        ///< number of stages
  double                inputOrigin[VDimension]{};              ///< point of the input's index 0 (mm)
  double                pointToIndex[VDimension][VDimension]{}; ///< of the input (indices per mm)
  std::int64_t          start[VDimension]{};                    ///< index of the output's first sample
  std::int64_t          size[VDimension]{};                     ///< samples of the output

  /** The ends of a scanline.
   *
   * \param[in] line its number, in memory order
   * \param[out] ends continuous indices of its first sample, and of one past its last */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  EndsOf(std::int64_t line, ScanlineEnds<VDimension> & ends) const
  {
    std::int64_t index[VDimension];
    index[0] = start[0];
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      index[d] = start[d] + line % size[d];
      line /= size[d];
    }
    this->MapIndex(index, ends.start);
    index[0] += size[0];
    this->MapIndex(index, ends.end);
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MapIndex(const std::int64_t (&index)[VDimension], double (&at)[VDimension]) const
  {
    double point[VDimension];
    IndexToPoint(outputOrigin, indexToPoint, index, point);
    for (int i = 0; i < stageCount; ++i)
    {
      stages[i].Apply(point, at);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        point[d] = at[d];
      }
    }
    PointToContinuousIndex(inputOrigin, pointToIndex, point, at);
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
