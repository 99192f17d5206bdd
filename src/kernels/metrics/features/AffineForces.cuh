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
#ifndef AffineForces_cuh
#define AffineForces_cuh

#include "kernels/common/SharedMemory.cuh"
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/metrics/features/FeatureForces.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

/** \file
 * \brief Forces of features on a device, for three-dimensional images under a field and affine stages whose channels
 * are read four at a time.
 *
 * A lane maps a sample into both images. Then the lanes of a warp share the channels of all of its samples: a lane
 * reads four channels, and its neighbour reads the next four of the same sample, so that a warp reads whole lines. */

namespace itk::CudaSpline
{

namespace
{

constexpr int ForcesWarps = BoxLanes / LanesOfWarp;
constexpr int MaxQuads = 3; ///< groups of four channels of a sample that a warp reads in one pass

/** Sums over a block, in a fixed order, and stores them. */
__device__ __forceinline__ void
StoreBoxSums(PointSums sums, PointSums * partial)
{
  constexpr unsigned int all = 0xffffffffU;
  __shared__ PointSums   ofWarps[ForcesWarps];
  for (int half = LanesOfWarp / 2; half > 0; half /= 2)
  {
    sums.Add({ __shfl_down_sync(all, sums.squares, half), __shfl_down_sync(all, sums.count, half) });
  }
  if (threadIdx.x == 0)
  {
    ofWarps[threadIdx.y] = sums;
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0)
  {
    for (int warp = 1; warp < ForcesWarps; ++warp)
    {
      sums.Add(ofWarps[warp]);
    }
    partial[blockIdx.x] = sums;
  }
}

/** \brief One of the images. */
struct AffineSide
{
  GridGeometry<3>     grid;
  const float *       data;
  MaskOfImage<3>      mask;
  WarpStages<3, true> stages;
  void *              force;          ///< null: not computed
  double              pullBack[3][3]; ///< force of a derivative with respect to the index

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Find(const GridGeometry<3> & output, const std::int64_t (&at)[3], std::int64_t offset, double (&index)[3]) const
  {
    double place[3];
    PlaceOfSample(output, at, place);
    stages.Move(offset, place);
    grid.PointToContinuousIndex(place, index);
    return mask.Admits(place) && IsInsideBuffer(grid.extent, index);
  }
};

/** \brief The arrays of the forces. Passed by value. */
struct AffineForces
{
  GridGeometry<3> output;
  AffineSide      sides[2]; ///< fixed, moving
  int             channels;
  bool            isDouble; ///< type of the forces
  FieldWalk       walk;
};

/** Cells of the samples of a warp, and the results of their channels. */
struct WarpCells
{
  std::int64_t first[2][LanesOfWarp]; ///< offset of the lowest corner; negative: the sample is not compared
  float        upper[2][3][LanesOfWarp];
  float4       results[2][LanesOfWarp * MaxQuads]; ///< derivatives with respect to the index; of the moving image with
                                                   ///< the sum of the squares
};

/** The distance of neighbours along each axis (numbers); 0: there is one sample. */
struct CornerSteps
{
  std::int64_t step[3];

  __device__ __forceinline__
  CornerSteps(const GridExtent<3> & extent, int channels)
  {
    std::int64_t stride = channels;
    for (int d = 0; d < 3; ++d)
    {
      step[d] = extent.size[d] > 1 ? stride : 0;
      stride *= extent.size[d];
    }
  }
};

/** Four channels at the corners of a cell. */
struct QuadCell
{
  float4 corners[8];

  __device__ __forceinline__
  QuadCell(const float * data, const CornerSteps & steps)
  {
#pragma unroll
    for (int corner = 0; corner < 8; ++corner)
    {
      const std::int64_t offset = ((corner & 1) != 0 ? steps.step[0] : 0) + ((corner & 2) != 0 ? steps.step[1] : 0) +
                                  ((corner & 4) != 0 ? steps.step[2] : 0);
      corners[corner] = *reinterpret_cast<const float4 *>(data + offset);
    }
  }

  /** The interpolated value of a channel and its derivatives. */
  template <float float4::*VChannel>
  __device__ __forceinline__ float
  Value(const float (&upper)[3], float (&slope)[3]) const
  {
    float alongX[4];
    float slopeX[4];
#pragma unroll
    for (int edge = 0; edge < 4; ++edge)
    {
      const float low = corners[2 * edge].*VChannel;
      slopeX[edge] = corners[2 * edge + 1].*VChannel - low;
      alongX[edge] = low + upper[0] * slopeX[edge];
    }
    const float slopeY[2] = { alongX[1] - alongX[0], alongX[3] - alongX[2] };
    const float alongY[2] = { alongX[0] + upper[1] * slopeY[0], alongX[2] + upper[1] * slopeY[1] };
    const float ofX[2] = { slopeX[0] + upper[1] * (slopeX[1] - slopeX[0]),
                           slopeX[2] + upper[1] * (slopeX[3] - slopeX[2]) };
    slope[0] = ofX[0] + upper[2] * (ofX[1] - ofX[0]);
    slope[1] = slopeY[0] + upper[2] * (slopeY[1] - slopeY[0]);
    slope[2] = alongY[1] - alongY[0];
    return alongY[0] + upper[2] * slope[2];
  }
};

/** Four channels of an image at a sample. */
struct QuadValues
{
  float value[4];
  float slope[4][3];

  /** \param[in] data the channels at the lowest corner */
  __device__ __forceinline__
  QuadValues(const float * data, const CornerSteps & steps, const float (&upper)[3], bool withSlopes)
  {
    if (!withSlopes && upper[0] == 0.0F && upper[1] == 0.0F && upper[2] == 0.0F)
    {
      const float4 only = *reinterpret_cast<const float4 *>(data);
      value[0] = only.x;
      value[1] = only.y;
      value[2] = only.z;
      value[3] = only.w;
      return;
    }
    const QuadCell cell(data, steps);
    value[0] = cell.Value<&float4::x>(upper, slope[0]);
    value[1] = cell.Value<&float4::y>(upper, slope[1]);
    value[2] = cell.Value<&float4::z>(upper, slope[2]);
    value[3] = cell.Value<&float4::w>(upper, slope[3]);
  }
};

/** Compares four channels of a sample of the warp, and stores the result at a slot. */
__device__ __forceinline__ void
CompareQuad(const AffineForces & forces,
            const CornerSteps (&steps)[2],
            WarpCells & cells,
            int         sample,
            int         channel,
            int         slot)
{
  if (cells.first[0][sample] < 0)
  {
    return;
  }
  float upper[2][3];
  for (int side = 0; side < 2; ++side)
  {
    for (int d = 0; d < 3; ++d)
    {
      upper[side][d] = cells.upper[side][d][sample];
    }
  }
  const auto at = [&](int side) {
    return forces.sides[side].data + cells.first[side][sample] * forces.channels + channel;
  };
  const QuadValues moving(at(1), steps[1], upper[1], forces.sides[1].force != nullptr);
  const QuadValues fixed(at(0), steps[0], upper[0], forces.sides[0].force != nullptr);
  float            square = 0.0F;
  float            ofFixed[3] = {};
  float            ofMoving[3] = {};
#pragma unroll
  for (int n = 0; n < 4; ++n)
  {
    const float difference = fixed.value[n] - moving.value[n];
    square += difference * difference;
    for (int d = 0; d < 3; ++d)
    {
      ofFixed[d] -= difference * fixed.slope[n][d];
      ofMoving[d] += difference * moving.slope[n][d];
    }
  }
  cells.results[1][slot] = make_float4(ofMoving[0], ofMoving[1], ofMoving[2], square);
  if (forces.sides[0].force != nullptr)
  {
    cells.results[0][slot] = make_float4(ofFixed[0], ofFixed[1], ofFixed[2], 0.0F);
  }
}

/** Compares all channels of all samples of the warp; adds those of this lane's sample. */
__device__ __forceinline__ void
CompareWarp(const AffineForces & forces,
            const CornerSteps (&steps)[2],
            WarpCells & cells,
            float &     sum,
            float (&byIndex)[2][3])
{
  const int lane = static_cast<int>(threadIdx.x);
  for (int begin = 0; begin < forces.channels; begin += 4 * MaxQuads)
  {
    const int quads = min(MaxQuads, (forces.channels - begin) / 4);
    const int inverse = 65536 / quads + 1;
    __syncwarp();
    for (int pass = 0; pass < quads; ++pass)
    {
      const int slot = pass * LanesOfWarp + lane;
      const int sample = (slot * inverse) >> 16; // slot / quads
      CompareQuad(forces, steps, cells, sample, begin + 4 * (slot - sample * quads), slot);
    }
    __syncwarp();
    if (cells.first[0][lane] >= 0)
    {
      for (int quad = 0; quad < quads; ++quad)
      {
        for (int side = 0; side < 2; ++side)
        {
          if (side == 1 || forces.sides[0].force != nullptr)
          {
            const float4 result = cells.results[side][lane * quads + quad];
            byIndex[side][0] += result.x;
            byIndex[side][1] += result.y;
            byIndex[side][2] += result.z;
            sum += result.w;
          }
        }
      }
    }
  }
}

__device__ __forceinline__ void
StoreForce(const AffineForces & forces, const AffineSide & side, std::int64_t offset, const float (&byIndex)[3])
{
  for (int c = 0; c < 3; ++c)
  {
    double force = 0.0;
    for (int k = 0; k < 3; ++k)
    {
      force += side.pullBack[c][k] * static_cast<double>(byIndex[k]);
    }
    const std::int64_t number = offset * 3 + c;
    if (forces.isDouble)
    {
      static_cast<double *>(side.force)[number] = force;
    }
    else
    {
      static_cast<float *>(side.force)[number] = static_cast<float>(force);
    }
  }
}

/** Forces of a box, and its sums. */
__global__ void
__launch_bounds__(BoxLanes, 2)
  AffineForcesKernel(const __grid_constant__ AffineForces forces, const FieldBoxes boxes, PointSums * partial)
{
  __shared__ WarpCells ofWarps[ForcesWarps];
  WarpCells &          cells = ofWarps[threadIdx.y];
  const int            lane = static_cast<int>(threadIdx.x);
  const CornerSteps    steps[2] = { { forces.sides[0].grid.extent, forces.channels },
                                    { forces.sides[1].grid.extent, forces.channels } };
  const bool           withSlopes[2] = { forces.sides[0].force != nullptr, forces.sides[1].force != nullptr };
  PointSums            sums;
  std::int64_t         at[3];
  boxes.FirstOf(blockIdx.x, at);
  at[0] += threadIdx.x;
  at[1] += threadIdx.y;
  const bool         hasColumn = at[0] < forces.walk.size[0] && at[1] < forces.walk.size[1];
  const std::int64_t end = min(at[2] + BoxDepth, forces.walk.size[2]);
  for (; at[2] < end; ++at[2])
  {
    const std::int64_t offset = OffsetOf(forces.walk, at);
    float              sum = 0.0F;
    float              byIndex[2][3] = {};
    float              rise[2][3];
    double             index[2][3];
    const bool         isInside = hasColumn && forces.sides[0].Find(forces.output, at, offset, index[0]) &&
                          forces.sides[1].Find(forces.output, at, offset, index[1]);
    cells.first[0][lane] = -1;
    if (isInside)
    {
      const FeatureCell<3> own[2] = { { forces.sides[0].grid.extent, index[0] },
                                      { forces.sides[1].grid.extent, index[1] } };
      if ((withSlopes[0] && own[0].isShifted) || (withSlopes[1] && own[1].isShifted))
      {
        const FeatureComparison<3> comparison{ { forces.sides[0].data, forces.sides[1].data },
                                               { withSlopes[0], withSlopes[1] },
                                               forces.channels,
                                               true };
        sum = comparison.Run(own[0], own[1], byIndex);
        for (int d = 0; d < 3; ++d)
        {
          rise[0][d] = rise[1][d] = 1.0F;
        }
      }
      else
      {
        for (int side = 0; side < 2; ++side)
        {
          cells.first[side][lane] = own[side].first;
          for (int d = 0; d < 3; ++d)
          {
            cells.upper[side][d][lane] = own[side].upper[d];
            rise[side][d] = own[side].rise[d];
          }
        }
      }
    }
    CompareWarp(forces, steps, cells, sum, byIndex);
    if (isInside)
    {
      sums.Add({ static_cast<double>(sum / static_cast<float>(forces.channels)), 1 });
    }
    for (int side = 0; side < 2; ++side)
    {
      if (hasColumn && withSlopes[side])
      {
        for (int d = 0; d < 3; ++d)
        {
          byIndex[side][d] = isInside ? byIndex[side][d] * rise[side][d] : 0.0F;
        }
        StoreForce(forces, forces.sides[side], offset, byIndex[side]);
      }
    }
  }
  StoreBoxSums(sums, partial);
}

/** \brief Whether all stages after a field on the grid of the forces are affine. */
inline bool
IsAffineAfterField(const FieldGrid & output, const std::vector<TransformChain::Stage> & stages)
{
  return std::all_of(stages.begin() + static_cast<std::ptrdiff_t>(CountFieldsOn(output, stages)),
                     stages.end(),
                     [](const TransformChain::Stage & stage) { return stage.kind == TransformKind::Affine; });
}

inline AffineSide
MakeAffineSide(const FieldGrid & output, const MovedFeatures & image, void * force)
{
  AffineSide side;
  side.grid = MakeGeometry<3>(image.features.grid);
  side.data = static_cast<const float *>(image.features.data.get());
  side.mask = { MakeGeometry<3>(image.maskGrid), image.mask };
  side.stages = MakeWarpStages<3, true>(output, image.stages);
  side.force = force;
  // The derivative of an index with respect to the point before the affine stages.
  double byPoint[3][3];
  std::copy_n(&side.grid.pointToIndex[0][0], 9, &byPoint[0][0]);
  for (int i = side.stages.count - 1; i >= 0; --i)
  {
    double product[3][3] = {};
    for (int k = 0; k < 3; ++k)
    {
      for (int c = 0; c < 3; ++c)
      {
        for (int r = 0; r < 3; ++r)
        {
          product[k][c] += byPoint[k][r] * side.stages.following[i].matrix[r][c];
        }
      }
    }
    std::copy_n(&product[0][0], 9, &byPoint[0][0]);
  }
  for (int k = 0; k < 3; ++k)
  {
    for (int c = 0; c < 3; ++c)
    {
      side.pullBack[c][k] = 2.0 / image.features.channels * byPoint[k][c];
    }
  }
  return side;
}

} // namespace
} // namespace itk::CudaSpline

#endif
