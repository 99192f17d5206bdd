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
#include "FieldBenchmark.h"
#include "BenchmarkHarness.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/kernels/fields/VelocityField.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

/** Arrays of one backend on a grid of 1 mm, and an operation on them. */
class FieldCase
{
public:
  FieldCase(const std::string & name, Backend backend, std::int64_t size, ScalarType element)
    : m_Residence(MakeContext(backend))
    , m_Shape(MakeShape(size, element))
    , m_First(this->Upload(this->MakeField(3.0)))
    , m_Second(this->Upload(this->MakeField(2.0)))
    , m_Output(m_Shape.Bytes(), m_Residence)
    , m_Scratch(CountInversionScratch(m_Shape), m_Residence)
    , m_Numbers(MaximumNormScratch + sizeof(double) + sizeof(FieldInversionState), m_Residence)
  {
    this->Choose(name);
  }

  /** Runs the operation several times, and waits.
   *
   * \return seconds of one run */
  double
  Time(int times)
  {
    m_Residence.Wait();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
    {
      m_Run();
    }
    m_Residence.Wait();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / (static_cast<double>(times) * m_Steps);
  }

  /** Returns the minimum number of bytes of one run. */
  double
  GetBytes() const
  {
    return m_Volumes * static_cast<double>(m_Shape.Bytes());
  }

private:
  static ExecutionContext
  MakeContext(Backend backend)
  {
    static const ThreadExecutor threads;
    ExecutionContext            context;
    context.backend = backend;
    context.host = &threads;
    context.device = backend == Backend::Cuda ? SelectDevice().device : 0;
    return context;
  }

  static FieldShape
  MakeShape(std::int64_t size, ScalarType element)
  {
    FieldShape shape;
    shape.element = element;
    shape.grid.size = { size, size, size };
    for (unsigned int d = 0; d < 3; ++d)
    {
      shape.grid.indexToPoint[d][d] = shape.grid.pointToIndex[d][d] = 1.0;
    }
    return shape;
  }

  /** Returns displacements as in registrations: smooth, with some noise. Those of the last size are cached. */
  const std::vector<double> &
  MakeField(double largest) const
  {
    static std::map<double, std::vector<double>> fields; // used by every repetition
    std::vector<double> &                        field = fields[largest];
    if (field.size() == static_cast<std::size_t>(m_Shape.Numbers()))
    {
      return field;
    }
    field.resize(static_cast<std::size_t>(m_Shape.Numbers()));
    std::mt19937                           generator(12345);
    std::uniform_real_distribution<double> noise(-0.05, 0.05);
    const auto                             size = static_cast<std::size_t>(m_Shape.grid.size[0]);
    const auto  part = [size](std::size_t at) { return static_cast<double>(at) / static_cast<double>(size); };
    std::size_t i = 0;
    for (std::size_t z = 0; z < size; ++z)
    {
      for (std::size_t y = 0; y < size; ++y)
      {
        const double wave = largest * std::cos(5.0 * part(y)) * std::sin(4.0 * part(z));
        for (std::size_t x = 0; x < size; ++x)
        {
          for (int d = 0; d < 3; ++d)
          {
            field[i++] = wave * std::sin(6.0 * part(x) + d) + noise(generator);
          }
        }
      }
    }
    return field;
  }

  ResidentArray
  Upload(const std::vector<double> & numbers) const
  {
    ResidentArray array(m_Shape.Bytes(), m_Residence);
    if (m_Shape.element == ScalarType::Float32)
    {
      const std::vector<float> single(numbers.begin(), numbers.end());
      itk::CudaSpline::Upload(array.Data(), single.data(), array.Bytes(), m_Residence);
    }
    else
    {
      itk::CudaSpline::Upload(array.Data(), numbers.data(), array.Bytes(), m_Residence);
    }
    return array;
  }

  void
  Choose(const std::string & name)
  {
    auto * const maximum = m_Numbers.As<double>();
    auto * const state = reinterpret_cast<FieldInversionState *>(maximum + 1);
    if (name == "compose")
    {
      m_Volumes = 3.0;
      m_Run = [this] {
        ComposeFields(m_Shape, m_First.Data(), m_Shape, m_Second.Data(), m_Output.Data(), m_Residence);
      };
    }
    else if (name == "invert") // one iteration
    {
      m_Volumes = 3.0;
      m_Steps = 20.0;
      ClearResident(m_Output.Data(), m_Shape.Bytes(), m_Residence);
      FieldInversion rules;
      rules.meanTolerance = rules.maximumTolerance = 0.0;
      m_Run = [this, rules, state] {
        InvertField(m_Shape, m_First.Data(), m_Output.Data(), rules, state, m_Scratch.Data(), m_Residence);
      };
    }
    else if (name == "invert_done") // one iteration that has no work
    {
      m_Steps = 19.0;
      ClearResident(m_First.Data(), m_Shape.Bytes(), m_Residence);
      ClearResident(m_Output.Data(), m_Shape.Bytes(), m_Residence);
      m_Run = [this, state] {
        InvertField(m_Shape, m_First.Data(), m_Output.Data(), FieldInversion(), state, m_Scratch.Data(), m_Residence);
      };
    }
    else if (name == "smooth" || name == "smooth_total")
    {
      m_Volumes = 2.0;
      const auto smoothing = MakeFieldSmoothing(m_Shape.grid, name == "smooth" ? 3.0 : 0.5);
      m_Run = [this, smoothing] {
        SmoothField(m_Shape, m_First.Data(), smoothing, m_Output.Data(), m_Scratch.Data(), m_Residence);
      };
    }
    else if (name == "norm")
    {
      m_Volumes = 1.0;
      m_Run = [this, maximum] { FindMaximumNorm(m_Shape, m_First.Data(), maximum, maximum + 8, m_Residence); };
    }
    else if (name == "resample")
    {
      m_Volumes = 2.0;
      m_Run = [this] { ResampleField(m_Shape, m_First.Data(), m_Shape, m_Output.Data(), m_Residence); };
    }
    else if (name == "exponential") // one squaring
    {
      m_Volumes = 2.0;
      m_Steps = 6.0;
      m_Run = [this] {
        ExponentiateField(m_Shape, m_First.Data(), 6, false, m_Output.Data(), m_Scratch.Data(), m_Residence);
      };
    }
    else if (name == "jacobian")
    {
      m_Volumes = 4.0 / 3.0;
      m_Run = [this] {
        FindJacobianDeterminants(
          m_Shape, m_First.Data(), { { 0.5, 0.5, 0.5 }, {} }, m_Shape.element, m_Output.Data(), m_Residence);
      };
    }
    else if (name == "warp") // an image, with a field and an affine map
    {
      m_Volumes = 5.0 / 3.0;
      ImageWarp warp;
      warp.input = warp.output = m_Shape.grid;
      warp.pixel = m_Shape.element;
      warp.stages.push_back(MakeFieldStage(m_Shape, m_First.Data()));
      warp.stages.emplace_back();
      warp.stages[1].matrix = { { { 1.01, 0.02, 0.0 }, { -0.02, 0.99, 0.0 }, { 0.0, 0.0, 1.0 } } };
      m_Run = [this, warp] { WarpImage(warp, m_Second.Data(), m_Output.Data(), m_Residence); };
    }
    else // spline: cubic B-splines of 24^3 cells
    {
      m_Volumes = 1.0;
      constexpr std::int64_t cells = 24;
      TransformChain::Stage  stage;
      stage.kind = TransformKind::BSpline;
      stage.size = { cells + 3, cells + 3, cells + 3 };
      const double cell = static_cast<double>(m_Shape.grid.size[0] - 1) / static_cast<double>(cells);
      for (unsigned int d = 0; d < 3; ++d)
      {
        stage.origin[d] = -cell;
        stage.pointToIndex[d][d] = 1.0 / cell;
      }
      const auto          count = static_cast<std::size_t>(TransformChain::CountOf(stage, 3));
      std::vector<double> coefficients(count);
      std::mt19937        generator(54321);
      for (double & coefficient : coefficients)
      {
        coefficient = std::uniform_real_distribution<double>(-3.0, 3.0)(generator);
      }
      const auto resident = std::make_shared<ResidentArray>(count * sizeof(double), m_Residence);
      itk::CudaSpline::Upload(resident->Data(), coefficients.data(), resident->Bytes(), m_Residence);
      stage.data = std::shared_ptr<const double>(resident, resident->As<double>());
      m_Run = [this, stage] { MakeSplineField(stage, m_Shape, m_Output.Data(), m_Scratch.Data(), m_Residence); };
    }
  }

  Residence             m_Residence;
  FieldShape            m_Shape;
  ResidentArray         m_First;
  ResidentArray         m_Second;
  ResidentArray         m_Output;
  ResidentArray         m_Scratch;
  ResidentArray         m_Numbers;
  std::function<void()> m_Run;
  double                m_Volumes{ 0.0 }; ///< minimum number of fields that are read and written
  double                m_Steps{ 1.0 };   ///< steps of a call, one of which is reported
};

void
Measure(benchmark::State &  state,
        const std::string & cell,
        const std::string & name,
        Backend             backend,
        std::int64_t        size,
        ScalarType          element)
{
  try
  {
    const int times = backend == Backend::Cuda ? 20 : 1; // so that the wait is negligible
    // Made once for all repetitions.
    static std::string                title;
    static std::unique_ptr<FieldCase> field;
    if (title != cell)
    {
      field.reset(); // freed before the next one is allocated
      field = std::make_unique<FieldCase>(name, backend, size, element);
      title = cell;
      field->Time(1); // loads the kernels
    }
    for (auto _ : state)
    {
      state.SetIterationTime(field->Time(times));
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * field->GetBytes()));
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}
} // namespace

void
RegisterFields(bool hasDevice)
{
  for (const Backend backend : { Backend::Cuda, Backend::Cpu })
  {
    if (backend == Backend::Cuda && !hasDevice)
    {
      continue;
    }
    for (const std::int64_t size : { 64, 128, 256 })
    {
      for (const ScalarType element : { ScalarType::Float32, ScalarType::Float64 })
      {
        for (const char * const name : { "compose",
                                         "invert",
                                         "invert_done",
                                         "smooth",
                                         "smooth_total",
                                         "norm",
                                         "resample",
                                         "exponential",
                                         "jacobian",
                                         "warp",
                                         "spline" })
        {
          const std::string title = std::string("Field/name:") + name +
                                    "/backend:" + (backend == Backend::Cuda ? "cuda" : "cpu") +
                                    "/dimension:3/size:" + std::to_string(size) +
                                    "/precision:" + (element == ScalarType::Float32 ? "single" : "double");
          WithQuartiles(benchmark::RegisterBenchmark(title.c_str(), Measure, title, name, backend, size, element))
            ->UseManualTime()
            ->Iterations(5)
            ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
}
