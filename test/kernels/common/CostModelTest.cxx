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
// Expected: counts that were computed manually from the definitions in CostModel.h, and times that are their sums.

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"

#include <gtest/gtest.h>

using namespace itk::CudaSpline;

namespace
{
SourceDescriptor
Cube(std::int64_t size, ScalarType pixel, ScalarType element, unsigned int order)
{
  SourceDescriptor source;
  source.size = { { size, size, size, 1 } };
  source.pixel = pixel;
  source.element = element;
  source.order = order;
  return source;
}

ResampleDescriptor
OntoCube(std::int64_t size, Interpolation interpolation)
{
  ResampleDescriptor resample;
  resample.interpolation = interpolation;
  resample.output = ScalarType::Float32;
  resample.samples = size;
  resample.lines = size * size;
  return resample;
}
} // namespace

TEST(CostModel, TransformsAndComponentsAreCounted)
{
  SourceDescriptor    source = Cube(10, ScalarType::Float32, ScalarType::Float32, 0);
  ResampleDescriptor  resample = OntoCube(10, Interpolation::Linear);
  const OperationWork plain = CountResampleWork(source, resample);
  EXPECT_EQ(plain.uploadBytes, 0.0);
  EXPECT_EQ(plain.taps, 1000.0 * 8);

  TransformChain chain;
  chain.stages.resize(2);
  chain.stages[1].kind = TransformKind::BSpline;
  resample.chain = &chain;
  const OperationWork walked = CountResampleWork(source, resample);
  EXPECT_EQ(walked.uploadBytes, static_cast<double>(chain.Bytes(3)));
  EXPECT_EQ(walked.taps, plain.taps + 1000.0 * 2 * 3 * 64) << "doubles count twice";

  resample.chain = nullptr;
  resample.indexProvider = [](std::int64_t, std::int64_t, double *) {};
  EXPECT_EQ(CountResampleWork(source, resample).uploadBytes, 1000.0 * 24);

  source.components = 3;
  const OperationWork vectors = CountResampleWork(source, resample);
  EXPECT_EQ(vectors.taps, 3.0 * plain.taps);
  EXPECT_EQ(vectors.downloadBytes, 3.0 * plain.downloadBytes);
}

TEST(CostModel, DisplacementsAreCounted)
{
  TransformChain         chain;
  DisplacementDescriptor descriptor;
  descriptor.dimension = 3;
  descriptor.samples = 10;
  descriptor.lines = 100;
  const OperationWork straight = CountDisplacementWork(descriptor);
  EXPECT_EQ(straight.samples, 1000.0);
  EXPECT_EQ(straight.taps, 0.0);
  EXPECT_EQ(straight.uploadBytes, 100.0 * 2 * 3 * 8);
  EXPECT_EQ(straight.downloadBytes, 1000.0 * 3 * 4);
  chain.stages.resize(1);
  chain.stages[0].kind = TransformKind::DisplacementField;
  descriptor.chain = &chain;
  const OperationWork walked = CountDisplacementWork(descriptor);
  EXPECT_EQ(walked.taps, 1000.0 * 2 * 3 * 8) << "doubles count twice";
  EXPECT_EQ(walked.uploadBytes, static_cast<double>(chain.Bytes(3)));
}

TEST(CostModel, SourcesAreCounted)
{
  SourceDescriptor source;
  source.dimension = 3;
  source.size = { { 10, 20, 1, 1 } };
  source.pixel = ScalarType::Int16;
  source.element = ScalarType::Float32;
  source.order = 3;
  OperationWork work = CountSourceWork(source);
  EXPECT_EQ(work.uploadBytes, 400.0);
  EXPECT_EQ(work.convertSamples, 200.0);
  EXPECT_EQ(work.filterPasses, 400.0) << "the axis of one sample is not filtered; a cubic has one pole";
  EXPECT_EQ(work.samples + work.taps + work.downloadBytes, 0.0);

  source.order = 5;
  source.element = ScalarType::Float64;
  work = CountSourceWork(source);
  EXPECT_EQ(work.filterPasses, 1600.0) << "two poles, and a double counts twice";

  source.order = 1;
  source.element = source.pixel;
  work = CountSourceWork(source);
  EXPECT_EQ(work.convertSamples + work.filterPasses, 0.0);
  EXPECT_EQ(CountPrefilterWork(source).downloadBytes, 400.0);
}

TEST(CostModel, ResamplingsAreCounted)
{
  const auto source = Cube(8, ScalarType::UInt8, ScalarType::Float64, 3);
  const auto count = [&](Interpolation interpolation) { return CountResampleWork(source, OntoCube(4, interpolation)); };
  EXPECT_EQ(count(Interpolation::Nearest).samples, 64.0);
  EXPECT_EQ(count(Interpolation::Nearest).taps, 0.0);
  EXPECT_EQ(count(Interpolation::Linear).taps, 64.0 * 8.0 * 2.0);
  EXPECT_EQ(count(Interpolation::BSpline).taps, 64.0 * 64.0 * 2.0);
  EXPECT_EQ(count(Interpolation::BSpline).downloadBytes, 256.0);
}

TEST(CostModel, SecondsAreTheSumOfTheParts)
{
  OperationWork first;
  first.uploadBytes = 1.0;
  first.convertSamples = 2.0;
  first.filterPasses = 3.0;
  OperationWork second;
  second.samples = 5.0;
  second.taps = 7.0;
  second.sums = 13.0;
  second.downloadBytes = 11.0;
  const OperationWork work = first + second;
  HostSpeeds          host;
  host.convert = 1.0;
  host.filter = 10.0;
  host.sample = 100.0;
  host.tap = 1000.0;
  host.sum = 10000.0;
  EXPECT_DOUBLE_EQ(EstimateSeconds(work, host), 2.0 + 30.0 + 500.0 + 7000.0 + 130000.0);
  DeviceSpeeds device;
  device.start = 50.0;
  device.end = 20.0;
  device.operation = 0.5;
  device.upload = 1.0;
  device.filter = 10.0;
  device.sample = 100.0;
  device.tap = 1000.0;
  device.sum = 10000.0;
  device.download = 100000.0;
  EXPECT_DOUBLE_EQ(EstimateSeconds(work, device), 0.5 + 1.0 + 30.0 + 500.0 + 7000.0 + 130000.0 + 1100000.0);
}

TEST(CostModel, AHostOfMoreThreadsIsFaster)
{
  EXPECT_LT(TypicalHost(16).tap, TypicalHost(4).tap);
  EXPECT_EQ(TypicalHost(0).tap, TypicalHost(1).tap);
}

TEST(CostModel, KindsAreToldApart)
{
  SourceDescriptor   source = Cube(10, ScalarType::Float32, ScalarType::Float32, 3);
  ResampleDescriptor resample = OntoCube(10, Interpolation::BSpline);
  const auto         kind = [&] { return CountResampleWork(source, resample).kind; };
  const auto         cubic = kind();
  EXPECT_EQ(cubic, CountResampleWork(Cube(20, ScalarType::Float32, ScalarType::Float32, 3), resample).kind)
    << "the kind does not depend on the size";
  source.order = 5;
  EXPECT_NE(kind(), cubic);
  source.order = 3;
  source.element = ScalarType::Float64;
  EXPECT_NE(kind(), cubic);
  source.element = ScalarType::Float32;
  TransformChain chain;
  chain.stages.resize(1);
  resample.chain = &chain;
  EXPECT_NE(kind(), cubic);
  const OperationWork made = CountSourceWork(source);
  EXPECT_NE((made + CountResampleWork(source, resample)).kind, kind());
  EXPECT_EQ((OperationWork() + made).kind, made.kind) << "nothing has no kind";
  EXPECT_EQ((made + OperationWork()).kind, made.kind);
}
