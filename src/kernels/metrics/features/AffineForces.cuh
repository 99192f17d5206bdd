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
  double              lower[3];       ///< bounds of indices inside: [lower, upper)
  double              upper[3];       ///< see \c lower
  bool                isOnGrid;       ///< whether its samples are those of the forces, and do not move
  void *              force;          ///< null: not computed
  double              pullBack[3][3]; ///< force of a derivative with respect to the index

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Find(const GridGeometry<3> & output, const std::int64_t (&at)[3], std::int64_t offset, double (&index)[3]) const
  {
    double place[3];
    PlaceOfSample(output, at, place);
    stages.Move(offset, place);
    grid.PointToContinuousIndex(place, index);
    bool isInside = mask.Admits(place);
    for (int d = 0; d < 3; ++d)
    {
      isInside = isInside && index[d] >= lower[d] && index[d] < upper[d]; // IsInsideBuffer()
    }
    return isInside;
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

/** The cell of an index, see FeatureCell; or a sample of the image, if the index is one. */
struct AffineCell
{
  std::int64_t first;    ///< offset of the lowest corner, or of the sample
  float        upper[3]; ///< weight of the upper corners along an axis, or neighbours of a sample
  float        rise[3];  ///< factor of the derivative along an axis
  bool         isSample;
  bool         isMixed{ false }; ///< the index is that of a sample along some axes only

  /** Neighbours of a sample along an axis. */
  ///@{
  static constexpr float Both = 0.0F;
  static constexpr float OnlyUpper = 1.0F;
  static constexpr float OnlyLower = 2.0F;
  static constexpr float None = 3.0F;
  ///@}

  /** The cell at a sample of the grid. */
  __device__ __forceinline__
  AffineCell(const GridExtent<3> & extent, const std::int64_t (&at)[3])
    : first((at[2] * extent.size[1] + at[1]) * extent.size[0] + at[0])
    , isSample(true)
  {
    for (int d = 0; d < 3; ++d)
    {
      upper[d] = NeighboursOf(at[d] == 0, at[d] + 1 == extent.size[d]);
      rise[d] = 0.5F;
    }
  }

  /** See FeatureCell.
   *
   * \param[in] index inside the buffer
   * \param[in] withSlopes whether derivatives are needed */
  __device__ __forceinline__
  AffineCell(const GridExtent<3> & extent, const double (&index)[3], bool withSlopes)
    : first(0)
    , isSample(true)
  {
    constexpr double atSample = FeatureCell<3>::AtSample;
    bool             isShifted = false;
    float            neighbours[3];
    int              atUpper[3];
    int              base[3];
    for (int d = 0; d < 3; ++d)
    {
      const int    last = static_cast<int>(extent.size[d]) - 1;
      const double from = index[d] - static_cast<double>(extent.start[d]);
      base[d] = max(min(ShortFloorIndex(from), last - 1), 0);
      const double above = from - static_cast<double>(base[d]);
      const auto   single = static_cast<float>(above);
      const bool   isAtLower = fabs(above) < atSample;
      const bool   isAtUpper = fabs(above - 1.0) < atSample;
      const bool   isFlat = last == 0 || single < 0.0F || single > 1.0F;
      atUpper[d] = isAtUpper && last > 0 ? 1 : 0;
      neighbours[d] = NeighboursOf(base[d] + atUpper[d] == 0, base[d] + atUpper[d] == last);
      isSample = isSample && (isAtLower || isAtUpper || last == 0);
      isShifted = isShifted || ((isAtLower || isAtUpper) && neighbours[d] == Both);
      upper[d] = last == 0 ? 0.0F : fminf(fmaxf(single, 0.0F), 1.0F);
      rise[d] = last > 0 && (isAtLower || isAtUpper) ? 0.5F : (isFlat ? 0.0F : 1.0F);
    }
    isMixed = withSlopes && isShifted && !isSample;
    for (int d = 2; d >= 0; --d)
    {
      first = first * extent.size[d] + base[d] + (isSample ? atUpper[d] : 0);
      upper[d] = isSample ? neighbours[d] : upper[d];
    }
  }

private:
  __device__ __forceinline__ static float
  NeighboursOf(bool isFirst, bool isLast)
  {
    return isFirst ? (isLast ? None : OnlyUpper) : (isLast ? OnlyLower : Both);
  }
};

/** Cells of the samples of a warp, and the results of their channels. */
struct WarpCells
{
  std::int64_t first[2][LanesOfWarp]; ///< see AffineCell; negative: the sample is not compared
  float        upper[2][3][LanesOfWarp];
  bool         isSample[2][LanesOfWarp];
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

  /** \param[in] data the channels at the lowest corner, or at the sample
   * \param[in] upper see AffineCell */
  __device__ __forceinline__
  QuadValues(const float * data, const CornerSteps & steps, const float (&upper)[3], bool isSample, bool withSlopes)
  {
    if (isSample)
    {
      const float4 own = Read(data);
      value[0] = own.x;
      value[1] = own.y;
      value[2] = own.z;
      value[3] = own.w;
#pragma unroll
      for (int d = 0; withSlopes && d < 3; ++d)
      {
        const bool   hasLower = upper[d] == AffineCell::Both || upper[d] == AffineCell::OnlyLower;
        const bool   hasUpper = upper[d] == AffineCell::Both || upper[d] == AffineCell::OnlyUpper;
        const float4 below = Read(data - (hasLower ? steps.step[d] : 0));
        const float4 above = Read(data + (hasUpper ? steps.step[d] : 0));
        slope[0][d] = above.x - below.x;
        slope[1][d] = above.y - below.y;
        slope[2][d] = above.z - below.z;
        slope[3][d] = above.w - below.w;
      }
      return;
    }
    const QuadCell cell(data, steps);
    value[0] = cell.Value<&float4::x>(upper, slope[0]);
    value[1] = cell.Value<&float4::y>(upper, slope[1]);
    value[2] = cell.Value<&float4::z>(upper, slope[2]);
    value[3] = cell.Value<&float4::w>(upper, slope[3]);
  }

private:
  __device__ __forceinline__ static float4
  Read(const float * data)
  {
    return *reinterpret_cast<const float4 *>(data);
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
  const QuadValues moving(at(1), steps[1], upper[1], cells.isSample[1][sample], forces.sides[1].force != nullptr);
  const QuadValues fixed(at(0), steps[0], upper[0], cells.isSample[0][sample], forces.sides[0].force != nullptr);
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

/** The sum of the squared differences of a sample, and its derivatives. */
struct ComparedSample
{
  float sum{ 0.0F };
  float byIndex[2][3] = {};
};

/** Compares all channels of a sample whose index in an image is that of a sample along some axes only: a separate
 * function, because this is rare. */
__device__ __noinline__ ComparedSample
CompareAlone(const AffineForces & forces, const std::int64_t (&at)[3], std::int64_t offset)
{
  double index[2][3];
  for (int side = 0; side < 2; ++side)
  {
    forces.sides[side].Find(forces.output, at, offset, index[side]);
  }
  const FeatureComparison<3> comparison{ { forces.sides[0].data, forces.sides[1].data },
                                         { forces.sides[0].force != nullptr, forces.sides[1].force != nullptr },
                                         forces.channels,
                                         true };
  ComparedSample             compared;
  compared.sum = comparison.Run(
    { forces.sides[0].grid.extent, index[0] }, { forces.sides[1].grid.extent, index[1] }, compared.byIndex);
  return compared;
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
__launch_bounds__(BoxLanes, 3)
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
    const auto         find = [&](int side) {
      return forces.sides[side].isOnGrid || forces.sides[side].Find(forces.output, at, offset, index[side]);
    };
    const auto cellOf = [&](int side) {
      const GridExtent<3> & extent = forces.sides[side].grid.extent;
      return forces.sides[side].isOnGrid ? AffineCell(extent, at) : AffineCell(extent, index[side], withSlopes[side]);
    };
    const bool isInside = hasColumn && find(0) && find(1);
    cells.first[0][lane] = -1;
    if (isInside)
    {
      const AffineCell own[2] = { cellOf(0), cellOf(1) };
      const bool       isMixed = own[0].isMixed || own[1].isMixed;
      for (int side = 0; side < 2; ++side)
      {
        cells.first[side][lane] = isMixed ? -1 : own[side].first;
        cells.isSample[side][lane] = own[side].isSample;
        for (int d = 0; d < 3; ++d)
        {
          cells.upper[side][d][lane] = own[side].upper[d];
          rise[side][d] = isMixed ? 1.0F : own[side].rise[d];
        }
      }
      if (isMixed)
      {
        const std::int64_t   here[3] = { at[0], at[1], at[2] }; // else the loop's would be in memory
        const ComparedSample compared = CompareAlone(forces, here, offset);
        sum = compared.sum;
        for (int d = 0; d < 3; ++d)
        {
          byIndex[0][d] = compared.byIndex[0][d];
          byIndex[1][d] = compared.byIndex[1][d];
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

/** \brief Whether indices in an image fit into 29 bits, and all stages after a field on the grid of the forces are
 * affine. */
inline bool
IsAffine(const FieldGrid & output, const MovedFeatures & image)
{
  constexpr std::int64_t most = std::int64_t{ 1 } << 29;
  const auto &           size = image.features.grid.size;
  const auto &           stages = image.stages;
  return *std::max_element(size.begin(), size.end()) < most &&
         std::all_of(stages.begin() + static_cast<std::ptrdiff_t>(CountFieldsOn(output, stages)),
                     stages.end(),
                     [](const TransformChain::Stage & stage) { return stage.kind == TransformKind::Affine; });
}

inline bool
IsSameGrid(const FieldGrid & first, const FieldGrid & second)
{
  return first.start == second.start && first.size == second.size && first.origin == second.origin &&
         first.indexToPoint == second.indexToPoint && first.pointToIndex == second.pointToIndex;
}

inline AffineSide
MakeAffineSide(const FieldGrid & output, const MovedFeatures & image, void * force)
{
  AffineSide side;
  side.grid = MakeGeometry<3>(image.features.grid);
  side.data = static_cast<const float *>(image.features.data.get());
  side.mask = { MakeGeometry<3>(image.maskGrid), image.mask };
  side.stages = MakeWarpStages<3, true>(output, image.stages);
  for (int d = 0; d < 3; ++d)
  {
    const GridExtent<3> & extent = side.grid.extent;
    side.lower[d] = static_cast<double>(extent.start[d]) - 0.5;
    side.upper[d] = static_cast<double>(extent.start[d] + extent.size[d] - 1) + 0.5;
  }
  side.isOnGrid = image.stages.empty() && image.mask == nullptr && IsSameGrid(image.features.grid, output);
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
