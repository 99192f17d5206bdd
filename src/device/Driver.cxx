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

#include <dlfcn.h>

namespace itk::CudaSpline
{

namespace
{
/** The driver where the process has loaded it, else null. The handle is given back at once: the library stays. */
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
} // namespace

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
  const bool   known = getState != nullptr && getState(device, &flags, &active) == 0; // else: not initialised
  return known && active != 0;
}

} // namespace itk::CudaSpline
