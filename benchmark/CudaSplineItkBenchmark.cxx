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
 * \brief ITK's prefilter against the module's, in one process and on the same images; and whole resamplings.
 *
 *   Decomposition/backend:cpu/dimension:3/size:256/precision:single/order:3/mode:exact/threads:1
 *
 * Each repetition runs itk::BSplineDecompositionImageFilter and then itk::CudaBSplineDecompositionImageFilter: a whole
 * Update() from an image in memory to a new image, its allocation included. ITK's filter has one thread, for any
 * requested number. The time of a row is the module's; counters:
 *
 *   itk_ms            wall time of ITK's filter
 *   ratio             itk_ms by the row's time
 *   cpu_ms            time of all threads of the process in the module's filter
 *   itk_cpu_ms        the same in ITK's
 *   ratio_cpu         itk_cpu_ms by cpu_ms: of one thread, hardly moved by other programs on the machine
 *   largest_difference  of the two results, by ITK's largest absolute coefficient
 *
 * ResampleFilter/... are in TransferBenchmark.cxx; Single/..., Points/... and Evaluation/... (interpolators, with ITK's
 * time and the ratio as counters) in InterpolatorBenchmark.cxx.
 *
 * --benchmark_out=FILE writes every repetition as JSON. */

#include "BenchmarkHarness.h"
#include "InterpolatorBenchmark.h"
#include "ItkBenchmark.h"
#include "TransferBenchmark.h"

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSpline/device/Device.h"

#include "itkBSplineDecompositionImageFilter.h"
#include "itkImage.h"
#include "itkVersion.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

namespace
{
using itk::CudaSpline::Backend;
using itk::CudaSpline::PrefilterMethod;

template <typename TImage>
using ItkFilter = ItkOwn<itk::BSplineDecompositionImageFilter<TImage, TImage>>;

/** One cell of the axes. */
struct Cell
{
  Backend         backend{ Backend::Cpu };
  std::size_t     size{ 256 }; ///< samples per axis
  unsigned int    order{ 3 };
  PrefilterMethod method;
  unsigned int    threads{ 1 };
};

/** Wall time and time of all threads of the process, in milliseconds. */
struct Times
{
  double wall{ 0.0 };
  double cpu{ 0.0 };
};

template <typename TFilter>
Times
TimeUpdate(TFilter * filter)
{
  const std::clock_t cpu = std::clock();
  const auto         wall = std::chrono::steady_clock::now();
  filter->Update();
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - wall;
  return { elapsed.count(), 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC };
}

template <typename TImage>
typename itk::CudaBSplineDecompositionImageFilter<TImage, TImage>::Pointer
MakeFilter(const Cell & cell, const TImage * image)
{
  const auto filter = itk::CudaBSplineDecompositionImageFilter<TImage, TImage>::New();
  filter->SetInput(image);
  filter->SetSplineOrder(cell.order);
  filter->SetPrefilter(cell.method.kind);
  filter->SetNumberOfTaps(static_cast<unsigned int>(cell.method.taps));
  filter->SetNumberOfWorkUnits(cell.threads);
  filter->SetDevice(cell.backend == Backend::Cuda ? "gpu" : "cpu");
  return filter;
}

/** Returns the largest absolute difference divided by the largest absolute value of \p expected. */
template <typename TImage>
double
LargestDifference(const TImage * image, const TImage * expected)
{
  const std::size_t count = expected->GetBufferedRegion().GetNumberOfPixels();
  double            difference = 0.0;
  double            largest = 0.0;
  for (std::size_t i = 0; i < count; ++i)
  {
    const double value = expected->GetBufferPointer()[i];
    difference = std::max(difference, std::abs(image->GetBufferPointer()[i] - value));
    largest = std::max(largest, std::abs(value));
  }
  return difference / largest;
}

template <typename TImage>
void
Measure(benchmark::State & state, const Cell & cell)
{
  try
  {
    const typename TImage::Pointer image = RandomImage<TImage>(cell.size);
    MakeFilter<TImage>(cell, image)->Update(); // threads, kernels, pools
    Times  ours;
    Times  itks;
    double difference = 0.0;
    for (auto _ : state)
    {
      const auto itkFilter = ItkFilter<TImage>::New();
      itkFilter->SetInput(image);
      itkFilter->SetSplineOrder(cell.order);
      const Times itkTimes = TimeUpdate(itkFilter.GetPointer());
      const auto  filter = MakeFilter<TImage>(cell, image);
      const Times times = TimeUpdate(filter.GetPointer());
      if (filter->GetLastBackend() != cell.backend)
      {
        state.SkipWithError(("another backend ran: " + filter->GetFallbackReason()).c_str());
        break;
      }
      state.SetIterationTime(times.wall / 1000.0);
      ours = { ours.wall + times.wall, ours.cpu + times.cpu };
      itks = { itks.wall + itkTimes.wall, itks.cpu + itkTimes.cpu };
      difference = LargestDifference<TImage>(filter->GetOutput(), itkFilter->GetOutput());
    }
    const auto iterations = static_cast<double>(state.iterations());
    state.counters["itk_ms"] = itks.wall / iterations;
    state.counters["ratio"] = itks.wall / ours.wall;
    state.counters["cpu_ms"] = ours.cpu / iterations;
    state.counters["itk_cpu_ms"] = itks.cpu / iterations;
    state.counters["ratio_cpu"] = itks.cpu / ours.cpu;
    state.counters["largest_difference"] = difference;
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

template <typename TPixel>
void
Register(const Cell & cell)
{
  const bool        fir = cell.method.kind == PrefilterMethod::Kind::Fir;
  const std::string name = std::string("Decomposition/backend:") + (cell.backend == Backend::Cuda ? "cuda" : "cpu") +
                           "/dimension:3/size:" + std::to_string(cell.size) +
                           "/precision:" + (sizeof(TPixel) == 4 ? "single" : "double") +
                           "/order:" + std::to_string(cell.order) +
                           (fir ? "/mode:fir/taps:" + std::to_string(cell.method.taps) : "/mode:exact") +
                           "/threads:" + std::to_string(cell.threads);
  WithQuartiles(benchmark::RegisterBenchmark(
                  name.c_str(), [cell](benchmark::State & state) { Measure<itk::Image<TPixel, 3>>(state, cell); }))
    ->UseManualTime()
    ->Iterations(1) // ITK's filter takes a second, and a pair of runs is compared
    ->Unit(benchmark::kMillisecond);
}

void
RegisterThreads(Cell cell)
{
  const unsigned int all = std::max(1u, std::thread::hardware_concurrency());
  cell.threads = 1;
  Register<float>(cell);
  Register<double>(cell);
  if (all > 1)
  {
    cell.threads = all;
    Register<float>(cell);
    Register<double>(cell);
  }
}

std::string
RegisterAll()
{
  const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice();
  benchmark::AddCustomContext("itk", itk::Version::GetITKVersion());
  benchmark::AddCustomContext("threads", std::to_string(std::thread::hardware_concurrency()));
  benchmark::AddCustomContext("device",
                              choice ? itk::CudaSpline::QueryDevice(choice.device).name : "none: " + choice.reason);
  for (const std::size_t size : { 64, 128, 256, 512 })
  {
    for (const unsigned int order : { 2, 3, 4, 5 })
    {
      Cell cell;
      cell.size = size;
      cell.order = order;
      for (const auto kind : { PrefilterMethod::Kind::Exact, PrefilterMethod::Kind::Fir })
      {
        cell.method.kind = kind;
        cell.backend = Backend::Cpu;
        RegisterThreads(cell);
        if (choice)
        {
          cell.backend = Backend::Cuda;
          cell.threads = std::max(1u, std::thread::hardware_concurrency());
          Register<float>(cell);
          Register<double>(cell);
        }
      }
    }
  }
  RegisterTransfers(Backend::Cpu);
  RegisterInterpolators(Backend::Cpu);
  if (choice)
  {
    RegisterTransfers(Backend::Cuda);
    RegisterInterpolators(Backend::Cuda);
  }
  return choice ? "" : "The Cuda backend is not measured: " + choice.reason;
}
} // namespace

int
main(int argc, char ** argv)
{
  return RunBenchmarks(argc, argv, RegisterAll);
}
