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
  int   between[SamplesOfRun]; ///< 1 for strictly between samples along each axis and within the bounds, else 0

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
      for (int i = 0; i < count; ++i)
      {
        const double index = indices[d][i];
        const bool   within = index >= first && index < last; // not so for NaN
        const double safe = within ? index : first;
        const auto   truncated = static_cast<int>(safe);
        const int    whole = truncated - (static_cast<double>(truncated) > safe ? 1 : 0);
        const double above = RoundedSum(safe, -static_cast<double>(whole));
        base[d][i] = whole - origin;
        distance[d][i] = static_cast<TReal>(above);
        between[i] &= (within && above > 0.0) ? 1 : 0;
      }
    }
    return true;
  }
};

/** \brief EvaluateIndex() for consecutive samples, most of which lie between samples of the input: these have all
 * neighbours, each of which counts, so nothing is asked on the way and the compiler makes vectors of it. The sums are
 * those of LinearValue().
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
  if (arguments.singleCoordinates || arguments.inside != nullptr || !places.Find(arguments, indices, count))
  {
    return;
  }
  constexpr int corners = 1 << VDimension;
  std::int64_t  step[corners]{};
  for (int corner = 0; corner < corners; ++corner)
  {
    std::int64_t stride = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      step[corner] += (corner >> d & 1) * stride;
      stride *= arguments.extent.size[d];
    }
  }
  std::copy_n(places.between, count, run.isDone);
  for (int c = 0; c < arguments.components; ++c)
  {
    TReal        values[corners][SamplesOfRun];
    const auto * data = static_cast<const TReal *>(arguments.source) + c * arguments.planeStride;
    for (int i = 0; i < count; ++i)
    {
      std::int64_t offset = 0;
      for (unsigned int d = VDimension; d-- > 0;)
      {
        offset = offset * arguments.extent.size[d] + places.base[d][i];
      }
      for (int corner = 0; corner < corners; ++corner)
      {
        values[corner][i] = data[offset + step[corner]];
      }
    }
    int left = corners;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      left /= 2;
      for (int k = 0; k < left; ++k)
      {
        for (int i = 0; i < count; ++i)
        {
          const TReal low = values[2 * k][i];
          values[k][i] = low + (values[2 * k + 1][i] - low) * places.distance[d][i];
        }
      }
    }
    if (arguments.components == 1)
    {
      std::copy_n(values[0], count, run.value);
      std::copy_n(places.between, count, run.isSet);
      continue;
    }
    for (int i = 0; i < count; ++i)
    {
      if (places.between[i] != 0)
      {
        StoreValue(arguments.output, arguments.outputType, (at + i) * arguments.components + c, values[0][i]);
      }
    }
  }
}

} // namespace itk::CudaSpline

#endif
