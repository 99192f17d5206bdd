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

/** \brief Seconds of a resampling; of its pieces, summed up over those who work at the same time. */
struct ResampleTimes
{
  double preparation{ 0.0 }; ///< for making sources: checksum, upload, conversion, prefilter
  double evaluation{ 0.0 };  ///< for evaluating them: coordinates, interpolation, download
};

/** \brief Does a resampling piece by piece, with the bits of the whole.
 *
 * A piece's window becomes a source, as it would for an image of its own, and is freed when the piece is done. Windows
 * and boxes that are not contiguous in memory are gathered and scattered by the host's threads.
 *
 * \param[in] task what is done
 * \param[in] plan its pieces (PlanPieces())
 * \param[in] pixels host memory, the whole input
 * \param[out] output host memory, the whole of the wanted output
 * \param[in] context backend, threads, progress; the device too, where \p devices has less than two numbers
 * \param[in] devices of the Cuda backend, for each of which a thread takes the next piece that is left, with its part
 * of the host's threads; progress is reported from the calling thread. Of the Cpu backend only their number counts.
 * \return what it took
 * \exception InvalidPixels of a source
 * \exception std::invalid_argument the plan has no pieces, or as for Resample()
 * \exception DeviceError a device that is out of memory or lost; what was written to output is then undefined
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
