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
// A kernel that writes to an illegal address ends CUDA for the process. Expected: the error is reported as Lost, and
// from then on no device is selected, with the reason; the Cpu backend still works.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "Gpu.h"

#include <cuda_runtime.h>

#include <vector>

using namespace itk::CudaSpline;

namespace
{
__global__ void
IllegalWriteKernel(float * nowhere)
{
  nowhere[threadIdx.x] = 1.0F;
}
} // namespace

TEST(LostDeviceGpu, TheProcessGoesOnWithoutIt)
{
  CUDASPLINE_NEEDS_GPU();
  ASSERT_TRUE(SelectDevice(""));
  {
    const std::vector<Stream> streams(3); // kept then
  }
  try
  {
    const Stream stream;
    IllegalWriteKernel<<<1, 32, 0, stream.Get()>>>(reinterpret_cast<float *>(std::size_t(16)));
    CheckCuda(cudaGetLastError(), "IllegalWriteKernel");
    stream.Synchronize();
    FAIL() << "the illegal write went through";
  }
  catch (const DeviceError & error)
  {
    EXPECT_EQ(error.GetKind(), DeviceError::Kind::Lost) << error.what();
  }
  try
  {
    const Stream kept;
    FAIL() << "a stream of the lost device was handed out";
  }
  catch (const DeviceError & error)
  {
    EXPECT_EQ(error.GetKind(), DeviceError::Kind::Lost) << error.what();
  }
  const DeviceChoice choice = SelectDevice("");
  EXPECT_FALSE(choice);
  EXPECT_NE(choice.reason.find("lost"), std::string::npos) << choice.reason;
  EXPECT_EQ(DeviceCount(), 0);
  EXPECT_FALSE(SelectDevice("0")) << "the Cpu backend also replaces a device that was requested";

  SourceDescriptor descriptor;
  descriptor.dimension = 1;
  descriptor.size[0] = 3;
  descriptor.order = 3;
  const float pixels[3] = { 1.0F, 1.0F, 1.0F };
  float       coefficients[3] = {};
  Prefilter(descriptor, pixels, coefficients, ExecutionContext());
  EXPECT_NEAR(coefficients[1], 1.0F, 1e-6F);
}
