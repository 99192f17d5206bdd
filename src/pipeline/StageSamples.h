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
#ifndef pipeline_StageSamples_h
#define pipeline_StageSamples_h

#include "pipeline/StageRun.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Samples of the levels of linear transforms and B-splines. */

namespace itk::CudaSpline
{

/** \brief What the levels of a linear transform or a B-spline compare. */
struct SamplePlan
{
  std::vector<SampleRules> samples; ///< of each level
  std::vector<int>         bins;    ///< of the joint histogram of each level
  std::vector<bool>        isSkipped;
};

/** \brief Plans the samples of all levels. Where samples are drawn, there are at least 20 for each parameter and, for
 * mutual information, one for each bin of the joint histogram, or all samples under the mask. A level whose mask has
 * too few samples is skipped, with a warning. A joint histogram has at most one bin along an axis for 5 samples: mutual
 * information of as many bins as samples is large under any transform. */
SamplePlan
PlanSamples(const StageContext & context);

/** \brief Options of a level: those of the stage with the samples of the level. */
template <typename TOptions>
TOptions
MakeLevelOptions(const TOptions & options, const SamplePlan & plan, std::size_t level)
{
  TOptions of = options;
  of.samples = plan.samples[level];
  of.metric.bins = plan.bins[level];
  if (plan.isSkipped[level])
  {
    of.levels[level].iterations = 0;
  }
  return of;
}

/** \brief Fractions of the samples that are compared. */
std::vector<double>
FractionsOf(const SamplePlan & plan);

/** \brief The last level that iterates: at its resolution the stage's result is compared with its start. */
std::size_t
FindLastIterated(const StageSpec & stage, const SamplePlan & plan);

} // namespace itk::CudaSpline

#endif
