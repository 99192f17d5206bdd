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
// Expected: loops cover their range exactly once, exceptions are passed to the caller, the progress of parts is scaled,
// an abort is thrown.

#include "Sanitizers.h"

#include "kernels/common/HostLoop.h"

#include "itkCudaSpline/kernels/common/Execution.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace itk::CudaSpline;

TEST(Execution, LoopsCoverTheirRangeOnce)
{
  for (const unsigned int threads : { 0U, 1U, 2U, 5U, 16U })
  {
    const ThreadExecutor executor(threads);
    for (const std::int64_t count : { 0, 1, 2, 15, 16, 17, 1000 })
    {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      executor.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
        {
          ++visits[static_cast<std::size_t>(i)];
        }
      });
      for (const auto & visit : visits)
      {
        ASSERT_EQ(visit, 1) << threads << " threads, " << count << " items";
      }
    }
  }
}

TEST(Execution, ExceptionsOfThreadsArrive)
{
  const ThreadExecutor executor(4);
  EXPECT_THROW(executor.ParallelFor(100,
                                    [](std::int64_t begin, std::int64_t) {
                                      if (begin > 0)
                                      {
                                        throw std::runtime_error("from a thread");
                                      }
                                    }),
               std::runtime_error);
}

// Threads are shared by all loops of a process: none waits for another.
TEST(Execution, LoopsWithinLoopsAndAtOneTime)
{
  std::atomic<int>         visits{ 0 };
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
  {
    callers.emplace_back([&visits] {
      const ThreadExecutor executor(5);
      for (int again = 0; again < 50; ++again)
      {
        executor.ParallelFor(7, [&](std::int64_t begin, std::int64_t end) {
          executor.ParallelFor(11 * (end - begin), [&](std::int64_t first, std::int64_t last) {
            visits += static_cast<int>(last - first);
          });
        });
      }
    });
  }
  for (std::thread & caller : callers)
  {
    caller.join();
  }
  EXPECT_EQ(visits, 8 * 50 * 7 * 11);
}

TEST(Execution, PartsOfALoopRunAtOneTime)
{
  const ThreadExecutor executor(3);
  std::atomic<int>     present{ 0 };
  executor.ParallelFor(3, [&](std::int64_t, std::int64_t) {
    ++present;
    while (present < 3) // endless with a single thread
    {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(present, 3);
}

// A child does not have its parent's threads.
TEST(Execution, LoopsAfterAFork)
{
  if (CudaSplineTest::ThreadsAreSanitized)
  {
    GTEST_SKIP() << "ThreadSanitizer starts no threads in a child of a process that has some.";
  }
  const ThreadExecutor executor(4);
  std::atomic<int>     visits{ 0 };
  const auto           run = [&] {
    executor.ParallelFor(100, [&](std::int64_t begin, std::int64_t end) { visits += static_cast<int>(end - begin); });
  };
  run();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
  {
    alarm(30); // ends a child that hangs
    run();
    _exit(visits == 200 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  run();
  EXPECT_EQ(visits, 200);
}

TEST(Execution, PartsScaleProgress)
{
  std::vector<double> seen;
  ExecutionContext    context;
  context.progress = [&seen](double fraction) {
    seen.push_back(fraction);
    return true;
  };
  context.Part(0.2, 0.6).Report(0.5);
  context.Part(0.2, 0.6).Part(0.5, 1.0).Report(1.0);
  EXPECT_DOUBLE_EQ(seen.at(0), 0.4);
  EXPECT_DOUBLE_EQ(seen.at(1), 0.6);
  ExecutionContext().Part(0.0, 0.5).Report(1.0); // without a callback
}

// As many reports as itk::ProgressReporter makes, in equal steps, and one at the start of the loop.
TEST(Execution, LoopsReportAHundredTimes)
{
  for (const std::int64_t count : { 100, 12800, 1000000 })
  {
    std::vector<double> seen;
    ExecutionContext    context;
    context.progress = [&seen](double fraction) {
      seen.push_back(fraction);
      return true;
    };
    RunInParts(count, 1, context, [](std::int64_t, std::int64_t) {});
    ASSERT_EQ(seen.size(), 101U);
    for (std::size_t i = 0; i < seen.size(); ++i)
    {
      EXPECT_DOUBLE_EQ(seen[i], 0.01 * static_cast<double>(i));
    }
  }
}

TEST(Execution, CallbackAborts)
{
  ExecutionContext context;
  context.progress = [](double) { return false; };
  EXPECT_THROW(context.Report(0.0), OperationAborted);
}

TEST(Execution, BackendsHaveNames)
{
  EXPECT_STREQ(NameOf(Backend::None), "None");
  EXPECT_STREQ(NameOf(Backend::Cuda), "Cuda");
  EXPECT_STREQ(NameOf(Backend::Cpu), "Cpu");
  EXPECT_STREQ(NameOf(Backend::Superclass), "Superclass");
}
