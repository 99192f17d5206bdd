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

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

thread_local std::string LastError;

std::int32_t
CodeOf(DeviceError::Kind kind)
{
  switch (kind)
  {
    case DeviceError::Kind::OutOfMemory:
      return CUDASPLINE_OUT_OF_MEMORY;
    case DeviceError::Kind::Lost:
      return CUDASPLINE_DEVICE_LOST;
    case DeviceError::Kind::Unavailable:
    case DeviceError::Kind::Request:
      return CUDASPLINE_NO_DEVICE;
    default:
      return CUDASPLINE_DEVICE_ERROR;
  }
}

std::int32_t
Remember(std::int32_t code, const char * message) noexcept
{
  try
  {
    LastError = message;
  }
  catch (const std::bad_alloc &)
  {
    LastError.clear();
  }
  return code;
}

} // namespace

std::int32_t
ReportError(const std::exception_ptr & error) noexcept
{
  try
  {
    std::rethrow_exception(error);
  }
  catch (const DeviceError & deviceError)
  {
    return Remember(CodeOf(deviceError.GetKind()), deviceError.what());
  }
  catch (const OperationAborted & aborted)
  {
    return Remember(CUDASPLINE_ABORTED, aborted.what());
  }
  catch (const std::invalid_argument & invalid)
  {
    return Remember(CUDASPLINE_INVALID_ARGUMENT, invalid.what());
  }
  catch (const std::bad_alloc &)
  {
    return Remember(CUDASPLINE_OUT_OF_MEMORY, "The memory of the host did not suffice.");
  }
  catch (const std::exception & other)
  {
    return Remember(CUDASPLINE_INTERNAL_ERROR, other.what());
  }
  catch (...)
  {
    return Remember(CUDASPLINE_INTERNAL_ERROR, "An object was thrown that is not a C++ standard exception.");
  }
}

void
RequirePointer(const void * pointer, const char * name)
{
  if (pointer == nullptr)
  {
    throw std::invalid_argument(std::string(name) + " is null.");
  }
}

bool
Overlap(const void * one, std::size_t oneBytes, const void * other, std::size_t otherBytes)
{
  const auto first = reinterpret_cast<std::uintptr_t>(one);
  const auto second = reinterpret_cast<std::uintptr_t>(other);
  return first < second + otherBytes && second < first + oneBytes;
}

void
RefuseDevices(const char *       first,
              const std::int32_t firstDevice,
              const char *       second,
              const std::int32_t secondDevice,
              const char *       rule)
{
  const auto nameOf = [](std::int32_t device) { return device < 0 ? "the host" : "device " + std::to_string(device); };
  throw std::invalid_argument(std::string(first) + " is " + nameOf(firstDevice) + " and " + second + " is " +
                              nameOf(secondDevice) + "; " + rule + ".");
}

void
WriteText(const std::string & text, char * to, std::size_t bytes) noexcept
{
  const std::size_t length = std::min(text.size(), bytes - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

} // namespace itk::CudaSpline

extern "C" const char *
cudaspline_last_error()
{
  return itk::CudaSpline::LastError.c_str();
}
