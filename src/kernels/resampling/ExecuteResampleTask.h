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
#ifndef ExecuteResampleTask_h
#define ExecuteResampleTask_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"
#include "itkCudaSpline/kernels/resampling/ResampleTask.h"

#include <functional>
#include <memory>

namespace itk::CudaSpline
{

class SourceCache;

/** \brief The source of a task for a backend: on the host the components of a pixel stay contiguous if one loop
 * interpolates all of them.
 *
 * \param[in] backend the backend
 * \param[in] task the resampling */
SourceDescriptor
SamplesOn(Backend backend, const ResampleTask & task);

/** \brief Provides the ends of a task's scanlines; called when its sources are made. */
using ProvideEnds = std::function<const double *(const ExecutionContext & context)>;

/** \brief The source of a task, and durations. */
struct ResampleOutcome
{
  std::shared_ptr<const SampleSource> source;            ///< the evaluated source
  bool                                isReused{ false }; ///< whether the cache had it
  ResampleTimes                       times;
};

/** \brief Runs a task at once: makes the source and the one that continues it outside, and evaluates them.
 *
 * It is used for a whole resampling, and for each of its pieces.
 *
 * \param[in] task the resampling
 * \param[in] pixels host memory, the task's image
 * \param[out] output host memory
 * \param[in] context backend, device, threads, progress
 * \param[in] cache cache of the source; null: no cache
 * \param[in] ends empty: the task has them, or does not need them
 * \exception InvalidPixels the source cannot be made from the pixels
 * \exception std::invalid_argument, DeviceError, OperationAborted as for MakeSource() and Resample() */
ResampleOutcome
ExecuteResampleTask(const ResampleTask &     task,
                    const void *             pixels,
                    void *                   output,
                    const ExecutionContext & context,
                    SourceCache *            cache = nullptr,
                    const ProvideEnds &      ends = {});

} // namespace itk::CudaSpline

#endif
