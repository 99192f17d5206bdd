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
#ifndef DenseCosts_h
#define DenseCosts_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include "kernels/fields/common/FieldGeometry.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

/** \file
 * \brief The bodies of DenseSearch for host and device: cells of features, the costs of displacements, and the choice
 * of a displacement at each control point.
 *
 * Features and costs are integers and each operation on floats is rounded separately: both backends compute bitwise
 * equal results from the same cells. */

namespace itk::CudaSpline
{

/** \brief The means of the features of a cell, in units of 1/255: the error of each is at most 1/510. */
struct alignas(16) DenseCell
{
  static constexpr int MaxChannels = 12;

  std::uint8_t features[MaxChannels]; ///< 0 beyond the channels
  std::uint8_t isValid;
  std::uint8_t unused[3];
};

/** \brief The cost of a displacement that leads to an invalid cell. */
inline constexpr std::uint16_t NoCost = 65535;

/** \brief The largest cost: a mean squared difference of 1. */
inline constexpr double CostScale = 255.0 * 255.0;

/** \brief Control points, cells of the moving image, and the displacements between them. A displacement is a number of
 * cells along each axis. */
struct DenseLattice
{
  FieldWalk points;    ///< control points
  FieldWalk cells;     ///< of the moving image
  int       ratio[3];  ///< distance of adjacent control points (cells)
  int       margin[3]; ///< cells before the first control point, and as many after the last one
  int       radius[3]; ///< largest displacement
  float     weight[3]; ///< weight of the square of a displacement by one cell
  int       channels;

  /** Number of control points. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           CountPoints() const
  {
    return points.size[0] * points.size[1] * points.size[2];
  }
  /** Number of displacements along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  Width(int axis) const
  {
    return 2 * radius[axis] + 1;
  }
  /** Number of displacements. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  CountDisplacements() const
  {
    return this->Width(0) * this->Width(1) * this->Width(2);
  }
};

/** \brief Averages features over cells. A cell is valid if at least half of it is in the image.
 *
 * Cells may begin and end in the middle of a sample, which then has half the weight. Sums are in double precision, so
 * that the rounding of a mean does not depend on the order of the axes. */
struct PoolCells
{
  const float *        features;
  const std::uint8_t * inside; ///< a byte for each sample of the image
  DenseCell *          cells;
  int                  channels;
  int                  window[3]; ///< samples of a cell
  int                  stride[3]; ///< distance of adjacent cells (samples)
  int                  start[3];  ///< distance of the first cell from the edge of the image (half samples)
  FieldWalk            image;
  FieldWalk            walk; ///< cells

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double       sums[DenseCell::MaxChannels] = {};
    std::int64_t edge[3]; // half samples
    std::int64_t begin[3];
    std::int64_t end[3];
    for (int d = 0; d < 3; ++d)
    {
      edge[d] = start[d] + 2 * at[d] * stride[d];
      begin[d] = edge[d] > 0 ? edge[d] / 2 : 0;
      end[d] = (edge[d] + 2 * window[d] + 1) / 2;
      end[d] = end[d] < image.size[d] ? end[d] : image.size[d];
    }
    int          count = 0; // in eighths of a sample
    std::int64_t from[3];
    for (from[2] = begin[2]; from[2] < end[2]; ++from[2])
    {
      for (from[1] = begin[1]; from[1] < end[1]; ++from[1])
      {
        for (from[0] = begin[0]; from[0] < end[0]; ++from[0])
        {
          count += this->AddSample(from, edge, sums);
        }
      }
    }
    cells[OffsetOf(walk, at)] = this->MakeCell(sums, count);
  }

private:
  /** Half samples that a sample and a cell have in common along an axis: 1 or 2. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  CountHalves(int axis, std::int64_t sample, std::int64_t edge) const
  {
    return 2 - (2 * sample < edge ? 1 : 0) - (2 * sample + 2 > edge + 2 * window[axis] ? 1 : 0);
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE int
  AddSample(const std::int64_t (&at)[3], const std::int64_t (&edge)[3], double (&sums)[DenseCell::MaxChannels]) const
  {
    const std::int64_t sample = OffsetOf(image, at);
    if (inside[sample] == 0)
    {
      return 0;
    }
    const int weight = this->CountHalves(0, at[0], edge[0]) * this->CountHalves(1, at[1], edge[1]) *
                       this->CountHalves(2, at[2], edge[2]);
    for (int channel = 0; channel < DenseCell::MaxChannels; ++channel)
    {
      sums[channel] += channel < channels ? weight * static_cast<double>(features[sample * channels + channel]) : 0.0;
    }
    return weight;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE DenseCell
  MakeCell(const double (&sums)[DenseCell::MaxChannels], int count) const
  {
    DenseCell cell = {};
    cell.isValid = count >= 4 * window[0] * window[1] * window[2] ? 1 : 0;
    for (int channel = 0; channel < DenseCell::MaxChannels && count > 0; ++channel)
    {
      const double mean = RoundedProduct(sums[channel], 255.0) / static_cast<double>(count);
      cell.features[channel] = static_cast<std::uint8_t>(RoundedSum(mean, 0.5));
    }
    return cell;
  }
};

/** \brief Sum of the squared differences of two cells. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint32_t
                                         SumSquaredDifferences(const DenseCell & first, const DenseCell & second)
{
  std::uint32_t sum = 0;
#if defined(__CUDA_ARCH__)
  const auto * const a = reinterpret_cast<const unsigned int *>(first.features);
  const auto * const b = reinterpret_cast<const unsigned int *>(second.features);
  for (int word = 0; word < DenseCell::MaxChannels / 4; ++word)
  {
    const unsigned int difference = __vabsdiffu4(a[word], b[word]);
    sum = __dp4a(difference, difference, sum);
  }
#else
  for (int channel = 0; channel < DenseCell::MaxChannels; ++channel)
  {
    const int difference = int{ first.features[channel] } - int{ second.features[channel] };
    sum += static_cast<std::uint32_t>(difference * difference);
  }
#endif
  return sum;
}

/** \brief The nearest integer to a quotient of integers. */
template <typename TInteger>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TInteger
RoundedQuotient(TInteger numerator, TInteger denominator)
{
  return (numerator + denominator / 2) / denominator;
}

/** \brief The cost of several displacements at each control point separately: the mean squared difference of two
 * cells. */
struct PointCosts
{
  const DenseCell * fixed;  ///< of the control points
  const DenseCell * moving; ///< of the lattice's cells
  std::uint16_t *   costs;  ///< of all control points for one displacement, then for the next one
  int               first;  ///< number of the first displacement
  DenseLattice      lattice;
  FieldWalk         walk; ///< control points, and along z one displacement after the other

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const int     depth = static_cast<int>(lattice.points.size[2]);
    const int     slice = static_cast<int>(at[2]);
    int           displacement = first + slice / depth;
    const int     point[3] = { static_cast<int>(at[0]), static_cast<int>(at[1]), slice % depth };
    std::int64_t  cell[3];
    bool          isInside = true;
    std::uint32_t cost = NoCost;
    for (int d = 0; d < 3; ++d)
    {
      cell[d] = lattice.margin[d] + point[d] * lattice.ratio[d] + displacement % lattice.Width(d) - lattice.radius[d];
      isInside = isInside && cell[d] >= 0 && cell[d] < lattice.cells.size[d];
      displacement /= lattice.Width(d);
    }
    if (isInside)
    {
      const std::int64_t own[3] = { point[0], point[1], point[2] };
      const DenseCell &  here = fixed[OffsetOf(lattice.points, own)];
      const DenseCell &  there = moving[OffsetOf(lattice.cells, cell)];
      if (here.isValid != 0 && there.isValid != 0)
      {
        cost = RoundedQuotient(SumSquaredDifferences(here, there), static_cast<std::uint32_t>(lattice.channels));
      }
    }
    costs[OffsetOf(walk, at)] = static_cast<std::uint16_t>(cost);
  }
};

/** \brief The mean of the costs of a control point and its neighbours. Neighbouring means share the sums of rows. */
struct MeanCosts
{
  static constexpr int Height = 8; ///< means along y that are computed together

  const std::uint16_t * costs; ///< of PointCosts
  std::uint16_t *       means;
  int                   depth; ///< control points along z
  FieldWalk             grid;  ///< of PointCosts
  FieldWalk             walk;  ///< of groups of means

  MeanCosts(const std::uint16_t * of, std::uint16_t * to, int slices, const FieldWalk & all)
    : costs(of)
    , means(to)
    , depth(slices)
    , grid(all)
    , walk{ { all.size[0], (all.size[1] + Height - 1) / Height, all.size[2] } }
  {}

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const int     x = static_cast<int>(at[0]);
    const int     first = static_cast<int>(at[1]) * Height;
    const int     slice = static_cast<int>(at[2]);
    const int     height = static_cast<int>(grid.size[1]);
    const int     lowest = slice - slice % depth;
    std::uint32_t rows[Height + 2] = {}; // from the row before the first mean on
    for (int k = slice > lowest ? slice - 1 : slice; k <= slice + 1 && k < lowest + depth; ++k)
    {
      for (int row = 0; row < Height + 2; ++row)
      {
        const int y = first + row - 1;
        rows[row] += y >= 0 && y < height ? this->SumOfRow(x, y, k) : 0U;
      }
    }
    for (int n = 0; n < Height; ++n)
    {
      const std::int64_t mean[3] = { x, first + n, slice };
      if (mean[1] < height)
      {
        means[OffsetOf(grid, mean)] = MeanOf(rows[n] + rows[n + 1] + rows[n + 2]);
      }
    }
  }

private:
  static constexpr int CountBits = 5; ///< of the number of costs, which is at most 27

  /** Up to three costs along x with their number in the lowest bits. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint32_t
                                           SumOfRow(int x, int y, int slice) const
  {
    const int                   width = static_cast<int>(grid.size[0]);
    const std::uint16_t * const of = costs + (slice * grid.size[1] + y) * grid.size[0];
    std::uint32_t               sum = 0;
    for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < width; ++i)
    {
      sum += of[i] != NoCost ? (static_cast<std::uint32_t>(of[i]) << CountBits) + 1U : 0U;
    }
    return sum;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static std::uint16_t
                         MeanOf(std::uint32_t sum)
  {
    const std::uint32_t count = sum & ((1U << CountBits) - 1U);
    return count > 0 ? static_cast<std::uint16_t>(RoundedQuotient(sum >> CountBits, count)) : NoCost;
  }
};

/** \brief The mean cost of all displacements that have a cost. It is used for those that have none, which are then
 * neither preferred nor avoided. */
struct NeutralCosts
{
  static constexpr bool IsOfPacks = true;

  const std::uint16_t * costs;
  std::uint16_t *       neutral; ///< of each control point
  DenseLattice          lattice;

  template <int VLanes>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Run(std::int64_t first, int lanes) const
  {
    std::uint32_t      sums[VLanes] = {};
    std::uint32_t      counts[VLanes] = {};
    const std::int64_t points = lattice.CountPoints();
    const int          displacements = lattice.CountDisplacements();
    for (int k = 0; k < displacements; ++k)
    {
      const std::uint16_t * const of = costs + k * points + first;
      for (int lane = 0; lane < lanes; ++lane)
      {
        sums[lane] += of[lane] != NoCost ? of[lane] : 0U;
        counts[lane] += of[lane] != NoCost ? 1U : 0U;
      }
    }
    for (int lane = 0; lane < lanes; ++lane)
    {
      neutral[first + lane] =
        static_cast<std::uint16_t>(counts[lane] > 0 ? RoundedQuotient(sums[lane], counts[lane]) : 0U);
    }
  }
};

/** \brief The displacement with the lowest sum of its cost and its weighted squared distance from a given displacement.
 *
 * Sums are in double precision, so that the choice between two displacements does not depend on the order of the axes.
 * The first and the last of several lowest ones are averaged: these are the same two in any order and direction of the
 * axes. */
struct ChooseSteps
{
  static constexpr bool IsOfPacks = true;

  const std::uint16_t * costs;
  const std::uint16_t * neutral;
  const float *         near;   ///< given displacements, three numbers for each control point; null: 0
  float *               chosen; ///< the same for the chosen ones
  float *               values; ///< costs of the chosen ones
  double                coupling;
  DenseLattice          lattice;

  template <int VLanes>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Run(std::int64_t first, int lanes) const
  {
    Lanes<VLanes> state;
    for (int lane = 0; lane < lanes; ++lane)
    {
      for (int d = 0; d < 3; ++d)
      {
        state.near[d][lane] = near != nullptr ? static_cast<double>(near[(first + lane) * 3 + d]) : 0.0;
      }
      state.neutral[lane] = static_cast<float>(neutral[first + lane]);
      state.lowest[lane] = 1e30;
      state.value[lane] = 0.0F;
      state.number[lane] = 0;
      state.last[lane] = 0;
    }
    int number = 0;
    for (int z = -lattice.radius[2]; z <= lattice.radius[2]; ++z)
    {
      for (int y = -lattice.radius[1]; y <= lattice.radius[1]; ++y)
      {
        this->CompareRow(first, lanes, y, z, number, state);
        number += lattice.Width(0);
      }
    }
    for (int lane = 0; lane < lanes; ++lane)
    {
      this->Store(first + lane, state.number[lane], state.last[lane], state.value[lane]);
    }
  }

private:
  /** Displacements along x whose costs are read together. */
  template <int VLanes>
  static constexpr int Batch = VLanes == 1 ? 9 : 1;

  template <int VLanes>
  struct Lanes
  {
    double near[3][VLanes];
    float  neutral[VLanes];
    double lowest[VLanes];
    float  value[VLanes];
    int    number[VLanes]; ///< of the first one
    int    last[VLanes];
  };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Square(int axis, int step, double from) const
  {
    const double distance = static_cast<double>(step) - from;
    return RoundedProduct(static_cast<double>(lattice.weight[axis]), RoundedProduct(distance, distance));
  }

  template <int VLanes>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  CompareRow(std::int64_t first, int lanes, int y, int z, int number, Lanes<VLanes> & state) const
  {
    const std::int64_t points = lattice.CountPoints();
    double             ofRow[VLanes];
    for (int lane = 0; lane < lanes; ++lane)
    {
      ofRow[lane] = RoundedSum(this->Square(1, y, state.near[1][lane]), this->Square(2, z, state.near[2][lane]));
    }
    const std::uint16_t * of = costs + number * points + first;
    const int             width = lattice.Width(0);
    for (int begin = 0; begin < width; begin += Batch<VLanes>, of += Batch<VLanes> * points)
    {
      std::uint16_t read[Batch<VLanes>][VLanes]; // a device has several reads in flight
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
      for (int k = 0; k < Batch<VLanes>; ++k)
      {
        for (int lane = 0; lane < lanes && begin + k < width; ++lane)
        {
          read[k][lane] = of[k * points + lane];
        }
      }
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
      for (int k = 0; k < Batch<VLanes>; ++k)
      {
        for (int lane = 0; lane < lanes && begin + k < width; ++lane)
        {
          this->Compare(read[k][lane], begin + k, number + begin + k, ofRow[lane], lane, state);
        }
      }
    }
  }

  template <int VLanes>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Compare(std::uint16_t read, int x, int number, double ofRow, int lane, Lanes<VLanes> & state) const
  {
    const float  cost = read == NoCost ? state.neutral[lane] : static_cast<float>(read);
    const double square = RoundedSum(ofRow, this->Square(0, x - lattice.radius[0], state.near[0][lane]));
    const double score = RoundedSum(static_cast<double>(cost), RoundedProduct(coupling, square));
    const bool   isLower = score < state.lowest[lane];
    state.last[lane] = score <= state.lowest[lane] ? number : state.last[lane];
    state.lowest[lane] = isLower ? score : state.lowest[lane];
    state.value[lane] = isLower ? cost : state.value[lane];
    state.number[lane] = isLower ? number : state.number[lane];
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(std::int64_t point, int number, int last, float value) const
  {
    for (int d = 0; d < 3; ++d)
    {
      const int sum = number % lattice.Width(d) + last % lattice.Width(d) - 2 * lattice.radius[d];
      chosen[point * 3 + d] = 0.5F * static_cast<float>(sum);
      number /= lattice.Width(d);
      last /= lattice.Width(d);
    }
    values[point] = value;
  }
};

/** \brief Calls a body for packs of control points. */
template <int VLanes, typename TBody>
struct ControlPacks
{
  TBody     body;
  FieldWalk walk; ///< rows of a block of threads

  explicit ControlPacks(const TBody & of)
    : body(of)
    , walk{ { Width, (of.lattice.CountPoints() + Width * VLanes - 1) / (Width * VLanes), 1 } }
  {}

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t first = OffsetOf(walk, at) * VLanes;
    const std::int64_t left = body.lattice.CountPoints() - first;
    if (left > 0)
    {
      body.template Run<VLanes>(first, VLanes == 1 || left > VLanes ? VLanes : static_cast<int>(left));
    }
  }

private:
  static constexpr std::int64_t Width = VLanes == 1 ? 32 : 1; // a warp reads adjacent control points
};

/** \brief The mean of the displacements of a control point and its neighbours.
 *
 * It is rounded to 1/1024 of a step: sums of such numbers are exact, in any order of the axes. */
struct SmoothSteps
{
  const float * steps; ///< three numbers for each control point
  float *       means;
  FieldWalk     walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    float sum[3] = {};
    float count = 0.0F;
    for (std::int64_t k = at[2] > 0 ? at[2] - 1 : 0; k <= at[2] + 1 && k < walk.size[2]; ++k)
    {
      for (std::int64_t j = at[1] > 0 ? at[1] - 1 : 0; j <= at[1] + 1 && j < walk.size[1]; ++j)
      {
        for (std::int64_t i = at[0] > 0 ? at[0] - 1 : 0; i <= at[0] + 1 && i < walk.size[0]; ++i)
        {
          const float * const of = steps + ((k * walk.size[1] + j) * walk.size[0] + i) * 3;
          for (int d = 0; d < 3; ++d)
          {
            sum[d] += of[d];
          }
          count += 1.0F;
        }
      }
    }
    for (int d = 0; d < 3; ++d)
    {
      constexpr float rounding = 12288.0F; // floats from 2^13 to 2^14 are multiples of 2^-10
      means[OffsetOf(walk, at) * 3 + d] = RoundedSum(RoundedSum(sum[d] / count, rounding), -rounding);
    }
  }
};

/** \brief Displacements between control points: interpolated linearly, and constant beyond the outermost control
 * points.
 *
 * \param[in] steps three numbers for each control point
 * \param[in] points control points
 * \param[in] position position in control points
 * \param[out] found displacement */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
InterpolateSteps(const float * steps, const FieldWalk & points, const double (&position)[3], double (&found)[3])
{
  std::int64_t lower[3];
  std::int64_t upper[3];
  double       share[3];
  for (int d = 0; d < 3; ++d)
  {
    const auto   last = static_cast<double>(points.size[d] - 1);
    const double inside = position[d] > 0.0 ? (position[d] < last ? position[d] : last) : 0.0;
    lower[d] = static_cast<std::int64_t>(inside);
    upper[d] = lower[d] + 1 < points.size[d] ? lower[d] + 1 : lower[d];
    share[d] = inside - static_cast<double>(lower[d]);
  }
  found[0] = found[1] = found[2] = 0.0;
  for (int corner = 0; corner < 8; ++corner)
  {
    std::int64_t at[3];
    double       weight = 1.0;
    for (int d = 0; d < 3; ++d)
    {
      const bool isUpper = ((corner >> d) & 1) != 0;
      at[d] = isUpper ? upper[d] : lower[d];
      weight = RoundedProduct(weight, isUpper ? share[d] : 1.0 - share[d]);
    }
    const float * const of = steps + OffsetOf(points, at) * 3;
    for (int d = 0; d < 3; ++d)
    {
      found[d] = RoundedSum(found[d], RoundedProduct(weight, static_cast<double>(of[d])));
    }
  }
}

/** \brief Half the difference between a displacement and the opposite one at its end. For two fields that are inverse
 * to each other it is the displacement itself. */
struct ReconcileSteps
{
  const float * steps;    ///< three numbers for each control point
  const float * opposite; ///< from the other image
  float *       means;
  DenseLattice  lattice;
  FieldWalk     walk; ///< control points

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at) * 3;
    double             position[3];
    double             back[3];
    for (int d = 0; d < 3; ++d)
    {
      position[d] =
        RoundedSum(static_cast<double>(at[d]), static_cast<double>(steps[offset + d]) / double(lattice.ratio[d]));
    }
    InterpolateSteps(opposite, walk, position, back);
    for (int d = 0; d < 3; ++d)
    {
      means[offset + d] = static_cast<float>(0.5 * (static_cast<double>(steps[offset + d]) - back[d]));
    }
  }
};

/** \brief Displacements of the control points as a field on the grid of the fixed image. */
template <unsigned int VDimension, typename TReal>
struct SpreadSteps
{
  const float * steps; ///< three numbers for each control point
  TReal *       field; ///< vectors (mm)
  DenseLattice  lattice;
  int           spacing[3];                          ///< distance of adjacent control points (samples)
  double        first[3];                            ///< index of the first control point
  double        stepToPoint[VDimension][VDimension]; ///< mm of a displacement by one cell
  FieldWalk     walk;                                ///< samples of the fixed image

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double position[3];
    double found[3];
    for (int d = 0; d < 3; ++d)
    {
      position[d] = (static_cast<double>(at[d]) - first[d]) / spacing[d];
    }
    InterpolateSteps(steps, lattice.points, position, found);
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      double sum = 0.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        sum = RoundedSum(sum, RoundedProduct(stepToPoint[r][d], found[d]));
      }
      field[OffsetOf(walk, at) * VDimension + r] = static_cast<TReal>(sum);
    }
  }
};

/** \brief Sums the costs of a row of control points. They are integers: the sum is exact. */
struct RowCosts
{
  const float * values;
  double *      sums;
  std::int64_t  length;
  FieldWalk     walk; ///< rows, along x

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    double sum = 0.0;
    for (std::int64_t i = at[0] * length; i < (at[0] + 1) * length; ++i)
    {
      sum += static_cast<double>(values[i]);
    }
    sums[at[0]] = sum;
  }
};

/** \brief A step of a dense search. */
using DenseBody = std::variant<PoolCells,
                               PointCosts,
                               MeanCosts,
                               NeutralCosts,
                               ChooseSteps,
                               SmoothSteps,
                               ReconcileSteps,
                               RowCosts,
                               SpreadSteps<2, float>,
                               SpreadSteps<2, double>,
                               SpreadSteps<3, float>,
                               SpreadSteps<3, double>>;

template <typename TBody, typename = void>
inline constexpr bool IsOfPacks = false;
template <typename TBody>
inline constexpr bool IsOfPacks<TBody, std::enable_if_t<TBody::IsOfPacks>> = true;

/** \brief Calls \p enqueue with the body of a step.
 *
 * \tparam VLanes control points that a body handles at a time */
template <int VLanes, typename TEnqueue>
void
VisitDenseBody(const DenseBody & step, const TEnqueue & enqueue)
{
  std::visit(
    [&](const auto & body) {
      using Body = std::decay_t<decltype(body)>;
      if constexpr (IsOfPacks<Body>)
      {
        enqueue(ControlPacks<VLanes, Body>(body));
      }
      else
      {
        enqueue(body);
      }
    },
    step);
}

/** \brief Enqueues a step on a backend. */
void
EnqueueDenseBody(const DenseBody & step, const Residence & residence);
/** \brief The same on a device, except for PointCosts and MeanCosts. */
void
EnqueueDenseBodyOnCuda(const DenseBody & step, const Residence & residence);
/** \brief PointCosts and MeanCosts of all displacements on a device: no costs of points are stored. */
void
EnqueueMeanCostsOnCuda(const DenseCell *    fixed,
                       const DenseCell *    moving,
                       std::uint16_t *      means,
                       const DenseLattice & lattice,
                       const Residence &    residence);

/** \brief The costs of all displacements at all control points, in the memory of a backend. */
class DenseCosts
{
public:
  /** \param[in] fixed,moving cells in the memory of the backend
   * \param[in] lattice control points and displacements
   * \param[in] residence memory of the backend */
  DenseCosts(const DenseCell *    fixed,
             const DenseCell *    moving,
             const DenseLattice & lattice,
             const Residence &    residence);

  /** Chooses displacements.
   *
   * \param[in] near three numbers for each control point; null: 0
   * \param[in] coupling factor of the squared distance from them
   * \param[out] chosen three numbers for each control point
   * \param[out] values costs of the chosen ones */
  void
  Choose(const float * near, double coupling, float * chosen, float * values) const;

  /** The costs of all control points for one displacement, then for the next one; x fastest in both. */
  const std::uint16_t *
  Data() const
  {
    return m_Costs.As<std::uint16_t>();
  }

private:
  DenseLattice  m_Lattice;
  Residence     m_Residence;
  ResidentArray m_Costs;
  ResidentArray m_Neutral;
};

/** \brief Bytes that DenseCosts allocates while it is made. */
std::size_t
CountDenseCostsBytes(const DenseLattice & lattice);

} // namespace itk::CudaSpline

#endif
