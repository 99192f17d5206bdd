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
// Compares derivatives at points on a device with the host's; sums have the same bits at every call.

#include "GradientCase.h"
#include "OnDeviceToo.h"

#include "../arrays/ArrayOnDevice.h"
#include "Gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Runs an operation on the device. */
template <typename TReal>
std::vector<TReal>
OnDevice(const GradientCase<TReal> & test,
         void (*operation)(const SplinePoints &, const ExecutionContext &),
         std::size_t results)
{
  const Stream             stream;
  std::vector<TReal>       values(results, std::numeric_limits<TReal>::quiet_NaN());
  const OnDeviceToo<TReal> places(test.places, stream);
  const OnDeviceToo<TReal> coefficients(test.coefficients, stream);
  const OnDeviceToo<TReal> weights(test.weights, stream);
  const OnDeviceToo<TReal> result(values, stream);
  SplinePoints             points = test.points;
  points.points = places.Data();
  points.coefficients = coefficients.Data();
  points.weights = weights.Data();
  points.result = result.Data();
  points.place = { true, stream.Get() };
  ExecutionContext context;
  context.backend = Backend::Cuda;
  operation(points, context);
  CheckCuda(
    cudaMemcpyAsync(values.data(), result.Data(), values.size() * sizeof(TReal), cudaMemcpyDeviceToHost, stream.Get()),
    "cudaMemcpyAsync");
  stream.Synchronize();
  return values;
}

template <typename TReal>
std::vector<TReal>
OnTheHost(const GradientCase<TReal> & test,
          void (*operation)(const SplinePoints &, const ExecutionContext &),
          std::size_t results)
{
  std::vector<TReal> values(results, std::numeric_limits<TReal>::quiet_NaN());
  SplinePoints       points = test.points;
  points.result = values.data();
  operation(points, OnHost());
  return values;
}

/** Many points all over two images and around them, some of them NaN, processed in their order and row by row: each
 * point has the same results, and sums are the same.
 *
 * \param[in] isShared both images have the same points */
template <typename TReal>
void
ExpectTheSameInRows(bool isShared)
{
  SCOPED_TRACE(isShared ? "one list of points" : "two lists of points");
  Random              random(__LINE__ + sizeof(TReal));
  const Shape         shape{ 40, 48, 56 };
  const std::int64_t  lists = isShared ? 1 : 2;
  const std::int64_t  count = (std::int64_t{ 1 } << 22) / lists + 3; // enough to be sorted
  GradientCase<TReal> test(shape, 3, ArrayMode::Mirror, 0, random);
  test.points.batches = 2;
  test.points.channels = 1;
  test.points.count = count;
  test.points.pointStride = isShared ? 0 : 3 * count;
  test.points.coefficientStride = CountOf(shape);
  test.places = RandomOf<TReal>(lists * 3 * count, random);
  for (TReal & place : test.places)
  {
    place = TReal(28) + TReal(30) * place;
  }
  test.places[7] = std::numeric_limits<TReal>::quiet_NaN();
  test.places[3 * count - 100] = std::numeric_limits<TReal>::infinity();
  test.coefficients = RandomOf<TReal>(2 * CountOf(shape), random);
  test.weights = RandomOf<TReal>(2 * count, random);

  // By list, row, and cell along it.
  std::vector<std::int64_t> order(static_cast<std::size_t>(lists * count));
  std::iota(order.begin(), order.end(), 0);
  const auto rowOf = [&](std::int64_t point) {
    const TReal * const at = test.places.data() + 3 * point;
    const auto          cell = [](TReal x) { return x > TReal(0) && x < TReal(100) ? std::floor(x) : TReal(0); };
    return std::tuple(point / count, cell(at[0]), cell(at[1]), cell(at[2]));
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return rowOf(a) < rowOf(b); });
  GradientCase<TReal> inRows = test;
  for (std::size_t i = 0; i < order.size(); ++i)
  {
    std::copy_n(test.places.data() + 3 * order[i], 3, inRows.places.data() + 3 * i);
  }
  const auto placeOf = [&](std::size_t i) { // point i of all points in rows, in the order of the caller
    const auto point = static_cast<std::int64_t>(i);
    return static_cast<std::size_t>(isShared ? point / count * count + order[i % static_cast<std::size_t>(count)]
                                             : order[i]);
  };
  for (std::size_t i = 0; i < test.weights.size(); ++i)
  {
    inRows.weights[i] = test.weights[placeOf(i)];
  }

  const auto expectSame = [&](auto operation, std::size_t components) {
    const auto scattered = OnDevice(test, operation, test.weights.size() * components);
    const auto ordered = OnDevice(inRows, operation, test.weights.size() * components);
    for (std::size_t i = 0; i < test.weights.size(); ++i)
    {
      const TReal * const one = ordered.data() + i * components;
      ASSERT_EQ(0, std::memcmp(one, scattered.data() + placeOf(i) * components, components * sizeof(TReal))) << i;
    }
  };
  expectSame(EvaluateDerivatives, 1);
  expectSame(ContractDerivatives, 3);
  EXPECT_EQ(OnDevice(test, ScatterDerivatives, test.coefficients.size()),
            OnDevice(inRows, ScatterDerivatives, test.coefficients.size()));
}

template <typename TReal>
void
ExpectTheSame(double tolerance)
{
  Random random(__LINE__ + sizeof(TReal));
  for (const Shape & shape : { Shape{ 9 }, Shape{ 1 }, Shape{ 5, 8 }, Shape{ 4, 5, 3 } })
  {
    for (const ArrayMode mode : Modes)
    {
      for (unsigned int order = 0; order <= 5; ++order)
      {
        for (unsigned int derivatives = 0; derivatives <= MaxPointDerivatives; ++derivatives)
        {
          SCOPED_TRACE(::testing::Message()
                       << shape.size() << "D of " << shape[0] << ", mode " << static_cast<int>(mode) << ", order "
                       << order << ", derivatives " << derivatives);
          GradientCase<TReal> test(shape, order, mode, derivatives, random, false);
          test.points.border = Border;
          const auto numbers = static_cast<std::size_t>(test.Numbers(derivatives));
          const auto compare = [&](auto operation, std::size_t results, double terms) {
            const auto device = OnDevice(test, operation, results);
            const auto host = OnTheHost(test, operation, results);
            for (std::size_t i = 0; i < results; ++i)
            {
              ASSERT_NEAR(device[i], host[i], terms * tolerance);
            }
          };
          compare(EvaluateDerivatives, numbers, 1.0);
          compare(ContractDerivatives, test.places.size(), static_cast<double>(numbers));
          compare(ScatterDerivatives, test.coefficients.size(), static_cast<double>(numbers));
          ASSERT_EQ(OnDevice(test, ScatterDerivatives, test.coefficients.size()),
                    OnDevice(test, ScatterDerivatives, test.coefficients.size()));
        }
      }
    }
  }
}

} // namespace

TEST(SplineGradientsGpu, DoublesAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectTheSame<double>(1e-12);
}

TEST(SplineGradientsGpu, FloatsAreThoseOfTheHost)
{
  CUDASPLINE_NEEDS_GPU();
  ExpectTheSame<float>(3e-5); // of the position within a support, amplified by the derivative
}

TEST(SplineGradientsGpu, ScatteredPointsHaveTheBitsOfThoseInRows)
{
  CUDASPLINE_NEEDS_GPU();
  for (const bool isShared : { false, true })
  {
    ExpectTheSameInRows<float>(isShared);
    ExpectTheSameInRows<double>(isShared);
  }
}

TEST(SplineGradientsGpu, ManyPointsInOneSampleHaveTheSameBits)
{
  CUDASPLINE_NEEDS_GPU();
  Random              random(__LINE__);
  GradientCase<float> test({ 6, 7, 8 }, 3, ArrayMode::Mirror, 0, random);
  test.points.batches = test.points.channels = 1;
  test.points.count = 100000;
  test.places = RandomOf<float>(3 * test.points.count, random); // all about the first sample
  test.weights = RandomOf<float>(test.points.count, random);
  test.coefficients.assign(6 * 7 * 8, 0.0F);
  const auto first = OnDevice(test, ScatterDerivatives, test.coefficients.size());
  for (int i = 0; i < 5; ++i)
  {
    ASSERT_EQ(OnDevice(test, ScatterDerivatives, test.coefficients.size()), first);
  }
  test.weights[17] = std::numeric_limits<float>::infinity();
  const auto  broken = OnDevice(test, ScatterDerivatives, test.coefficients.size());
  std::size_t hit = 0;
  for (std::size_t i = 0; i < broken.size(); ++i)
  {
    hit += std::isnan(broken[i]) ? 1 : 0;
    ASSERT_TRUE(std::isnan(broken[i]) || broken[i] == first[i] || std::abs(broken[i] - first[i]) < 1.0F);
  }
  EXPECT_GT(hit, 0U);
  EXPECT_LE(hit, 64U);
}

TEST(SplineGradientsGpu, AdjointOfThePrefilter)
{
  CUDASPLINE_NEEDS_GPU();
  Random random(__LINE__);
  for (const ArrayMode mode : Modes)
  {
    for (unsigned int order = 2; order <= 5; ++order)
    {
      const Shape         shape{ 2, 20, 1, 33 };
      auto                host = RandomOf<double>(CountOf(shape), random);
      const Stream        stream;
      const OnDeviceToo   device(host, stream);
      std::vector<double> found(host.size());
      ArrayFilter         filter;
      filter.order = order;
      filter.mode = mode;
      filter.isFiltered[0] = false;
      filter.input = filter.output = ArrayOf(shape, static_cast<const double *>(device.Data()));
      filter.place = { true, stream.Get() };
      ExecutionContext context;
      context.backend = Backend::Cuda;
      FilterArrayAdjoint(filter, context);
      CheckCuda(cudaMemcpyAsync(
                  found.data(), device.Data(), found.size() * sizeof(double), cudaMemcpyDeviceToHost, stream.Get()),
                "cudaMemcpyAsync");
      stream.Synchronize();
      filter.input = filter.output = ArrayOf(shape, host.data());
      filter.place = {};
      FilterArrayAdjoint(filter, OnHost());
      for (std::size_t i = 0; i < host.size(); ++i)
      {
        ASSERT_NEAR(found[i], host[i], 1e-11);
      }
    }
  }
}

// A graph of all operations, with the memory that they allocate, has the results of the calls, for any content of its
// arrays.
TEST(SplineGradientsGpu, AllOperationsAreCaptured)
{
  CUDASPLINE_NEEDS_GPU();
  Random               random(__LINE__);
  GradientCase<double> test({ 9, 40, 70 }, 3, ArrayMode::Mirror, 1, random, false);
  const Stream         stream;
  const OnDeviceToo    places(test.places, stream);
  const OnDeviceToo    coefficients(test.coefficients, stream);
  const OnDeviceToo    weights(test.weights, stream);
  const std::size_t    numbers = test.weights.size();
  const std::size_t    samples = test.coefficients.size();
  const OnDeviceToo    values(std::vector<double>(numbers), stream);
  const OnDeviceToo    slopes(std::vector<double>(test.places.size()), stream);
  const OnDeviceToo    images(std::vector<double>(samples), stream);
  const OnDeviceToo    filtered(std::vector<double>(samples), stream);
  const OnDeviceToo    adjoint(std::vector<double>(samples), stream);
  ExecutionContext     context;
  context.backend = Backend::Cuda;
  const auto all = [&] {
    SplinePoints points = test.points;
    points.points = places.Data();
    points.coefficients = coefficients.Data();
    points.weights = weights.Data();
    points.place = { true, stream.Get() };
    points.result = values.Data();
    EvaluateDerivatives(points, context);
    points.result = slopes.Data();
    ContractDerivatives(points, context);
    points.result = images.Data();
    ScatterDerivatives(points, context);
    ArrayFilter filter;
    filter.order = 3;
    filter.mode = ArrayMode::Mirror;
    filter.isFiltered[0] = false;
    const Shape shape{ static_cast<std::int64_t>(samples) / (9 * 40 * 70), 9, 40, 70 };
    filter.place = points.place;
    filter.input = ArrayOf(shape, static_cast<const double *>(images.Data()));
    filter.output = ArrayOf(shape, static_cast<const double *>(filtered.Data()));
    FilterArray(filter, context);
    filter.output = ArrayOf(shape, static_cast<const double *>(adjoint.Data()));
    FilterArrayAdjoint(filter, context);
  };
  const auto found = [&] {
    std::vector<double> together;
    const auto          append = [&](const OnDeviceToo<double> & from, std::size_t count) {
      together.resize(together.size() + count);
      double * const to = together.data() + together.size() - count;
      CheckCuda(cudaMemcpyAsync(to, from.Data(), count * sizeof(double), cudaMemcpyDeviceToHost, stream.Get()),
                "cudaMemcpyAsync");
      CheckCuda(cudaMemsetAsync(from.Data(), 0xFF, count * sizeof(double), stream.Get()), "cudaMemsetAsync");
      stream.Synchronize();
    };
    append(values, numbers);
    append(slopes, test.places.size());
    append(images, samples);
    append(filtered, samples);
    append(adjoint, samples);
    return together;
  };
  all(); // kernels are loaded, and the pool exists
  const auto first = found();
  CheckCuda(cudaStreamBeginCapture(stream.Get(), cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  all();
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream.Get(), &graph), "cudaStreamEndCapture");
  cudaGraphExec_t exec = nullptr;
  CheckCuda(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  CheckCuda(cudaGraphLaunch(exec, stream.Get()), "cudaGraphLaunch");
  EXPECT_EQ(found(), first);
  const auto others = RandomOf<double>(static_cast<std::int64_t>(numbers), random);
  CheckCuda(
    cudaMemcpyAsync(weights.Data(), others.data(), numbers * sizeof(double), cudaMemcpyHostToDevice, stream.Get()),
    "cudaMemcpyAsync");
  for (int i = 0; i < 3; ++i)
  {
    CheckCuda(cudaGraphLaunch(exec, stream.Get()), "cudaGraphLaunch");
  }
  const auto replayed = found();
  EXPECT_NE(replayed, first);
  all();
  EXPECT_EQ(found(), replayed);
  CheckCuda(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  CheckCuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
}
