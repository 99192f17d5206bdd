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
 * \brief A resampling from host arrays to host arrays, from its description to its end: all code that resamples whole
 * images (the ITK filters, the interface in C) uses a job, and no other code decides how it is done. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A resampling with all that its descriptor points to. */
struct ResampleDescription
{
  SourceDescriptor           samples;               ///< what is evaluated
  ResampleDescriptor         resampling;            ///< what is done; of where, an \c indexProvider alone
  bool                       extrapolates{ false }; ///< whether outside the value is that of the nearest sample
  std::vector<std::uint64_t> defaultPixels{ 0 };    ///< bits of the pixel outside, a number a component

  /** \name Where the samples are
   * One of the three is given, or the index provider. */
  ///@{
  std::optional<TransformChain> chain; ///< what a kernel walks
  std::unique_ptr<double[]>     ends;  ///< ResampleDescriptor::scanlineEnds
  /** Makes the ends, on the threads of the context: when the source is made, or where pieces have to be planned. */
  std::function<std::unique_ptr<double[]>(const ExecutionContext & context)> mapScanlines;
  /** ResampleDescriptor::scanlineChain, in addition to mapScanlines: a device that resamples the whole does not call
   * the function. */
  std::optional<TransformChain> scanlineChain;
  /** Sets the displacements of fields that are stages of the chain: where the job runs, or for the host, where pieces
   * have to be planned. Empty: the chain has them. */
  std::function<void(const ExecutionContext & context, TransformChain & chain)> provideFields;
  ///@}

  /** \brief The resampling, pointing into this object. */
  ResampleDescriptor
  GetDescriptor() const;
};

/** \brief What earlier calls of the same object have found in its cache. */
struct ResampleHistory
{
  bool                reused{ false }; ///< the last call found its source
  std::array<bool, 4> reusedBy{};      ///< by Backend: its last call at once did
};

/** \brief What a job may use, and additional information. */
struct ResampleOptions
{
  /** Bytes in addition to kept sources; 0: the memory of a device, and no limit on the host. */
  std::size_t       memoryLimit{ 0 };
  SourceCache *     cache{ nullptr };    ///< keeps sources for later calls; null: none does
  ResampleHistory * history{ nullptr };  ///< of the calls with that cache, which runs write; may be null
  bool              isFirst{ true };     ///< no call has been done
  unsigned int      expectedCalls{ 0 };  ///< with this one, where nothing else comes in the process; 0: unknown
  bool              wantsBound{ false }; ///< ResampleRecord::errorBound, even where the coefficients are read for it
};

/** \brief How a resampling is done on some devices, or on the host. */
struct ResamplePlan
{
  std::vector<int> devices; ///< those that do it; none: the host
  /** What the whole takes on a device. \c fits is true too where it does not, and its pieces do. */
  MemoryPlan memory;
  PiecePlan  pieces;                ///< \c fits where it is done in pieces, else it is done at once
  bool       emptiesCache{ false }; ///< what is kept has to go first

  /** \brief How many pieces are done one after the other; 1: the whole. */
  std::size_t
  Count() const
  {
    return pieces.fits ? pieces.pieces.size() : 1;
  }

  /** \brief The pieces, or the whole as one.
   *
   * \param[in] task what is done */
  std::vector<ResamplePiece>
  GetBoxes(const ResampleTask & task) const;
};

/** \brief What a run has done. */
struct ResampleRecord
{
  std::size_t   pieces{ 0 };           ///< ResamplePlan::Count()
  bool          sourceReused{ false }; ///< the cache had the source
  ResampleTimes times;                 ///< how long it took
  /** ModeErrorBound(), where it is known or wanted; else NaN. */
  double errorBound{ std::numeric_limits<double>::quiet_NaN() };
};

/** \brief One resampling of host arrays.
 *
 * \code
 * ResampleJob job(std::move(description), options, &threads);
 * const ResamplePlan plan = job.Plan({ 0 });           // or {}: on the host
 * job.Run(plan, pixels, output, context);              // does that, and nothing else
 *
 * // Where it is chosen who does it:
 * RunOperation(job.MakeOperation(pixels, output), "", context);
 * \endcode
 *
 * A plan is a value: making it changes nothing, and running it is the only thing that uses it. */
class ResampleJob
{
public:
  /** Provides the arrays of a job when it is known where it runs: calls \p run with the pixels and the output, in
   * memory of the host, or of the context's device. */
  using ProvideArrays = std::function<void(const ExecutionContext &                                        context,
                                           const std::function<void(const void * pixels, void * output)> & run)>;

  /** \param[in] description what is done
   * \param[in] options what may be used
   * \param[in] host threads that plan; null for the calling thread alone. As \c options.cache it is kept by reference
   */
  ResampleJob(ResampleDescription description, const ResampleOptions & options, const HostExecutor * host);
  ResampleJob(const ResampleJob &) = delete;
  ResampleJob &
  operator=(const ResampleJob &) = delete;
  ~ResampleJob() = default;

  /** \brief What is done. */
  const ResampleTask &
  GetTask() const
  {
    return m_Task;
  }

  /** \brief What there is to do on the host and on a device.
   *
   * \param[in] device number of the device */
  BackendWork
  CountWork(int device) const;

  /** \brief Plans the whole where a device's memory holds it, and else, or where several devices share it, pieces.
   *
   * What earlier calls keep is planned to be freed where that helps.
   *
   * \param[in] devices of which the first does what is not shared; none: the host
   * \exception DeviceError no such device */
  ResamplePlan
  Plan(const std::vector<int> & devices);

  /** \brief Resamples.
   *
   * \param[in] plan what Plan() has made of this job
   * \param[in] pixels the image: host memory, or, if the plan has no pieces, of the context's device
   * \param[out] output the wanted output, likewise
   * \param[in] context backend and device of the plan, threads, progress
   * \exception InvalidPixels of the source
   * \exception std::invalid_argument as for Resample()
   * \exception DeviceError a device that is out of memory or lost; what was written to output is then undefined
   * \exception OperationAborted the progress callback stopped it */
  ResampleRecord
  Run(const ResamplePlan & plan, const void * pixels, void * output, const ExecutionContext & context);

  /** \brief The job as an operation, to choose who does it; refers to this object.
   *
   * \param[in] arrays provides the arrays; empty where it is only asked who would do it */
  RunnableOperation
  MakeOperation(const ProvideArrays & arrays);
  /** \brief The same for arrays of the host.
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

  /** \brief The kernel that evaluates by a plan, in words, and how it cuts the output: of the whole, even where a plan
   * has pieces. Empty on the host.
   *
   * \param[in] plan what Plan() has made of this job
   * \exception DeviceError no such device */
  std::string
  DescribeKernel(const ResamplePlan & plan);

  /** \brief What the last operation of this job has done. */
  const ResampleRecord &
  GetRecord() const
  {
    return m_Record;
  }

private:
  /** Pieces of at most \p budget bytes, \p least of them at least. */
  PiecePlan
  Cut(std::size_t budget, std::size_t least);

  /** The ends of all scanlines, made where they are not there; null where there are none. */
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
