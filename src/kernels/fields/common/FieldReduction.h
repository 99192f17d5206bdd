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
#ifndef FieldReduction_h
#define FieldReduction_h

#include "kernels/fields/common/FieldGeometry.h"

#include <cstdint>

/** \file
 * \brief The order of the summation of vector norms: within boxes, then over boxes. It is the same on host and device,
 * and for any number of threads. */

namespace itk::CudaSpline
{

inline constexpr int BoxLanes = 256;         ///< columns of a box
inline constexpr int BoxWidth = 32;          ///< samples of a box along x: a warp
inline constexpr int BoxHeight = 8;          ///< along y
inline constexpr int BoxDepth = 4;           ///< along z, sequentially
inline constexpr int TotalLanes = 1024;      ///< lanes of the sum over boxes
inline constexpr int LanesOfWarp = BoxWidth; ///< lanes that are summed first

/** \brief Sum and maximum of norms. */
struct NormSums
{
  double sum;
  double maximum;

  /** Adds norms. NaN is never the maximum. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const NormSums & other)
  {
    sum = sum + other.sum;
    maximum = maximum < other.maximum ? other.maximum : maximum;
  }
};

/** \brief The boxes of a grid, x fastest. */
struct FieldBoxes
{
  std::int64_t count[3]; ///< along each axis

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Count() const
  {
    return count[0] * count[1] * count[2];
  }

  /** First sample of a box. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FirstOf(std::int64_t box, std::int64_t (&at)[3]) const
  {
    at[0] = box % count[0] * BoxWidth;
    at[1] = box / count[0] % count[1] * BoxHeight;
    at[2] = box / count[0] / count[1] * BoxDepth;
  }
};

/** \brief The boxes of a walk. */
inline FieldBoxes
BoxesOf(const FieldWalk & walk)
{
  return { { (walk.size[0] + BoxWidth - 1) / BoxWidth,
             (walk.size[1] + BoxHeight - 1) / BoxHeight,
             (walk.size[2] + BoxDepth - 1) / BoxDepth } };
}

/** \brief Sums lanes on the host in the order of a block of a device: a tree within each warp, then a tree over its
 * warps.
 *
 * \param[in,out] lanes the lanes; the first one receives the sum
 * \param[in] count a multiple of 32, at most 1024 */
inline void
AddLanes(NormSums * lanes, int count)
{
  for (int warp = 0; warp < count; warp += LanesOfWarp)
  {
    for (int half = LanesOfWarp / 2; half > 0; half /= 2)
    {
      for (int lane = 0; lane < half; ++lane)
      {
        lanes[warp + lane].Add(lanes[warp + lane + half]);
      }
    }
  }
  const int warps = count / LanesOfWarp;
  for (int half = warps / 2; half > 0; half /= 2)
  {
    for (int warp = 0; warp < half; ++warp)
    {
      lanes[warp * LanesOfWarp].Add(lanes[(warp + half) * LanesOfWarp]);
    }
  }
}

} // namespace itk::CudaSpline

#endif
