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
// Batches whose arrays are in device memory: the bits of those from host memory, in the order of the caller's stream.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "Gpu.h"
#include "PointsCase.h"

#include <algorithm>

using namespace CudaSplineTest;

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
  uploader.Copy(places.Data(), test.places.data(), bytes(test.places), stream); // not waited for
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
