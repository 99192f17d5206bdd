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
// Expected: in device memory the same bits as the source that MakeSource() makes there, after an even and an odd number
// of passes.

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "Gpu.h"
#include "../common/KernelTestData.h"

#include <algorithm>

using namespace CudaSplineTest;

TEST(PrefilterInPlaceGpu, IsWhatMakeSourceMakes)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  for (const std::vector<std::int64_t> & shape :
       std::vector<std::vector<std::int64_t>>{ { 500 }, { 200, 150 }, { 130, 90, 40 }, { 40, 30, 20 }, { 9, 8, 7, 6 } })
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      SCOPED_TRACE(testing::Message() << NameOf(type) << ", first size " << shape[0]);
      const SourceDescriptor     descriptor = MakeDescriptor(shape, type, type, 3);
      const auto                 pixels = RandomPixels(type, descriptor.Count(), random);
      std::vector<unsigned char> expected(pixels.size());
      Prefilter(descriptor, pixels.data(), expected.data(), context);

      const Stream stream;
      DeviceBuffer elements(pixels.size(), stream);
      Uploader().Copy(elements.Data(), pixels.data(), pixels.size(), stream);
      stream.Synchronize();
      PrefilterInPlace(descriptor, elements.Data(), context);
      std::vector<unsigned char> result(pixels.size());
      DownloadThroughStaging(result.data(), elements.Data(), pixels.size(), stream);
      EXPECT_TRUE(result == expected);
    }
  }
}
