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
#include "SplineLevelBenchmark.h"
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/Lbfgs.h"
#include "itkCudaSpline/kernels/registration/SplineLevel.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** A cell of the benchmark. */
struct SplineCell
{
  Cell       cell; ///< backend, and type of pixels and arithmetic
  MetricKind metric;
  bool       withOptimizer; ///< whether each evaluation is followed by a step of L-BFGS
};

constexpr std::array<std::int64_t, 3> BrainSize{ { 197, 233, 189 } }; // of MNI152, 1 mm
constexpr double                      CellSpacing = 4.0;              // mm

FieldGrid
BrainGrid()
{
  FieldGrid grid;
  for (std::size_t d = 0; d < 3; ++d)
  {
    grid.size[d] = BrainSize[d];
    grid.indexToPoint[d][d] = grid.pointToIndex[d][d] = 1.0;
  }
  return grid;
}

TransformChain::Stage
SplineOf(const FieldGrid & grid)
{
  TransformChain::Stage spline;
  spline.kind = TransformKind::BSpline;
  spline.order = 3;
  for (std::size_t d = 0; d < 3; ++d)
  {
    const double extent = static_cast<double>(grid.size[d] - 1);
    const auto   cells = static_cast<std::int64_t>(std::round(extent / CellSpacing));
    const double spacing = extent / static_cast<double>(cells);
    spline.size[d] = cells + 3;
    spline.origin[d] = -spacing;
    spline.pointToIndex[d][d] = 1.0 / spacing;
  }
  return spline;
}

/** Returns waves of some samples' length, slightly moved. */
template <typename TPixel>
SynSide
MakeSide(const FieldGrid & grid, double shift, const Residence & residence)
{
  std::vector<TPixel> pixels;
  pixels.reserve(static_cast<std::size_t>(grid.Count()));
  for (std::int64_t z = 0; z < grid.size[2]; ++z)
  {
    for (std::int64_t y = 0; y < grid.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < grid.size[0]; ++x)
      {
        pixels.push_back(static_cast<TPixel>(
          100.0 + 40.0 * std::sin(0.11 * (static_cast<double>(x) + shift)) * std::cos(0.07 * static_cast<double>(y)) +
          30.0 * std::sin(0.09 * static_cast<double>(z) + 0.05 * shift)));
      }
    }
  }
  SynSide    side;
  const auto array = std::make_shared<ResidentArray>(pixels.size() * sizeof(TPixel), residence);
  Upload(array->Data(), pixels.data(), array->Bytes(), residence);
  side.image.grid = grid;
  side.image.pixel = ScalarTypeOf<TPixel>();
  side.image.data = std::shared_ptr<const void>(array, array->Data());
  return side;
}

void
Measure(benchmark::State & state, const SplineCell & what)
{
  try
  {
    const Residence residence(ContextOf(what.cell));
    const auto      grid = BrainGrid();
    const auto      spline = SplineOf(grid);
    const bool      isSingle = what.cell.type == ScalarType::Float32;
    const auto      sideOf = [&](double shift) {
      return isSingle ? MakeSide<float>(grid, shift, residence) : MakeSide<double>(grid, shift, residence);
    };
    LinearMetric metric;
    metric.kind = what.metric;
    metric.arithmetic = what.cell.type;
    SplineLevel         level(grid, sideOf(0.0), sideOf(1.5), metric, spline, residence);
    const auto          count = static_cast<std::size_t>(TransformChain::CountOf(spline, 3));
    const ResidentArray coefficients(count * sizeof(double), residence);
    const ResidentArray gradient(count * sizeof(double), residence);
    ClearResident(coefficients.Data(), coefficients.Bytes(), residence);
    const auto evaluate = [&level](const double * at, double * slopes) { return level.Evaluate(at, slopes).value; };
    const int  times = residence.IsOnDevice() ? 10 : 2;
    for (auto _ : state)
    {
      LbfgsRules rules;
      rules.evaluations = static_cast<unsigned int>(times) + 1;
      rules.gradientTolerance = 0.0;
      Lbfgs search(CountSplineNodes(spline), 3, coefficients.As<double>(), evaluate, rules, residence);
      search.Evaluate(); // loads the kernels, and sorts the samples
      residence.Wait();
      const auto begin = std::chrono::steady_clock::now();
      int        done = 0;
      for (; done < times; ++done)
      {
        if (what.withOptimizer && !search.Evaluate())
        {
          break; // the search has converged
        }
        if (!what.withOptimizer)
        {
          evaluate(coefficients.As<double>(), gradient.As<double>());
        }
      }
      residence.Wait();
      if (done == 0)
      {
        state.SkipWithError("there is no direction in which the metric falls");
        break;
      }
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / done);
    }
    state.counters["parameters"] = static_cast<double>(count);
    Declare(state,
            2 * grid.Count() * static_cast<std::int64_t>(SizeOf(what.cell.type)),
            static_cast<std::int64_t>(count * sizeof(double)));
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
} // namespace

void
RegisterSplineLevels(bool withCuda)
{
  for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
  {
    for (const MetricKind metric : ParameterMetrics)
    {
      for (const bool withOptimizer : { false, true })
      {
        for (const Backend backend : { Backend::Cpu, Backend::Cuda })
        {
          SplineCell what{ {}, metric, withOptimizer };
          what.cell.backend = backend;
          what.cell.size = BrainSize[0];
          what.cell.type = type;
          const std::string name = "SplineLevel" + what.cell.Axes() + "/cells:4mm/metric:" + WordOf(metric) +
                                   "/part:" + (withOptimizer ? "all" : "metric");
          if (withCuda || backend == Backend::Cpu)
          {
            WithQuartiles(benchmark::RegisterBenchmark(name.c_str(), Measure, what))
              ->UseManualTime()
              ->Iterations(5)
              ->Unit(benchmark::kMillisecond);
          }
        }
      }
    }
  }
}
