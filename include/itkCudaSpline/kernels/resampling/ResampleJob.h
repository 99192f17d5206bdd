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
#ifndef itkCudaSpline_kernels_resampling_ResampleJob_h
#define itkCudaSpline_kernels_resampling_ResampleJob_h

#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/** \file
 * \brief A complete resampling from host arrays to host arrays. All code that resamples whole images (the ITK filters,
 * the C interface) uses a job, which alone decides how it is done. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A resampling with all data to which its descriptor points. */
struct ResampleDescription
{
  SourceDescriptor samples; ///< the source
  /** The resampling; of its input points only an \c indexProvider is used. */
  ResampleDescriptor         resampling;
  bool                       extrapolates{ false }; ///< whether the value outside is that of the nearest sample
  std::vector<std::uint64_t> defaultPixels{ 0 };    ///< bits of the pixel outside, one number per component

  /** \name Input points of the samples
   * One of the three is given, or the index provider. */
  ///@{
  std::optional<TransformChain> chain; ///< transforms that a kernel evaluates
  std::unique_ptr<double[]>     ends;  ///< ResampleDescriptor::scanlineEnds
  /** Computes the ends, with the threads of the context: when the source is made, or when pieces are planned. */
  std::function<std::unique_ptr<double[]>(const ExecutionContext & context)> mapScanlines;
  /** ResampleDescriptor::scanlineChain, in addition to mapScanlines: a device that resamples the whole does not call
   * the function. */
  std::optional<TransformChain> scanlineChain;
  /** Sets the displacements of fields that are stages of the chain: where the job runs, or for the host, where pieces
   * have to be planned. Empty: the chain has them. */
  std::function<void(const ExecutionContext & context, TransformChain & chain)> provideFields;
  ///@}

  /** \brief The descriptor, which points into this object. */
  ResampleDescriptor
  GetDescriptor() const;
};

/** \brief Whether earlier calls of the same object have found their sources in its cache. */
struct ResampleHistory
{
  bool                reused{ false }; ///< the last call found its source
  std::array<bool, 4> reusedBy{};      ///< indexed by Backend: its last call without pieces found its source
};

/** \brief Resources and additional information of a job. */
struct ResampleOptions
{
  /** Maximum bytes in addition to cached sources; 0: the memory of a device, and no limit on the host. */
  std::size_t       memoryLimit{ 0 };
  SourceCache *     cache{ nullptr };   ///< keeps sources for later calls; null: no cache
  ResampleHistory * history{ nullptr }; ///< history of the calls with that cache, which runs update; may be null
  bool              isFirst{ true };    ///< no call has been made before
  /** Number of calls including this one, if the process makes no other calls; 0: unknown. */
  unsigned int expectedCalls{ 0 };
  bool         wantsBound{ false }; ///< computes ResampleRecord::errorBound, even if it must read the coefficients
};

/** \brief How a resampling is done on some devices, or on the host. */
struct ResamplePlan
{
  std::vector<int> devices; ///< the devices; empty: the host
  /** The memory of the whole on a device. \c fits is also true if only its pieces fit. */
  MemoryPlan memory;
  PiecePlan  pieces;                ///< \c fits if it is done in pieces, else it is done at once
  bool       emptiesCache{ false }; ///< the cache must be emptied first

  /** \brief Number of pieces that are done one after the other; 1: the whole. */
  std::size_t
  Count() const
  {
    return pieces.fits ? pieces.pieces.size() : 1;
  }

  /** \brief The pieces, or the whole as one.
   *
   * \param[in] task the resampling */
  std::vector<ResamplePiece>
  GetBoxes(const ResampleTask & task) const;
};

/** \brief The results of a run. */
struct ResampleRecord
{
  std::size_t   pieces{ 0 };           ///< ResamplePlan::Count()
  bool          sourceReused{ false }; ///< the source was in the cache
  ResampleTimes times;                 ///< durations
  /** ModeErrorBound() if it is known or requested; else NaN. */
  double errorBound{ std::numeric_limits<double>::quiet_NaN() };
};

/** \brief A resampling of host arrays.
 *
 * \code
 * ResampleJob job(std::move(description), options, &threads);
 * const ResamplePlan plan = job.Plan({ 0 });  // or {}: on the host
 * job.Run(plan, pixels, output, context);     // runs that plan
 *
 * // With automatic selection of the backend:
 * RunOperation(job.MakeOperation(pixels, output), "", context);
 * \endcode
 *
 * A plan is a value: creating it has no side effects, and it is used only when it is run. */
class ResampleJob
{
public:
  /** Provides the arrays of a job when its backend is known: calls \p run with the pixels and the output, in host
   * memory, or in memory of the context's device. */
  using ProvideArrays = std::function<void(const ExecutionContext &                                        context,
                                           const std::function<void(const void * pixels, void * output)> & run)>;

  /** \param[in] description the resampling
   * \param[in] options resources
   * \param[in] host threads for planning; null: only the calling thread. Kept by reference, as \c options.cache is
   */
  ResampleJob(ResampleDescription description, const ResampleOptions & options, const HostExecutor * host);
  ResampleJob(const ResampleJob &) = delete;
  ResampleJob &
  operator=(const ResampleJob &) = delete;
  ~ResampleJob() = default;

  /** \brief The resampling. */
  const ResampleTask &
  GetTask() const
  {
    return m_Task;
  }

  /** \brief The work on the host and on a device.
   *
   * \param[in] device number of the device */
  BackendWork
  CountWork(int device) const;

  /** \brief Plans the whole if it fits a device's memory. Else, or if several devices share it, plans pieces.
   *
   * The plan may free what earlier calls have cached if that helps.
   *
   * \param[in] devices devices, of which the first one does all work that is not shared; empty: the host
   * \exception DeviceError the device does not exist */
  ResamplePlan
  Plan(const std::vector<int> & devices);

  /** \brief Resamples.
   *
   * \param[in] plan result of Plan() of this job
   * \param[in] pixels the image: in host memory, or, if the plan has no pieces, in memory of the context's device
   * \param[out] output the requested output, in the same kind of memory
   * \param[in] context backend and device of the plan, threads, progress
   * \exception InvalidPixels the source cannot be made from the pixels
   * \exception std::invalid_argument as for Resample()
   * \exception DeviceError a device that is out of memory or lost; the output is then undefined
   * \exception OperationAborted the progress callback stopped it */
  ResampleRecord
  Run(const ResamplePlan & plan, const void * pixels, void * output, const ExecutionContext & context);

  /** \brief The job as an operation, for the selection of its backend; refers to this object.
   *
   * \param[in] arrays provides the arrays; may be empty for a query of the backend */
  RunnableOperation
  MakeOperation(const ProvideArrays & arrays);
  /** \brief The same for host arrays.
   *
   * \param[in] pixels, output as for Run() */
  RunnableOperation
  MakeOperation(const void * pixels, void * output);

  /** \brief The plan that an operation of this job runs, or ran last; null before. */
  const std::shared_ptr<const ResamplePlan> &
  GetPlan() const
  {
    return m_Plan;
  }

  /** \brief Describes the kernel that evaluates a plan, and how it divides the output: that of the whole, even if a
   * plan has pieces. Empty on the host.
   *
   * \param[in] plan result of Plan() of this job
   * \exception DeviceError the device does not exist */
  std::string
  DescribeKernel(const ResamplePlan & plan);

  /** \brief The results of the last operation of this job. */
  const ResampleRecord &
  GetRecord() const
  {
    return m_Record;
  }

private:
  /** Pieces of at most \p budget bytes, and at least \p least pieces. */
  PiecePlan
  Cut(std::size_t budget, std::size_t least);

  /** The ends of all scanlines, which are computed if they are missing; null if the resampling does not use them. */
  const double *
  ProvideEnds(const ExecutionContext & context);

  /** Sets the displacements of the chain's fields for a context. */
  void
  ProvideFields(const ExecutionContext & context);

  ResampleDescription                 m_Description;
  ResampleOptions                     m_Options;
  const HostExecutor *                m_Host;
  ResampleTask                        m_Task; ///< points into the description
  std::shared_ptr<const ResamplePlan> m_Plan;
  ResampleRecord                      m_Record;
};

/** @} */
} // namespace itk::CudaSpline

#endif
