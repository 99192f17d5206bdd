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
#include "FieldMetricBenchmark.h"
#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** A cell of the benchmark. */
struct FieldMetricCell
{
  Cell cell;     ///< backend, size, and the type of values, samples and displacements
  bool isMattes; ///< mutual information with 32 bins, otherwise mean squares
};

struct Volumes
{
  std::vector<double> fixed;
  std::vector<double> moving;
  std::vector<double> moves; ///< smooth displacements (samples)
};

/** Returns the volumes of a size, the same in every run. The last ones are cached, because every repetition uses them.
 */
const Volumes &
VolumesOf(std::int64_t size)
{
  static Volumes volumes;
  const auto     count = static_cast<std::size_t>(size * size * size);
  if (volumes.fixed.size() != count)
  {
    std::mt19937                           generator(12345);
    std::uniform_real_distribution<double> distribution(-100.0, 100.0);
    volumes.fixed.resize(count);
    volumes.moving.resize(count);
    volumes.moves.resize(3 * count);
    for (std::size_t i = 0; i < count; ++i)
    {
      volumes.fixed[i] = distribution(generator);
      volumes.moving[i] = 0.5 * volumes.fixed[i] + 0.5 * distribution(generator);
      for (std::size_t d = 0; d < 3; ++d)
      {
        const auto at = static_cast<double>(i % static_cast<std::size_t>(size));
        volumes.moves[3 * i + d] = 1.5 * std::sin(6.0 * at / 256.0 + static_cast<double>(d));
      }
    }
  }
  return volumes;
}

/** Two volumes, a field, and the descriptor of a metric for them. */
class FieldMetric
{
public:
  explicit FieldMetric(const FieldMetricCell & what)
    : m_IsMattes(what.isMattes)
    , m_Residence(ContextOf(what.cell))
  {
    const std::int64_t size = what.cell.size;
    const Volumes &    volumes = VolumesOf(size);
    SourceDescriptor   volume;
    std::fill_n(volume.size.begin(), 3, size);
    volume.extension.fill(Extension::Nearest);
    volume.pixel = ScalarType::Float64;
    volume.element = what.cell.type;
    SourceDescriptor list = volume;
    list.dimension = 1;
    std::fill_n(list.size.begin(), 3, std::int64_t{ 1 });
    list.size[0] = size * size * size;
    m_Sources.fixed = MakeSource(list, volumes.fixed.data(), m_Residence.GetContext());
    m_Sources.moving = MakeSource(volume, volumes.moving.data(), m_Residence.GetContext());
    m_Sources.gradient = m_Sources.moving;

    m_Descriptor.interpolation.interpolation = Interpolation::Linear;
    TransformChain::Stage stage;
    stage.kind = TransformKind::DisplacementField;
    for (std::size_t d = 0; d < 3; ++d)
    {
      m_Descriptor.interpolation.lower[d] = -0.5;
      m_Descriptor.interpolation.upper[d] = static_cast<double>(size) - 0.5;
      m_Descriptor.chain.indexToPoint[d][d] = m_Descriptor.chain.pointToIndex[d][d] = stage.pointToIndex[d][d] = 1.0;
      m_Descriptor.chain.regionSize[d] = stage.size[d] = size;
    }
    m_Field = ResidentArray(volumes.moves.size() * SizeOf(what.cell.type), m_Residence);
    if (what.cell.type == ScalarType::Float32)
    {
      const std::vector<float> single(volumes.moves.begin(), volumes.moves.end());
      Upload(m_Field.Data(), single.data(), m_Field.Bytes(), m_Residence);
      stage.singleData = std::shared_ptr<const float>(m_Field.As<float>(), [](const float *) {});
    }
    else
    {
      Upload(m_Field.Data(), volumes.moves.data(), m_Field.Bytes(), m_Residence);
      stage.data = std::shared_ptr<const double>(m_Field.As<double>(), [](const double *) {});
    }
    m_Descriptor.chain.stages.push_back(stage);
    m_Descriptor.derivative = FieldDisplacements{ 0 };

    ParzenBins & bins = m_Information.bins;
    bins.bins = 32;
    bins.fixedBinSize = bins.movingBinSize = 201.0 / 28.0; // two bins of padding at both ends
    bins.fixedMinimum = bins.movingMinimum = -100.5 / bins.fixedBinSize - 2.0;
    bins.movingLowest = -100.5;
    bins.movingHighest = 100.5;
    m_Table.resize(32 * 32);
    for (std::size_t i = 0; i < m_Table.size(); ++i)
    {
      m_Table[i] = std::sin(static_cast<double>(i));
    }
    m_Information.table = m_Table.data();
    m_Forces = ResidentArray(volumes.moves.size() * sizeof(double), m_Residence);
    m_Descriptor.forces = m_Forces.As<double>();
    m_Residence.Wait();
  }

  /** Evaluates value and derivative once. Waits for the result. */
  void
  Evaluate()
  {
    MetricWorkspace workspace;
    if (m_IsMattes)
    {
      MetricDescriptor histogram = m_Descriptor;
      histogram.pass = HistogramPass{ m_Information.bins };
      histogram.gradient = MetricGradient::None;
      histogram.forces = nullptr;
      histogram.sharesValues = true;
      EvaluateMetric(histogram, m_Sources, m_Residence.GetContext(), &workspace);
    }
    MetricDescriptor wanted = m_Descriptor;
    wanted.pass = m_IsMattes ? MetricPass(m_Information) : MeanSquaresPass();
    wanted.gradient = MetricGradient::CentralDifferences;
    wanted.sharesValues = m_IsMattes;
    EvaluateMetric(wanted, m_Sources, m_Residence.GetContext(), &workspace);
  }

private:
  bool                m_IsMattes;
  Residence           m_Residence;
  MetricSources       m_Sources;
  MetricDescriptor    m_Descriptor;
  ResidentArray       m_Field;
  ResidentArray       m_Forces;
  InformationPass     m_Information;
  std::vector<double> m_Table;
};

void
Measure(benchmark::State & state, const FieldMetricCell & what)
{
  try
  {
    FieldMetric metric(what);
    metric.Evaluate(); // loads the kernels
    for (auto _ : state)
    {
      const auto begin = std::chrono::steady_clock::now();
      metric.Evaluate();
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    const std::int64_t count = what.cell.size * what.cell.size * what.cell.size;
    const auto         element = static_cast<std::int64_t>(SizeOf(what.cell.type));
    Declare(state, 5 * count * element, 3 * count * static_cast<std::int64_t>(sizeof(double)));
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
} // namespace

void
RegisterFieldMetrics(bool withCuda)
{
  for (const std::int64_t size : { 128, 256 })
  {
    for (const ScalarType type : { ScalarType::Float32, ScalarType::Float64 })
    {
      for (const bool isMattes : { false, true })
      {
        for (const Backend backend : { Backend::Cpu, Backend::Cuda })
        {
          FieldMetricCell what{ {}, isMattes };
          what.cell.backend = backend;
          what.cell.size = size;
          what.cell.type = type;
          if (withCuda || backend == Backend::Cpu)
          {
            const std::string name =
              std::string("FieldMetric/name:") + (isMattes ? "mattes" : "meansquares") + what.cell.Axes();
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
