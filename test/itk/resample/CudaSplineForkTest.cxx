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
// A process that has used CUDA forks. Expected: the child uses the Cpu backend, gives the reason, computes the same as
// the parent, and ends; the parent continues as before. Without a GPU the parent only pretends that it has used one, so
// the child is tested everywhere.

#include "ResampleTestSupport.h"
#include "Sanitizers.h"

#include "device/DeviceHealth.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkTranslationTransform.h"

#include <atomic>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace CudaSplineTest;

namespace
{

using Image = itk::Image<float, 3>;
using Filter = itk::CudaResampleImageFilter<Image, Image>;

/** Seconds after which a child that hangs is killed. */
constexpr unsigned int Patience = 120;

Filter::Pointer
MakeFilter(const Image * input, unsigned int order)
{
  auto filter = Filter::New();
  filter->SetInput(input);
  filter->SetReferenceImage(input);
  filter->UseReferenceImageOn();
  auto transform = itk::TranslationTransform<double, 3>::New();
  auto offset = transform->GetOffset();
  offset.Fill(0.3);
  transform->SetOffset(offset);
  filter->SetTransform(transform);
  auto spline = itk::BSplineInterpolateImageFunction<Image>::New();
  spline->SetSplineOrder(order);
  filter->SetInterpolator(spline);
  return filter;
}

Image::Pointer
MakeInput()
{
  return MakePhantom<Image>(-100.0, 1000.0);
}

/** Runs a body in a child. Its result is the exit code of the child; 255 means every other end. */
pid_t
Fork(const std::function<int()> & body)
{
  const pid_t child = fork();
  if (child == 0)
  {
    alarm(Patience);
    int code = 255;
    try
    {
      code = body();
    }
    catch (const std::exception & exception)
    {
      std::cerr << exception.what() << std::endl;
    }
    _exit(code);
  }
  return child;
}

int
CodeOf(pid_t child)
{
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/** Returns what a child finds: 0, or the number of the first problem. */
int
ExpectHost(Filter * filter, const Image * expected, double tolerance)
{
  filter->Modified();
  filter->Update();
  if (filter->GetLastBackend() != itk::CudaSpline::Backend::Cpu)
  {
    return 1;
  }
  const std::string reason = filter->GetFallbackReason();
  if (itk::CudaSpline::BuiltWithCuda() ? reason.find("forked") == std::string::npos : reason.empty())
  {
    std::cerr << reason << std::endl;
    return 2;
  }
  return Compare(filter->GetOutput(), expected).maximum <= tolerance ? 0 : 3;
}

} // namespace

TEST(CudaSplineFork, AChildUsesTheCpuAndSaysWhy)
{
  const auto input = MakeInput();
  const auto filter = MakeFilter(input, 3);
  filter->GPUEnabledOff();
  filter->Update();
  const Image::Pointer expected = filter->GetOutput();
  expected->DisconnectPipeline();
  itk::CudaSpline::RememberProcess(); // from here on this process has used CUDA
  filter->GPUEnabledOn();
  EXPECT_EQ(CodeOf(Fork([&] { return ExpectHost(filter, expected, 0.0); })), 0);
  // A child of the child.
  EXPECT_EQ(CodeOf(Fork([&] { return CodeOf(Fork([&] { return ExpectHost(filter, expected, 0.0); })); })), 0);
}

TEST(CudaSplineFork, APoolOfProcessesWorksThroughItsTasks)
{
  constexpr int               processes = 4;
  constexpr int               tasks = 12;
  const auto                  input = MakeInput();
  std::vector<Image::Pointer> expected;
  for (int task = 0; task < tasks; ++task)
  {
    const auto filter = MakeFilter(input, task % 6);
    filter->GPUEnabledOff();
    filter->Update();
    expected.emplace_back(filter->GetOutput());
    expected.back()->DisconnectPipeline();
  }
  itk::CudaSpline::RememberProcess();
  std::vector<pid_t> pool;
  for (int process = 0; process < processes; ++process)
  {
    pool.push_back(Fork([&, process] {
      for (int task = process; task < tasks; task += processes)
      {
        const int code = ExpectHost(MakeFilter(input, task % 6), expected[task], 0.0);
        if (code != 0)
        {
          return code;
        }
      }
      return 0;
    }));
  }
  for (const pid_t child : pool)
  {
    EXPECT_EQ(CodeOf(child), 0);
  }
}

TEST(CudaSplineFork, AThreadOfTheParentMayBeAtWork)
{
  if (ThreadsAreSanitized)
  {
    GTEST_SKIP() << "ThreadSanitizer has no threads in a child of a process that has several: with die_after_fork=0 it "
                    "takes one of the child's for the parent's, whose number it has.";
  }
  const auto input = MakeInput();
  const auto filter = MakeFilter(input, 3);
  filter->GPUEnabledOff();
  filter->Update();
  const Image::Pointer expected = filter->GetOutput();
  expected->DisconnectPipeline();
  itk::CudaSpline::RememberProcess();
  std::atomic<bool> stop{ false };
  std::thread       worker([&] {
    // The decomposition does not wait for a pool: ITK's pool has to be idle when a process forks.
    using Decomposition = itk::CudaBSplineDecompositionImageFilter<Image, Image>;
    while (!stop)
    {
      auto decomposition = Decomposition::New();
      decomposition->SetInput(input);
      decomposition->GPUEnabledOff();
      decomposition->Update();
    }
  });
  for (int fork = 0; fork < 8; ++fork)
  {
    EXPECT_EQ(CodeOf(Fork([&] { return ExpectHost(MakeFilter(input, 3), expected, 0.0); })), 0);
  }
  stop = true;
  worker.join();
}

TEST(CudaSplineForkGpu, AChildOfAProcessThatUsedCudaUsesTheCpu)
{
  CUDASPLINE_NEEDS_GPU();
  const auto input = MakeInput();
  const auto filter = MakeFilter(input, 3);
  filter->KeepSourceOn(); // its device memory belongs to the parent: the child must not free it
  filter->Update();
  ASSERT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cuda);
  const Image::Pointer expected = filter->GetOutput();
  expected->DisconnectPipeline();
  // The backends agree within rounding; this is far above the bound in doc/Accuracy.md.
  const double tolerance = 1e-3;
  for (int time = 0; time < 3; ++time)
  {
    EXPECT_EQ(CodeOf(Fork([&] {
                const int code = ExpectHost(filter, expected, tolerance);
                filter->ReleaseSource();
                return code;
              })),
              0);
  }
  filter->Modified();
  filter->Update();
  EXPECT_EQ(filter->GetLastBackend(), itk::CudaSpline::Backend::Cuda) << "the parent still uses the device";
  EXPECT_TRUE(filter->GetSourceReused());
  EXPECT_EQ(Compare(filter->GetOutput(), expected.GetPointer()).count, 0);
}
