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

/** \brief The samples of a task as a backend reads them: on the host the numbers of a pixel stay side by side where one
 * walk interpolates all of them.
 *
 * \param[in] backend the backend
 * \param[in] task what is done */
SourceDescriptor
SamplesOn(Backend backend, const ResampleTask & task);

/** \brief Provides the ends of a task's scanlines; asked when its sources are made. */
using ProvideEnds = std::function<const double *(const ExecutionContext & context)>;

/** \brief What was made of a task's pixels, and how long it took. */
struct ResampleOutcome
{
  std::shared_ptr<const SampleSource> source;            ///< what was evaluated
  bool                                isReused{ false }; ///< whether the cache had it
  ResampleTimes                       times;
};

/** \brief Does a task at once: makes the source, what continues it outside, and the values.
 *
 * A whole and each piece of one are done so.
 *
 * \param[in] task what is done
 * \param[in] pixels host memory, the task's image
 * \param[out] output host memory
 * \param[in] context backend, device, threads, progress
 * \param[in] cache where the source is found or kept; null: nowhere
 * \param[in] ends empty: the task has them, or needs none
 * \exception InvalidPixels of the source
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
