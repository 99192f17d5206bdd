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
// Expected: counts worked out by hand from the definitions in CostModel.h, and seconds that are their sums; choices
// from speeds that the test gives.

#include "itkCudaSpline/kernels/BackendChoice.h"
#include "itkCudaSpline/kernels/Calibration.h"

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

/** Both sides of resampling a cube of floats onto one of its size. */
BackendEstimate
EstimateCube(std::int64_t size, Interpolation interpolation, unsigned int order, bool started, double overlap = 0.0)
{
  constexpr unsigned int threads = 16;
  const auto             source = Cube(size, ScalarType::Float32, ScalarType::Float32, order);
  const OperationWork    work = CountSourceWork(source) + CountResampleWork(source, OntoCube(size, interpolation));
  return EstimateBackends({ work, work }, TypicalSpeeds(threads), threads, started, overlap);
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
  second.downloadBytes = 11.0;
  const OperationWork work = first + second;
  const HostSpeeds    host{ 4.0, 1.0, 10.0, 100.0, 1000.0 };
  EXPECT_NEAR(EstimateSeconds(work, host, 4), 2.0 + 30.0 + 500.0 + 7000.0, 1e-3);
  EXPECT_NEAR(EstimateSeconds(work, host, 1), 4.0 * 7532.0, 1e-3) << "a quarter of the threads";
  const DeviceSpeeds device{ 50.0, 0.5, 1.0, 10.0, 100.0, 1000.0, 10000.0 };
  EXPECT_DOUBLE_EQ(EstimateSeconds(work, device), 0.5 + 1.0 + 30.0 + 500.0 + 7000.0 + 110000.0);
}

TEST(BackendChoice, AStartIsOnlyPaidWhereItIsWorthIt)
{
  EXPECT_FALSE(EstimateCube(32, Interpolation::BSpline, 3, false).PrefersDevice());
  EXPECT_FALSE(EstimateCube(128, Interpolation::BSpline, 3, false).PrefersDevice());
  EXPECT_FALSE(EstimateCube(256, Interpolation::Linear, 0, false).PrefersDevice()) << "a single linear resampling";
  EXPECT_TRUE(EstimateCube(1024, Interpolation::BSpline, 5, false).PrefersDevice());
  EXPECT_TRUE(EstimateCube(256, Interpolation::BSpline, 3, true).PrefersDevice()) << "started";
  EXPECT_FALSE(EstimateCube(8, Interpolation::Linear, 0, true).PrefersDevice()) << "less than a launch";
}

TEST(BackendChoice, AStartHidesBehindOtherWork)
{
  const auto alone = EstimateCube(512, Interpolation::BSpline, 3, false);
  const auto behind = EstimateCube(512, Interpolation::BSpline, 3, false, 10.0);
  EXPECT_EQ(alone.start, TypicalSpeeds(16).device.start);
  EXPECT_EQ(behind.start, 0.0);
  EXPECT_EQ(behind.device, alone.device);
  EXPECT_TRUE(behind.PrefersDevice());
  EXPECT_EQ(EstimateCube(512, Interpolation::BSpline, 3, false, 0.1).start, TypicalSpeeds(16).device.start - 0.1);
}

TEST(BackendChoice, WhatTheHostHasLostIsSaved)
{
  BackendEstimate estimate;
  estimate.host = 0.010;
  estimate.device = 0.004;
  estimate.start = 0.5;
  EXPECT_FALSE(estimate.PrefersDevice());
  EXPECT_FALSE(estimate.PrefersDevice(0.4));
  EXPECT_TRUE(estimate.PrefersDevice(0.5));
  estimate.device = 0.011;
  EXPECT_FALSE(estimate.PrefersDevice(1.0)) << "the device is no faster once it is started";
}

TEST(BackendChoice, TheReasonHasTheNumbersInALine)
{
  BackendEstimate estimate;
  estimate.host = 0.0034;
  estimate.device = 0.001;
  EXPECT_EQ(estimate.ReasonForHost(), "estimated 3.4 ms on the CPU and 1 ms on the GPU");
  estimate.start = 1.5;
  EXPECT_EQ(estimate.ReasonForHost(), "estimated 3.4 ms on the CPU and 1.5 s on the GPU, 1.5 s of these to start it");
  estimate.host = 123.0;
  estimate.device = 0.0;
  estimate.start = 0.468;
  EXPECT_EQ(estimate.ReasonForHost(), "estimated 120 s on the CPU and 470 ms on the GPU, 470 ms of these to start it");
  estimate.host = 0.00002345;
  estimate.start = 0.0;
  EXPECT_EQ(estimate.ReasonForHost(), "estimated 0.023 ms on the CPU and 0 ms on the GPU");
}
