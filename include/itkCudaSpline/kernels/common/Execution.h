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

/** \brief The backends, in the order in which they are tried; see doc/Architecture.md. */
enum class Backend : unsigned char
{
  None,      ///< no backend has run yet
  Cuda,      ///< the module's kernels on a GPU
  Cpu,       ///< the module's kernels on the host, with all threads
  Superclass ///< ITK's own code
};

/** \brief Name of a backend in messages and in doc/BackendTable.csv. */
constexpr const char *
NameOf(Backend backend)
{
  return backend == Backend::Cuda
           ? "Cuda"
           : (backend == Backend::Cpu ? "Cpu" : (backend == Backend::Superclass ? "Superclass" : "None"));
}

/** \brief Thrown if the progress callback requests a stop. Outputs are then incomplete. */
class OperationAborted : public std::runtime_error
{
public:
  /** Sets the message. */
  OperationAborted()
    : std::runtime_error("The operation was aborted.")
  {}
};

/** \brief Runs loops on the host's threads.
 *
 * The lower layers have no threads of their own: the caller provides them (ITK's multi-threader, or std::thread in
 * benchmarks). Results do not depend on how a loop is divided. */
class HostExecutor
{
public:
  /** A range of a loop: [begin, end). */
  using Body = std::function<void(std::int64_t begin, std::int64_t end)>;

  /** Runs loops in the calling thread. */
  HostExecutor() = default;
  HostExecutor(const HostExecutor &) = delete;
  HostExecutor &
  operator=(const HostExecutor &) = delete;
  virtual ~HostExecutor() = default;

  /** \brief Calls \p body for disjoint ranges that cover [0, count), and returns when all are done.
   *
   * This class runs the whole loop in the calling thread.
   *
   * \param[in] count iterations, 0 or more
   * \param[in] body called with the first index of a range and the one past its last; its exceptions are passed on */
  virtual void
  ParallelFor(std::int64_t count, const Body & body) const
  {
    if (count > 0)
    {
      body(0, count);
    }
  }

  /** \brief Number of ranges that run at the same time, at least 1, for estimates. */
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
  /** \param[in] threads number of threads; 0 for one per core */
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

/** \brief The backend, the device and the threads of an operation. Every operation takes one; there is no global
 * state. */
struct ExecutionContext
{
  Backend              backend{ Backend::Cpu }; ///< Cuda or Cpu
  int                  device{ 0 };             ///< CUDA device number, for Cuda
  const HostExecutor * host{ nullptr };         ///< threads of the host; null: only the calling thread
  /** Called from the calling thread with the finished fraction, in [0, 1]. Returning false stops the operation, which
   * then throws OperationAborted. May be empty. */
  std::function<bool(double)> progress;
  /** Maximum bytes of a resampling on the device, including its source; 0: the available memory. */
  std::size_t memoryLimit{ 0 };

  /** Reports progress.
   *
   * \param[in] fraction finished fraction, in [0, 1]
   * \exception OperationAborted the callback returned false */
  void
  Report(double fraction) const
  {
    if (progress && !progress(fraction))
    {
      throw OperationAborted();
    }
  }

  /** Runs a loop on the host's threads, or in the calling thread if there are none.
   *
   * \param[in] count iterations, 0 or more
   * \param[in] body as for HostExecutor::ParallelFor() */
  void
  ParallelFor(std::int64_t count, const HostExecutor::Body & body) const
  {
    const HostExecutor callingThread;
    (host != nullptr ? *host : callingThread).ParallelFor(count, body);
  }

  /** A context for a part of the operation: its progress from 0 to 1 is reported as that from \p from to \p to.
   *
   * \param[in] from fraction of this context at the beginning of the part, in [0, 1]
   * \param[in] to fraction at its end */
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
