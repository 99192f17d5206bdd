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
#include "pipeline/StageModels.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace itk::CudaSpline
{

LinearMetric
MakeMetric(const StageContext & context)
{
  LinearMetric metric;
  static_cast<MetricOptions &>(metric) = context.spec.metricOptions;
  metric.kind = context.spec.metrics.front().kind;
  metric.order = context.spec.order;
  metric.gradient = context.spec.gradient;
  metric.arithmetic = context.precision;
  metric.landmarks = context.images.MakeLandmarks(context.spec);
  return metric;
}

std::vector<LinearPair>
MakePairs(const StageContext & context, const Residence & residence)
{
  std::vector<SynSide>    fixed = context.images.MakeFixed(context.spec, residence);
  std::vector<SynSide>    moving = context.images.MakeMoving(context.spec, context.behind, residence);
  std::vector<LinearPair> pairs;
  for (std::size_t number = 0; number < fixed.size(); ++number)
  {
    pairs.push_back({ std::move(fixed[number]), std::move(moving[number]), context.spec.labelWeight.value_or(0.0) });
  }
  return pairs;
}

std::vector<LinearPair>
LabelsOf(const std::vector<LinearPair> & pairs)
{
  return { pairs.begin() + 1, pairs.end() };
}

void
MarkSkipped(std::vector<LevelRecord> & levels, const std::vector<bool> & isSkipped)
{
  for (std::size_t level = 0; level < levels.size(); ++level)
  {
    levels[level].end = isSkipped[level] ? LevelEnd::Skipped : levels[level].end;
  }
}

void
FillUp(std::vector<LevelRecord> & records, std::size_t count)
{
  LevelRecord stopped;
  stopped.end = LevelEnd::Stopped;
  records.resize(count, stopped);
}

LevelEnd
EndOfIterations(const PyramidLevel & level, unsigned int iterations)
{
  return iterations >= std::max(level.iterations, level.limit) ? LevelEnd::Iterations : LevelEnd::Converged;
}

LevelRecord
MakeRecord(LevelEnd end, unsigned int iterations, double value, double seconds, double fallRate)
{
  LevelRecord record;
  record.end = end;
  record.iterations = iterations;
  record.value = value;
  record.convergence = std::numeric_limits<double>::infinity();
  record.seconds = seconds;
  record.fallRate = fallRate;
  return record;
}

} // namespace itk::CudaSpline
