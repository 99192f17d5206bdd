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
#include "itkCudaSpline/kernels/resampling/ResamplePieces.h"

#include "kernels/resampling/ExecuteResampleTask.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace itk::CudaSpline
{

namespace
{

/** Rows of a box within an array, x fastest, and their memory. */
struct BoxRows
{
  std::array<std::int64_t, MaximumDimension> whole; // size of the array
  std::array<std::int64_t, MaximumDimension> first;
  std::array<std::int64_t, MaximumDimension> size;

  std::int64_t
  Count() const
  {
    return size[1] * size[2] * size[3];
  }

  /** Returns the elements from the first one of the array to the first one of a row. */
  std::int64_t
  OffsetOf(std::int64_t row) const
  {
    std::int64_t offset = first[0];
    std::int64_t stride = whole[0];
    for (unsigned int d = 1; d < MaximumDimension; ++d)
    {
      offset += (first[d] + row % size[d]) * stride;
      row /= size[d];
      stride *= whole[d];
    }
    return offset;
  }

  /** Returns whether the rows are contiguous. */
  bool
  IsRun() const
  {
    bool faster = true; // whether all faster axes are complete
    bool slower = true;
    for (unsigned int d = 0; d < MaximumDimension; ++d)
    {
      slower = slower && (faster || size[d] == 1);
      faster = faster && size[d] == whole[d];
    }
    return slower;
  }
};

/** Uninitialized host memory that is reused for all pieces. */
class HostScratch
{
public:
  char *
  Provide(std::size_t bytes)
  {
    if (bytes > m_Bytes)
    {
      m_Memory.reset();
      m_Memory.reset(new char[bytes]);
      m_Bytes = bytes;
    }
    return m_Memory.get();
  }

private:
  std::unique_ptr<char[]> m_Memory;
  std::size_t             m_Bytes{ 0 };
};

/** Returns the scanline ends of a piece. These are those of the whole if they are contiguous. */
const double *
EndsOf(const ResampleTask & task, const ResamplePiece & piece, std::vector<double> & memory)
{
  const auto         size = OutputSizeOf(task.resampling);
  const std::int64_t numbers = 2 * static_cast<std::int64_t>(task.samples.dimension);
  const auto         from = [&](std::int64_t slice) {
    return task.resampling.scanlineEnds + ((piece.first[2] + slice) * size[1] + piece.first[1]) * numbers;
  };
  if (piece.size[1] == size[1] || piece.size[2] == 1)
  {
    return from(0);
  }
  memory.resize(static_cast<std::size_t>(piece.size[1] * piece.size[2] * numbers));
  for (std::int64_t slice = 0; slice < piece.size[2]; ++slice)
  {
    std::copy_n(from(slice), piece.size[1] * numbers, memory.data() + slice * piece.size[1] * numbers);
  }
  return memory.data();
}

/** Processes one piece after the other. */
class PieceWorker
{
public:
  PieceWorker(const ResampleTask & task, const void * pixels, void * output)
    : m_Task(task)
    , m_Pixels(static_cast<const char *>(pixels))
    , m_Output(static_cast<char *>(output))
  {}

  void
  Do(const ResamplePiece & piece, const ExecutionContext & context)
  {
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [begin] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const void * const  window = this->Gather(piece, context);
    const double        gathering = seconds();
    ResampleTask        task = TaskOf(m_Task, piece);
    TransformChain      chain;
    std::vector<double> ends;
    if (task.resampling.chain != nullptr)
    {
      chain = *task.resampling.chain;
      for (unsigned int d = 0; d < 3; ++d)
      {
        chain.regionStart[d] += piece.first[d];
        chain.regionSize[d] = piece.size[d];
      }
      task.resampling.chain = &chain;
    }
    else
    {
      task.resampling.scanlineEnds = EndsOf(m_Task, piece, ends);
    }
    const double preparation = gathering + this->Evaluate(piece, task, window, context).preparation;
    m_Times.preparation += preparation;
    m_Times.evaluation += seconds() - preparation;
  }

  const ResampleTimes &
  GetTimes() const
  {
    return m_Times;
  }

private:
  const void *
  Gather(const ResamplePiece & piece, const ExecutionContext & context)
  {
    const BoxRows     rows{ m_Task.samples.size, piece.windowFirst, piece.windowSize };
    const std::size_t pixel = SizeOf(m_Task.samples.pixel) * m_Task.samples.components;
    if (rows.IsRun())
    {
      return m_Pixels + static_cast<std::size_t>(rows.OffsetOf(0)) * pixel;
    }
    const std::size_t rowBytes = static_cast<std::size_t>(piece.windowSize[0]) * pixel;
    char * const      window = m_Window.Provide(static_cast<std::size_t>(rows.Count()) * rowBytes);
    context.ParallelFor(rows.Count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
      {
        std::memcpy(window + static_cast<std::size_t>(row) * rowBytes,
                    m_Pixels + static_cast<std::size_t>(rows.OffsetOf(row)) * pixel,
                    rowBytes);
      }
    });
    return window;
  }

  /** Makes and evaluates the source. Returns the times without copying to the output. */
  ResampleTimes
  Evaluate(const ResamplePiece &    piece,
           const ResampleTask &     task,
           const void *             window,
           const ExecutionContext & context)
  {
    const auto        size = OutputSizeOf(m_Task.resampling);
    const BoxRows     rows{ { { size[0], size[1], size[2], 1 } },
                        { { piece.first[0], piece.first[1], piece.first[2], 0 } },
                        { { piece.size[0], piece.size[1], piece.size[2], 1 } } };
    const std::size_t pixel = SizeOf(task.resampling.output) * m_Task.samples.components;
    if (rows.IsRun())
    {
      char * const output = m_Output + static_cast<std::size_t>(rows.OffsetOf(0)) * pixel;
      return ExecuteResampleTask(task, window, output, context).times;
    }
    const std::size_t   rowBytes = static_cast<std::size_t>(piece.size[0]) * pixel;
    char * const        box = m_Box.Provide(static_cast<std::size_t>(rows.Count()) * rowBytes);
    const ResampleTimes times = ExecuteResampleTask(task, window, box, context).times;
    context.ParallelFor(rows.Count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
      {
        std::memcpy(m_Output + static_cast<std::size_t>(rows.OffsetOf(row)) * pixel,
                    box + static_cast<std::size_t>(row) * rowBytes,
                    rowBytes);
      }
    });
    return times;
  }

  const ResampleTask & m_Task;
  const char *         m_Pixels;
  char *               m_Output;
  HostScratch          m_Window;
  HostScratch          m_Box;
  ResampleTimes        m_Times;
};

/** One thread per device. The calling thread reports their progress. */
class PieceWorkerPool
{
public:
  PieceWorkerPool(const ResampleTask & task, const PiecePlan & plan, const void * pixels, void * output)
    : m_Task(task)
    , m_Plan(plan)
    , m_Pixels(pixels)
    , m_Output(output)
  {}

  ResampleTimes
  Run(const ExecutionContext & context, const std::vector<int> & devices)
  {
    const unsigned int concurrency = context.host != nullptr ? context.host->GetConcurrency() : 1;
    const auto share = std::max(1U, static_cast<unsigned int>(concurrency / static_cast<unsigned int>(devices.size())));
    std::vector<std::thread> threads;
    try
    {
      for (const int device : devices)
      {
        ExecutionContext own;
        own.backend = context.backend;
        own.device = device;
        own.progress = [this](double) { return !m_Stop; };
        own.memoryLimit = context.memoryLimit;
        threads.emplace_back([this, own, share] { this->Work(own, share); });
        ++m_Working;
      }
      this->Report(context);
    }
    catch (...)
    {
      // An abort, or a thread that could not be created. The other threads then stop, too.
      this->Fail(std::current_exception());
    }
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    if (m_First)
    {
      std::rethrow_exception(m_First);
    }
    return m_Times;
  }

private:
  void
  Work(ExecutionContext own, unsigned int share)
  {
    ResampleTimes times;
    try
    {
      const ThreadExecutor executor(share);
      own.host = &executor;
      PieceWorker worker(m_Task, m_Pixels, m_Output);
      for (std::size_t next = m_Next++; next < m_Plan.pieces.size() && !m_Stop; next = m_Next++)
      {
        worker.Do(m_Plan.pieces[next], own);
        times = worker.GetTimes();
        const std::lock_guard<std::mutex> lock(m_Mutex);
        ++m_Done;
        m_Changed.notify_all();
      }
    }
    catch (...)
    {
      this->Fail(std::current_exception());
    }
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_Times.preparation += times.preparation;
    m_Times.evaluation += times.evaluation;
    ++m_Left;
    m_Changed.notify_all();
  }

  void
  Report(const ExecutionContext & context)
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    for (std::size_t reported = 0; m_Left < m_Working;)
    {
      m_Changed.wait(lock, [&] { return m_Left == m_Working || m_Done > reported; });
      reported = m_Done;
      lock.unlock();
      context.Report(static_cast<double>(reported) / static_cast<double>(m_Plan.pieces.size()));
      lock.lock();
    }
  }

  void
  Fail(const std::exception_ptr & error)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    m_First = m_First ? m_First : error;
    m_Stop = true;
  }

  const ResampleTask &     m_Task;
  const PiecePlan &        m_Plan;
  const void *             m_Pixels;
  void *                   m_Output;
  std::atomic<bool>        m_Stop{ false };
  std::atomic<std::size_t> m_Next{ 0 };
  std::mutex               m_Mutex;
  std::condition_variable  m_Changed;
  std::size_t              m_Working{ 0 }; // number of threads, written by the calling thread only
  std::size_t              m_Left{ 0 };    // number of these threads that have finished
  std::size_t              m_Done{ 0 };    // pieces
  ResampleTimes            m_Times;
  std::exception_ptr       m_First;
};

} // namespace

ResampleTimes
ResamplePieces(const ResampleTask &     task,
               const PiecePlan &        plan,
               const void *             pixels,
               void *                   output,
               const ExecutionContext & context,
               const std::vector<int> & devices)
{
  if (plan.pieces.empty())
  {
    throw std::invalid_argument("The plan has no pieces: " + plan.reason + ".");
  }
  if (devices.size() > 1)
  {
    const ResampleTimes times = PieceWorkerPool(task, plan, pixels, output).Run(context, devices);
    context.Report(1.0);
    return times;
  }
  PieceWorker worker(task, pixels, output);
  const auto  count = static_cast<double>(plan.pieces.size());
  for (std::size_t i = 0; i < plan.pieces.size(); ++i)
  {
    worker.Do(plan.pieces[i], context.Part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count));
  }
  return worker.GetTimes();
}

} // namespace itk::CudaSpline
