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
#include "kernels/evaluation/host/NearestRun.h"

#include "kernels/common/ConvertPixels.h"
#include "kernels/common/VectorClones.h"
#include "kernels/evaluation/Evaluation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace itk::CudaSpline
{

namespace
{

/** Computes the offsets of the nearest samples, for the samples of a run that are marked as done.
 *
 * \return the number of these; -1 if the numbers do not fit */
template <unsigned int VDimension>
CUDASPLINE_INLINE int
FindNearest(const EvaluationArguments<VDimension> & arguments,
            const double (&indices)[VDimension][SamplesOfRun],
            int count,
            std::int32_t (&offsets)[SamplesOfRun],
            int (&isFound)[SamplesOfRun])
{
  std::fill_n(offsets, count, 0);
  std::fill_n(isFound, count, 1);
  std::int64_t elements = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    constexpr std::int64_t furthest = 1 << 28;
    const std::int64_t     start = arguments.extent.start[d];
    const std::int64_t     size = arguments.extent.size[d];
    const double           first = arguments.lower[d];
    const double           last = arguments.upper[d];
    const auto             stride = static_cast<std::int32_t>(elements);
    elements *= size;
    if (start < -furthest || start + size > furthest || !(first >= -furthest) || !(last <= furthest) ||
        elements > std::numeric_limits<std::int32_t>::max())
    {
      return -1;
    }
    const auto origin = static_cast<std::int32_t>(start);
    const auto end = static_cast<std::int32_t>(size - 1);
    // Just below a half, NearestIndex() may round up to a sample beyond the last. This extension then returns the last
    // one.
    const int goesOn = arguments.extension[d] == Extension::Nearest ? 1 : 0;
    double    safe[SamplesOfRun];
    double    isWithin[SamplesOfRun];
    for (int i = 0; i < count; ++i)
    {
      isWithin[i] = HoldWithin(indices[d][i], first, last, safe[i]);
    }
    for (int i = 0; i < count; ++i)
    {
      // NearestIndex(): half of the even integer next to 2 x + 1/2. A double of this magnitude has no fraction.
      constexpr double   whole = 6755399441055744.0; // 1.5 * 2^52
      const double       twice = RoundedSum(RoundedProduct(2.0, safe[i]), 0.5);
      const double       even = RoundedSum(RoundedSum(twice, whole), -whole);
      const std::int32_t nearest = (static_cast<std::int32_t>(even) >> 1) - origin;
      const std::int32_t held = std::min(std::max(nearest, std::int32_t{ 0 }), end);
      offsets[i] += held * stride;
      isFound[i] &= static_cast<int>(isWithin[i]) & (nearest == held ? 1 : goesOn);
    }
  }
  return std::accumulate(isFound, isFound + count, 0);
}

} // namespace

template <unsigned int VDimension>
CUDASPLINE_VECTOR_CLONES void
EvaluateNearestRun(const EvaluationArguments<VDimension> & arguments,
                   const double (&indices)[VDimension][SamplesOfRun],
                   std::int64_t      at,
                   int               count,
                   ValueRun<float> & run)
{
  std::int32_t offsets[SamplesOfRun];
  int          isFound[SamplesOfRun];
  if (arguments.singleCoordinates || arguments.inside != nullptr || arguments.element != arguments.outputType)
  {
    return;
  }
  const int found = FindNearest(arguments, indices, count, offsets, isFound);
  if (found <= 0)
  {
    return;
  }
  run.isAllDone = found == count;
  std::copy_n(isFound, count, run.isDone);
  WithConstantType(arguments.element, [&](auto constantType) {
    constexpr ScalarType type = decltype(constantType)::value;
    const auto           stride = static_cast<std::int64_t>(arguments.components);
    for (int c = 0; c < arguments.components; ++c)
    {
      const std::int64_t first = at * stride + c;
      const std::int64_t number = c * arguments.planeStride;
      const auto         store = [&](int i, std::int64_t to) {
        if (IsReal(type) || arguments.components > 1)
        {
          StoreScalar(arguments.output,
                      type,
                      to,
                      LoadScalar<double>(arguments.source, type, number + offsets[i] * arguments.sampleStride));
        }
        else
        {
          CopyBits(arguments.output, to, arguments.source, offsets[i], SizeOf(type));
        }
      };
      for (int i = 0; run.isAllDone && i < count; ++i)
      {
        store(i, first + i * stride);
      }
      for (int i = 0; !run.isAllDone && i < count; ++i)
      {
        if (isFound[i] != 0)
        {
          store(i, first + i * stride);
        }
      }
    }
  });
}

template void
EvaluateNearestRun(const EvaluationArguments<1> &,
                   const double (&)[1][SamplesOfRun],
                   std::int64_t,
                   int,
                   ValueRun<float> &);
template void
EvaluateNearestRun(const EvaluationArguments<2> &,
                   const double (&)[2][SamplesOfRun],
                   std::int64_t,
                   int,
                   ValueRun<float> &);
template void
EvaluateNearestRun(const EvaluationArguments<3> &,
                   const double (&)[3][SamplesOfRun],
                   std::int64_t,
                   int,
                   ValueRun<float> &);

} // namespace itk::CudaSpline
