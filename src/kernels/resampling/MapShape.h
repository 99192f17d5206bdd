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
#ifndef MapShape_h
#define MapShape_h

#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/math/AffineScanlines.h"

#include "kernels/evaluation/MapTiles.h"
#include "kernels/resampling/EndpointTable.h"

#include <algorithm>

/** \file
 * \brief Finds simple maps from output to input samples with the table of scanline ends. */

namespace itk::CudaSpline
{

/** \brief The shape of a map, from its table of scanline ends: numbers that must be equal are bitwise equal.
 *
 * General if there is no table, if a number is NaN, or if the dimension is 1.
 *
 * \param[in] descriptor the resampling
 * \param[in] dimension components of an index
 * \param[in] context threads that read the table */
MapShape
ShapeOfMap(const ResampleDescriptor & descriptor, unsigned int dimension, const ExecutionContext & context);

/** \brief The tiles of a resampling; those of MapShape::General if its windows are too large for shared memory.
 *
 * \param[in] descriptor the resampling
 * \param[in] source the source
 * \param[in] context threads that read the table */
MapTiles
PlanMapTiles(const ResampleDescriptor & descriptor, const SourceDescriptor & source, const ExecutionContext & context);

/** \brief ShapeOfMap() from zeros in the matrices of affine maps, which make numbers bitwise equal.
 *
 * \param[in] scanlines the maps */
template <unsigned int VDimension>
MapShape
ShapeOfMap(const AffineScanlines<VDimension> & scanlines)
{
  if constexpr (VDimension < 3)
  {
    static_cast<void>(scanlines);
    return VDimension == 2 ? MapShape::InPlane : MapShape::General;
  }
  else
  {
    // Whether an index of the output changes a component.
    bool       moves[3][3] = { { true, false, false }, { false, true, false }, { false, false, true } };
    const auto follow = [&moves](const double(&matrix)[3][3]) {
      bool moved[3][3];
      for (unsigned int r = 0; r < 3; ++r)
      {
        for (unsigned int c = 0; c < 3; ++c)
        {
          moved[r][c] = false;
          for (unsigned int k = 0; k < 3; ++k)
          {
            moved[r][c] = moved[r][c] || (matrix[r][k] != 0.0 && moves[k][c]);
          }
        }
      }
      std::copy_n(&moved[0][0], 9, &moves[0][0]);
    };
    follow(scanlines.indexToPoint);
    for (int i = 0; i < scanlines.stageCount; ++i)
    {
      follow(scanlines.stages[i].matrix);
    }
    follow(scanlines.pointToIndex);
    if (moves[2][0] || moves[2][1] || moves[0][2] || moves[1][2])
    {
      return MapShape::General;
    }
    return moves[0][1] || moves[1][0] ? MapShape::InPlane : MapShape::Separable;
  }
}

/** \brief PlanMapTiles() for a map with a known shape.
 *
 * \param[in] descriptor the resampling; its own table is not read
 * \param[in] source the source
 * \param[in] table at least the lines of the first slice and the first one of each slice
 * \param[in] shape shape of the map */
MapTiles
PlanMapTiles(const ResampleDescriptor & descriptor,
             const SourceDescriptor &   source,
             const EndpointTable &      table,
             MapShape                   shape);

} // namespace itk::CudaSpline

#endif
