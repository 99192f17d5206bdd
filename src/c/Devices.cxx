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
#include "c/Call.h"

#include "itkCudaSpline/device/Device.h"
#if defined(CUDASPLINE_HAS_CUDA)
#  include "itkCudaSpline/device/DeviceBuffer.h"
#endif

#include <string>

using namespace itk::CudaSpline;

std::int32_t
cudaspline_interface()
{
  return CUDASPLINE_C_INTERFACE;
}

const char *
cudaspline_version()
{
  return CUDASPLINE_VERSION;
}

const char *
cudaspline_cuda_version()
{
  static const std::string version = CudaToolkitVersion();
  return version.c_str();
}

std::int32_t
cudaspline_device_count()
{
  std::int32_t       count = 0;
  const std::int32_t code = Call([&count] { count = DeviceCount(); });
  return code == CUDASPLINE_OK ? count : 0;
}

std::int32_t
cudaspline_query_device(std::int32_t device, cudaspline_device_info * info)
{
  return Call([=] {
    RequirePointer(info, "info");
    const DeviceInfo found = QueryDevice(device);
    WriteText(found.name, info->name, sizeof(info->name));
    info->major = found.major;
    info->minor = found.minor;
    info->multiprocessors = found.multiprocessors;
    info->total_memory = found.totalMemory;
  });
}

std::int32_t
cudaspline_select_device(const char * word, std::int32_t * device, char * reason)
{
  return Call([=] {
    RequirePointer(device, "device");
    const DeviceChoice choice = SelectDevice(word != nullptr ? word : "");
    *device = choice.device;
    if (reason != nullptr)
    {
      WriteText(choice.reason, reason, CUDASPLINE_REASON_BYTES);
    }
  });
}

std::int32_t
cudaspline_device_of_pointer(const void * pointer)
{
  std::int32_t       device = -1;
  const std::int32_t code = Call([&] { device = DeviceOfPointer(pointer); });
  return code == CUDASPLINE_OK ? device : -1;
}

std::int32_t
cudaspline_release_memory()
{
  return Call([] {
#if defined(CUDASPLINE_HAS_CUDA)
    ReleaseDeviceMemory();
#endif
  });
}
