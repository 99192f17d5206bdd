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
// Batches whose arrays are in device memory: the same bits as from host memory, in the order of the caller's stream.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "Gpu.h"
#include "PointsCase.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

using namespace CudaSplineTest;

namespace
{
template <typename TNumber>
std::size_t
BytesOf(const std::vector<TNumber> & numbers)
{
  return numbers.size() * sizeof(TNumber);
}

/** Keeps a stream busy for some hundredths of a second. */
class Work
{
public:
  explicit Work(const Stream & stream)
    : m_Memory(Bytes, stream)
    , m_Stream(stream)
  {}

  void
  Enqueue() const
  {
    for (int i = 0; i < 100;
         ++i) // a memory with terabytes per second needs at least a fifth of a millisecond to fill a gigabyte
    {
      CheckCuda(cudaMemsetAsync(m_Memory.Data(), i, Bytes, m_Stream.Get()), "cudaMemsetAsync");
    }
  }

private:
  static constexpr std::size_t Bytes = std::size_t{ 1 } << 30;
  DeviceBuffer                 m_Memory;
  const Stream &               m_Stream;
};
} // namespace

TEST(SamplePointsDeviceGpu, SameBitsAsFromHostMemory)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  PointsCase test = MakePointsCase({ 23, 17, 19 }, Interpolation::BSpline, 3, ScalarType::Float32, 5000, random);
  test.points.pointType = ScalarType::Float64;
  const auto host = Compute(test, Derivatives::Second, context);

  const Stream stream;
  const auto   bytes = [](const auto & vector) { return vector.size() * sizeof(vector[0]); };
  DeviceBuffer places(bytes(test.places), stream);
  DeviceBuffer values(bytes(host.values), stream);
  DeviceBuffer gradients(bytes(host.gradients), stream);
  DeviceBuffer hessians(bytes(host.hessians), stream);
  DeviceBuffer inside(bytes(host.inside), stream);
  EXPECT_EQ(DeviceOfPointer(places.Data()), 0);
  EXPECT_EQ(DeviceOfPointer(test.places.data()), -1);

  PointsDescriptor points = test.points;
  points.derivatives = Derivatives::Second;
  points.points = places.Data();
  points.values = values.Data();
  points.gradients = gradients.Data();
  points.hessians = hessians.Data();
  points.inside = static_cast<std::uint8_t *>(inside.Data());
  points.onDevice = true;
  points.stream = stream.Get();
  const auto source = MakeSource(test.source, test.pixels.data(), context);
  Uploader   uploader;
  uploader.Copy(places.Data(), test.places.data(), bytes(test.places), stream); // without waiting
  SamplePoints(points, *source, context);
  PointsResult result = host;
  std::fill(result.values.begin(), result.values.end(), 0.0);
  DownloadThroughStaging(result.values.data(), values.Data(), bytes(result.values), stream);
  DownloadThroughStaging(result.gradients.data(), gradients.Data(), bytes(result.gradients), stream);
  DownloadThroughStaging(result.hessians.data(), hessians.Data(), bytes(result.hessians), stream);
  DownloadThroughStaging(result.inside.data(), inside.Data(), bytes(result.inside), stream);
  EXPECT_EQ(result.values, host.values);
  EXPECT_EQ(result.gradients, host.gradients);
  EXPECT_EQ(result.hessians, host.hessians);
  EXPECT_EQ(result.inside, host.inside);
}

TEST(SamplePointsDeviceGpu, ASourceThatIsLetGoIsFreedAfterItsReaders)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  PointsCase test = MakePointsCase({ 61, 47, 39 }, Interpolation::BSpline, 3, ScalarType::Float32, 20000, random);
  test.points.pointType = ScalarType::Float64;
  const auto host = Compute(test, Derivatives::None, context);
  for (const bool again : { false, true })
  {
    const Stream     first;
    const Stream     second;
    const Work       work(first);
    DeviceBuffer     places(BytesOf(test.places), first);
    DeviceBuffer     values(BytesOf(host.values), first);
    DeviceBuffer     others(BytesOf(host.values), second);
    PointsDescriptor points = test.points;
    points.points = places.Data();
    points.values = values.Data();
    points.onDevice = true;
    auto     source = MakeSource(test.source, test.pixels.data(), context);
    Uploader uploader;
    uploader.Copy(places.Data(), test.places.data(), BytesOf(test.places), first);
    first.Synchronize();
    second.Synchronize();
    // In two streams, the first of which is late, and once more in the first one.
    work.Enqueue();
    points.stream = first.Get();
    SamplePoints(points, *source, context);
    points.stream = second.Get();
    points.values = others.Data();
    SamplePoints(points, *source, context);
    if (again)
    {
      points.stream = first.Get();
      points.values = values.Data();
      SamplePoints(points, *source, context);
    }
    EXPECT_EQ(cudaStreamQuery(first.Get()), cudaErrorNotReady) << "too fast a device: nothing is tested";
    source.reset();
    EXPECT_EQ(cudaStreamQuery(first.Get()), cudaSuccess) << "freed while it was read";
    // Data that replace them have no effect.
    std::vector<unsigned char> zeros(test.pixels.size());
    const auto                 next = MakeSource(test.source, zeros.data(), context);
    std::vector<double>        found(host.values.size());
    DownloadThroughStaging(found.data(), values.Data(), BytesOf(found), first);
    EXPECT_EQ(found, host.values);
    DownloadThroughStaging(found.data(), others.Data(), BytesOf(found), second);
    EXPECT_EQ(found, host.values);
  }
}

TEST(SamplePointsDeviceGpu, TheMaskAlone)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  for (const Interpolation interpolation : { Interpolation::BSpline, Interpolation::Linear })
  {
    PointsCase test = MakePointsCase({ 23, 17, 19 }, interpolation, 3, ScalarType::Float32, 5000, random);
    test.points.pointType = ScalarType::Float64;
    const auto       host = Compute(test, Derivatives::None, context);
    const Stream     stream;
    DeviceBuffer     places(BytesOf(test.places), stream);
    DeviceBuffer     inside(BytesOf(host.inside), stream);
    PointsDescriptor points = test.points;
    points.points = places.Data();
    points.values = nullptr;
    points.inside = static_cast<std::uint8_t *>(inside.Data());
    points.onDevice = true;
    points.stream = stream.Get();
    const auto source = MakeSource(test.source, test.pixels.data(), context);
    Uploader   uploader;
    uploader.Copy(places.Data(), test.places.data(), BytesOf(test.places), stream);
    SamplePoints(points, *source, context);
    auto found = host.inside;
    std::fill(found.begin(), found.end(), 2);
    DownloadThroughStaging(found.data(), inside.Data(), BytesOf(found), stream);
    EXPECT_EQ(found, host.inside);
    points.inside = nullptr;
    EXPECT_THROW(SamplePoints(points, *source, context), std::invalid_argument);
  }
}

// Work that becomes part of a graph is executed when the graph is launched, so the call could not wait for it.
TEST(SamplePointsDeviceGpu, StreamsThatAreCapturedAreRefused)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  PointsCase test = MakePointsCase({ 11, 12, 13 }, Interpolation::BSpline, 3, ScalarType::Float32, 100, random);
  test.points.pointType = ScalarType::Float64;
  const auto   host = Compute(test, Derivatives::None, context);
  const Stream stream;
  DeviceBuffer places(BytesOf(test.places), stream);
  DeviceBuffer values(BytesOf(host.values), stream);
  Uploader     uploader;
  uploader.Copy(places.Data(), test.places.data(), BytesOf(test.places), stream);
  stream.Synchronize();
  PointsDescriptor points = test.points;
  points.points = places.Data();
  points.values = values.Data();
  points.onDevice = true;
  points.stream = stream.Get();
  const auto source = MakeSource(test.source, test.pixels.data(), context);
  CheckCuda(cudaStreamBeginCapture(stream.Get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  EXPECT_THROW(SamplePoints(points, *source, context), std::invalid_argument);
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream.Get(), &graph), "cudaStreamEndCapture");
  std::size_t nodes = 1;
  CheckCuda(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
  EXPECT_EQ(nodes, 0U) << "nothing was enqueued";
  CheckCuda(cudaGraphDestroy(graph), "cudaGraphDestroy");

  SamplePoints(points, *source, context); // the stream as it was
  std::vector<double> result(host.values.size());
  DownloadThroughStaging(result.data(), values.Data(), BytesOf(result), stream);
  EXPECT_EQ(result, host.values);
}
