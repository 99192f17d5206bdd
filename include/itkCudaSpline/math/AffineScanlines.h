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
inline constexpr int MaxAffineStages = 8;

/** \brief The ends of the scanlines of an output in the input, mapped by affine maps one after the other, as
 * itk::ResampleImageFilter maps them with an itk::CompositeTransform of these. */
template <unsigned int VDimension>
struct AffineScanlines
{
  double                outputOrigin[VDimension]{};             ///< point of the output's index 0 (mm)
  double                indexToPoint[VDimension][VDimension]{}; ///< of the output (mm per index)
  AffineMap<VDimension> stages[MaxAffineStages];                ///< in the order in which they map points (mm)
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
    this->IndexOf(line, index);
    this->MapIndex(index, ends.start);
    index[0] += size[0];
    this->MapIndex(index, ends.end);
  }

  /** The displacements at the ends of a scanline, as itk::TransformToDisplacementFieldFilter computes them; the input
   * is not used.
   *
   * \param[in] line its number, in memory order
   * \param[out] ends displacements of its first sample, and of one past its last (mm) */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  DisplacementsOf(std::int64_t line, ScanlineEnds<VDimension> & ends) const
  {
    std::int64_t index[VDimension];
    this->IndexOf(line, index);
    this->MoveIndex(index, ends.start);
    index[0] += size[0];
    this->MoveIndex(index, ends.end);
  }

private:
  /** Index of the first sample of a scanline. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  IndexOf(std::int64_t line, std::int64_t (&index)[VDimension]) const
  {
    index[0] = start[0];
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      index[d] = start[d] + line % size[d];
      line /= size[d];
    }
  }

  /** Moves a point through all stages. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Apply(double (&point)[VDimension]) const
  {
    for (int i = 0; i < stageCount; ++i)
    {
      double moved[VDimension];
      stages[i].Apply(point, moved);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        point[d] = moved[d];
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MapIndex(const std::int64_t (&index)[VDimension], double (&at)[VDimension]) const
  {
    double point[VDimension];
    IndexToPoint(outputOrigin, indexToPoint, index, point);
    this->Apply(point);
    PointToContinuousIndex(inputOrigin, pointToIndex, point, at);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  MoveIndex(const std::int64_t (&index)[VDimension], double (&displacement)[VDimension]) const
  {
    double point[VDimension];
    IndexToPoint(outputOrigin, indexToPoint, index, point);
    double moved[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = point[d];
    }
    this->Apply(moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      displacement[d] = RoundedSum(moved[d], -point[d]);
    }
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
