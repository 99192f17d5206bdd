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
#ifndef ArrayAxes_h
#define ArrayAxes_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedStore.h"

#include "kernels/arrays/ArrayArguments.h"
#include "kernels/arrays/ArrayEvaluation.h"

#include <cstdint>
#include <type_traits>

/** \file
 * \brief InterpolateArray() with tables for maps that treat each axis separately, for host and device.
 *
 * Orders 0 and 1 sum over all axes at once (ArrayCells). Splines are evaluated axis by axis, the slowest axis first. An
 * element therefore needs order + 1 taps for each axis instead of (order + 1)^dimension taps, and each axis reads and
 * writes the memory once. */

namespace itk::CudaSpline
{

/** \brief Computes the table entries of an element of the output along an axis. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline void
FillArrayTable(const ArrayAxis & axis, const ArrayAxisTable<TReal> & table, std::int64_t element)
{
  double     x = AxisCoordinate(static_cast<double>(element), axis.isPixel, axis.scale, axis.shift, axis.padding);
  const bool inside = FoldCoordinate(x, axis.size, axis.mode);
  x = inside ? x : 0.0;
  table.outside[element] = !inside;
  TReal              weights[MaximumSplineOrder + 1];
  const std::int64_t start = ArrayWeights(axis.order, x, weights);
  for (unsigned int k = 0; k <= axis.order; ++k)
  {
    const std::int64_t at = k * table.count + element;
    table.index[at] = static_cast<std::int32_t>(FoldIndex(start + k, axis.size, TapExtensionOf(axis.mode)));
    table.weight[at] = weights[k];
  }
}

/** \brief A pass along an axis. Element (o, n, i) is at (o * length + n) * inner + i, where o and i are the indices
 * along the slower and the faster axes. */
template <typename TReal>
struct ArrayPass
{
  const TReal *         source;
  TReal *               output;
  ArrayAxisTable<TReal> table;
  unsigned int          taps;
  std::int64_t          inner;
  std::int64_t          length; ///< size of the source along the axis
  std::int64_t          outer;
  TReal                 border;
};

/** \brief Computes adjacent elements of the output of a pass, starting at element i of a row of \c inner elements.
 *
 * \tparam TVector aligned vector of TReal, or TReal
 * \param[in] row row of the output, i.e. the index along the axis and the slower ones */
template <typename TVector, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SumAlongAxis(const ArrayPass<TReal> & pass, std::int64_t row, std::int64_t i)
{
  constexpr unsigned int width = sizeof(TVector) / sizeof(TReal); // NOLINT(bugprone-sizeof-expression): may be one
  union Lanes
  {
    TVector vector;
    TReal   lane[width];
  };
  std::int64_t outer = 0;
  std::int64_t element = 0;
  if (row <= 0xFFFFFFFF)
  {
    const auto count = static_cast<std::uint32_t>(pass.table.count);
    outer = static_cast<std::uint32_t>(row) / count;
    element = static_cast<std::uint32_t>(row) % count;
  }
  else
  {
    outer = row / pass.table.count;
    element = row % pass.table.count;
  }
  TReal sum[width] = {};
  for (unsigned int k = 0; k < pass.taps; ++k)
  {
    const std::int64_t at = k * pass.table.count + element;
    const std::int32_t index = pass.table.index[at];
    const TReal        weight = pass.table.weight[at];
    if (index < 0)
    {
      CUDASPLINE_UNROLL
      for (unsigned int l = 0; l < width; ++l)
      {
        sum[l] += weight * pass.border;
      }
      continue;
    }
    const Lanes tap{ *reinterpret_cast<const TVector *>(pass.source + (outer * pass.length + index) * pass.inner + i) };
    CUDASPLINE_UNROLL
    for (unsigned int l = 0; l < width; ++l)
    {
      sum[l] += weight * tap.lane[l];
    }
  }
  Lanes result{};
  CUDASPLINE_UNROLL
  for (unsigned int l = 0; l < width; ++l)
  {
    result.lane[l] = sum[l];
  }
  *reinterpret_cast<TVector *>(pass.output + row * pass.inner + i) = result.vector;
}

/** \brief Last step, which writes the output: the sum along the last axis, or for orders 0 and 1 along the last \c
 * dimension axes. */
template <typename TReal>
struct ArrayCells
{
  const TReal *         source;    ///< the axes before the last \c dimension ones have the sizes of the output
  unsigned int          dimension; ///< number of axes in the sum: 1 to 3
  ArrayAxisTable<TReal> table[MaximumArrayDimension];  ///< by axis of the output
  std::int64_t          stride[MaximumArrayDimension]; ///< strides of the source, in elements
  unsigned int          taps;
  ArrayOutput           output;
};

/** \brief The taps of an element along some axes, the slowest axis first. */
template <unsigned int VAxes, unsigned int VTaps, typename TReal>
struct CellTaps
{
  std::int64_t offset[VAxes][VTaps]; ///< in elements, or OffsetOutside
  TReal        weight[VAxes][VTaps];
};

/** \brief Sums over the taps of the axes from VAxis on. */
template <unsigned int VAxis, unsigned int VAxes, unsigned int VTaps, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
SumOverCells(const TReal * source, TReal border, const CellTaps<VAxes, VTaps, TReal> & taps, std::int64_t offset)
{
  if constexpr (VAxis == VAxes)
  {
    return offset < 0 ? border : source[offset];
  }
  else
  {
    TReal sum = TReal(0);
    CUDASPLINE_UNROLL
    for (unsigned int k = 0; k < VTaps; ++k)
    {
      sum += taps.weight[VAxis][k] * SumOverCells<VAxis + 1>(source, border, taps, offset + taps.offset[VAxis][k]);
    }
    return sum;
  }
}

/** \brief Calls SumOverCells() for the last VAxes axes of an element.
 *
 * \param[in] offset offset along the slower axes */
template <unsigned int VAxes, unsigned int VTaps, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
ArrayCellValue(const ArrayCells<TReal> & cells, const std::int64_t (&index)[MaximumArrayDimension], std::int64_t offset)
{
  CellTaps<VAxes, VTaps, TReal> taps;
  CUDASPLINE_UNROLL
  for (unsigned int a = 0; a < VAxes; ++a)
  {
    const unsigned int            axis = cells.output.shape.dimension - VAxes + a;
    const ArrayAxisTable<TReal> & table = cells.table[axis];
    const std::int64_t            element = PickNumber(index, axis);
    CUDASPLINE_UNROLL
    for (unsigned int k = 0; k < VTaps; ++k)
    {
      const std::int32_t tap = table.index[k * table.count + element];
      taps.offset[a][k] = tap < 0 ? OffsetOutside : tap * cells.stride[axis];
      taps.weight[a][k] = table.weight[k * table.count + element];
    }
  }
  return SumOverCells<0>(cells.source, static_cast<TReal>(cells.output.border), taps, offset);
}

/** \brief Sums over any number of taps along the last axis.
 *
 * \param[in] offset offset along the other axes */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
ArrayRowValue(const ArrayCells<TReal> & cells, std::int64_t element, std::int64_t offset)
{
  const unsigned int            axis = cells.output.shape.dimension - 1;
  const ArrayAxisTable<TReal> & table = cells.table[axis];
  TReal                         sum = TReal(0);
  for (unsigned int k = 0; k < cells.taps; ++k)
  {
    const std::int32_t tap = table.index[k * table.count + element];
    sum += table.weight[k * table.count + element] *
           (tap < 0 ? static_cast<TReal>(cells.output.border) : cells.source[offset + tap * cells.stride[axis]]);
  }
  return sum;
}

/** \brief Computes an element of the output.
 *
 * \tparam VTaps 1 or 2; 0 for any number of taps along the last axis only */
template <unsigned int VTaps, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateArrayCell(const ArrayCells<TReal> & cells, std::int64_t line, std::int64_t sample)
{
  const ArrayShape & shape = cells.output.shape;
  std::int64_t       index[MaximumArrayDimension];
  shape.IndexOf(line, sample, index);
  bool         isOutside = false;
  std::int64_t offset = 0;
  const auto   first = shape.dimension - cells.dimension;
  CUDASPLINE_UNROLL
  for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
  {
    if (d < shape.dimension)
    {
      isOutside = isOutside || cells.table[d].outside[index[d]];
      offset += d < first ? index[d] * cells.stride[d] : 0;
    }
  }
  double value = cells.output.border;
  if (!isOutside)
  {
    if constexpr (VTaps == 0)
    {
      value = static_cast<double>(ArrayRowValue(cells, sample, offset));
    }
    else
    {
      value = static_cast<double>(cells.dimension == 1
                                    ? ArrayCellValue<1, VTaps>(cells, index, offset)
                                    : (cells.dimension == 2 ? ArrayCellValue<2, VTaps>(cells, index, offset)
                                                            : ArrayCellValue<3, VTaps>(cells, index, offset)));
    }
  }
  StoreRounded(cells.output.data, cells.output.type, shape.OffsetOf(index), value);
}

/** \brief Calls \p run with the VTaps for EvaluateArrayCell() as std::integral_constant. */
template <typename TRun>
void
DispatchArrayCells(unsigned int taps, const TRun & run)
{
  switch (taps)
  {
    case 1:
      run(std::integral_constant<unsigned int, 1>());
      break;
    case 2:
      run(std::integral_constant<unsigned int, 2>());
      break;
    default:
      run(std::integral_constant<unsigned int, 0>());
      break;
  }
}

/** \brief Describes the copy of a box of an array that is made before it is filtered or evaluated: contiguous numbers
 * of a real type, including samples beyond the ends of the array. */
struct ArrayCopy
{
  const void * source;
  ScalarType   type;
  ArrayShape   input;
  ArrayShape   output;                       ///< contiguous
  std::int64_t first[MaximumArrayDimension]; ///< begin of the box for each axis; negative if it begins before the array
  bool         isConstant;
  /** Used beyond the ends if \c isConstant is set; otherwise the first and last samples are repeated. */
  double border;
};

/** \brief Computes an element of the copy.
 *
 * \param[in] load function that returns the element of the source at an offset, which has the same unit as the
 * strides */
template <typename TReal, typename TLoad>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
CopiedArrayElement(const ArrayCopy & copy, std::int64_t line, std::int64_t sample, const TLoad & load)
{
  std::int64_t index[MaximumArrayDimension];
  copy.output.IndexOf(line, sample, index);
  bool         isOutside = false;
  std::int64_t offset = 0;
  CUDASPLINE_UNROLL
  for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
  {
    if (d < copy.output.dimension)
    {
      const std::int64_t from = index[d] + copy.first[d];
      const std::int64_t last = copy.input.size[d] - 1;
      isOutside = isOutside || from < 0 || from > last;
      offset += (from < 0 ? 0 : (from > last ? last : from)) * copy.input.stride[d];
    }
  }
  return isOutside && copy.isConstant ? static_cast<TReal>(copy.border) : load(offset);
}

/** \brief Computes an element of the copy of an array with plain elements. */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
CopiedArrayElement(const ArrayCopy & copy, std::int64_t line, std::int64_t sample)
{
  return CopiedArrayElement<TReal>(
    copy, line, sample, [&copy](std::int64_t offset) { return LoadScalar<TReal>(copy.source, copy.type, offset); });
}

} // namespace itk::CudaSpline

#endif
