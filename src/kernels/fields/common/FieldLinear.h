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
#ifndef FieldLinear_h
#define FieldLinear_h

#include "kernels/fields/common/FieldGeometry.h"

#include <cstdint>

/** \file
 * \brief Interpolation of a field, and the composition of two fields: bodies for host and device.
 *
 * For double fields the operations are ITK's in ITK's order, each rounded separately. For float fields points are
 * ITK's, which are double until the continuous index is rounded to float; the sum over neighbours is float instead of
 * ITK's double. */

namespace itk::CudaSpline
{

/** \brief FloorIndex() of a number within 2^29; conversions to 64 bits are slow on a device. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                         FloorOfIndex(TReal x)
{
#if defined(__CUDA_ARCH__)
  if (fabs(static_cast<double>(x)) < 536870912.0)
  {
    if constexpr (sizeof(TReal) == sizeof(float))
    {
      return __float2int_rn(__fadd_rn(__fmul_rn(2.0F, x), -0.5F)) >> 1;
    }
    else
    {
      return ShortFloorIndex(x);
    }
  }
#endif
  return FloorIndex(x);
}

/** \brief Whether a continuous index is inside the buffer: itk::ImageFunction::IsInsideBuffer(). NaN is not. */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
IsInsideBuffer(const GridExtent<VDimension> & extent, const TReal (&index)[VDimension])
{
  bool inside = true;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const auto first = static_cast<double>(extent.start[d]);
    const auto lower = static_cast<TReal>(first - 0.5);
    const auto upper = static_cast<TReal>(static_cast<double>(extent.start[d] + extent.size[d] - 1) + 0.5);
    inside = inside && index[d] >= lower && index[d] < upper;
  }
  return inside;
}

/** \brief itk::VectorLinearInterpolateImageFunction at a continuous index inside the buffer.
 *
 * It sums the neighbours' vectors times their overlaps, with border vectors continued beyond the border. The sum stops
 * when the overlaps sum to 1. A neighbour without overlap is replaced by one with overlap, so that a device can issue
 * all reads at once.
 *
 * \param[in] field first vector
 * \param[in] extent its samples
 * \param[in] index continuous index
 * \param[out] vector the field there (mm) */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
InterpolateField(const TReal *                  field,
                 const GridExtent<VDimension> & extent,
                 const TReal (&index)[VDimension],
                 TReal (&vector)[VDimension])
{
  constexpr unsigned int corners = 1U << VDimension;
  std::int64_t           offset = 0;
  std::int64_t           stride = VDimension;
  std::int64_t           step[VDimension];
  TReal                  weight[VDimension][2];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const std::int64_t base = FloorOfIndex(index[d]);
    const std::int64_t last = extent.start[d] + extent.size[d] - 1;
    weight[d][1] = RoundedSum(index[d], -static_cast<TReal>(base));
    weight[d][0] = RoundedSum(TReal(1), -weight[d][1]);
    const std::int64_t low = base < extent.start[d] ? extent.start[d] : (base > last ? last : base);
    const std::int64_t high = base + 1 < extent.start[d] ? extent.start[d] : (base + 1 > last ? last : base + 1);
    step[d] = weight[d][1] != TReal(0) && high > low ? stride : 0;
    offset += (low - extent.start[d]) * stride;
    stride *= extent.size[d];
  }
  TReal value[corners][VDimension];
  for (unsigned int corner = 0; corner < corners; ++corner)
  {
    std::int64_t at = offset;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      at += ((corner >> d) & 1U) != 0 ? step[d] : 0;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      value[corner][d] = field[at + d];
    }
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    vector[d] = TReal(0);
  }
  [[maybe_unused]] TReal total = TReal(0);
  for (unsigned int corner = 0; corner < corners; ++corner)
  {
    TReal overlap = weight[0][corner & 1U];
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      overlap = RoundedProduct(overlap, weight[d][(corner >> d) & 1U]);
    }
    if constexpr (sizeof(TReal) == sizeof(double))
    {
      const bool counts = overlap != 0.0 && total != 1.0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const double next = RoundedSum(vector[d], RoundedProduct(overlap, value[corner][d]));
        vector[d] = counts ? next : vector[d];
      }
      total = counts ? RoundedSum(total, overlap) : total;
    }
    else
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        vector[d] += overlap * value[corner][d];
      }
    }
  }
}

/** \brief itk::ComposeDisplacementFieldsImageFilter at a sample: w(x) + d(x + w(x)); w(x) if x + w(x) is outside d.
 *
 * \param[in] displacementGrid grid of d
 * \param[in] displacement d
 * \param[in] place x (mm)
 * \param[in] warp w(x)
 * \param[out] composed the result */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
ComposeAt(const GridGeometry<VDimension> & displacementGrid,
          const TReal *                    displacement,
          const double (&place)[VDimension],
          const TReal (&warp)[VDimension],
          TReal (&composed)[VDimension])
{
  double moved[VDimension];
  double exact[VDimension];
  TReal  index[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    moved[d] = RoundedSum(place[d], static_cast<double>(warp[d]));
  }
  displacementGrid.PointToContinuousIndex(moved, exact);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    index[d] = static_cast<TReal>(exact[d]);
  }
  TReal      there[VDimension] = {};
  const bool inside = IsInsideBuffer(displacementGrid.extent, index);
  if (inside)
  {
    InterpolateField(displacement, displacementGrid.extent, index, there);
  }
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    if constexpr (sizeof(TReal) == sizeof(double))
    {
      composed[d] = RoundedSum(RoundedSum(moved[d], there[d]), -place[d]); // in ITK's order of operations
    }
    else
    {
      composed[d] = RoundedSum(warp[d], there[d]);
    }
  }
}

/** \brief Point of a sample (mm).
 *
 * \param[in] grid the grid
 * \param[in] at the sample, relative to the first one of the grid
 * \param[out] place its point */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
PlaceOfSample(const GridGeometry<VDimension> & grid, const std::int64_t (&at)[3], double (&place)[VDimension])
{
  std::int64_t index[VDimension];
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    index[d] = grid.extent.start[d] + at[d];
  }
  grid.IndexToPoint(index, place);
}

/** \brief Reads a vector. */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
LoadVector(const TReal * field, std::int64_t offset, TReal (&vector)[VDimension])
{
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    vector[d] = field[offset * VDimension + d];
  }
}

/** \brief Writes a vector. */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
StoreVector(TReal * field, std::int64_t offset, const TReal (&vector)[VDimension])
{
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    field[offset * VDimension + d] = vector[d];
  }
}

/** \brief The arrays of ComposeFields(). */
template <unsigned int VDimension, typename TReal>
struct FieldComposition
{
  GridGeometry<VDimension> displacementGrid;
  const TReal *            displacement;
  GridGeometry<VDimension> grid;
  const TReal *            warping;
  TReal *                  output;
  FieldWalk                walk;

  /** Computes a sample of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             place[VDimension];
    TReal              warp[VDimension];
    TReal              composed[VDimension];
    PlaceOfSample(grid, at, place);
    LoadVector(warping, offset, warp);
    ComposeAt(displacementGrid, displacement, place, warp, composed);
    StoreVector(output, offset, composed);
  }
};

/** \brief The arrays of ResampleField(): itk::ResampleImageFilter with the identity, along scanlines. */
template <unsigned int VDimension, typename TReal>
struct FieldResampling
{
  GridGeometry<VDimension> inputGrid;
  const TReal *            input;
  GridGeometry<VDimension> grid;
  TReal *                  output;
  FieldWalk                walk;

  /** Continuous index of the input, in the field's type, of a point on a scanline of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  EndOfLine(const std::int64_t (&at)[3], TReal (&index)[VDimension]) const
  {
    double place[VDimension];
    double exact[VDimension];
    PlaceOfSample(grid, at, place);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = static_cast<double>(static_cast<TReal>(place[d])); // the transform's points have the field's type
    }
    inputGrid.PointToContinuousIndex(place, exact);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = static_cast<TReal>(exact[d]);
    }
  }

  /** Computes a sample of the output. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t first[3] = { 0, at[1], at[2] };
    const std::int64_t last[3] = { walk.size[0], at[1], at[2] };
    TReal              start[VDimension];
    TReal              end[VDimension];
    TReal              index[VDimension];
    this->EndOfLine(first, start);
    this->EndOfLine(last, end);
    const double alpha = static_cast<double>(at[0]) / static_cast<double>(walk.size[0]);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto span = static_cast<double>(RoundedSum(end[d], -start[d]));
      index[d] = static_cast<TReal>(RoundedSum(static_cast<double>(start[d]), RoundedProduct(alpha, span)));
    }
    TReal vector[VDimension] = {};
    if (IsInsideBuffer(inputGrid.extent, index))
    {
      this->Interpolate(index, vector);
    }
    StoreVector(output, OffsetOf(walk, at), vector);
  }

private:
  /** itk::LinearInterpolateImageFunction: between two neighbours of each axis, x innermost. A neighbour that is not
   * needed is replaced by the lower one. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Interpolate(const TReal (&index)[VDimension], TReal (&vector)[VDimension]) const
  {
    constexpr unsigned int         corners = 1U << VDimension;
    const GridExtent<VDimension> & extent = inputGrid.extent;
    std::int64_t                   offset = 0;
    std::int64_t                   stride = VDimension;
    std::int64_t                   step[VDimension];
    double                         distance[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const std::int64_t last = extent.start[d] + extent.size[d] - 1;
      std::int64_t       base = FloorOfIndex(index[d]); // beyond the last sample if that is -1, just below 0
      base = base < extent.start[d] ? extent.start[d] : (base > last ? last : base);
      const TReal above = RoundedSum(index[d], -static_cast<TReal>(base));
      const bool  hasUpper = above > TReal(0) && base < last;
      distance[d] = hasUpper ? static_cast<double>(above) : 0.0;
      step[d] = hasUpper ? stride : 0;
      offset += (base - extent.start[d]) * stride;
      stride *= extent.size[d];
    }
    for (unsigned int component = 0; component < VDimension; ++component)
    {
      double value[corners];
      for (unsigned int corner = 0; corner < corners; ++corner)
      {
        std::int64_t at = offset + component;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          at += ((corner >> d) & 1U) != 0 ? step[d] : 0;
        }
        value[corner] = static_cast<double>(input[at]);
      }
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        for (unsigned int pair = 0; pair < (corners >> (d + 1)); ++pair)
        {
          const double low = value[2 * pair];
          value[pair] = RoundedSum(low, RoundedProduct(RoundedSum(value[2 * pair + 1], -low), distance[d]));
        }
      }
      vector[component] = static_cast<TReal>(value[0]);
    }
  }
};

} // namespace itk::CudaSpline

#endif
