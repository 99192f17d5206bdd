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
// Operations on arrays that are on a device before and after. Expected: an image is filtered and resampled with one
// wait of the host, and has the bits of the two steps apart; where a call of CUDA fails the operation throws, leaves
// nothing behind, and is done the next time. On a GPU where there is one, else on a stand-in, whose kernels do nothing.

#include "CudaShim.h"
#include "FaultScenarios.h"

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"
#include "itkCudaSpline/kernels/arrays/DeviceArrays.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

constexpr std::int64_t Nx = 19;
constexpr std::int64_t Ny = 17;
constexpr std::int64_t Nz = 13;
constexpr std::size_t  Count = Nx * Ny * Nz;
constexpr std::size_t  Bytes = Count * sizeof(float);

/** An image on a device, memory for another one, and operations on them, in the order of a stream. */
class DeviceCase
{
public:
  DeviceCase()
  {
    std::mt19937 random(std::random_device{}());
    for (float & pixel : m_Pixels)
    {
      pixel = std::uniform_real_distribution<float>(-1.0F, 1.0F)(random);
    }
    CheckCuda(cudaMemcpyAsync(m_Input.Data(), m_Pixels.data(), Bytes, cudaMemcpyHostToDevice, m_Stream.Get()),
              "cudaMemcpyAsync");
    const std::vector<double> coordinates(3 * Count, 2.25);
    CheckCuda(
      cudaMemcpyAsync(
        m_Coordinates.Data(), coordinates.data(), m_Coordinates.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
      "cudaMemcpyAsync");
    m_Stream.Synchronize();
    m_Context.backend = Backend::Cuda;
    m_Samples.dimension = 3;
    m_Samples.size = { { Nx, Ny, Nz, 1 } };
    m_Samples.order = 3;
    TransformChain::Stage turn;
    for (std::size_t r = 0; r < 3; ++r)
    {
      turn.matrix[r][r] = 0.95;
      turn.matrix[r][(r + 1) % 3] = 0.1;
      turn.offset[r] = -0.3;
      m_Chain.indexToPoint[r][r] = 1.0;
      m_Chain.pointToIndex[r][r] = 1.0;
    }
    m_Chain.stages.push_back(turn);
    m_Chain.regionSize = { { Nx, Ny, Nz } };
    m_Resampling.interpolation = Interpolation::BSpline;
    m_Resampling.samples = Nx;
    m_Resampling.lineLength = Nx;
    m_Resampling.lines = Ny * Nz;
    m_Resampling.sliceLines = Ny;
    m_Resampling.chain = &m_Chain;
  }

  std::shared_ptr<const SampleSource>
  MakeSource() const
  {
    return MakeSourceOnDevice(m_Samples, m_Input.Data(), true, m_Stream.Get(), m_Context);
  }

  void
  ResampleSource(const SampleSource & source) const
  {
    ResampleOnDevice(m_Resampling, source, m_Output.Data(), m_Stream.Get(), m_Context);
  }

  /** Filters and resamples. */
  void
  ResampleImage() const
  {
    this->ResampleImage(m_Stream);
  }

  /** \param[in] other stream of the caller in which the output is ready */
  void
  ResampleImage(const Stream & other) const
  {
    DeviceOperation      operation(m_Context, other.Get());
    const SampleSource & source = operation.MakeSource(m_Samples, m_Input.Data(), m_Stream.Get(), m_Context);
    operation.Resample(m_Resampling, source, m_Output.Data(), other.Get(), m_Context);
  }

  void
  PrefilterImage() const
  {
    PrefilterOnDevice(m_Samples, m_Input.Data(), m_Output.Data(), m_Stream.Get(), m_Context);
  }

  void
  InterpolateAs(ArrayMap map) const
  {
    ArrayInterpolation interpolation;
    interpolation.input = this->ArrayOf(m_Input);
    interpolation.output = this->ArrayOf(m_Output);
    interpolation.order = 3;
    interpolation.element = ScalarType::Float32;
    interpolation.map = map;
    interpolation.coordinates = m_Coordinates.Data();
    interpolation.coordinateType = ScalarType::Float64;
    interpolation.coordinateStride = static_cast<std::int64_t>(Count);
    for (std::size_t d = 0; d < 3; ++d)
    {
      interpolation.matrix[d][d] = 0.95;
      interpolation.matrix[d][(d + 1) % 3] = 0.1;
      interpolation.scale[d] = 1.0;
      interpolation.shift[d] = 0.3;
    }
    interpolation.place = { true, m_Stream.Get() };
    InterpolateArray(interpolation, m_Context);
  }

  void
  FilterArrayLines() const
  {
    ArrayFilter filter;
    filter.input = this->ArrayOf(m_Input);
    filter.output = this->ArrayOf(m_Output);
    filter.order = 3;
    filter.element = ScalarType::Float32;
    filter.isFiltered.fill(true);
    filter.place = { true, m_Stream.Get() };
    FilterArray(filter, m_Context);
  }

  std::vector<float>
  GetOutput() const
  {
    std::vector<float> output(Count);
    CheckCuda(cudaMemcpyAsync(output.data(), m_Output.Data(), Bytes, cudaMemcpyDeviceToHost, m_Stream.Get()),
              "cudaMemcpyAsync");
    m_Stream.Synchronize();
    return output;
  }

  /** The output of a previous operation must not be read. */
  void
  ClearOutput() const
  {
    const std::vector<float> nothing(Count, -7.0F);
    CheckCuda(cudaMemcpyAsync(m_Output.Data(), nothing.data(), Bytes, cudaMemcpyHostToDevice, m_Stream.Get()),
              "cudaMemcpyAsync");
    m_Stream.Synchronize();
  }

  const ExecutionContext &
  GetContext() const
  {
    return m_Context;
  }
  SourceDescriptor
  GetSamples() const
  {
    return m_Samples;
  }
  const void *
  GetPixels() const
  {
    return m_Input.Data();
  }

private:
  StridedArray
  ArrayOf(const DeviceBuffer & buffer) const
  {
    StridedArray array;
    array.data = buffer.Data();
    array.type = ScalarType::Float32;
    array.dimension = 3;
    array.size[0] = Nz;
    array.size[1] = Ny;
    array.size[2] = Nx;
    array.SetContiguous();
    return array;
  }

  std::vector<float> m_Pixels = std::vector<float>(Count);
  Stream             m_Stream;
  DeviceBuffer       m_Input{ Bytes, m_Stream };
  DeviceBuffer       m_Output{ Bytes, m_Stream };
  DeviceBuffer       m_Coordinates{ 3 * Count * sizeof(double), m_Stream };
  ExecutionContext   m_Context;
  SourceDescriptor   m_Samples;
  TransformChain     m_Chain;
  ResampleDescriptor m_Resampling;
};

/** Returns the number of calls of CUDA with which the host waits for a stream or an event. */
std::int64_t
WaitsOf(const std::function<void()> & run)
{
  ArmShim(Fault());
  run();
  DisarmShim();
  return CallsOf("cudaStreamSynchronize") + CallsOf("cudaEventSynchronize");
}

struct Operation
{
  std::string                             name;
  std::function<void(const DeviceCase &)> run;
};

const std::vector<Operation> &
Operations()
{
  static const std::vector<Operation> operations{
    { "ResampleImage", [](const DeviceCase & on) { on.ResampleImage(); } },
    { "ResampleSource", [](const DeviceCase & on) { on.ResampleSource(*on.MakeSource()); } },
    { "PrefilterImage", [](const DeviceCase & on) { on.PrefilterImage(); } },
    { "AffineArray", [](const DeviceCase & on) { on.InterpolateAs(ArrayMap::Affine); } },
    { "ShiftedArray", [](const DeviceCase & on) { on.InterpolateAs(ArrayMap::ShiftScale); } },
    { "ListedArray", [](const DeviceCase & on) { on.InterpolateAs(ArrayMap::Coordinates); } },
    { "FilteredArray", [](const DeviceCase & on) { on.FilterArrayLines(); } }
  };
  return operations;
}

class DeviceArraysFault : public testing::TestWithParam<Operation>
{
protected:
  void
  TearDown() override
  {
    DisarmShim();
  }
};

} // namespace

TEST(DeviceOperation, WorkOfTheCallersStreamIsEnqueuedThere)
{
  const DeviceCase                    on;
  std::shared_ptr<const SampleSource> source;
  EXPECT_GE(WaitsOf([&] { source = on.MakeSource(); }), 1) << "the source may be read in any stream";
  EXPECT_EQ(WaitsOf([&] { on.ResampleSource(*source); }), 0);
  EXPECT_EQ(WaitsOf([&] { on.PrefilterImage(); }), 0);
  EXPECT_EQ(WaitsOf([&] { on.InterpolateAs(ArrayMap::Affine); }), 0);
  EXPECT_EQ(WaitsOf([&] { on.ResampleImage(); }), 0);
  EXPECT_EQ(CallsOf("cudaStreamWaitEvent"), 0);
  const Stream other;
  EXPECT_EQ(WaitsOf([&] { on.ResampleImage(other); }), 0);
  EXPECT_EQ(CallsOf("cudaStreamWaitEvent"), 1) << "the image's stream";
  EXPECT_GE(WaitsOf([&] { source.reset(); }), 1) << "what reads the source";
}

TEST(DeviceOperation, TheBitsOfTheStepsApart)
{
  const DeviceCase on;
  on.ClearOutput();
  on.ResampleSource(*on.MakeSource());
  const std::vector<float> apart = on.GetOutput();
  for (int repeat = 0; repeat < 10; ++repeat)
  {
    on.ClearOutput();
    on.ResampleImage();
    EXPECT_TRUE(on.GetOutput() == apart);
  }
  if (ShimIsReal())
  {
    EXPECT_FALSE(apart == std::vector<float>(Count, -7.0F)) << "nothing was written";
  }
}

TEST(DeviceOperation, ElementsAreFilteredWhereTheyAre)
{
  const DeviceCase on;
  for (const auto & run : { std::function<void()>([&] { on.ResampleImage(); }), { [&] { on.PrefilterImage(); } } })
  {
    ArmShim(Fault());
    run();
    DisarmShim();
    EXPECT_EQ(CallsOf("cudaMemcpyAsync"), 0) << "copies of what could be read and written in its place";
  }
}

TEST(DeviceOperation, RefusesWhatTheFunctionsRefuse)
{
  const DeviceCase on;
  ExecutionContext host = on.GetContext();
  host.backend = Backend::Cpu;
  EXPECT_THROW((DeviceOperation{ host, nullptr }), std::invalid_argument);
  DeviceOperation  operation(on.GetContext(), nullptr);
  SourceDescriptor empty = on.GetSamples();
  empty.size[1] = 0;
  EXPECT_THROW(operation.MakeSource(empty, on.GetPixels(), nullptr, on.GetContext()), std::invalid_argument);
  SourceDescriptor samples = on.GetSamples();
  samples.order = 1;
  const SampleSource & borrowed = operation.MakeSource(samples, on.GetPixels(), nullptr, on.GetContext());
  EXPECT_EQ(borrowed.GetData(), on.GetPixels());
  ResampleDescriptor cubic;
  cubic.interpolation = Interpolation::BSpline;
  cubic.indexProvider = [](std::int64_t, std::int64_t, double *) {};
  EXPECT_THROW(operation.Resample(cubic, borrowed, nullptr, nullptr, on.GetContext()), std::invalid_argument);
}

TEST_P(DeviceArraysFault, EachCallFails)
{
  const DeviceCase on;
  const auto       run = [&] { GetParam().run(on); };
  run(); // one-time initializations of a process are then complete
  ReleaseWhatIsKept();
  const std::map<std::string, int> before = Unreleased();
  ArmShim(Fault());
  run();
  const std::int64_t count = DisarmShim();
  ASSERT_GE(count, 10);
  EXPECT_EQ(StrayCall(), "");
  for (std::int64_t at = 0; at < count; ++at)
  {
    ReleaseWhatIsKept();
    Fault fault;
    fault.at = at;
    fault.error = cudaErrorUnknown;
    ArmShim(fault);
    std::string thrown;
    try
    {
      run();
    }
    catch (const DeviceError & error)
    {
      thrown = error.what();
    }
    DisarmShim();
    const std::string where = "call " + std::to_string(at) + " (" + FailedCall() + ")";
    ASSERT_FALSE(FailedCall().empty()) << where;
    // Calls that compute, allocate and order the work. Waits and releases at the end may fail silently.
    static const std::set<std::string> told{ "cudaLaunchKernel",
                                             "cudaMallocFromPoolAsync",
                                             "cudaEventCreateWithFlags",
                                             "cudaEventRecord",
                                             "cudaStreamWaitEvent" };
    EXPECT_FALSE(thrown.empty() && told.count(FailedCall()) != 0) << where << " was not told";
    EXPECT_EQ(PendingError(), cudaSuccess) << where << ": a later call would see the error";
    EXPECT_NO_THROW(run()) << "again after " << where;
    ReleaseWhatIsKept();
    EXPECT_EQ(Unreleased(), before) << where;
    EXPECT_EQ(WrongReleases(), 0) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations,
                         DeviceArraysFault,
                         testing::ValuesIn(Operations()),
                         [](const testing::TestParamInfo<Operation> & test) { return test.param.name; });
