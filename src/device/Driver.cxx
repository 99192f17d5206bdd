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
#include "device/Driver.h"

#include <cuda_runtime_api.h>

#include <dlfcn.h>

namespace itk::CudaSpline
{

namespace
{
/** Returns the driver if the process has loaded it, otherwise null. The handle is closed at once; the library remains
 * loaded. */
void *
LoadedDriver()
{
  void * const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver != nullptr)
  {
    (void)dlclose(driver);
  }
  return driver;
}

/** The driver's functions for contexts; null if the driver does not have them. They have the names of the driver's
 * interface. The library is not unloaded, because the functions are also called at exit. */
struct ContextCalls
{
  ContextCalls()
  {
    Find("cuCtxGetCurrent", getCurrent);
    Find("cuCtxSetCurrent", setCurrent);
    Find("cuDevicePrimaryCtxRetain", retain);
    Find("cuDevicePrimaryCtxRelease_v2", release);
  }

  bool
  AreThere() const
  {
    return getCurrent != nullptr && setCurrent != nullptr && retain != nullptr && release != nullptr;
  }

  int (*getCurrent)(ContextHandle *){ nullptr };
  int (*setCurrent)(ContextHandle){ nullptr };
  int (*retain)(ContextHandle *, int){ nullptr };
  int (*release)(int){ nullptr };

private:
  template <typename TFunction>
  static void
  Find(const char * name, TFunction & function)
  {
    function = reinterpret_cast<TFunction>(FindDriverFunction(name));
  }
};

/** Called only after a device was started, so the driver exists. */
const ContextCalls &
GetContextCalls()
{
  static const ContextCalls calls;
  return calls;
}
} // namespace

void *
FindDriverFunction(const char * name)
{
  static void * const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  return driver != nullptr ? dlsym(driver, name) : nullptr;
}

bool
DriverIsLoaded()
{
  return LoadedDriver() != nullptr;
}

bool
HasContext(int device)
{
  // A process that has not loaded the driver has no context.
  void * const driver = LoadedDriver();
  if (driver == nullptr)
  {
    return false;
  }
  using GetState = int (*)(int device, unsigned int * flags, int * active);
  const auto   getState = reinterpret_cast<GetState>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned int flags = 0;
  int          active = 0;
  const bool   known =
    getState != nullptr && getState(device, &flags, &active) == 0; // otherwise the driver is not initialized
  return known && active != 0;
}

int
EnterContext(int device, ContextHandle * previous)
{
  const ContextCalls & driver = GetContextCalls();
  if (!driver.AreThere())
  {
    return cudaErrorInitializationError;
  }
  if (const int error = driver.getCurrent(previous))
  {
    return error;
  }
  ContextHandle context = nullptr;
  if (const int error = driver.retain(&context, device))
  {
    return error;
  }
  const int error = driver.setCurrent(context);
  if (error != 0)
  {
    (void)driver.release(device);
  }
  return error;
}

void
LeaveContext(int device, ContextHandle previous)
{
  const ContextCalls & driver = GetContextCalls();
  if (driver.setCurrent(previous) != 0)
  {
    (void)driver.setCurrent(nullptr); // this context no longer exists
  }
  (void)driver.release(device);
}

} // namespace itk::CudaSpline
