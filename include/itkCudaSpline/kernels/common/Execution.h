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
#ifndef itkCudaSpline_kernels_common_Execution_h
#define itkCudaSpline_kernels_common_Execution_h

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Who computes. Tried in this order; see doc/Architecture.md. */
enum class Backend : unsigned char
{
  None,      ///< nothing has run yet
  Cuda,      ///< the module's kernels on a GPU
  Cpu,       ///< the module's kernels on the host, all threads
  Superclass ///< ITK's own code
};

/** \brief Name of a backend as in messages and in doc/BackendTable.csv. */
constexpr const char *
NameOf(Backend backend)
{
  return backend == Backend::Cuda
           ? "Cuda"
           : (backend == Backend::Cpu ? "Cpu" : (backend == Backend::Superclass ? "Superclass" : "None"));
}

/** \brief Thrown when the progress callback asks to stop. What was written so far is incomplete. */
class OperationAborted : public std::runtime_error
{
public:
  /** Says that the operation was aborted. */
  OperationAborted()
    : std::runtime_error("The operation was aborted.")
  {}
};

/** \brief Runs loops on the host's threads.
 *
 * The lower layers have no threads of their own: the caller brings them (ITK's multi-threader, or std::thread in
 * benchmarks). Results never depend on how a loop is cut. */
class HostExecutor
{
public:
  /** Part of a loop: [begin, end). */
  using Body = std::function<void(std::int64_t begin, std::int64_t end)>;

  /** Runs loops in the calling thread. */
  HostExecutor() = default;
  HostExecutor(const HostExecutor &) = delete;
  HostExecutor &
  operator=(const HostExecutor &) = delete;
  virtual ~HostExecutor() = default;

  /** \brief Calls \p body on disjoint parts that cover [0, count), and returns when all are done.
   *
   * This class runs the whole loop in the calling thread.
   *
   * \param[in] count iterations, 0 or more
   * \param[in] body called with the first index of a part and the one past its last; what it throws is thrown again */
  virtual void
  ParallelFor(std::int64_t count, const Body & body) const
  {
    if (count > 0)
    {
      body(0, count);
    }
  }

  /** \brief How many parts of a loop run at one time, at least 1, for estimates. */
  virtual unsigned int
  GetConcurrency() const
  {
    return 1;
  }
};

/** \brief HostExecutor on a given number of std::threads, for programs without ITK. */
class ThreadExecutor : public HostExecutor
{
public:
  /** \param[in] threads number of threads; 0 for one a core */
  explicit ThreadExecutor(unsigned int threads = 0);

  void
  ParallelFor(std::int64_t count, const Body & body) const override;

  /** Number of threads. */
  unsigned int
  GetConcurrency() const override
  {
    return m_Threads;
  }

private:
  unsigned int m_Threads;
};

/** \brief Where and by whom an operation runs. Every operation takes one; nothing is global. */
struct ExecutionContext
{
  Backend              backend{ Backend::Cpu }; ///< Cuda or Cpu
  int                  device{ 0 };             ///< CUDA device number, for Cuda
  const HostExecutor * host{ nullptr };         ///< threads of the host; null for the calling thread alone
  /** Called from the calling thread with the finished fraction, in [0, 1]; returns false to stop the operation, which
   * then throws OperationAborted. May be empty. */
  std::function<bool(double)> progress;
  /** Bytes that a resampling may have on the device, its source counted in; 0: what the device has. */
  std::size_t memoryLimit{ 0 };

  /** Reports progress.
   *
   * \param[in] fraction what is done, in [0, 1]
   * \exception OperationAborted the callback returned false */
  void
  Report(double fraction) const
  {
    if (progress && !progress(fraction))
    {
      throw OperationAborted();
    }
  }

  /** Runs a loop on the host's threads, or in the calling thread where there are none.
   *
   * \param[in] count iterations, 0 or more
   * \param[in] body as for HostExecutor::ParallelFor() */
  void
  ParallelFor(std::int64_t count, const HostExecutor::Body & body) const
  {
    const HostExecutor callingThread;
    (host != nullptr ? *host : callingThread).ParallelFor(count, body);
  }

  /** A context whose progress from 0 to 1 is this one's from \p from to \p to.
   *
   * \param[in] from fraction of this context where the part begins, in [0, 1]
   * \param[in] to fraction where it ends */
  ExecutionContext
  Part(double from, double to) const
  {
    ExecutionContext part = *this;
    if (progress)
    {
      part.progress = [outer = progress, from, to](double fraction) { return outer(from + (to - from) * fraction); };
    }
    return part;
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif
