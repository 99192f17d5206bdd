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
#ifndef CudaSplineC_RegistrationLevels_h
#define CudaSplineC_RegistrationLevels_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief All levels of a registration whose levels are planned and run one by one: of linear transforms and of
 * B-splines. */

namespace itk::CudaSpline
{

/** \brief Work of all levels, of whose images the first one has the way to a device.
 *
 * \param[in] imageBytes of the images
 * \param[in] count the work of a level with so many bytes */
template <typename TCount>
OperationWork
SumLevels(std::size_t levels, std::size_t imageBytes, const TCount & count)
{
  OperationWork work;
  for (std::size_t level = 0; level < levels; ++level)
  {
    work = work + count(level, level == 0 ? imageBytes : 0);
  }
  return work;
}

/** \brief Memory of the level that takes most, or that does not fit. */
template <typename TPlan>
MemoryPlan
LargestPlan(std::size_t levels, const TPlan & planOf)
{
  MemoryPlan largest;
  for (std::size_t level = 0; level < levels; ++level)
  {
    const MemoryPlan plan = planOf(level);
    if (level == 0 || (largest.fits && (!plan.fits || plan.PeakBytes() > largest.PeakBytes())))
    {
      largest = plan;
    }
  }
  return largest;
}

/** \brief What is told of the levels that have run; those that have not were stopped.
 *
 * \param[in] count of all levels
 * \param[in] recordOf what is told of one; nothing where it had no sample
 * \param[in] without what became of a level without a sample
 * \exception std::invalid_argument a level without a sample */
template <typename TRecord, typename TRecordOf>
std::vector<LevelRecord>
RecordLevels(const std::vector<TRecord> & levels, std::size_t count, const char * without, const TRecordOf & recordOf)
{
  std::vector<LevelRecord> records;
  for (const TRecord & level : levels)
  {
    std::optional<LevelRecord> record = recordOf(level);
    if (!record)
    {
      throw std::invalid_argument("The images do not overlap: no sample of the fixed image lies in the moving one, and "
                                  "under the masks, where level " +
                                  std::to_string(records.size() + 1) + ' ' + without + '.');
    }
    record->value = level.value;
    record->convergence = std::numeric_limits<double>::infinity();
    record->seconds = level.seconds;
    records.push_back(*record);
  }
  LevelRecord stopped;
  stopped.end = LevelEnd::Stopped;
  records.resize(count, stopped);
  return records;
}

} // namespace itk::CudaSpline

#endif
