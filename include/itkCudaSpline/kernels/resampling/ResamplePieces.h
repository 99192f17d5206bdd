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
#ifndef itkCudaSpline_kernels_resampling_ResamplePieces_h
#define itkCudaSpline_kernels_resampling_ResamplePieces_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/PiecePlan.h"

#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Pixels from which the requested source cannot be made. */
class InvalidPixels : public std::invalid_argument
{
public:
  using std::invalid_argument::invalid_argument;
};

/** \brief Durations of a resampling in seconds; for pieces, summed over the devices that work at the same time. */
struct ResampleTimes
{
  double preparation{ 0.0 }; ///< to make sources: checksum, upload, conversion, prefilter
  double evaluation{ 0.0 };  ///< to evaluate them: coordinates, interpolation, download
};

/** \brief Resamples piece by piece. The result is bitwise equal to that of the whole.
 *
 * The window of a piece becomes a source, as for a separate image, which is released after the piece. Windows and boxes
 * that are not contiguous in memory are gathered and scattered by the host's threads.
 *
 * \param[in] task the resampling
 * \param[in] plan its pieces (PlanPieces())
 * \param[in] pixels host memory, the whole input
 * \param[out] output host memory, the whole requested output
 * \param[in] context backend, threads, progress; also the device if \p devices has less than two numbers
 * \param[in] devices for the Cuda backend: one thread per device takes the next remaining piece, with its share of the
 * host's threads; progress is reported from the calling thread. For the Cpu backend only their number matters
 * \return durations
 * \exception InvalidPixels a source cannot be made from the pixels
 * \exception std::invalid_argument the plan has no pieces, or as for Resample()
 * \exception DeviceError a device that is out of memory or lost; the output is then undefined
 * \exception OperationAborted the progress callback stopped it */
ResampleTimes
ResamplePieces(const ResampleTask &     task,
               const PiecePlan &        plan,
               const void *             pixels,
               void *                   output,
               const ExecutionContext & context,
               const std::vector<int> & devices = {});

/** @} */
} // namespace itk::CudaSpline

#endif
