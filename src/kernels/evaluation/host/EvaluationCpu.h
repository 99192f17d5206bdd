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

#include "kernels/evaluation/Evaluation.h"
#include "kernels/evaluation/MethodDispatch.h"
#include "kernels/evaluation/host/LinearRun.h"
#include "kernels/evaluation/host/NearestRun.h"
#include "kernels/evaluation/host/ValueRun.h"

#include <algorithm>
#include <type_traits>

/** \file
 * \brief The host's loop over the body of the evaluating kernels. It processes runs of samples: one function computes
 * their indices for all sources of coordinates, and another one stores their values. The code between them is compiled
 * for each method. */

namespace itk::CudaSpline
{

/** \brief Number of points that are prefetched ahead of the evaluated one: scattered points wait mainly for memory. */
inline constexpr int PointsAhead = 6;

/** \brief Prefetches the rows of a support; has no effect for methods without a basis.
 *
 * \param[in] arguments the arguments
 * \param[in] indices continuous indices of a run, for each axis
 * \param[in] sample sample of the run */
template <typename TMethod, unsigned int VDimension>
void
PrefetchSample(const EvaluationArguments<VDimension> & arguments,
               const double (&indices)[VDimension][SamplesOfRun],
               int sample)
{
#if defined(__GNUC__)
  if constexpr (TMethod::HasBasis)
  {
    using Basis = decltype(TMethod::Basis(arguments));
    using Real = typename TMethod::Real;
    double index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = indices[d][sample];
    }
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
  (void)indices;
  (void)sample;
#endif
}

/** \brief A function that evaluates a run: EvaluateRun() for a method. */
template <unsigned int VDimension>
using RunEvaluator = void (*)(const EvaluationArguments<VDimension> & arguments,
                              const double (&indices)[VDimension][SamplesOfRun],
                              std::int64_t at,
                              int          count,
                              bool         scattered);

/** \brief Divides lines into runs, computes their continuous indices and evaluates them on the host's threads.
 *
 * Compiled once for dimensions 1 to 3. */
template <unsigned int VDimension>
void
RunLines(const EvaluationArguments<VDimension> & arguments,
         std::int64_t                            lines,
         const ExecutionContext &                context,
         RunEvaluator<VDimension>                evaluate);

/** \brief Type of the values of a run; float for methods without values. */
///@{
template <typename TMethod, typename = void>
struct RealOf
{
  using Type = float;
};
template <typename TMethod>
struct RealOf<TMethod, std::void_t<typename TMethod::Real>>
{
  using Type = typename TMethod::Real;
};
///@}

/** \brief EvaluateIndex() for a run of samples.
 *
 * \param[in] arguments the arguments
 * \param[in] indices continuous indices, for each axis
 * \param[in] at number of the first sample
 * \param[in] count number of samples, at most SamplesOfRun
 * \param[in] scattered whether the samples are far from each other */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
EvaluateRun(const EvaluationArguments<VDimension> & arguments,
            const double (&indices)[VDimension][SamplesOfRun],
            std::int64_t at,
            int          count,
            bool         scattered)
{
  using Real = typename RealOf<TMethod>::Type;
  ValueRun<Real> run;
  if constexpr (IsLinearMethod<TMethod>::value)
  {
    EvaluateLinearRun(arguments, indices, at, count, run);
  }
  else if constexpr (std::is_same_v<TMethod, NearestMethod>)
  {
    EvaluateNearestRun(arguments, indices, at, count, run);
  }
  for (int i = 0; scattered && i < std::min(PointsAhead, count); ++i)
  {
    PrefetchSample<TMethod>(arguments, indices, i);
  }
  for (int i = 0; !run.isAllDone && i < count; ++i)
  {
    if (scattered && i + PointsAhead < count)
    {
      PrefetchSample<TMethod>(arguments, indices, i + PointsAhead);
    }
    if (run.isDone[i] != 0)
    {
      continue;
    }
    double index[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      index[d] = indices[d][i];
    }
    EvaluateIndex<TMethod, VDerivatives>(arguments, index, at + i, [&](int component, Real value) {
      if (arguments.components == 1)
      {
        run.Set(i, value);
      }
      else
      {
        StoreValue(arguments.output, arguments.outputType, (at + i) * arguments.components + component, value);
      }
    });
  }
  if constexpr (VDerivatives == Derivatives::None && TMethod::HasValues)
  {
    if (arguments.components == 1)
    {
      StoreRun(run, count, arguments.output, arguments.outputType, at);
    }
  }
}

/** \brief Evaluates all lines on the host's threads. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
void
EvaluateLines(const EvaluationArguments<VDimension> & arguments, std::int64_t lines, const ExecutionContext & context)
{
  RunLines(arguments, lines, context, &EvaluateRun<TMethod, VDerivatives, VDimension>);
}

/** \name Families of methods
 * Each is compiled in a separate file. */
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
