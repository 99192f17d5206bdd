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
// Batches whose arrays are in memory of a device. Expected: the same from host memory, bit for bit.

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"

#include "InterpolationTestSupport.h"

#include <algorithm>

using namespace CudaSplineTest;

TEST(CudaInterpolatorDeviceBatchesGpu, ArraysOnTheDevice)
{
  CUDASPLINE_NEEDS_GPU();
  using namespace itk::CudaSpline;
  using ImageType = itk::Image<float, 3>;
  using Function = itk::CudaBSplineInterpolateImageFunction<ImageType, double, float>;
  Random     random(__LINE__);
  const auto image = NoiseImage<ImageType>({ 31, 23, 17 }, random);
  auto       function = Function::New();
  function->SetDevice("gpu");
  function->SetInputImage(image);
  const auto          indices = PointsIn(function.GetPointer(), random, 3000, true);
  const std::size_t   count = indices.size();
  std::vector<double> flat;
  for (const auto & index : indices)
  {
    flat.insert(flat.end(), index.GetDataPointer(), index.GetDataPointer() + 3);
  }
  std::vector<float>                 values(count);
  std::vector<float>                 gradients(3 * count);
  std::vector<unsigned char>         inside(count);
  itk::CudaSplineBatchResults<float> expected;
  expected.values = values.data();
  expected.gradients = gradients.data();
  expected.inside = inside.data();
  expected.defaultValue = -3.0F;
  function->EvaluateAtContinuousIndices(flat.data(), count, expected);
  ASSERT_EQ(function->GetLastBackend(), Backend::Cuda) << function->GetFallbackReason();

  const Stream       stream;
  const DeviceBuffer places(flat.size() * sizeof(double), stream);
  const DeviceBuffer deviceValues(count * sizeof(float), stream);
  const DeviceBuffer deviceGradients(3 * count * sizeof(float), stream);
  const DeviceBuffer deviceInside(count, stream);
  Uploader           uploader;
  uploader.Copy(places.Data(), flat.data(), flat.size() * sizeof(double), stream);
  itk::CudaSplineBatchResults<float> results;
  results.values = static_cast<float *>(deviceValues.Data());
  results.gradients = static_cast<float *>(deviceGradients.Data());
  results.inside = static_cast<unsigned char *>(deviceInside.Data());
  results.defaultValue = -3.0F;
  results.stream = stream.Get();
  const auto * const points = static_cast<const double *>(places.Data());
  function->EvaluateAtContinuousIndices(points, count, results);
  ASSERT_EQ(function->GetLastBackend(), Backend::Cuda);
  std::vector<float>         foundValues(count);
  std::vector<float>         foundGradients(3 * count);
  std::vector<unsigned char> foundInside(count, 2);
  DownloadThroughStaging(foundValues.data(), results.values, count * sizeof(float), stream);
  DownloadThroughStaging(foundGradients.data(), results.gradients, 3 * count * sizeof(float), stream);
  DownloadThroughStaging(foundInside.data(), results.inside, count, stream);
  EXPECT_EQ(foundValues, values);
  EXPECT_EQ(foundGradients, gradients);
  EXPECT_EQ(foundInside, inside);

  // Only the mask, and another image while the first batch may still be running.
  results.values = nullptr;
  results.gradients = nullptr;
  function->EvaluateAtContinuousIndices(points, count, results);
  function->SetInputImage(NoiseImage<ImageType>({ 31, 23, 17 }, random));
  std::fill(foundInside.begin(), foundInside.end(), static_cast<unsigned char>(2));
  DownloadThroughStaging(foundInside.data(), results.inside, count, stream);
  EXPECT_EQ(foundInside, inside);

  // All arrays on one device, and a device that may be used.
  results.values = values.data();
  EXPECT_THROW(function->EvaluateAtContinuousIndices(points, count, results), itk::ExceptionObject);
  results.values = static_cast<float *>(deviceValues.Data());
  EXPECT_THROW(function->EvaluateAtContinuousIndices(flat.data(), count, results), itk::ExceptionObject);
  function->SetDevice("cpu");
  EXPECT_THROW(function->EvaluateAtContinuousIndices(points, count, results), itk::ExceptionObject);
}
