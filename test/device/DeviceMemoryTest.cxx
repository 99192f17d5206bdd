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
// Expected: data that were copied to a device are copied back unchanged; resources are movable and free themselves;
// errors have their kind.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/PinnedBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "Gpu.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
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
/** Threads that are started for each copy. */
CopyThreads
Threads(unsigned int count)
{
  return { count, [](unsigned int lanes, const std::function<void(unsigned int)> & body) {
            std::vector<std::thread> threads;
            for (unsigned int lane = 0; lane < lanes; ++lane)
            {
              threads.emplace_back([&body, lane] { body(lane); });
            }
            for (std::thread & thread : threads)
            {
              thread.join();
            }
          } };
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

/** Free memory of the current device (bytes). */
std::size_t
FreeBytes()
{
  std::size_t free = 0;
  std::size_t total = 0;
  CheckCuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
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
  for (const CopyThreads & threads : { CopyThreads(), Threads(3), Threads(MaximumCopyLanes + 5) })
  {
    for (const std::size_t bytes : { std::size_t(1),
                                     std::size_t(4097),
                                     StagingBytes,
                                     StagingBytes + 1,
                                     5 * StagingBytes + 77,
                                     70 * StagingBytes })
    {
      SCOPED_TRACE(testing::Message() << bytes << " bytes, threads: " << threads.count);
      std::vector<unsigned char> data(bytes);
      for (unsigned char & byte : data)
      {
        byte = static_cast<unsigned char>(random());
      }
      const Stream       stream;
      const DeviceBuffer buffer(bytes, stream);
      const DeviceBuffer second(bytes, stream);
      {
        Uploader uploader(threads);
        uploader.Copy(buffer.Data(), data.data(), bytes, stream);
        // Each piece is copied once, by any thread, in several streams.
        stream.Synchronize();
        const std::vector<Stream> streams(3);
        const auto                streamOf = [&streams](unsigned int lane) -> const Stream & {
          return streams[lane % streams.size()];
        };
        uploader.Copy(
          data.data(),
          bytes,
          streamOf,
          [&](const void * staged, std::size_t at, std::size_t length, unsigned int lane) {
            EXPECT_LT(lane, std::max(1U, std::min(threads.count, MaximumCopyLanes)));
            EXPECT_LE(length, StagingBytes);
            CheckCuda(
              cudaMemcpyAsync(
                static_cast<char *>(second.Data()) + at, staged, length, cudaMemcpyHostToDevice, streamOf(lane).Get()),
              "cudaMemcpyAsync");
          });
      }
      std::vector<unsigned char> back(bytes, 0xEE);
      DownloadThroughStaging(back.data(), buffer.Data(), bytes, stream, threads);
      EXPECT_TRUE(back == data);
      // The same lanes again.
      Downloader downloader(threads);
      for (int repeat = 0; repeat < 2; ++repeat)
      {
        std::fill(back.begin(), back.end(), static_cast<unsigned char>(0xEE));
        downloader.Copy(back.data(), second.Data(), bytes, stream);
        EXPECT_TRUE(back == data) << repeat;
      }
    }
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
  constexpr std::size_t bytes = 3 << 20; // not used by another buffer
  const void *          first = nullptr;
  {
    const PinnedBuffer buffer(bytes);
    first = buffer.Data();
    std::memset(buffer.Data(), 1, buffer.Bytes());
  }
  const PinnedBuffer again(bytes);
  EXPECT_EQ(again.Data(), first);
  const PinnedBuffer another(bytes);
  EXPECT_NE(another.Data(), first);
  ReleasePinnedMemory();
}

TEST(DeviceMemoryGpu, StreamsAreKeptForTheNext)
{
  CUDASPLINE_NEEDS_GPU();
  ReleaseDeviceMemory();
  constexpr std::size_t bytes = std::size_t(64) << 20;
  StreamHandle          first = nullptr;
  DeviceBuffer          kept; // like that of a source, which outlives the operation that made it
  {
    const Stream stream;
    first = stream.Get();
    kept = DeviceBuffer(bytes, stream);
    CheckCuda(cudaMemsetAsync(kept.Data(), 1, bytes, stream.Get()), "cudaMemsetAsync");
  }
  {
    const Stream another;
    EXPECT_NE(another.Get(), first) << "a stream that has memory";
  }
  kept = DeviceBuffer();
  // The next operation allocates the memory that was freed; its work follows.
  const Stream again;
  EXPECT_EQ(again.Get(), first);
  const DeviceBuffer buffer(bytes, again);
  CheckCuda(cudaMemsetAsync(buffer.Data(), 2, bytes, again.Get()), "cudaMemsetAsync");
  std::vector<unsigned char> back(bytes);
  CheckCuda(cudaMemcpyAsync(back.data(), buffer.Data(), bytes, cudaMemcpyDeviceToHost, again.Get()), "cudaMemcpyAsync");
  again.Synchronize();
  EXPECT_EQ(std::count(back.begin(), back.end(), static_cast<unsigned char>(2)), static_cast<std::ptrdiff_t>(bytes));
}

TEST(DeviceMemoryGpu, MemoryThatWasFreedInAKeptStreamIsGivenBack)
{
  CUDASPLINE_NEEDS_GPU();
  constexpr std::size_t bytes = std::size_t(200) << 20;
  ReleaseDeviceMemory();
  const std::size_t free = FreeBytes();
  DeviceBuffer      kept;
  {
    const Stream stream;
    kept = DeviceBuffer(bytes, stream);
  }
  EXPECT_LE(FreeBytes() + bytes, free);
  kept = DeviceBuffer(); // after the last wait for its stream
  ReleaseDeviceMemory();
  EXPECT_GE(FreeBytes() + (std::size_t(64) << 20), free);
}

// Memory that outlives its stream is available once it is freed, although nothing waits and the stream is kept.
TEST(DeviceMemoryGpu, MemoryThatOutlivesItsStreamIsAvailableAfterwards)
{
  CUDASPLINE_NEEDS_GPU();
  constexpr std::size_t bytes = std::size_t(200) << 20;
  ReleaseDeviceMemory();
  DeviceBuffer kept;
  {
    const Stream stream;
    kept = DeviceBuffer(bytes, stream);
  }
  const std::size_t with = AvailableDeviceMemory(0);
  kept = DeviceBuffer();
  EXPECT_GE(AvailableDeviceMemory(0), with + bytes / 2); // some free memory is left to other processes
}

TEST(DeviceMemoryGpu, DeviceMemoryIsKeptForTheNext)
{
  CUDASPLINE_NEEDS_GPU();
  constexpr std::size_t bytes = std::size_t(200) << 20;
  const std::size_t     before = AvailableDeviceMemory(0);
  ReleaseDeviceMemory();
  const std::size_t free = FreeBytes();
  {
    const Stream       stream;
    const DeviceBuffer buffer(bytes, stream);
    stream.Synchronize();
    EXPECT_LE(FreeBytes() + bytes, free);
  }
  EXPECT_LE(FreeBytes() + bytes, free) << "it was freed";
  EXPECT_GT(AvailableDeviceMemory(0) + (std::size_t(64) << 20), before)
    << "memory of other processes counts as available";
  ReleaseDeviceMemory();
  EXPECT_GE(FreeBytes() + (std::size_t(64) << 20), free);
}
