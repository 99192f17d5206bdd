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
// Joint histograms on a device equal those of the host, with the same bits at every call.

#include "Gpu.h"
#include "JointCase.h"
#include "OnDeviceToo.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

using namespace CudaSplineTest;

namespace
{

template <typename TReal>
void
ExpectTheSame(double tolerance)
{
  FreshRandom random;
  // Half a unit of a weight in double precision on a device, see ParzenWeight; in single precision it is included in
  // the tolerance.
  const double roundingOfWeights = sizeof(TReal) == sizeof(double) ? 0x1p-39 : 0.0;
  for (const std::int64_t bins : { 5, 32, 64, 65, 200 }) // up to 64 in shared memory
  {
    for (const bool isMasked : { false, true })
    {
      SCOPED_TRACE(::testing::Message() << bins << " bins, masked " << isMasked);
      const JointCase<TReal>          test(50000, bins, isMasked, random);
      const Stream                    stream;
      const OnDeviceToo<TReal>        fixed(test.fixed, stream);
      const OnDeviceToo<TReal>        moving(test.moving, stream);
      const OnDeviceToo<std::uint8_t> mask(test.mask, stream);
      const OnDeviceToo<TReal>        ends(test.ends, stream);
      const OnDeviceToo<TReal>        weights(test.weights, stream);
      const OnDeviceToo<TReal>        joint(test.weights, stream); // as many numbers
      const OnDeviceToo<TReal>        ofFixed(test.fixed, stream);
      const OnDeviceToo<TReal>        ofMoving(test.fixed, stream);
      JointSamples                    samples = test.samples;
      samples.fixed = fixed.Data();
      samples.moving = moving.Data();
      samples.mask = isMasked ? static_cast<const std::uint8_t *>(mask.Data()) : nullptr;
      samples.ends = ends.Data();
      samples.place = { true, stream.Get() };
      ExecutionContext context;
      context.backend = Backend::Cuda;
      const auto download = [&](const OnDeviceToo<TReal> & from, std::size_t count) {
        std::vector<TReal> to(count);
        CheckCuda(cudaMemcpyAsync(to.data(), from.Data(), count * sizeof(TReal), cudaMemcpyDeviceToHost, stream.Get()),
                  "cudaMemcpyAsync");
        stream.Synchronize();
        return to;
      };
      AccumulateJointHistogram(samples, joint.Data(), context);
      const auto found = download(joint, test.weights.size());
      const auto wanted = test.OnTheHost();
      for (std::size_t i = 0; i < found.size(); ++i)
      {
        ASSERT_NEAR(found[i], wanted[i], (tolerance + roundingOfWeights) * 50000) << i;
      }
      AccumulateJointHistogram(samples, joint.Data(), context);
      ASSERT_EQ(download(joint, test.weights.size()), found);
      DifferentiateJointHistogram(samples, weights.Data(), ofFixed.Data(), ofMoving.Data(), context);
      std::vector<TReal> byFixed;
      std::vector<TReal> byMoving;
      test.GradientsOnTheHost(&byFixed, &byMoving);
      const auto foundFixed = download(ofFixed, byFixed.size());
      const auto foundMoving = download(ofMoving, byMoving.size());
      for (std::size_t i = 0; i < byFixed.size(); ++i)
      {
        // Positions are proportional to the number of bins, and so are slopes.
        ASSERT_NEAR(foundFixed[i], byFixed[i], 100.0 * static_cast<double>(bins * bins) * tolerance) << i;
        ASSERT_NEAR(foundMoving[i], byMoving[i], 100.0 * static_cast<double>(bins * bins) * tolerance) << i;
      }
    }
  }
}

} // namespace

TEST(JointHistogramGpu, DoublesAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectTheSame<double>(1e-13); // weights with a few roundings, of positions up to 200
}

TEST(JointHistogramGpu, FloatsAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectTheSame<float>(5e-5); // 2^-24, likewise
}
