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
// Compares local correlation with gradients on a device with the host's; the same bits at every call.

#include "CorrelationCase.h"
#include "Gpu.h"
#include "OnDeviceToo.h"

#include "itkCudaSpline/device/DeviceError.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace CudaSplineTest;

namespace
{

template <typename TReal>
CorrelationResult<TReal>
OnDevice(const CorrelationCase<TReal> & test, bool ofFixed = true, bool ofMoving = true)
{
  const Stream                    stream;
  CorrelationResult<TReal>        result(test.pairs.images, test.fixed.size());
  const OnDeviceToo<TReal>        fixed(test.fixed, stream);
  const OnDeviceToo<TReal>        moving(test.moving, stream);
  const OnDeviceToo<std::uint8_t> mask(test.mask, stream);
  const OnDeviceToo<TReal>        sums(result.sums, stream);
  const OnDeviceToo<TReal>        fixedGradient(result.fixed, stream);
  const OnDeviceToo<TReal>        movingGradient(result.moving, stream);
  LocalCorrelationPairs           pairs = test.pairs;
  pairs.fixed = fixed.Data();
  pairs.moving = moving.Data();
  pairs.mask = static_cast<const std::uint8_t *>(mask.Data());
  pairs.sums = sums.Data();
  pairs.fixedGradient = ofFixed ? fixedGradient.Data() : nullptr;
  pairs.movingGradient = ofMoving ? movingGradient.Data() : nullptr;
  pairs.place = { true, stream.Get() };
  ExecutionContext context;
  context.backend = Backend::Cuda;
  EvaluateLocalCorrelationLoss(pairs, context);
  const auto download = [&](std::vector<TReal> & to, const OnDeviceToo<TReal> & from) {
    CheckCuda(cudaMemcpyAsync(to.data(), from.Data(), to.size() * sizeof(TReal), cudaMemcpyDeviceToHost, stream.Get()),
              "cudaMemcpyAsync");
  };
  download(result.sums, sums);
  download(result.fixed, fixedGradient);
  download(result.moving, movingGradient);
  stream.Synchronize();
  return result;
}

template <typename TReal>
void
ExpectNear(const std::vector<TReal> & found, const std::vector<TReal> & expected, double tolerance)
{
  TReal largest = 0;
  for (const TReal number : expected)
  {
    largest = std::max(largest, std::abs(number));
  }
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_NEAR(found[i], expected[i], tolerance * static_cast<double>(largest)) << i;
  }
}

template <typename TReal>
void
ExpectTheSame(double tolerance)
{
  FreshRandom random;
  struct Grid
  {
    Shape size;
    Shape radius;
  };
  // Sizes of several blocks with 32 columns and 8 or 16 rows, and few slices per block on a device with many
  // multiprocessors.
  for (const Grid & grid : { Grid{ { 200 }, { 9 } },
                             Grid{ { 1 }, { 3 } },
                             Grid{ { 61, 70 }, { 4, 4 } },
                             Grid{ { 50, 41 }, { 2, 2 } },
                             Grid{ { 20, 33, 67 }, { 2, 2, 2 } },
                             Grid{ { 20, 33, 67 }, { 1, 2, 2 } },
                             Grid{ { 19, 35, 40 }, { 4, 4, 4 } },
                             Grid{ { 19, 35, 40 }, { 3, 1, 5 } },
                             Grid{ { 18, 20, 21 }, { 9, 9, 9 } },
                             Grid{ { 5, 6, 7 }, { 100, 100, 100 } } })
  {
    for (const Masks masks : { Masks::None, Masks::OneForAll, Masks::Own })
    {
      SCOPED_TRACE(::testing::Message() << grid.size.size() << "D of " << grid.size[0] << ", radius " << grid.radius[0]
                                        << ", masks " << static_cast<int>(masks));
      const CorrelationCase<TReal> test(grid.size, grid.radius, 3, masks, 10.0, random);
      const auto                   host = test.OnTheHost();
      const auto                   found = OnDevice(test);
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.sums, host.sums, tolerance));
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.fixed, host.fixed, tolerance));
      ASSERT_NO_FATAL_FAILURE(ExpectNear(found.moving, host.moving, tolerance));
      const auto again = OnDevice(test);
      ASSERT_EQ(again.sums, found.sums);
      ASSERT_EQ(again.fixed, found.fixed);
      ASSERT_EQ(again.moving, found.moving);
      const auto ofFixed = OnDevice(test, true, false);
      const auto ofMoving = OnDevice(test, false, true);
      const auto ofNone = OnDevice(test, false, false);
      ASSERT_EQ(ofNone.sums, found.sums);
      ASSERT_NO_FATAL_FAILURE(ExpectNear(ofFixed.fixed, found.fixed, tolerance));
      ASSERT_NO_FATAL_FAILURE(ExpectNear(ofMoving.moving, found.moving, tolerance));
      ASSERT_TRUE(std::isnan(ofFixed.moving[0]) && std::isnan(ofMoving.fixed[0]) && std::isnan(ofNone.fixed[0]));
    }
  }
}

} // namespace

TEST(LocalCorrelationLossGpu, DoublesAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectTheSame<double>(1e-10); // as on the host: variances are sometimes a hundredth of squares of an offset of 10
}

TEST(LocalCorrelationLossGpu, FloatsAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  // Means that are summed in another order may be another float; centred values and the numbers of windows are rounded
  // with it.
  ExpectTheSame<float>(1e-4);
}

TEST(LocalCorrelationLossGpu, WindowsThatAreTooLargeAreRefusedBeforeAnythingRuns)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom                  random;
  const CorrelationCase<float> test({ 90, 90, 90 }, { 80, 80, 80 }, 1, Masks::None, 0.0, random);
  try
  {
    OnDevice(test);
    FAIL() << "Windows of 161^3 samples have no room in shared memory.";
  }
  catch (const DeviceError & error)
  {
    EXPECT_EQ(error.GetKind(), DeviceError::Kind::OutOfMemory);
  }
}
