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
// Work on one of several GPUs does not affect the others, nor the state of the calling thread. Each test is in a
// process of its own, whose parent never uses CUDA.

#include "ChildProcess.h"
#include "CudaShim.h"
#include "FaultScenarios.h"
#include "GpuIsRequired.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/Stream.h"

#include "device/Driver.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include <dlfcn.h>

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::DeviceScope;
using itk::CudaSpline::Stream;

namespace
{
/** Returns the number of GPUs of the machine; 0 for a simulation. */
std::int64_t
CountOfDevices()
{
  std::int64_t count = 0;
  EXPECT_EQ(InChild(
              [](std::int64_t & devices) -> std::string {
                devices = ShimIsReal() ? itk::CudaSpline::DeviceCount() : 0;
                return "";
              },
              count),
            "");
  return count;
}

int
Current()
{
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

/** Returns a function of the loaded driver. */
template <typename TFunction>
TFunction
OfDriver(const char * name)
{
  void * const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<TFunction>(dlsym(driver, name));
}

/** Returns the driver's current context; null also for a simulation. */
void *
CurrentContext()
{
  const auto get = OfDriver<int (*)(void **)>("cuCtxGetCurrent");
  void *     context = nullptr;
  return get != nullptr && get(&context) == 0 ? context : nullptr;
}
} // namespace

TEST(SeveralDevices, WhatWasCurrentIsCurrentAgain)
{
  const std::int64_t count = CountOfDevices();
  const int          last = count > 0 ? static_cast<int>(count) - 1 : 1;
  EXPECT_EQ(InChild([last]() -> std::string {
              {
                const DeviceScope outer(last);
                {
                  const DeviceScope inner(0);
                  if (Current() != 0)
                  {
                    return "not the inner one";
                  }
                }
                if (Current() != last)
                {
                  return "not the outer one";
                }
                std::string ofThread = "not asked";
                std::thread([&ofThread] { ofThread = Current() == 0 ? "" : "another thread's device"; }).join();
                if (!ofThread.empty())
                {
                  return ofThread;
                }
              }
              return Current() == 0 && CurrentContext() == nullptr ? "" : "the device stays current";
            }),
            "");
}

TEST(SeveralDevices, ACallersOwnContextIsCurrentAgain)
{
  if (CountOfDevices() == 0)
  {
    CUDASPLINE_SKIP_WITHOUT_GPU();
  }
  EXPECT_EQ(InChild([]() -> std::string {
              (void)itk::CudaSpline::DeviceCount(); // starts the driver
              const auto create = OfDriver<int (*)(void **, unsigned int, int)>("cuCtxCreate_v2");
              void *     own = nullptr;
              if (create == nullptr || create(&own, 0, 0) != 0)
              {
                return "no context of one's own";
              }
              {
                const DeviceScope scope(0);
                const Stream      stream;
                if (CurrentContext() == own)
                {
                  return "it was used";
                }
              }
              return CurrentContext() == own ? "" : "another one is current";
            }),
            "");
}

TEST(SeveralDevices, AnotherDeviceHasNoContext)
{
  if (CountOfDevices() < 2)
  {
    GTEST_SKIP() << "This needs two GPUs.";
  }
  for (const Scenario & scenario : Scenarios())
  {
    EXPECT_EQ(InChild([&scenario]() -> std::string {
                setenv("CUDASPLINE_DEVICE", "1", 1);
                auto subject = scenario.make();
                subject->SetGPUEnabled(true);
                subject->Run();
                if (subject->GetLastBackend() != Backend::Cuda || !itk::CudaSpline::HasContext(1))
                {
                  return "not on device 1: " + subject->GetFallbackReason();
                }
                std::thread([&subject] { subject.reset(); }).join();
                ReleaseWhatIsKept();
                itk::CudaSpline::ReleaseDeviceMemory();
                return itk::CudaSpline::HasContext(0) ? "device 0 has one" : "";
              }),
              "")
      << scenario.name;
  }
}
