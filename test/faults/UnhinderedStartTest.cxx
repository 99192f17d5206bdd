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
// What a process does before and while it starts CUDA, on a simulated GPU whose driver can be shown and hidden: it
// finds the driver, does not query what the user hides, loads kernels ahead, and forks. Expected: no call of CUDA
// unless it is needed, and children that neither wait for their parent's threads nor free its resources. Each test is
// in a process of its own, whose parent never uses CUDA.

#include "ChildProcess.h"
#include "CudaShim.h"
#include "FaultScenarios.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/backend/BackendChoice.h"
#include "itkCudaSpline/kernels/resampling/ResampleKernelsLoader.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

using namespace CudaSplineTest;

namespace
{
/** Loads the driver of the machine, or a library with its name, as another library would do. */
void
LoadDriver()
{
  if (dlopen("libcuda.so.1", RTLD_LAZY) == nullptr && dlopen(CUDASPLINE_FAKE_DRIVER, RTLD_LAZY) == nullptr)
  {
    throw std::runtime_error(dlerror());
  }
}

void
AwaitSlowCall()
{
  while (!SlowCallHasBegun())
  {
    std::this_thread::yield();
  }
}
} // namespace

TEST(UnhinderedStart, ADriverIsFoundByItsNodesOrItsVersion)
{
  for (const char * const file : { "/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg" })
  {
    EXPECT_EQ(InChild([&]() -> std::string {
                PretendDriver();
                LetOnlyExist(file);
                return itk::CudaSpline::DriverIsPresent() ? "" : "not found";
              }),
              "")
      << file;
  }
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              LetOnlyExist("/dev/null");
              return itk::CudaSpline::DriverIsPresent() ? "found" : "";
            }),
            "");
}

TEST(UnhinderedStart, HiddenDevicesAreNotAskedFor)
{
  for (const char * const visible : { "", "-1" })
  {
    EXPECT_EQ(InChild([&]() -> std::string {
                PretendDriver();
                setenv("CUDA_VISIBLE_DEVICES", visible, 1);
                ArmShim(Fault());
                const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice("gpu");
                if (const std::int64_t calls = DisarmShim())
                {
                  return std::to_string(calls) + " calls of CUDA";
                }
                return choice || choice.reason.find("CUDA_VISIBLE_DEVICES") == std::string::npos
                         ? "the reason: " + choice.reason
                         : "";
              }),
              "")
      << visible;
  }
}

// Loads the kernels of a displacement field, a B-spline transform and an affine transform in sequence, and of points by
// ITK's functions, without the objects of the caller.
TEST(UnhinderedStart, AheadOfAnyTransform)
{
  using namespace itk::CudaSpline;
  constexpr std::int64_t size = 20;
  const auto             launchesOf = [](const std::function<void(ResampleDescriptor &, TransformChain &)> & describe) {
    std::int64_t launches = 0;
    EXPECT_EQ(InChild(
                [&](std::int64_t & count) -> std::string {
                  PretendDriver();
                  SourceDescriptor source;
                  source.size = { { size, size, size, 1 } };
                  source.order = 3;
                  ResampleDescriptor resample;
                  resample.interpolation = Interpolation::BSpline;
                  resample.samples = size;
                  resample.lines = size * size;
                  ArmShim(Fault());
                  {
                    TransformChain chain;
                    describe(resample, chain);
                    if (!StartDeviceAhead("gpu", {}, 2, 0.0, ResampleKernelsLoader(source, resample)))
                    {
                      return "not started";
                    }
                  }
                  WaitForDeviceStart();
                  DisarmShim();
                  count = CallsOf("cudaLaunchKernel");
                  ReleaseWhatIsKept();
                  return Unreleased().empty() ? "" : "not freed: " + Unreleased().begin()->first;
                },
                launches),
              "");
    return launches;
  };
  const std::int64_t scanlines = launchesOf([](ResampleDescriptor &, TransformChain &) {});
  const std::int64_t points = launchesOf([](ResampleDescriptor & resample, TransformChain &) {
    resample.indexProvider = [](std::int64_t, std::int64_t, double *) { std::abort(); };
  });
  const std::int64_t chain = launchesOf([](ResampleDescriptor & resample, TransformChain & transforms) {
    TransformChain::Stage stage;
    transforms.stages.push_back(stage);
    stage.kind = TransformKind::BSpline;
    stage.size = { { size, size, size } };
    stage.data = std::shared_ptr<const double>(new double[size * size * size * 3](), std::default_delete<double[]>());
    transforms.stages.push_back(stage);
    stage.kind = TransformKind::DisplacementField;
    stage.data.reset();
    stage.singleData =
      std::shared_ptr<const float>(new float[size * size * size * 3](), std::default_delete<float[]>());
    transforms.stages.push_back(stage);
    resample.chain = &transforms;
  });
  EXPECT_GE(scanlines, 2) << "a filter's and the evaluation's";
  EXPECT_EQ(points, scanlines);
  EXPECT_EQ(chain, scanlines);
}

TEST(UnhinderedStart, AChildForkedDuringTheFirstCallUsesTheCpu)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              HinderShim({ "cudaGetDeviceCount", 0, 0, 0, 200 });
              std::thread first([] { itk::CudaSpline::DeviceCount(); });
              AwaitSlowCall();
              std::string found;
              for (int child = 0; child < 3 && found.empty(); ++child)
              {
                found = InChild([]() -> std::string {
                  alarm(20); // otherwise a lock that a thread of the parent holds is never released here
                  const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice("gpu");
                  return choice || choice.reason.find("forked") == std::string::npos ? "the reason: " + choice.reason
                                                                                     : "";
                });
              }
              first.join();
              return found;
            }),
            "");
}

// The same during a start in another thread of the parent. The fork waits for it: otherwise the child would have its
// locks.
TEST(UnhinderedStart, AChildForkedDuringAStartCannotStart)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              HinderShim({ "cudaFree", 0, 0, 0, 200 });
              itk::CudaSpline::StartDeviceInBackground(0, [] {});
              AwaitSlowCall();
              const std::string found = InChild([]() -> std::string {
                alarm(20);
                if (const double seconds = itk::CudaSpline::SecondsSinceStartBegan(); seconds < 0.2)
                {
                  return "forked " + std::to_string(seconds) + " s after the start began, within its call of 0.2 s";
                }
                try
                {
                  itk::CudaSpline::StartDevice(0);
                  return "started";
                }
                catch (const itk::CudaSpline::DeviceError & error)
                {
                  return std::string(error.what()).find("forked") == std::string::npos ? error.what() : "";
                }
              });
              itk::CudaSpline::WaitForDeviceStart();
              return found;
            }),
            "");
}

// The parent has loaded the library, but used CUDA without it. In the child only an error shows that: the driver was
// started before, but not by the library. Errors of a driver that the library started itself are reported unchanged.
TEST(UnhinderedStart, AChildOfOneThatUsedCudaByAnotherLibraryUsesTheCpu)
{
  for (const bool byAnother : { true, false })
  {
    for (const char * const word : { "gpu", "0", "" })
    {
      EXPECT_EQ(InChild([&]() -> std::string {
                  PretendDriver();
                  if (byAnother)
                  {
                    LoadDriver();
                  }
                  HinderShim({ "cudaGetDeviceCount", static_cast<int>(cudaErrorInitializationError), 0, 0 });
                  std::string reason;
                  for (int twice = 0; twice < 2; ++twice)
                  {
                    try
                    {
                      reason = itk::CudaSpline::SelectDevice(word).reason;
                    }
                    catch (const itk::CudaSpline::DeviceError & error)
                    {
                      reason = error.what(); // for a device that was named
                    }
                  }
                  const char * const words = byAnother ? "forked" : "initialization error";
                  return reason.find(words) == std::string::npos || itk::CudaSpline::IsForkedChild() != byAnother
                           ? "the reason: " + reason
                           : "";
                }),
                "")
        << word << (byAnother ? " by another" : "");
    }
  }
}

// If another library has loaded the driver, the time of loading is unknown: the time of the context alone would be too
// short.
TEST(UnhinderedStart, AStartIsTimedWholeOrNotAtAll)
{
  for (const bool byAnother : { true, false })
  {
    for (const bool isLookedFor : { true, false })
    {
      EXPECT_EQ(InChild([&]() -> std::string {
                  PretendDriver();
                  if (byAnother)
                  {
                    LoadDriver();
                  }
                  if (isLookedFor && !itk::CudaSpline::SelectDevice("gpu"))
                  {
                    return "no stand-in";
                  }
                  itk::CudaSpline::StartDevice(0);
                  const double seconds = itk::CudaSpline::SecondsOfDeviceStart();
                  return (seconds > 0.0) == byAnother ? std::to_string(seconds) + " s" : "";
                }),
                "")
        << byAnother << isLookedFor;
    }
  }
}

TEST(UnhinderedStart, WhereThereIsNoDriverNobodyHasUsedCuda)
{
  const std::pair<const char *, std::function<void()>> calls[] = {
    { "cudaGetDeviceCount", [] { (void)itk::CudaSpline::QueryDevice(0); } },
    { "cudaInitDevice", [] { itk::CudaSpline::StartDevice(0); } }
  };
  for (const auto & [name, call] : calls)
  {
    EXPECT_EQ(InChild([&, &name = name, &call = call]() -> std::string {
                PretendDriver();
                LetOnlyExist("/dev/null");
                HinderShim({ name, static_cast<int>(cudaErrorInsufficientDriver), 0, 0 });
                try
                {
                  call();
                  return "it succeeded";
                }
                catch (const itk::CudaSpline::DeviceError & error)
                {
                  if (error.GetKind() != itk::CudaSpline::DeviceError::Kind::Unavailable)
                  {
                    return error.what();
                  }
                }
                HinderShim({ "cudaGetDeviceCount", static_cast<int>(cudaErrorInsufficientDriver), 0, 0 });
                return InChild([]() -> std::string {
                  const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice("gpu");
                  return choice.reason.find("there is no CUDA driver") == std::string::npos
                           ? "the reason: " + choice.reason
                           : "";
                });
              }),
              "");
  }
}

TEST(UnhinderedStart, AChildGivesNothingBackThatIsItsParents)
{
  EXPECT_EQ(InChild([]() -> std::string {
              PretendDriver();
              if (!itk::CudaSpline::SelectDevice("gpu"))
              {
                return "no stand-in";
              }
              auto event = std::make_unique<itk::CudaSpline::Event>();
              auto buffer = std::make_unique<itk::CudaSpline::PinnedBuffer>(std::size_t{ 4096 });
              // A buffer that is kept for the next operation.
              std::make_unique<itk::CudaSpline::PinnedBuffer>(std::size_t{ 8192 }).reset();
              auto stream = std::make_unique<itk::CudaSpline::Stream>();
              std::make_unique<itk::CudaSpline::Stream>().reset();
              const auto release = [&] {
                ArmShim(Fault());
                event.reset();
                buffer.reset();
                stream.reset();
                ReleaseWhatIsKept();
                return DisarmShim();
              };
              const std::string child = InChild([&] { return release() == 0 ? std::string() : "a call of CUDA"; });
              release();
              const bool isAll =
                CallsOf("cudaEventDestroy") == 1 && CallsOf("cudaFreeHost") == 2 && CallsOf("cudaStreamDestroy") == 2;
              return child.empty() && !isAll ? "the parent did not free all resources" : child;
            }),
            "");
}
