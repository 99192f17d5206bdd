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
#ifndef pipeline_StageModels_h
#define pipeline_StageModels_h

#include "pipeline/StageRun.h"

#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Runs of stages by their model, and what these runs share. */

namespace itk::CudaSpline
{

/** \brief Runs a stage of a linear transform. See RunStage(). */
StageOutcome
RunModel(const StageContext & context, const LinearModel & model, const LinearTransform & start);

/** \brief Runs a stage of a B-spline. See RunStage(). */
StageOutcome
RunModel(const StageContext & context, const SplineModel & model, const LinearTransform & start);

/** \brief How a stage of a linear transform or a B-spline compares images. */
LinearMetric
MakeMetric(const StageContext & context);

/** \brief The images that a stage of a linear transform or a B-spline compares, those of label maps last. */
std::vector<LinearPair>
MakePairs(const StageContext & context, const Residence & residence);

/** \brief The images of label maps. */
std::vector<LinearPair>
LabelsOf(const std::vector<LinearPair> & pairs);

/** \brief Work of all levels; the images travel to a device once. */
template <typename TCount>
OperationWork
SumLevels(const StageContext & context, const TCount & count)
{
  OperationWork work;
  for (std::size_t level = 0; level < context.spec.levels.size(); ++level)
  {
    work = work + count(level, level == 0 ? context.images.CountBytes(context.spec) : 0);
  }
  return work;
}

/** \brief Memory of the level that needs most, or that does not fit. */
template <typename TPlan>
MemoryPlan
FindLargestPlan(const StageContext & context, const TPlan & planOf)
{
  MemoryPlan largest = planOf(0);
  for (std::size_t level = 1; level < context.spec.levels.size(); ++level)
  {
    const MemoryPlan plan = planOf(level);
    if (largest.fits == plan.fits ? plan.PeakBytes() > largest.PeakBytes() : largest.fits)
    {
      largest = plan;
    }
  }
  return largest;
}

/** \brief Marks levels that were skipped. */
void
MarkSkipped(std::vector<LevelRecord> & levels, const std::vector<bool> & isSkipped);

/** \brief Levels that were not started were stopped. */
void
FillUp(std::vector<LevelRecord> & records, std::size_t count);

/** \brief How a level ended that may continue up to a limit while values fall. */
LevelEnd
EndOfIterations(const PyramidLevel & level, unsigned int iterations);

/** \brief A level of a linear transform or a B-spline. */
LevelRecord
MakeRecord(LevelEnd end, unsigned int iterations, double value, double seconds, double fallRate);

} // namespace itk::CudaSpline

#endif
