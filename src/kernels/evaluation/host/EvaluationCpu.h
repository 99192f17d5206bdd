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
#ifndef EvaluationCpu_h
#define EvaluationCpu_h

#include "kernels/common/HostLoop.h"
#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/host/LinearRun.h"

#include <algorithm>

/** \file
 * \brief The host's loop over the body of the evaluating kernels. */

namespace itk::CudaSpline
{

/** \brief Samples that a thread takes at a time, at least: some 0.05 ms, longer than to ask for them. */
inline constexpr std::int64_t FewestSamples = 2048;

/** \brief Points whose memory is asked for ahead of the one that is evaluated: scattered points wait for memory more
 * than for anything else. */
inline constexpr std::int64_t PointsAhead = 6;

/** \brief Asks for the rows of a support ahead of their use; methods without a basis do nothing. */
template <typename TMethod, unsigned int VDimension>
void
PrefetchSample(const EvaluationArguments<VDimension> & arguments, std::int64_t line, std::int64_t sample)
{
#if defined(__GNUC__)
  if constexpr (TMethod::HasBasis)
  {
    if (sample >= arguments.samples || line * arguments.samples + sample >= arguments.count)
    {
      return;
    }
    using Basis = decltype(TMethod::Basis(arguments));
    using Real = typename TMethod::Real;
    double index[VDimension];
    arguments.IndexOf(line, sample, index);
    if (!arguments.IsInside(index))
    {
      return;
    }
    const BasisSupport<Basis, VDimension, double> support(index, arguments.extent);
    if (!support.inside)
    {
      return;
    }
    const auto * row = static_cast<const Real *>(arguments.source) + support.start[0];
    std::int64_t stride[3] = { 1, 0, 0 };
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      stride[d] = stride[d - 1] * arguments.extent.size[d - 1];
      row += support.start[d] * stride[d];
    }
    constexpr int taps = Basis::Taps;
    for (int z = 0; z < (VDimension > 2 ? taps : 1); ++z)
    {
      for (int y = 0; y < (VDimension > 1 ? taps : 1); ++y)
      {
        __builtin_prefetch(row + z * stride[2] + y * stride[1]);
      }
    }
  }
#else
  (void)arguments;
  (void)line;
  (void)sample;
#endif
}

/** \brief EvaluateSample() for consecutive samples of a scanline: their indices are computed together, in vectors, with
 * the same operations. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
EvaluateRun(const EvaluationArguments<VDimension> & arguments,
            std::int64_t                            line,
            std::int64_t                            sample,
            std::int64_t                            count)
{
  double indices[VDimension][IndicesAtATime];
  if (arguments.singleCoordinates)
  {
    for (std::int64_t i = 0; i < count; ++i)
    {
      double index[VDimension];
      arguments.IndexOf(line, sample + i, index);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        indices[d][i] = index[d];
      }
    }
  }
  else
  {
    // ScanlineEnds::At() for all of them.
    const ScanlineEnds<VDimension> ends = arguments.ends[line];
    const auto                     first = static_cast<double>(arguments.lineOffset + sample);
    const auto                     number = static_cast<int>(count);
    double                         alpha[IndicesAtATime];
    for (int i = 0; i < number; ++i)
    {
      alpha[i] = (first + i) / arguments.lineLength;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double span = ends.end[d] - ends.start[d];
      for (int i = 0; i < number; ++i)
      {
        indices[d][i] = RoundedSum(ends.start[d], RoundedProduct(alpha[i], span));
      }
    }
  }
  const std::int64_t at = line * arguments.samples + sample;
  if constexpr (IsLinearMethod<TMethod>::value)
  {
    if (EvaluateLinearRun<typename IsLinearMethod<TMethod>::Real>(arguments, indices, at, static_cast<int>(count)))
    {
      return;
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
  {
    double index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = indices[d][i];
    }
    EvaluateIndex<TMethod, VDerivatives>(arguments, index, at + i);
  }
}

/** \brief All lines, with the host's threads. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
EvaluateLines(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, const ExecutionContext & context)
{
  const bool scattered = arguments.coordinates == Coordinates::Indices || arguments.coordinates == Coordinates::Points;
  const std::int64_t fewest = FewestSamples / std::max<std::int64_t>(1, arguments.samples);
  RunInParts(lines, fewest, context, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      if (scattered)
      {
        for (std::int64_t sample = 0; sample < arguments.samples; ++sample)
        {
          PrefetchSample<TMethod>(arguments, line, sample + PointsAhead);
          EvaluateSample<TMethod, VDerivatives>(arguments, line, sample);
        }
        continue;
      }
      if (arguments.coordinates == Coordinates::Stages)
      {
        for (std::int64_t sample = 0; sample < arguments.samples; ++sample)
        {
          EvaluateSample<TMethod, VDerivatives>(arguments, line, sample);
        }
        continue;
      }
      for (std::int64_t sample = 0; sample < arguments.samples; sample += IndicesAtATime)
      {
        EvaluateRun<TMethod, VDerivatives>(
          arguments, line, sample, std::min(IndicesAtATime, arguments.samples - sample));
      }
    }
  });
}

/** \name Families of methods
 * Each is compiled in a file of its own. */
///@{
template <unsigned int VDimension>
void
EvaluateSplineSingleOnCpu(unsigned int                            order,
                          Derivatives                             derivatives,
                          const EvaluationArguments<VDimension> & arguments,
                          std::int64_t                            lines,
                          const ExecutionContext &                context);

template <unsigned int VDimension>
void
EvaluateSplineDoubleOnCpu(unsigned int                            order,
                          Derivatives                             derivatives,
                          const EvaluationArguments<VDimension> & arguments,
                          std::int64_t                            lines,
                          const ExecutionContext &                context);

template <unsigned int VDimension>
void
EvaluatePackedOnCpu(CoefficientStorage                      storage,
                    Derivatives                             derivatives,
                    const EvaluationArguments<VDimension> & arguments,
                    std::int64_t                            lines,
                    const ExecutionContext &                context);

template <unsigned int VDimension>
void
EvaluateTextureOnCpu(const EvaluationArguments<VDimension> & arguments,
                     std::int64_t                            lines,
                     const ExecutionContext &                context);
///@}

} // namespace itk::CudaSpline

#endif
