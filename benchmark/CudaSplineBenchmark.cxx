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

/** \file
 * \brief Times of the kernels layer: making a source (upload, conversion, prefilter) and resampling it (evaluation,
 * download).
 *
 * Each benchmark is one cell of named axes, so that --benchmark_filter chooses:
 *
 *   Prefilter/backend:cpu/dimension:3/size:128/precision:single/order:3
 *   Resample/backend:cuda/dimension:3/size:128/precision:double/interpolation:bspline/order:3
 *
 * A time is the wall time of a whole call from host memory to host memory, or to the memory of the device for Prefilter
 * on a GPU. The counters read and written are the fewest bytes that the operation must move through memory: each input
 * once, each output once; bytes_per_second is their sum by the time. Seven repetitions by default, reported as median,
 * mean, standard deviation and interquartile range; --benchmark_out=FILE writes every one of them as JSON. Data are
 * random, never zeros. */

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/Prefilter.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/math/Geometry.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** One cell of the axes. */
struct Cell
{
  Backend       backend{ Backend::Cpu };
  unsigned int  dimension{ 3 };
  std::int64_t  size{ 64 }; ///< samples an axis, of the input and of the output
  ScalarType    type{ ScalarType::Float32 };
  Interpolation interpolation{ Interpolation::BSpline };
  unsigned int  order{ 3 };

  std::int64_t
  Lines() const
  {
    return dimension == 3 ? size * size : size;
  }
  std::int64_t
  Bytes() const
  {
    return size * Lines() * static_cast<std::int64_t>(SizeOf(type));
  }
  std::string
  Axes() const
  {
    return std::string("/backend:") + (backend == Backend::Cuda ? "cuda" : "cpu") +
           "/dimension:" + std::to_string(dimension) + "/size:" + std::to_string(size) +
           "/precision:" + (type == ScalarType::Float32 ? "single" : "double");
  }
};

/** Uniform values in [-1000, 1000): the same bytes for a cell in every run. */
template <typename T>
std::vector<char>
RandomPixels(std::int64_t count)
{
  std::vector<char>                 bytes(static_cast<std::size_t>(count) * sizeof(T));
  std::mt19937_64                   generator(12345);
  std::uniform_real_distribution<T> distribution(T(-1000), T(1000));
  for (std::int64_t i = 0; i < count; ++i)
  {
    const T value = distribution(generator);
    std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
  }
  return bytes;
}

/** The pixels of a cell; those of the last one are kept, as neighbouring benchmarks share them. */
const void *
PixelsOf(const Cell & cell)
{
  static std::vector<char> pixels;
  static std::string       key;
  const std::string        wanted = std::to_string(cell.size * cell.Lines()) + NameOf(cell.type);
  if (key != wanted)
  {
    key = wanted;
    pixels = std::vector<char>(); // before the next are made: two would not fit where one does
    pixels = cell.type == ScalarType::Float32 ? RandomPixels<float>(cell.size * cell.Lines())
                                              : RandomPixels<double>(cell.size * cell.Lines());
  }
  return pixels.data();
}

/** A grid of unit spacing whose origin is index 0. */
template <unsigned int VDimension>
GridGeometry<VDimension>
UnitGrid(std::int64_t size)
{
  GridGeometry<VDimension> grid;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    grid.extent.size[d] = size;
    grid.indexToPoint[d][d] = 1.0;
    grid.pointToIndex[d][d] = 1.0;
  }
  return grid;
}

/** Turns by 0.1 radians in every plane about the centre of the grid: no axis stays aligned. */
template <unsigned int VDimension>
AffineMap<VDimension>
Rotation(std::int64_t size)
{
  AffineMap<VDimension> map;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    map.matrix[d][d] = 1.0;
  }
  const double c = std::cos(0.1), s = std::sin(0.1);
  for (unsigned int a = 0; a < VDimension; ++a)
  {
    for (unsigned int b = a + 1; b < VDimension; ++b)
    {
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        const double first = map.matrix[a][column];
        const double second = map.matrix[b][column];
        map.matrix[a][column] = c * first - s * second;
        map.matrix[b][column] = s * first + c * second;
      }
    }
  }
  const double centre = 0.5 * static_cast<double>(size - 1);
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    map.offset[r] = centre;
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      map.offset[r] -= map.matrix[r][column] * centre;
    }
  }
  return map;
}

/** The table that ResampleDescriptor::scanlineEnds wants. */
template <unsigned int VDimension>
std::vector<double>
EndsOfScanlines(std::int64_t size)
{
  const GridGeometry<VDimension> grid = UnitGrid<VDimension>(size);
  const AffineMap<VDimension>    map = Rotation<VDimension>(size);
  const std::int64_t             lines = grid.extent.Count() / size;
  std::vector<double>            ends;
  ends.reserve(static_cast<std::size_t>(lines) * 2 * VDimension);
  for (std::int64_t line = 0; line < lines; ++line)
  {
    std::int64_t index[VDimension] = {};
    std::int64_t rest = line;
    for (unsigned int d = 1; d < VDimension; ++d)
    {
      index[d] = rest % size;
      rest /= size;
    }
    const ScanlineEnds<VDimension> both = MapScanline<VDimension>(grid, map, grid, index);
    ends.insert(ends.end(), both.start, both.start + VDimension);
    ends.insert(ends.end(), both.end, both.end + VDimension);
  }
  return ends;
}

SourceDescriptor
SourceOf(const Cell & cell)
{
  SourceDescriptor source;
  source.dimension = cell.dimension;
  for (unsigned int d = 0; d < cell.dimension; ++d)
  {
    source.size[d] = cell.size;
  }
  source.pixel = cell.type;
  source.element = cell.type;
  source.order = cell.interpolation == Interpolation::BSpline ? cell.order : 0;
  return source;
}

ExecutionContext
ContextOf(const Cell & cell)
{
  static const ThreadExecutor threads;
  ExecutionContext            context;
  context.backend = cell.backend;
  context.host = &threads;
  if (cell.backend == Backend::Cuda)
  {
    context.device = SelectDevice().device;
  }
  return context;
}

void
Declare(benchmark::State & state, std::int64_t read, std::int64_t written)
{
  using benchmark::Counter;
  state.counters["read"] = Counter(static_cast<double>(read), Counter::kDefaults, Counter::kIs1024);
  state.counters["written"] = Counter(static_cast<double>(written), Counter::kDefaults, Counter::kIs1024);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * (read + written));
}

void
MeasurePrefilter(benchmark::State & state, const Cell & cell)
{
  try
  {
    const void *           pixels = PixelsOf(cell);
    const SourceDescriptor descriptor = SourceOf(cell);
    const ExecutionContext context = ContextOf(cell);
    MakeSource(descriptor, pixels, context); // loads the kernels, grows the pools
    for (auto _ : state)
    {
      benchmark::DoNotOptimize(MakeSource(descriptor, pixels, context));
    }
    Declare(state, cell.Bytes(), cell.Bytes());
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

void
MeasureResample(benchmark::State & state, const Cell & cell)
{
  try
  {
    const ExecutionContext    context = ContextOf(cell);
    const auto                source = MakeSource(SourceOf(cell), PixelsOf(cell), context);
    const std::vector<double> ends =
      cell.dimension == 3 ? EndsOfScanlines<3>(cell.size) : EndsOfScanlines<2>(cell.size);
    std::vector<char> output(static_cast<std::size_t>(cell.Bytes()), char(0x5a));

    ResampleDescriptor descriptor;
    descriptor.interpolation = cell.interpolation;
    descriptor.output = cell.type;
    for (unsigned int d = 0; d < cell.dimension; ++d)
    {
      descriptor.lower[d] = -0.5;
      descriptor.upper[d] = static_cast<double>(cell.size) - 0.5;
    }
    descriptor.samples = cell.size;
    descriptor.lines = cell.Lines();
    descriptor.lineLength = cell.size;
    descriptor.scanlineEnds = ends.data();
    Resample(descriptor, *source, output.data(), context);
    for (auto _ : state)
    {
      Resample(descriptor, *source, output.data(), context);
      benchmark::ClobberMemory();
    }
    Declare(state, cell.Bytes() + static_cast<std::int64_t>(ends.size() * sizeof(double)), cell.Bytes());
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

/** The middle half of the repetitions lies within it: a spread that one slow repetition does not move. */
double
InterquartileRange(const std::vector<double> & values)
{
  std::vector<double> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t quarter = sorted.size() / 4;
  return sorted[sorted.size() - 1 - quarter] - sorted[quarter];
}

template <typename TMeasure>
void
Register(const std::string & name, TMeasure measure, const Cell & cell)
{
  benchmark::RegisterBenchmark(name.c_str(), [measure, cell](benchmark::State & state) { measure(state, cell); })
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->ComputeStatistics("iqr", InterquartileRange);
}

void
RegisterCells(Cell cell)
{
  constexpr unsigned int orders[] = { 2, 3, 4, 5 };
  for (const unsigned int order : orders)
  {
    cell.order = order;
    Register("Prefilter" + cell.Axes() + "/order:" + std::to_string(order), MeasurePrefilter, cell);
  }
  cell.interpolation = Interpolation::Nearest;
  Register("Resample" + cell.Axes() + "/interpolation:nearest", MeasureResample, cell);
  cell.interpolation = Interpolation::Linear;
  Register("Resample" + cell.Axes() + "/interpolation:linear", MeasureResample, cell);
  cell.interpolation = Interpolation::BSpline;
  for (const unsigned int order : orders)
  {
    cell.order = order;
    Register("Resample" + cell.Axes() + "/interpolation:bspline/order:" + std::to_string(order), MeasureResample, cell);
  }
}

void
RegisterAll(bool withCuda)
{
  const std::vector<std::pair<unsigned int, std::int64_t>> sizes{ { 2, 512 }, { 2, 2048 }, { 2, 8192 }, { 3, 64 },
                                                                  { 3, 128 }, { 3, 256 },  { 3, 512 } };
  for (const auto & [dimension, size] : sizes)
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      Cell cell;
      cell.dimension = dimension;
      cell.size = size;
      cell.type = type;
      RegisterCells(cell);
      if (withCuda)
      {
        cell.backend = Backend::Cuda;
        RegisterCells(cell);
      }
    }
  }
}
} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    // Before the user's arguments, so that those win.
    std::string         repetitions("--benchmark_repetitions=7");
    std::string         aggregates("--benchmark_display_aggregates_only=true");
    std::vector<char *> arguments{ argv[0], repetitions.data(), aggregates.data() };
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
    {
      return 1;
    }

    const DeviceChoice choice = SelectDevice();
    benchmark::AddCustomContext("threads", std::to_string(std::thread::hardware_concurrency()));
    benchmark::AddCustomContext("cuda_toolkit", BuiltWithCuda() ? CudaToolkitVersion() : "none");
    if (choice)
    {
      const DeviceInfo info = QueryDevice(choice.device);
      benchmark::AddCustomContext(
        "device", info.name + ", compute capability " + std::to_string(info.major) + "." + std::to_string(info.minor));
    }
    else
    {
      benchmark::AddCustomContext("device", "none: " + choice.reason);
      std::cerr << "The Cuda backend is not measured: " << choice.reason << '\n';
    }
    RegisterAll(static_cast<bool>(choice));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
