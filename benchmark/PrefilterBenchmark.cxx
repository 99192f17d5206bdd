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
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#if defined(CUDASPLINE_HAS_CUDA)
#  include "kernels/DevicePrefilter.h"
#endif

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** Copies bytes with the threads of a context. */
void
CopyInParallel(void * to, const void * from, std::int64_t bytes, const ExecutionContext & context)
{
  context.ParallelFor(bytes, [to, from](std::int64_t begin, std::int64_t end) {
    std::memcpy(
      static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin, static_cast<std::size_t>(end - begin));
  });
}

/** Returns the median of five copies of the volume in host memory, in seconds. */
double
SecondsOfHostCopy(const Cell & cell, const ExecutionContext & context)
{
  const void *        pixels = PixelsOf(cell);
  std::vector<char>   copy(static_cast<std::size_t>(cell.Bytes()));
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i)
  {
    const auto start = std::chrono::steady_clock::now();
    CopyInParallel(copy.data(), pixels, cell.Bytes(), context);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    benchmark::DoNotOptimize(copy.data());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[2];
}

/** Measures the whole call. */
void
MeasurePrefilter(benchmark::State & state, const Cell & cell)
{
  try
  {
    const void *           pixels = PixelsOf(cell);
    const SourceDescriptor descriptor = SourceOf(cell);
    const ExecutionContext context = ContextOf(cell);
    const double           copySeconds = cell.backend == Backend::Cpu ? SecondsOfHostCopy(cell, context) : 0.0;
    MakeSource(descriptor, pixels, context); // loads the kernels, and fills the memory pools
    double seconds = 0.0;
    for (auto _ : state)
    {
      const auto start = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(MakeSource(descriptor, pixels, context));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      state.SetIterationTime(elapsed.count());
      seconds += elapsed.count();
    }
    Declare(state, cell.Bytes(), cell.Bytes());
    if (copySeconds > 0.0)
    {
      DeclareCopies(state, seconds / static_cast<double>(state.iterations()), copySeconds);
    }
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

/** Measures a copy of the volume in host memory with all threads. */
void
MeasureHostCopy(benchmark::State & state, const Cell & cell)
{
  try
  {
    const ExecutionContext context = ContextOf(cell);
    const void *           pixels = PixelsOf(cell);
    std::vector<char>      copy(static_cast<std::size_t>(cell.Bytes()));
    for (auto _ : state)
    {
      const auto start = std::chrono::steady_clock::now();
      CopyInParallel(copy.data(), pixels, cell.Bytes(), context);
      benchmark::ClobberMemory();
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    Declare(state, cell.Bytes(), cell.Bytes());
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

#if defined(CUDASPLINE_HAS_CUDA)
/** Measures the kernels alone, and a copy with each of their runs. */
void
MeasurePrefilterKernel(benchmark::State & state, const Cell & cell)
{
  try
  {
    DevicePrefilter prefilter(SourceOf(cell), cell.axis, PixelsOf(cell), ContextOf(cell));
    prefilter.TimeFilter(); // loads the kernels
    prefilter.TimeCopy();
    double seconds = 0.0;
    double copySeconds = 0.0;
    for (auto _ : state)
    {
      const double elapsed = prefilter.TimeFilter();
      state.SetIterationTime(elapsed);
      seconds += elapsed;
      copySeconds += prefilter.TimeCopy();
    }
    const auto iterations = static_cast<double>(state.iterations());
    Declare(state, cell.Bytes(), cell.Bytes());
    DeclareCopies(state, seconds / iterations, copySeconds / iterations);
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

/** Measures a copy of the volume in the memory of the device. */
void
MeasureDeviceCopy(benchmark::State & state, const Cell & cell)
{
  try
  {
    DevicePrefilter prefilter(SourceOf(cell), cell.axis, PixelsOf(cell), ContextOf(cell));
    prefilter.TimeCopy();
    for (auto _ : state)
    {
      state.SetIterationTime(prefilter.TimeCopy());
    }
    Declare(state, cell.Bytes(), cell.Bytes());
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
#endif

template <typename TMeasure>
void
Register(const std::string & name, TMeasure measure, const Cell & cell)
{
  WithQuartiles(
    benchmark::RegisterBenchmark(name.c_str(), [measure, cell](benchmark::State & state) { measure(state, cell); }))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
}

/** Registers the whole call and the kernels of all axes; with \p axes, also the kernels of each axis. */
void
RegisterFilter(Cell cell, bool axes)
{
  Register("Prefilter" + cell.Axes() + cell.FilterAxes(), MeasurePrefilter, cell);
#if defined(CUDASPLINE_HAS_CUDA)
  if (cell.backend == Backend::Cuda)
  {
    const std::string name = "PrefilterKernel" + cell.Axes() + cell.FilterAxes() + "/axis:";
    Register(name + "all", MeasurePrefilterKernel, cell);
    for (cell.axis = 0; axes && cell.axis < cell.dimension; ++cell.axis)
    {
      Register(name + "xyz"[cell.axis], MeasurePrefilterKernel, cell);
    }
  }
#endif
  static_cast<void>(axes);
}
} // namespace

void
RegisterPrefilters(bool withCuda)
{
  ForCells(withCuda, [](Cell cell) {
    if (cell.backend == Backend::Cpu)
    {
      Register("Copy" + cell.Axes(), MeasureHostCopy, cell);
    }
#if defined(CUDASPLINE_HAS_CUDA)
    else
    {
      Register("Copy" + cell.Axes(), MeasureDeviceCopy, cell);
    }
#endif
    for (const unsigned int order : { 2, 3, 4, 5 })
    {
      cell.order = order;
      cell.method.kind = PrefilterMethod::Kind::Exact;
      RegisterFilter(cell, order == 3);
      cell.method.kind = PrefilterMethod::Kind::ItkHorizon;
      RegisterFilter(cell, false);
      cell.method.kind = PrefilterMethod::Kind::Fir;
      for (const int taps : { 7, 9, 11, 13, 15, 19, 27 }) // those of Champagnat and Le Sant
      {
        cell.method.taps = taps;
        if (order == 3 || taps == 15)
        {
          RegisterFilter(cell, order == 3 && taps == 15);
        }
      }
    }
  });
}
