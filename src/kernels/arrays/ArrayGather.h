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
#ifndef ArrayGather_h
#define ArrayGather_h

#include "kernels/arrays/ArrayEvaluation.h"
#include "kernels/arrays/ArrayReader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/** \file
 * \brief Computes elements of the output on the host. The taps are read directly from the array, and only these are
 * converted.
 *
 * For orders 0 and 1, runs of neighbours on a line are computed in steps that the compiler can vectorize. Elements that
 * need folding and other orders are computed one by one. */

namespace itk::CudaSpline
{

/** \brief Number of elements in a run. */
inline constexpr int ArrayRunLength = 64;

/** \brief Coordinates of the elements of a line of the output in the padded source, without folding. They are equal to
 * those of ArrayCoordinates(), but everything that is common to the line is computed once. */
class ArrayLine
{
public:
  ArrayLine(const ArrayArguments & arguments, std::int64_t line)
    : m_Arguments(arguments)
    , m_Number(line * arguments.output.shape.Samples())
    , m_Last(arguments.output.shape.dimension - 1)
  {
    arguments.output.shape.IndexOf(line, 0, m_Index);
    for (unsigned int d = 0; d < MaximumArrayDimension; ++d)
    {
      m_Batch += m_Index[d] * arguments.batchStride[d];
    }
    for (unsigned int d = 0; d < arguments.dimension; ++d)
    {
      double sum = arguments.offset[d];
      for (unsigned int k = 0; k < m_Last; ++k)
      {
        sum = RoundedSum(sum, RoundedProduct(static_cast<double>(m_Index[k]), arguments.matrix[d][k]));
      }
      m_Sum[d] = sum;
    }
  }

  /** Offset of the interpolated array of a batch for an element, in the unit of the strides. */
  std::int64_t
  BatchOf(std::int64_t sample) const
  {
    return m_Batch + sample * m_Arguments.batchStride[m_Last];
  }

  /** Offset of an element of the output, in elements. */
  std::int64_t
  OutputOf(std::int64_t sample) const
  {
    return m_Arguments.output.shape.OffsetOf(m_Index) + sample * m_Arguments.output.shape.stride[m_Last];
  }

  /** Distance of adjacent elements of the output. */
  std::int64_t
  GetStep() const
  {
    return m_Arguments.output.shape.stride[m_Last];
  }

  /** Computes the coordinates along an axis (0 is x) for \p count elements starting at \p sample. */
  void
  Find(unsigned int axis, std::int64_t sample, int count, double * x) const
  {
    const ArrayArguments & arguments = m_Arguments;
    if (arguments.map == ArrayMap::Affine)
    {
      const double sum = m_Sum[axis];
      const double step = arguments.matrix[axis][m_Last];
      const double first = static_cast<double>(sample);
      for (int i = 0; i < count; ++i)
      {
        x[i] = RoundedSum(RoundedSum(sum, RoundedProduct(first + i, step)), arguments.padding);
      }
    }
    else if (GoesByAxes(arguments.map) && axis == 0)
    {
      for (int i = 0; i < count; ++i)
      {
        x[i] = AxisCoordinate(arguments, 0, static_cast<double>(sample + i));
      }
    }
    else if (GoesByAxes(arguments.map))
    {
      std::fill_n(x, count, AxisCoordinate(arguments, axis, static_cast<double>(m_Index[m_Last - axis])));
    }
    else
    {
      for (int i = 0; i < count; ++i)
      {
        const std::int64_t at = arguments.coordinateStride[axis] + m_Number + sample + i;
        x[i] = RoundedSum(LoadScalar<double>(arguments.coordinates, arguments.coordinateType, at), arguments.padding);
      }
    }
  }

private:
  const ArrayArguments & m_Arguments;
  std::int64_t           m_Number;
  unsigned int           m_Last;
  std::int64_t           m_Index[MaximumArrayDimension]{};
  std::int64_t           m_Batch{ 0 };
  double                 m_Sum[MaximumArrayDimension]{};
};

/** \brief Folded taps of coordinates and the sum over them. */
template <typename TReal>
class GatheredSupport
{
public:
  GatheredSupport(const ArrayArguments & arguments, const ArrayReader & reader)
    : m_Arguments(arguments)
    , m_Reader(reader)
    , m_Taps(static_cast<int>(arguments.order) + 1)
    , m_Extension(TapExtensionOf(arguments.mode))
  {}

  /** \brief Computes the value at coordinates, or the border value.
   *
   * \param[in,out] x coordinates, x first; they are folded
   * \param[in] batch offset of the interpolated array */
  double
  ValueAt(double (&x)[MaximumArrayDimension], std::int64_t batch)
  {
    for (unsigned int d = 0; d < m_Arguments.dimension; ++d)
    {
      if (!FoldCoordinate(x[d], m_Arguments.size[d], m_Arguments.mode))
      {
        return m_Arguments.output.border;
      }
      const std::int64_t start = ArrayWeights(m_Arguments.order, x[d], m_Weight[d]);
      for (int k = 0; k < m_Taps; ++k)
      {
        const std::int64_t index = FoldIndex(start + k, m_Arguments.size[d], m_Extension);
        m_Offset[d][k] = index < 0 ? beyond : index * m_Arguments.stride[d];
      }
    }
    return static_cast<double>(this->Sum(m_Arguments.dimension - 1, batch, false));
  }

private:
  static constexpr int          mostTaps = static_cast<int>(MaximumSplineOrder) + 1;
  static constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::min(); // strides have any sign

  /** Sums over the taps of an axis and all faster axes, within a row first. */
  TReal
  Sum(unsigned int axis, std::int64_t at, bool isBorder) const
  {
    const auto border = static_cast<TReal>(m_Arguments.output.border);
    TReal      sum = TReal(0);
    if (axis > 0)
    {
      for (int k = 0; k < m_Taps; ++k)
      {
        const bool isBeyond = isBorder || m_Offset[axis][k] == beyond;
        sum += m_Weight[axis][k] * this->Sum(axis - 1, isBeyond ? at : at + m_Offset[axis][k], isBeyond);
      }
      return sum;
    }
    TReal row[mostTaps];
    std::fill_n(row, m_Taps, border);
    for (int k = 0; k < m_Taps && !isBorder;)
    {
      int last = k;
      while (last < m_Taps && m_Offset[0][last] != beyond)
      {
        ++last;
      }
      m_Reader.Gather(m_Offset[0] + k, last - k, at, row + k);
      k = last + 1;
    }
    for (int k = 0; k < m_Taps; ++k)
    {
      sum += m_Weight[0][k] * row[k];
    }
    return sum;
  }

  const ArrayArguments & m_Arguments;
  const ArrayReader &    m_Reader;
  int                    m_Taps;
  Extension              m_Extension;
  TReal                  m_Weight[MaximumArrayDimension][mostTaps]{};
  std::int64_t           m_Offset[MaximumArrayDimension][mostTaps]{};
};

/** \brief Values of a run for orders 0 and 1, for all elements whose support is within the array. */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
class GatheredRun
{
public:
  /** \brief Computes the values.
   *
   * \param[in] x coordinates of the run for each axis
   * \param[in] batch offsets of the interpolated arrays; null for 0
   * \param[in] count number of elements
   * \param[in] axes number of the fastest axes whose coordinates have changed since the previous run */
  void
  Compute(const ArrayArguments & arguments,
          const ArrayReader &    reader,
          const double (&x)[VDimension][ArrayRunLength],
          const std::int64_t * batch,
          int                  count,
          unsigned int         axes)
  {
    std::fill_n(isDone, count, 1);
    if (batch == nullptr)
    {
      std::fill_n(m_Offset, count, 0);
    }
    else
    {
      std::copy_n(batch, count, m_Offset);
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (d < axes)
      {
        this->Place(x[d], arguments.size[d], arguments.stride[d], d, count);
      }
      for (int i = 0; i < count; ++i)
      {
        m_Offset[i] += m_Step[d][i];
        isDone[i] &= m_IsWithin[d][i];
      }
    }
    constexpr unsigned int corners = VOrder == 0 ? 1U : 1U << VDimension;
    TReal                  taps[corners][ArrayRunLength];
    for (unsigned int corner = 0; corner < corners; ++corner)
    {
      std::int64_t step = 0;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        // An axis with one sample has no sample above, and an arbitrary stride.
        step += (corner >> d & 1U) * (arguments.size[d] > 1 ? arguments.stride[d] : 0);
      }
      reader.Gather(m_Offset, count, step, taps[corner]);
    }
    // Same order of summation as in TensorProductSum(): the fastest axis is weighted last, after the sums over the
    // other axes.
    for (unsigned int d = VOrder == 0 ? 0 : VDimension; d-- > 0;)
    {
      const unsigned int half = 1U << d;
      for (unsigned int corner = 0; corner < half; ++corner)
      {
        for (int i = 0; i < count; ++i)
        {
          taps[corner][i] = (TReal(1) - m_Above[d][i]) * taps[corner][i] + m_Above[d][i] * taps[corner + half][i];
        }
      }
    }
    std::copy_n(taps[0], count, value);
  }

  int   isDone[ArrayRunLength]; ///< 1 if there is a value
  TReal value[ArrayRunLength];

private:
  /** Finds the lower taps along an axis; 0 if a tap is beyond the ends. */
  void
  Place(const double * x, std::int64_t size, std::int64_t stride, unsigned int axis, int count)
  {
    // Within this limit, a sample index fits into 32 bits, and the sample above exists.
    const double last = static_cast<double>(std::min<std::int64_t>(size - 1, std::int64_t{ 1 } << 30));
    for (int i = 0; i < count; ++i)
    {
      const bool   isWithin = x[i] >= 0.0 && (VOrder == 0 ? x[i] <= last : x[i] < last); // false for NaN
      const double safe = isWithin ? x[i] : 0.0;
      // Equal to the floor, because it is not negative.
      const int base = static_cast<int>(VOrder == 0 ? RoundedSum(safe, 0.5) : safe);
      m_Above[axis][i] = static_cast<TReal>(RoundedSum(safe, -static_cast<double>(base)));
      m_IsWithin[axis][i] = isWithin ? 1 : 0;
      m_Step[axis][i] = base * stride;
    }
  }

  std::int64_t m_Step[VDimension][ArrayRunLength]; ///< contribution of an axis to the offset
  int          m_IsWithin[VDimension][ArrayRunLength];
  std::int64_t m_Offset[ArrayRunLength];
  TReal        m_Above[VDimension][ArrayRunLength];
};

/** \brief StoreRounded() for several elements. For the usual types, the type is only checked once.
 *
 * \param[in] at offset of the first element, in elements
 * \param[in] step distance between elements */
inline void
StoreRoundedRun(void * data, ScalarType type, std::int64_t at, std::int64_t step, const double * values, int count)
{
  const auto store = [&](auto fixedType) {
    for (int i = 0; i < count; ++i)
    {
      StoreRounded(data, decltype(fixedType)::value, at + i * step, values[i]);
    }
  };
  switch (type)
  {
    case ScalarType::UInt8:
      return store(std::integral_constant<ScalarType, ScalarType::UInt8>());
    case ScalarType::Int16:
      return store(std::integral_constant<ScalarType, ScalarType::Int16>());
    case ScalarType::UInt16:
      return store(std::integral_constant<ScalarType, ScalarType::UInt16>());
    case ScalarType::Float32:
      return store(std::integral_constant<ScalarType, ScalarType::Float32>());
    case ScalarType::Float64:
      return store(std::integral_constant<ScalarType, ScalarType::Float64>());
    default: // for all other types, it is checked for each element
      for (int i = 0; i < count; ++i)
      {
        StoreRounded(data, type, at + i * step, values[i]);
      }
  }
}

/** \brief Evaluates elements of a line of the output.
 *
 * \tparam VDimension 1 to 3 for runs with VOrder 0 or 1; 0 for single elements of any order
 * \param[in] arguments arguments with any map; the strides are those of the array of the reader
 * \param[in] first first element
 * \param[in] last one past the last element */
template <unsigned int VDimension, unsigned int VOrder, typename TReal>
void
GatherLine(const ArrayArguments & arguments,
           const ArrayReader &    reader,
           std::int64_t           line,
           std::int64_t           first,
           std::int64_t           last)
{
  constexpr unsigned int                            axes = VDimension > 0 ? VDimension : MaximumArrayDimension;
  const ArrayLine                                   places(arguments, line);
  const ArrayOutput &                               output = arguments.output;
  const bool                                        isBatch = places.BatchOf(0) != 0 || places.BatchOf(1) != 0;
  GatheredSupport<TReal>                            support(arguments, reader);
  double                                            x[axes][ArrayRunLength];
  double                                            values[ArrayRunLength];
  [[maybe_unused]] GatheredRun<axes, VOrder, TReal> run;
  for (std::int64_t sample = first; sample < last; sample += ArrayRunLength)
  {
    const auto count = static_cast<int>(std::min<std::int64_t>(ArrayRunLength, last - sample));
    // For maps that treat each axis separately, only one coordinate changes along a line.
    const unsigned int changed = GoesByAxes(arguments.map) && sample > first ? 1 : arguments.dimension;
    for (unsigned int d = 0; d < changed; ++d)
    {
      places.Find(d, sample, count, x[d]);
    }
    if constexpr (VDimension > 0)
    {
      std::int64_t batch[ArrayRunLength];
      for (int i = 0; i < count && isBatch; ++i)
      {
        batch[i] = places.BatchOf(sample + i);
      }
      run.Compute(arguments, reader, x, isBatch ? batch : nullptr, count, changed);
    }
    for (int i = 0; i < count; ++i)
    {
      if (VDimension > 0 && run.isDone[i] != 0)
      {
        values[i] = static_cast<double>(run.value[i]);
        continue;
      }
      double own[MaximumArrayDimension];
      for (unsigned int d = 0; d < arguments.dimension; ++d)
      {
        own[d] = x[d][i];
      }
      values[i] = support.ValueAt(own, places.BatchOf(sample + i));
    }
    StoreRoundedRun(output.data, output.type, places.OutputOf(sample), places.GetStep(), values, count);
  }
}

} // namespace itk::CudaSpline

#endif
