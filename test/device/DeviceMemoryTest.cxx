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
// Expected: what was copied to a device comes back; resources move and free themselves; errors have their kind.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "Gpu.h"

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

using namespace itk::CudaSpline;

static_assert(!std::is_copy_constructible<Stream>::value && std::is_nothrow_move_constructible<Stream>::value,
              "move-only");
static_assert(!std::is_copy_constructible<Event>::value && std::is_nothrow_move_constructible<Event>::value,
              "move-only");
static_assert(!std::is_copy_constructible<DeviceBuffer>::value &&
                std::is_nothrow_move_constructible<DeviceBuffer>::value,
              "move-only");
static_assert(!std::is_copy_constructible<PinnedBuffer>::value &&
                std::is_nothrow_move_constructible<PinnedBuffer>::value,
              "move-only");

namespace
{
void
CopyBytes(void * to, const void * from, std::size_t bytes)
{
  std::memcpy(to, from, bytes);
}

DeviceError::Kind
KindOf(int code)
{
  try
  {
    CheckCuda(code, "a call");
  }
  catch (const DeviceError & error)
  {
    EXPECT_NE(std::string(error.what()).find("a call"), std::string::npos);
    return error.GetKind();
  }
  ADD_FAILURE() << "no error";
  return DeviceError::Kind::Other;
}
} // namespace

TEST(DeviceMemory, ErrorsHaveKinds)
{
  EXPECT_NO_THROW(CheckCuda(0, "a call"));
  EXPECT_EQ(KindOf(2), DeviceError::Kind::OutOfMemory);   // cudaErrorMemoryAllocation
  EXPECT_EQ(KindOf(1), DeviceError::Kind::Other);         // cudaErrorInvalidValue
  EXPECT_EQ(KindOf(100), DeviceError::Kind::Unavailable); // cudaErrorNoDevice
}

TEST(DeviceMemoryGpu, StagedCopiesRoundTrip)
{
  CUDASPLINE_NEEDS_GPU();
  std::mt19937 random(std::random_device{}());
  for (const std::size_t bytes :
       { std::size_t(1), std::size_t(4097), StagingBytes, StagingBytes + 1, 5 * StagingBytes + 77 })
  {
    std::vector<unsigned char> data(bytes);
    for (unsigned char & byte : data)
    {
      byte = static_cast<unsigned char>(random());
    }
    const Stream       stream;
    const DeviceBuffer buffer(bytes, stream);
    {
      Uploader uploader(CopyBytes);
      uploader.Copy(buffer.Data(), data.data(), bytes, stream);
    }
    std::vector<unsigned char> back(bytes, 0xEE);
    DownloadThroughStaging(back.data(), buffer.Data(), bytes, stream, CopyBytes);
    EXPECT_EQ(back, data) << bytes;
  }
}

TEST(DeviceMemoryGpu, OutOfMemoryIsAnErrorAndTheDeviceWorksOn)
{
  CUDASPLINE_NEEDS_GPU();
  const Stream stream;
  try
  {
    const DeviceBuffer tooLarge(QueryDevice(0).totalMemory * 2, stream);
    FAIL() << "twice the memory was allocated";
  }
  catch (const DeviceError & error)
  {
    EXPECT_EQ(error.GetKind(), DeviceError::Kind::OutOfMemory) << error.what();
  }
  const DeviceBuffer buffer(1000, stream);
  EXPECT_NE(buffer.Data(), nullptr);
  EXPECT_TRUE(SelectDevice(""));
}

TEST(DeviceMemoryGpu, BuffersOutliveTheirStream)
{
  CUDASPLINE_NEEDS_GPU();
  DeviceBuffer kept;
  EXPECT_EQ(kept.Data(), nullptr);
  {
    const Stream stream;
    DeviceBuffer buffer(100, stream);
    kept = std::move(buffer);
    EXPECT_EQ(buffer.Data(), nullptr);
    stream.Synchronize();
  }
  EXPECT_NE(kept.Data(), nullptr);
  EXPECT_EQ(kept.Bytes(), 100U);
  kept = DeviceBuffer();
  EXPECT_EQ(kept.Data(), nullptr);
}

TEST(DeviceMemoryGpu, FreedMemoryComesBack)
{
  CUDASPLINE_NEEDS_GPU();
  const std::size_t before = AvailableDeviceMemory(0);
  {
    const Stream       stream;
    const DeviceBuffer buffer(std::size_t(1) << 30, stream);
    stream.Synchronize();
    EXPECT_LT(AvailableDeviceMemory(0), before - (std::size_t(1) << 29));
  }
  EXPECT_GT(AvailableDeviceMemory(0), before - (std::size_t(1) << 28));
}

TEST(DeviceMemoryGpu, PinnedMemoryIsKeptForTheNext)
{
  CUDASPLINE_NEEDS_GPU();
  const void * first = nullptr;
  {
    const PinnedBuffer buffer(1 << 20);
    first = buffer.Data();
    std::memset(buffer.Data(), 1, buffer.Bytes());
  }
  const PinnedBuffer again(1 << 20);
  EXPECT_EQ(again.Data(), first);
  const PinnedBuffer another(1 << 20);
  EXPECT_NE(another.Data(), first);
  ReleasePinnedMemory();
}
