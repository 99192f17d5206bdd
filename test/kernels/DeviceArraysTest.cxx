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
#include "itkCudaSpline/kernels/DeviceArrays.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

using namespace itk::CudaSpline;

namespace
{
SourceDescriptor
LinearSamples()
{
  SourceDescriptor descriptor;
  descriptor.dimension = 2;
  descriptor.size[0] = 4;
  descriptor.size[1] = 3;
  descriptor.pixel = ScalarType::Float32;
  descriptor.element = ScalarType::Float32;
  descriptor.order = 1;
  return descriptor;
}
} // namespace

TEST(DeviceArrays, PixelsAreBorrowedWhereNothingIsPrepared)
{
  const std::vector<float> pixels(12);
  ExecutionContext         context;
  context.backend = Backend::Cuda;
  context.device = 0;
  const SourceDescriptor samples = LinearSamples();
  const auto             source = BorrowOnDevice(samples, pixels.data(), context);
  EXPECT_EQ(source->GetData(), pixels.data());
  EXPECT_EQ(source->GetBackend(), Backend::Cuda);
  EXPECT_EQ(source->GetDevice(), 0);
  EXPECT_TRUE(source->GetDescriptor() == samples);

  const auto refuse = [&](const SourceDescriptor & descriptor) {
    EXPECT_THROW(BorrowOnDevice(descriptor, pixels.data(), context), std::invalid_argument);
  };
  SourceDescriptor other = samples;
  other.order = 3;
  refuse(other); // filtered
  other = samples;
  other.element = ScalarType::Float64;
  refuse(other); // converted
  other = samples;
  other.components = 2;
  refuse(other); // in planes
  other = samples;
  other.storage = CoefficientStorage::Texture;
  refuse(other);
  other = samples;
  other.size[1] = 0;
  refuse(other);
  context.backend = Backend::Cpu;
  refuse(samples);
}
