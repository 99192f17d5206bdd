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
// Expected: loops cover their range exactly once, exceptions arrive, progress of parts is scaled, an abort is thrown.

#include "itkCudaSpline/kernels/Execution.h"

#include <gtest/gtest.h>

#include <atomic>
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
