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
#include "LocalCorrelationBenchmark.h"
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <random>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** A cell of the benchmark. */
struct LocalCell
{
  Cell cell; ///< backend, size, and arithmetic type; pixels are float
  int  radius;
  int  derivatives; ///< number of computed fields of vectors of floats
  bool isMasked;
  bool isWarped; ///< fields of floats first move both images to the grid, linearly
  bool isExact;  ///< derivatives from all windows that contain a sample
  std::int64_t
  Count() const
  {
    return cell.size * cell.size * cell.size;
  }
};

struct Volumes
{
  std::vector<float> fixed;
  std::vector<float> moving;
};

/** Returns random volumes of a size, the same in every run. The last ones are cached, because every repetition uses
 * them. */
const Volumes &
VolumesOf(std::size_t count)
{
  static Volumes volumes;
  if (volumes.fixed.size() != count)
  {
    std::mt19937                          generator(12345);
    std::uniform_real_distribution<float> distribution(-100.0F, 100.0F);
    volumes.fixed.resize(count);
    volumes.moving.resize(count);
    for (std::size_t i = 0; i < count; ++i)
    {
      volumes.fixed[i] = distribution(generator);
      volumes.moving[i] = 0.5F * volumes.fixed[i] + distribution(generator);
    }
  }
  return volumes;
}

void
Measure(benchmark::State & state, const LocalCell & what)
{
  try
  {
    LocalCorrelationDescriptor descriptor;
    for (std::size_t d = 0; d < 3; ++d)
    {
      descriptor.grid.size[d] = what.cell.size;
      descriptor.grid.indexToPoint[d][d] = descriptor.grid.pointToIndex[d][d] = 1.0;
      descriptor.radius[d] = what.radius;
    }
    descriptor.arithmetic = what.cell.type;
    descriptor.isExact = what.isExact;

    const Residence residence(ContextOf(what.cell));
    const auto      count = static_cast<std::size_t>(what.Count());
    const Volumes & volumes = VolumesOf(count);
    const auto      upload = [&](const auto & numbers) {
      ResidentArray array(numbers.size() * sizeof(numbers[0]), residence);
      Upload(array.Data(), numbers.data(), array.Bytes(), residence);
      return array;
    };
    const ResidentArray onFixed = upload(volumes.fixed);
    const ResidentArray onMoving = upload(volumes.moving);
    const ResidentArray inside = upload(std::vector<std::uint8_t>(what.isMasked ? count : 0, 1));
    const ResidentArray ofMoving(3 * count * sizeof(float), residence);
    const ResidentArray ofFixed(what.derivatives > 1 ? 3 * count * sizeof(float) : 0, residence);
    const ResidentArray sums(sizeof(LocalCorrelationSums), residence);
    const ResidentArray scratch(CountLocalCorrelationScratch(descriptor, residence), residence);

    LocalCorrelationImages images;
    images.fixed = onFixed.Data();
    images.moving = onMoving.Data();
    images.movingInside = inside.As<std::uint8_t>();
    FieldShape shape;
    shape.element = ScalarType::Float32;
    shape.grid = descriptor.grid;
    std::vector<float> moves(what.isWarped ? 3 * count : 0);
    for (std::size_t i = 0; i < moves.size(); ++i)
    {
      moves[i] = 1.5F * std::sin(0.02F * static_cast<float>(i / 3 % static_cast<std::size_t>(what.cell.size)) +
                                 static_cast<float>(i % 3));
    }
    const ResidentArray field = upload(moves);
    const ResidentArray warpedFixed(what.isWarped ? onFixed.Bytes() : 0, residence);
    const ResidentArray warpedMoving(what.isWarped ? onMoving.Bytes() : 0, residence);
    ImageWarp           warp;
    warp.input = warp.output = descriptor.grid;
    warp.pixel = ScalarType::Float32;
    if (what.isWarped)
    {
      warp.stages.push_back(MakeFieldStage(shape, field.Data()));
      images.fixed = warpedFixed.Data();
      images.moving = warpedMoving.Data();
    }
    const auto run = [&](int times) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < times; ++i)
      {
        if (what.isWarped)
        {
          WarpImage(warp, onFixed.Data(), warpedFixed.Data(), residence);
          WarpImage(warp, onMoving.Data(), warpedMoving.Data(), residence);
        }
        EvaluateLocalCorrelation(descriptor,
                                 images,
                                 sums.As<LocalCorrelationSums>(),
                                 ofMoving.Data(),
                                 ofFixed.Data(),
                                 scratch.Data(),
                                 residence);
      }
      residence.Wait();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
    };
    run(1); // loads the kernels
    // As in an iteration: on a device, the host does not wait between the steps.
    const int times = residence.IsOnDevice() ? 20 : 1;
    for (auto _ : state)
    {
      state.SetIterationTime(run(times));
    }
    state.counters["scratch_bytes"] = static_cast<double>(scratch.Bytes());
    const auto bytes = what.Count() * static_cast<std::int64_t>(sizeof(float));
    Declare(state, (what.isWarped ? 8 : 2) * bytes, 3 * what.derivatives * bytes);
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

void
Register(const LocalCell & what)
{
  const std::string name = "LocalCorrelation" + what.cell.Axes() + "/radius:" + std::to_string(what.radius) +
                           "/derivatives:" + std::to_string(what.derivatives) +
                           "/mask:" + (what.isMasked ? "one" : "none") + (what.isWarped ? "/images:warped" : "") +
                           (what.isExact ? "/gradient:exact" : "");
  WithQuartiles(benchmark::RegisterBenchmark(name.c_str(), Measure, what))
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
}

/** Registers the radii of a backend, a size and an arithmetic type, which exact derivatives do not use. */
void
RegisterRadii(const Cell & cell, bool isExact)
{
  for (const int radius : { 2, 3, 4, 6 })
  {
    for (const int derivatives : { 1, 2 })
    {
      Register({ cell, radius, derivatives, false, false, isExact });
      Register({ cell, radius, derivatives, true, false, isExact });
      Register({ cell, radius, derivatives, false, true, isExact });
    }
  }
}
} // namespace

void
RegisterLocalCorrelations(bool withCuda)
{
  for (const std::int64_t size : { 128, 256 })
  {
    for (const Backend backend : { Backend::Cpu, Backend::Cuda })
    {
      if (!withCuda && backend == Backend::Cuda)
      {
        continue;
      }
      Cell cell;
      cell.backend = backend;
      cell.size = size;
      cell.type = ScalarType::Float32;
      RegisterRadii(cell, false);
      RegisterRadii(cell, true);
      cell.type = ScalarType::Float64;
      RegisterRadii(cell, false);
    }
  }
}
