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
// Expected: the meaning of errors of the CUDA runtime for a caller. A device that another process uses in exclusive
// mode, or that was switched off, cannot be produced on a shared machine. These are the errors that the runtime returns
// in these cases.

#include "itkCudaSpline/device/DeviceError.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

using itk::CudaSpline::CheckCuda;
using itk::CudaSpline::DeviceError;

namespace
{
DeviceError
ErrorOf(cudaError_t code)
{
  try
  {
    CheckCuda(code, "cudaSomething");
  }
  catch (const DeviceError & error)
  {
    return error;
  }
  return { DeviceError::Kind::Request, "no error" };
}
} // namespace

TEST(DeviceErrors, SuccessIsNone)
{
  EXPECT_NO_THROW(CheckCuda(cudaSuccess, "cudaSomething"));
}

TEST(DeviceErrors, ADeviceThatCannotBeHadIsUnavailable)
{
  // In exclusive mode and in use; prohibited; no driver, or one older than the runtime; no device.
  for (const cudaError_t code :
       { cudaErrorDevicesUnavailable, cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorInvalidDevice })
  {
    EXPECT_EQ(ErrorOf(code).GetKind(), DeviceError::Kind::Unavailable) << code;
  }
}

TEST(DeviceErrors, AFullDeviceIsOutOfMemory)
{
  EXPECT_EQ(ErrorOf(cudaErrorMemoryAllocation).GetKind(), DeviceError::Kind::OutOfMemory);
}

TEST(DeviceErrors, OthersAreOtherAndSayWhatFailed)
{
  const DeviceError error = ErrorOf(cudaErrorInvalidValue);
  EXPECT_EQ(error.GetKind(), DeviceError::Kind::Other);
  const std::string message = error.what();
  EXPECT_NE(message.find("cudaSomething"), std::string::npos);
  EXPECT_NE(message.find("cudaErrorInvalidValue"), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}
