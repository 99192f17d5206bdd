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
// Batches of points on a device, compared with those of the host: the same operations, some of which the device fuses.

#include "Gpu.h"
#include "PointsCase.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{
ExecutionContext
OnGpu()
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  return context;
}

void
ExpectNear(const std::vector<double> & device, const std::vector<double> & host, double bound)
{
  ASSERT_EQ(device.size(), host.size());
  for (std::size_t i = 0; i < host.size(); ++i)
  {
    ASSERT_NEAR(device[i], host[i], bound) << i;
  }
}
} // namespace

TEST(SamplePointsGpu, AgreesWithCpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : PointsShapes)
  {
    for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (int order = -1; order <= 5; ++order)
      {
        const PointsCase test = MakePointsCase(shape,
                                               order < 0 ? Interpolation::CubicConvolution : Interpolation::BSpline,
                                               static_cast<unsigned int>(std::max(order, 0)),
                                               element,
                                               3000,
                                               random);
        SCOPED_TRACE(testing::Message() << shape.size() << "D, order " << order << ", " << NameOf(element));
        for (const Derivatives derivatives : { Derivatives::None, Derivatives::First, Derivatives::Second })
        {
          const auto device = Compute(test, derivatives, OnGpu());
          const auto host = Compute(test, derivatives, ExecutionContext());
          EXPECT_EQ(device.inside, host.inside);
          ExpectNear(device.values, host.values, PointsAgreement(test, 0));
          ExpectNear(device.gradients, host.gradients, PointsAgreement(test, 1));
          ExpectNear(device.hessians, host.hessians, PointsAgreement(test, 2));
          EXPECT_EQ(Compute(test, derivatives, OnGpu(), -1.0).values, device.values) << "again";
        }
      }
    }
  }
}

TEST(SamplePointsGpu, OtherInterpolatorsAgreeWithCpu)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom random;
  for (const auto & shape : PointsShapes)
  {
    for (const Interpolation interpolation :
         { Interpolation::Nearest, Interpolation::Linear, Interpolation::WindowedSinc, Interpolation::LabelGaussian })
    {
      PointsCase test = MakePointsCase(shape, interpolation, 0, ScalarType::Float64, 3000, random);
      test.points.radius = 1 + static_cast<int>(random.Engine()() % MaximumSincRadius);
      test.points.window = static_cast<SincWindow>(random.Engine()() % 5);
      for (double & sigma : test.points.sigma)
      {
        sigma = random.Uniform(0.4, 2.0);
      }
      test.points.cutOff = test.points.sigma;
      SCOPED_TRACE(testing::Message() << shape.size() << "D, " << NameOf(interpolation));
      const auto device = Compute(test, Derivatives::None, OnGpu());
      const auto host = Compute(test, Derivatives::None, ExecutionContext());
      EXPECT_EQ(device.inside, host.inside);
      if (interpolation == Interpolation::LabelGaussian)
      {
        // Every pixel has its own label here: another one may win if two weights agree within rounding.
        std::int64_t others = 0;
        for (std::size_t i = 0; i < host.values.size(); ++i)
        {
          others += device.values[i] != host.values[i] ? 1 : 0;
        }
        EXPECT_LE(others, static_cast<std::int64_t>(host.values.size() / 4));
        continue;
      }
      // The absolute weights of a sinc sum to less than 2.3 per axis, with errors within 32 units.
      const double bound =
        interpolation == Interpolation::Nearest ? 0.0 : 3.0 * 66 * 6 * 13.0 * 0x1p-53 * Largest(test);
      ExpectNear(device.values, host.values, bound);
    }
  }
}

TEST(SamplePointsGpu, SeveralChunks)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  const PointsCase test =
    MakePointsCase({ 23, 17, 19 }, Interpolation::BSpline, 3, ScalarType::Float32, 1500000, random);
  const auto device = Compute(test, Derivatives::Second, OnGpu());
  const auto host = Compute(test, Derivatives::Second, ExecutionContext());
  EXPECT_EQ(device.inside, host.inside);
  ExpectNear(device.values, host.values, PointsAgreement(test, 0));
  ExpectNear(device.hessians, host.hessians, PointsAgreement(test, 2));
}

TEST(SamplePointsGpu, AnAbortLeavesTheDeviceUsable)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  const PointsCase test =
    MakePointsCase({ 23, 17, 19 }, Interpolation::BSpline, 3, ScalarType::Float32, 3000000, random);
  ExecutionContext context = OnGpu();
  context.progress = [](double fraction) { return fraction < 0.3; };
  EXPECT_THROW(Compute(test, Derivatives::None, context), OperationAborted);
  const PointsCase again = MakePointsCase({ 9, 9 }, Interpolation::BSpline, 3, ScalarType::Float32, 100, random);
  ExpectNear(Compute(again, Derivatives::None, OnGpu()).values,
             Compute(again, Derivatives::None, ExecutionContext()).values,
             PointsAgreement(again, 0));
}
