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
#ifndef LinearRun_h
#define LinearRun_h

#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/host/ValueRun.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

/** \file
 * \brief Linear interpolation on the host, of samples one after the other. */

namespace itk::CudaSpline
{

/** \brief Whether a method is LinearMethod, and in which precision. */
template <typename TMethod>
struct IsLinearMethod : std::false_type
{};

template <typename TReal>
struct IsLinearMethod<LinearMethod<TReal>> : std::true_type
{
  using Real = TReal; ///< of samples and arithmetic
};

/** \brief Places of a run in the array of samples. */
template <unsigned int VDimension, typename TReal>
struct LinearPlaces
{
  int   base[VDimension][SamplesOfRun];     ///< of the lower neighbour, from the first sample
  TReal distance[VDimension][SamplesOfRun]; ///< from it
  int   between[SamplesOfRun]; ///< 1 for within the bounds and, along axes of \c isMoved, strictly between samples
  bool  isMoved[VDimension];   ///< whether any sample lies between others along an axis; else all lie on samples

  /** Where \p count indices lie; false where the bounds or the array leave no room between samples, or have numbers
   * that do not fit. */
  bool
  Find(const EvaluationArguments<VDimension> & arguments, const double (&indices)[VDimension][SamplesOfRun], int count)
  {
    std::fill_n(between, count, 1);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      constexpr std::int64_t furthest = 1 << 30;
      const std::int64_t     start = arguments.extent.start[d];
      const std::int64_t     end = start + arguments.extent.size[d] - 1;
      const double           first = std::max(arguments.lower[d], static_cast<double>(start));
      const double           last = std::min(arguments.upper[d], static_cast<double>(end));
      if (start < -furthest || end > furthest || !(first < last))
      {
        return false;
      }
      const auto origin = static_cast<int>(start);
      // Without a branch, what follows from a comparison of doubles is a double first, and nothing is subtracted that
      // might not be: so the compiler makes vectors.
      int    isAbove[SamplesOfRun];
      int    isWithin[SamplesOfRun];
      double safe[SamplesOfRun];
      double truncated[SamplesOfRun];
      double excess[SamplesOfRun]; // of a negative number that was truncated
      double within[SamplesOfRun];
      for (int i = 0; i < count; ++i)
      {
        const double index = indices[d][i];
        const double raised = index >= first ? index : first; // NaN too
        safe[i] = raised < last ? raised : first;
        truncated[i] = static_cast<double>(static_cast<int>(safe[i]));
        excess[i] = truncated[i] > safe[i] ? 1.0 : 0.0;
        within[i] = (index >= first ? 1.0 : 0.0) * (index < last ? 1.0 : 0.0);
      }
      for (int i = 0; i < count; ++i)
      {
        const double floor = truncated[i] - excess[i];
        const double above = RoundedSum(safe[i], -floor);
        base[d][i] = static_cast<int>(floor) - origin;
        distance[d][i] = static_cast<TReal>(above);
        // Just below index 0 the sum is 1, but ITK's floor, FloorIndex(), is 0 there: that is left to others.
        within[i] *= above < 1.0 ? 1.0 : 0.0;
        isWithin[i] = static_cast<int>(within[i]);
        isAbove[i] = static_cast<int>(above > 0.0 ? within[i] : 0.0);
      }
      isMoved[d] = std::accumulate(isAbove, isAbove + count, 0) > 0;
      for (int i = 0; i < count; ++i)
      {
        between[i] &= isMoved[d] ? isAbove[i] : isWithin[i];
      }
    }
    return true;
  }
};

/** \brief Interpolates the samples of a run along some of the axes.
 *
 * \tparam VAxes how many axes these are
 * \param[in] data samples of a component
 * \param[in] offsets of the lower neighbours
 * \param[in] places where
 * \param[in] axes the axes, ascending
 * \param[in] strides elements to the next sample along each axis of the image
 * \param[in] count samples
 * \param[out] result a value a sample */
template <int VAxes, unsigned int VDimension, typename TReal>
void
InterpolateRun(const TReal * data,
               const std::int64_t (&offsets)[SamplesOfRun],
               const LinearPlaces<VDimension, TReal> & places,
               const unsigned int (&axes)[VDimension],
               const std::int64_t (&strides)[VDimension],
               int     count,
               TReal * result)
{
  constexpr int corners = 1 << VAxes;
  std::int64_t  step[corners]{};
  for (int corner = 0; corner < corners; ++corner)
  {
    for (int axis = 0; axis < VAxes; ++axis)
    {
      step[corner] += (corner >> axis & 1) * strides[axes[axis]];
    }
  }
  TReal values[corners][SamplesOfRun];
  for (int i = 0; i < count; ++i)
  {
    for (int corner = 0; corner < corners; ++corner)
    {
      values[corner][i] = data[offsets[i] + step[corner]];
    }
  }
  int left = corners;
  for (int axis = 0; axis < VAxes; ++axis)
  {
    const auto & distance = places.distance[axes[axis]];
    left /= 2;
    for (int k = 0; k < left; ++k)
    {
      for (int i = 0; i < count; ++i)
      {
        const TReal low = values[2 * k][i];
        values[k][i] = low + (values[2 * k + 1][i] - low) * distance[i];
      }
    }
  }
  std::copy_n(values[0], count, result);
}

/** \brief EvaluateIndex() for consecutive samples, most of which lie between samples of the input, or on them: these
 * have all neighbours, each of which counts, so nothing is asked on the way and the compiler makes vectors of it. The
 * sums are those of LinearValue().
 *
 * \param[in] arguments what is evaluated
 * \param[in] indices continuous indices, by axis
 * \param[in] at number of the first output sample
 * \param[in] count samples
 * \param[in,out] run what is done is marked; nothing is where it is not made for the case. Pixels of one number are
 *   left there to be stored, others are stored */
template <typename TReal, unsigned int VDimension>
void
EvaluateLinearRun(const EvaluationArguments<VDimension> & arguments,
                  const double (&indices)[VDimension][SamplesOfRun],
                  std::int64_t      at,
                  int               count,
                  ValueRun<TReal> & run)
{
  LinearPlaces<VDimension, TReal> places;
  if (arguments.singleCoordinates || arguments.inside != nullptr || !places.Find(arguments, indices, count) ||
      std::accumulate(places.between, places.between + count, 0) == 0)
  {
    return;
  }
  std::int64_t strides[VDimension];
  unsigned int axes[VDimension]{};
  int          axesCount = 0;
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    strides[d] = stride;
    stride *= arguments.extent.size[d];
    if (places.isMoved[d])
    {
      axes[axesCount++] = d;
    }
  }
  std::int64_t offsets[SamplesOfRun];
  for (int i = 0; i < count; ++i)
  {
    std::int64_t offset = 0;
    for (unsigned int d = VDimension; d-- > 0;)
    {
      offset = offset * arguments.extent.size[d] + places.base[d][i];
    }
    offsets[i] = offset;
  }
  std::copy_n(places.between, count, run.isDone);
  std::copy_n(places.between, count, run.isSet);
  for (int c = 0; c < arguments.components; ++c)
  {
    const auto * const data = static_cast<const TReal *>(arguments.source) + c * arguments.planeStride;
    if (axesCount == 0)
    {
      InterpolateRun<0>(data, offsets, places, axes, strides, count, run.value);
    }
    else if (axesCount == static_cast<int>(VDimension))
    {
      InterpolateRun<static_cast<int>(VDimension)>(data, offsets, places, axes, strides, count, run.value);
    }
    else if (axesCount == 1)
    {
      InterpolateRun<1>(data, offsets, places, axes, strides, count, run.value);
    }
    else
    {
      InterpolateRun<std::min(2, static_cast<int>(VDimension))>(data, offsets, places, axes, strides, count, run.value);
    }
    if (arguments.components > 1)
    {
      StoreRun(run, count, arguments.output, arguments.outputType, at * arguments.components + c, arguments.components);
    }
  }
  if (arguments.components > 1)
  {
    std::fill_n(run.isSet, count, std::uint8_t{ 0 }); // all are stored
  }
}

} // namespace itk::CudaSpline

#endif
