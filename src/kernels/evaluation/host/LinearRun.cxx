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
#include "kernels/evaluation/host/LinearRun.h"

#include "kernels/common/VectorClones.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>

namespace itk::CudaSpline
{

namespace
{

/** \brief Positions of a run in the array of samples. */
template <unsigned int VDimension, typename TReal>
struct LinearPlaces
{
  std::int64_t fixed;                          ///< offset for the axes along which all samples have the same position
  bool         isFixed[VDimension];            ///< which axes these are
  int          base[VDimension][SamplesOfRun]; ///< lower neighbour along the other axes, relative to the first sample
  TReal        distance[VDimension][SamplesOfRun]; ///< distance from it, along axes of \c isMoved
  int          between[SamplesOfRun]; ///< 1: within the bounds and, along axes of \c isMoved, before the last sample
  bool isMoved[VDimension]; ///< whether any position is between samples along an axis; otherwise all are on samples
  bool hasSome[VDimension]; ///< whether some positions are on samples along an axis of \c isMoved

  /** Finds the positions of \p count indices. Returns false if this is not possible: the range of the bounds or the
   * array is empty, numbers do not fit, or all samples are outside along an axis. */
  CUDASPLINE_INLINE bool
  Find(const EvaluationArguments<VDimension> & arguments, const double (&indices)[VDimension][SamplesOfRun], int count)
  {
    std::int64_t stride = 1;
    fixed = 0;
    std::fill_n(between, count, 1);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      constexpr std::int64_t furthest = 1 << 30;
      const std::int64_t     start = arguments.extent.start[d];
      const std::int64_t     end = start + arguments.extent.size[d] - 1;
      const double           first = std::max(arguments.lower[d], static_cast<double>(start));
      // The last sample has no upper neighbour, which is not needed for a position on it.
      const double last = std::min(arguments.upper[d], std::nextafter(static_cast<double>(end), 2.0 * furthest));
      if (start < -furthest || end > furthest || !(first < last))
      {
        return false;
      }
      const auto   origin = static_cast<int>(start);
      const auto & index = indices[d];
      int          differs = 0;
      for (int i = 0; i < count; ++i)
      {
        differs |= index[i] != index[0] ? 1 : 0; // true for NaN
      }
      isFixed[d] = differs == 0;
      if (isFixed[d])
      {
        int   below = 0;
        TReal above = TReal(0);
        if (!this->FindOne(index[0], first, last, below, above))
        {
          return false;
        }
        fixed += (below - origin) * stride;
        isMoved[d] = above > TReal(0);
        hasSome[d] = false;
        if (isMoved[d])
        {
          std::fill_n(distance[d], count, above);
        }
      }
      else
      {
        this->FindAll(d, index, first, last, origin, static_cast<int>(end - start), count);
      }
      stride *= arguments.extent.size[d];
    }
    return true;
  }

private:
  /** Finds the lower neighbour of an index, and the distance from it. Returns false if the index is outside. */
  static CUDASPLINE_INLINE bool
  FindOne(double index, double first, double last, int & below, TReal & above)
  {
    if (!(index >= first && index < last))
    {
      return false;
    }
    below = static_cast<int>(index);
    below -= static_cast<double>(below) > index ? 1 : 0;
    const double distance = RoundedSum(index, -static_cast<double>(below));
    above = static_cast<TReal>(distance);
    return distance < 1.0 && (distance > 0.0) == (above > TReal(0));
  }

  /** Does the same for \p count indices along an axis. */
  CUDASPLINE_INLINE void
  FindAll(unsigned int d,
          const double (&index)[SamplesOfRun],
          double first,
          double last,
          int    origin,
          int    lastBase,
          int    count)
  {
    const double end = static_cast<double>(origin) + static_cast<double>(lastBase);
    // There are no branches: results of comparisons are stored as doubles first, and every subtraction is
    // unconditional. This allows the compiler to vectorize the loops.
    int    flags[SamplesOfRun]; // 1: within, 2: above a neighbour, 4: before the last
    double safe[SamplesOfRun];
    double truncated[SamplesOfRun];
    double excess[SamplesOfRun]; // 1 for a negative number that was truncated
    double within[SamplesOfRun];
    for (int i = 0; i < count; ++i)
    {
      within[i] = HoldWithin(index[i], first, last, safe[i]);
      truncated[i] = static_cast<double>(static_cast<int>(safe[i]));
      excess[i] = truncated[i] > safe[i] ? 1.0 : 0.0;
    }
    for (int i = 0; i < count; ++i)
    {
      const double floor = truncated[i] - excess[i];
      const double above = RoundedSum(safe[i], -floor);
      base[d][i] = static_cast<int>(floor) - origin;
      distance[d][i] = static_cast<TReal>(above);
      // Just below index 0 the sum is 1, but ITK's floor, FloorIndex(), is 0 there. Such positions are left to the
      // general code.
      const double isNear = above < 1.0 ? within[i] : 0.0;
      const double isOff = above > 0.0 ? 2.0 : 0.0;
      const double hasUpper = floor < end ? 4.0 : 0.0;
      flags[i] = static_cast<int>(isNear * (1.0 + isOff + hasUpper));
    }
    int above = 0;
    int below = 0;
    for (int i = 0; i < count; ++i)
    {
      above += flags[i] >> 1 & 1;
      below += flags[i] >> 2;
    }
    isMoved[d] = above > 0;
    hasSome[d] = below > above;
    const int highest = isMoved[d] ? lastBase - 1 : lastBase; // its upper neighbour is read, though unused
    const int shift = isMoved[d] ? 2 : 0;
    for (int i = 0; i < count; ++i)
    {
      base[d][i] = std::min(base[d][i], highest);
      between[i] &= flags[i] >> shift & 1;
    }
  }
};

/** \brief Computes values between samples. A position on the lower sample does not use the upper one, which may be
 * invalid.
 *
 * \tparam VStep distance from a pair to the next one
 * \param[in] hasSome whether any position is on the lower sample */
template <int VStep, typename TReal>
CUDASPLINE_INLINE void
InterpolatePairs(const TReal * lows,
                 const TReal * highs,
                 const TReal * distance,
                 bool          hasSome,
                 int           count,
                 TReal *       values)
{
  for (int i = 0; !hasSome && i < count; ++i)
  {
    const TReal low = lows[i * VStep];
    values[i] = low + (highs[i * VStep] - low) * distance[i];
  }
  for (int i = 0; hasSome && i < count; ++i)
  {
    const TReal low = lows[i * VStep];
    const TReal value = low + (highs[i * VStep] - low) * distance[i];
    values[i] = distance[i] == TReal(0) ? low : value;
  }
}

/** Computes the offsets in elements from the lower neighbour along some axes to each corner of its cell, see
 * InterpolateRun(). */
template <int VAxes, unsigned int VDimension>
CUDASPLINE_INLINE void
FindCorners(const unsigned int (&axes)[VDimension],
            const std::int64_t (&strides)[VDimension],
            std::int64_t pixel,
            std::int64_t (&step)[1 << VAxes])
{
  for (int corner = 0; corner < 1 << VAxes; ++corner)
  {
    step[corner] = 0;
    for (int axis = 0; axis < VAxes; ++axis)
    {
      step[corner] += (corner >> axis & 1) * strides[axes[axis]] * pixel;
    }
  }
}

/** \brief Interpolates the samples of a run along some of the axes.
 *
 * \tparam VAxes number of these axes
 * \param[in] data samples of a component
 * \param[in] offsets offsets of the lower neighbours
 * \param[in] places positions
 * \param[in] axes the axes, ascending
 * \param[in] strides samples to the next one along each axis of the image
 * \param[in] pixel elements from a sample to the next one along x
 * \param[in] count number of samples
 * \param[out] result a value for each sample */
template <int VAxes, unsigned int VDimension, typename TReal, typename TOffset>
CUDASPLINE_INLINE void
InterpolateRun(const TReal * data,
               const TOffset (&offsets)[SamplesOfRun],
               const LinearPlaces<VDimension, TReal> & places,
               const unsigned int (&axes)[VDimension],
               const std::int64_t (&strides)[VDimension],
               std::int64_t pixel,
               int          count,
               TReal *      result)
{
  constexpr int corners = 1 << VAxes;
  std::int64_t  step[corners];
  FindCorners<VAxes>(axes, strides, pixel, step);
  TReal values[corners][SamplesOfRun];
  int   left = corners;
  if (VAxes > 0 && strides[axes[0]] * pixel == 1)
  {
    // Neighbours in memory are loaded together.
    constexpr int rows = std::max(corners / 2, 1);
    TReal         pairs[rows][2 * SamplesOfRun];
    left /= 2;
    for (int i = 0; i < count; ++i)
    {
      const TReal * const first = data + offsets[i]; // a pixel is an element
      for (int k = 0; k < rows; ++k)
      {
        std::memcpy(pairs[k] + 2 * i, first + step[2 * k % corners], 2 * sizeof(TReal));
      }
    }
    const auto & distance = places.distance[axes[0]];
    for (int k = 0; k < rows; ++k)
    {
      InterpolatePairs<2>(pairs[k], pairs[k] + 1, distance, places.hasSome[axes[0]], count, values[k]);
    }
  }
  else
  {
    for (int i = 0; i < count; ++i)
    {
      for (int corner = 0; corner < corners; ++corner)
      {
        values[corner][i] = data[offsets[i] * pixel + step[corner]];
      }
    }
  }
  for (int axis = left < corners ? 1 : 0; axis < VAxes; ++axis)
  {
    const auto & distance = places.distance[axes[axis]];
    left /= 2;
    for (int k = 0; k < left; ++k)
    {
      InterpolatePairs<1>(values[2 * k], values[2 * k + 1], distance, places.hasSome[axes[axis]], count, values[k]);
    }
  }
  std::copy_n(values[0], count, result);
}

/** \brief Three consecutive numbers, and a fourth one that is not used: one vector of the processor. */
template <typename TReal>
struct ThreeNumbers
{
#if defined(__GNUC__)
  using Lanes __attribute__((vector_size(4 * sizeof(TReal)))) = TReal;
#else
  using Lanes = std::array<TReal, 4>;
#endif
  Lanes lanes;

  /** Reads three numbers. */
  CUDASPLINE_INLINE void
  Load(const TReal * from)
  {
    lanes = Lanes{ from[0], from[1], from[2], from[2] };
  }

  /** Reads three numbers, and the next three. */
  static CUDASPLINE_INLINE void
  LoadTwo(const TReal * from, ThreeNumbers & first, ThreeNumbers & second)
  {
    Lanes last;
    std::memcpy(&first.lanes, from, sizeof(Lanes));
    std::memcpy(&last, from + 2, sizeof(Lanes)); // the last four of six
    second.lanes = Lanes{ last[1], last[2], last[3], last[3] };
  }

  /** Moves towards other numbers by a fraction of the distance. A fraction of 0 ignores other numbers that are NaN. */
  CUDASPLINE_INLINE void
  Approach(const ThreeNumbers & others, TReal part)
  {
#if defined(__GNUC__)
    lanes = lanes + (others.lanes - lanes) * part;
#else
    for (int n = 0; n < 3; ++n)
    {
      lanes[n] = lanes[n] + (others.lanes[n] - lanes[n]) * part;
    }
#endif
  }

  /** Writes the three, and the fourth. */
  CUDASPLINE_INLINE void
  Store(TReal * to) const
  {
    std::memcpy(to, &lanes, sizeof(Lanes));
  }
};

/** \brief Interpolates three consecutive numbers of each sample of a run in one pass.
 *
 * \tparam VHasSome whether positions may be on samples along a moved axis
 * \param[in] data the first of the numbers, of the first sample
 * \param[in] offsets, places, axes, strides, count as for InterpolateRun()
 * \param[in] pixel elements from a sample to the next one along x
 * \param[out] result the three numbers of each sample consecutively, and one more at the end */
template <int VAxes, bool VHasSome, unsigned int VDimension, typename TReal, typename TOffset>
CUDASPLINE_INLINE void
InterpolateThree(const TReal * data,
                 const TOffset (&offsets)[SamplesOfRun],
                 const LinearPlaces<VDimension, TReal> & places,
                 const unsigned int (&axes)[VDimension],
                 const std::int64_t (&strides)[VDimension],
                 std::int64_t pixel,
                 int          count,
                 TReal *      result)
{
  constexpr int corners = 1 << VAxes;
  std::int64_t  step[corners];
  FindCorners<VAxes>(axes, strides, pixel, step);
  const bool areNeighbours = VAxes > 0 && strides[axes[0]] == 1 && pixel == 3;
  for (int i = 0; i < count; ++i)
  {
    const TReal * const first = data + static_cast<std::int64_t>(offsets[i]) * pixel;
    ThreeNumbers<TReal> values[corners];
    for (int corner = 0; corner < corners; ++corner)
    {
      if (areNeighbours && corner + 1 < corners)
      {
        ThreeNumbers<TReal>::LoadTwo(first + step[corner], values[corner], values[corner + 1]);
        ++corner;
      }
      else
      {
        values[corner].Load(first + step[corner]);
      }
    }
    for (int axis = 0, left = corners / 2; axis < VAxes; ++axis, left /= 2)
    {
      const TReal distance = places.distance[axes[axis]][i];
      for (int k = 0; k < left; ++k)
      {
        if (!VHasSome || distance != TReal(0))
        {
          values[2 * k].Approach(values[2 * k + 1], distance);
        }
        values[k] = values[2 * k];
      }
    }
    values[0].Store(result + 3 * i);
  }
}

/** Stores three consecutive numbers of each sample that is set. Overwrites \p run. */
template <typename TReal, unsigned int VDimension>
CUDASPLINE_INLINE void
StoreThree(const EvaluationArguments<VDimension> & arguments,
           const TReal *                           result,
           std::int64_t                            at,
           int                                     count,
           int                                     number,
           ValueRun<TReal> &                       run)
{
  constexpr ScalarType type = sizeof(TReal) == sizeof(float) ? ScalarType::Float32 : ScalarType::Float64;
  auto * const         first = static_cast<TReal *>(arguments.output) + at * arguments.components + number;
  if (arguments.outputType == type && run.isAllDone && arguments.components == 3)
  {
    std::copy_n(result, count * 3, first);
    return;
  }
  for (int i = 0; arguments.outputType == type && i < count; ++i)
  {
    if (run.isSet[i] != 0)
    {
      std::copy_n(result + i * 3, 3, first + static_cast<std::int64_t>(i) * arguments.components);
    }
  }
  for (int n = 0; arguments.outputType != type && n < 3; ++n)
  {
    for (int i = 0; i < count; ++i)
    {
      run.value[i] = result[i * 3 + n];
    }
    const std::int64_t to = at * arguments.components + number + n;
    StoreRun(run, count, arguments.output, arguments.outputType, to, arguments.components);
  }
}

/** Interpolates all components of a run along VAxes axes; see InterpolateComponents(). */
template <int VAxes, unsigned int VDimension, typename TReal, typename TOffset>
CUDASPLINE_INLINE void
InterpolateAxes(const EvaluationArguments<VDimension> & arguments,
                const TOffset (&offsets)[SamplesOfRun],
                const LinearPlaces<VDimension, TReal> & places,
                const unsigned int (&axes)[VDimension],
                const std::int64_t (&strides)[VDimension],
                std::int64_t      at,
                int               count,
                ValueRun<TReal> & run)
{
  const int          components = arguments.components;
  const std::int64_t pixel = arguments.sampleStride;
  const auto * const data = static_cast<const TReal *>(arguments.source) + places.fixed * pixel;
  bool               hasSome = false;
  for (int axis = 0; axis < VAxes; ++axis)
  {
    hasSome = hasSome || places.hasSome[axes[axis]];
  }
  const bool areThree = components % 3 == 0 && arguments.planeStride == 1;
  for (int c = 0; c < components && areThree; c += 3)
  {
    TReal result[3 * SamplesOfRun + 1];
    if (hasSome)
    {
      InterpolateThree<VAxes, true>(data + c, offsets, places, axes, strides, pixel, count, result);
    }
    else
    {
      InterpolateThree<VAxes, false>(data + c, offsets, places, axes, strides, pixel, count, result);
    }
    StoreThree(arguments, result, at, count, c, run);
  }
  for (int c = 0; c < components && !areThree; ++c)
  {
    InterpolateRun<VAxes>(data + c * arguments.planeStride, offsets, places, axes, strides, pixel, count, run.value);
    if (components > 1)
    {
      StoreRun(run, count, arguments.output, arguments.outputType, at * components + c, components);
    }
  }
}

/** Interpolates all components of a run. Those that are stored together remain in \p run. */
template <typename TOffset, typename TReal, unsigned int VDimension>
CUDASPLINE_INLINE void
InterpolateComponents(const EvaluationArguments<VDimension> & arguments,
                      const LinearPlaces<VDimension, TReal> & places,
                      std::int64_t                            at,
                      int                                     count,
                      ValueRun<TReal> &                       run)
{
  std::int64_t strides[VDimension];
  unsigned int axes[VDimension]{};
  int          axesCount = 0;
  std::int64_t stride = 1;
  TOffset      offsets[SamplesOfRun]{};
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    strides[d] = stride;
    if (places.isMoved[d])
    {
      axes[axesCount++] = d;
    }
    const auto step = static_cast<TOffset>(stride);
    for (int i = 0; !places.isFixed[d] && i < count; ++i)
    {
      offsets[i] += places.base[d][i] * step;
    }
    stride *= arguments.extent.size[d];
  }
  if (axesCount == 0)
  {
    InterpolateAxes<0>(arguments, offsets, places, axes, strides, at, count, run);
  }
  else if (axesCount == static_cast<int>(VDimension))
  {
    InterpolateAxes<static_cast<int>(VDimension)>(arguments, offsets, places, axes, strides, at, count, run);
  }
  else if (axesCount == 1)
  {
    InterpolateAxes<1>(arguments, offsets, places, axes, strides, at, count, run);
  }
  else
  {
    InterpolateAxes<std::min(2, static_cast<int>(VDimension))>(
      arguments, offsets, places, axes, strides, at, count, run);
  }
}

} // namespace

template <typename TReal, unsigned int VDimension>
CUDASPLINE_VECTOR_CLONES void
EvaluateLinearRun(const EvaluationArguments<VDimension> & arguments,
                  const double (&indices)[VDimension][SamplesOfRun],
                  std::int64_t      at,
                  int               count,
                  ValueRun<TReal> & run)
{
  LinearPlaces<VDimension, TReal> places;
  if (arguments.singleCoordinates || arguments.inside != nullptr || !places.Find(arguments, indices, count))
  {
    return;
  }
  const int found = std::accumulate(places.between, places.between + count, 0);
  if (found == 0)
  {
    return;
  }
  run.isAllDone = found == count;
  std::copy_n(places.between, count, run.isDone);
  std::copy_n(places.between, count, run.isSet);
  std::int64_t elements = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    elements *= arguments.extent.size[d];
  }
  if (elements <= std::numeric_limits<std::int32_t>::max())
  {
    InterpolateComponents<std::int32_t>(arguments, places, at, count, run);
  }
  else
  {
    InterpolateComponents<std::int64_t>(arguments, places, at, count, run);
  }
  if (arguments.components > 1)
  {
    std::fill_n(run.isSet, count, std::uint8_t{ 0 }); // all are stored
  }
}

template void
EvaluateLinearRun(const EvaluationArguments<1> &,
                  const double (&)[1][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<float> &);
template void
EvaluateLinearRun(const EvaluationArguments<2> &,
                  const double (&)[2][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<float> &);
template void
EvaluateLinearRun(const EvaluationArguments<3> &,
                  const double (&)[3][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<float> &);
template void
EvaluateLinearRun(const EvaluationArguments<1> &,
                  const double (&)[1][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<double> &);
template void
EvaluateLinearRun(const EvaluationArguments<2> &,
                  const double (&)[2][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<double> &);
template void
EvaluateLinearRun(const EvaluationArguments<3> &,
                  const double (&)[3][SamplesOfRun],
                  std::int64_t,
                  int,
                  ValueRun<double> &);

} // namespace itk::CudaSpline
