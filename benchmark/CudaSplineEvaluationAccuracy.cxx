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
 * \brief Errors of values of cubic B-splines by stage and by mode, as comma-separated values;
 * reproduction/accuracy-figures makes the table of doc/Accuracy.md of them.
 *
 *   CudaSplineEvaluationAccuracy [cpu|cuda]
 *
 * A line is a signal and what departs from the reference:
 *
 *   backend,signal,what,bound,largest,rms
 *
 * The reference is the exact prefilter and the exact sum, all in double. In the first lines one stage alone departs
 * from it, in the others all of a mode do. Errors are those at 200,000 random places of a volume of 72 x 64 x 56
 * samples, edges included, by the range of the samples; bound is the derived limit that the library prints
 * (StorageErrorBound(), ModeErrorBound()), of stages that have one. */

#include "SplineValues.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace
{
using namespace itk::CudaSpline;

constexpr std::array<std::int64_t, 3> size{ { 72, 64, 56 } };
constexpr std::int64_t                places = 200000;
constexpr unsigned int                order = 3;

using SourcePointer = std::shared_ptr<const SampleSource>;

/** A volume of samples in [-1, 1]. */
struct Signal
{
  std::string        name;
  std::vector<float> samples; ///< all sources begin with values that a float represents
};

/** Noise, waves of fourteen samples and more, and boxes of sharp edges. */
std::vector<Signal>
MakeSignals(std::mt19937 & random)
{
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<Signal>                   signals{ { "noise", {} }, { "smooth", {} }, { "edges", {} } };
  std::array<std::array<double, 4>, 12> waves;
  std::array<std::array<float, 6>, 8>   boxes;
  for (auto & wave : waves)
  {
    std::generate(wave.begin(), wave.end(), [&] { return 0.45 * uniform(random); }); // radians per sample, and a phase
  }
  for (auto & box : boxes)
  {
    std::generate(box.begin(), box.end(), [&] { return 0.5F + 0.5F * uniform(random); });
  }
  for (std::int64_t z = 0; z < size[2]; ++z)
  {
    for (std::int64_t y = 0; y < size[1]; ++y)
    {
      for (std::int64_t x = 0; x < size[0]; ++x)
      {
        signals[0].samples.push_back(uniform(random));
        double sum = 0.0;
        for (const auto & wave : waves)
        {
          sum += std::cos(wave[0] * static_cast<double>(x) + wave[1] * static_cast<double>(y) +
                          wave[2] * static_cast<double>(z) + 14.0 * wave[3]);
        }
        signals[1].samples.push_back(static_cast<float>(sum / static_cast<double>(waves.size())));
        int inside = 0;
        for (const auto & box : boxes)
        {
          const std::array<std::int64_t, 3> at{ { x, y, z } };
          bool                              within = true;
          for (unsigned int d = 0; d < 3; ++d)
          {
            const float place = static_cast<float>(at[d]) / static_cast<float>(size[d]);
            within = within && std::abs(place - box[d]) < 0.4F * box[d + 3];
          }
          inside += within ? 1 : 0;
        }
        signals[2].samples.push_back(inside % 2 == 0 ? -1.0F : 1.0F);
      }
    }
  }
  return signals;
}

SourceDescriptor
Describe(ScalarType pixel, ScalarType element, PrefilterMethod::Kind kind)
{
  SourceDescriptor descriptor;
  std::copy(size.begin(), size.end(), descriptor.size.begin());
  descriptor.pixel = pixel;
  descriptor.element = element;
  descriptor.order = order;
  descriptor.method.kind = kind;
  return descriptor;
}

/** Returns coefficients in host memory. */
template <typename TReal>
std::vector<TReal>
Coefficients(const Signal & signal, PrefilterMethod::Kind kind, const ExecutionContext & context)
{
  const ScalarType   type = sizeof(TReal) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  std::vector<TReal> coefficients(signal.samples.size());
  Prefilter(Describe(ScalarType::Float32, type, kind), signal.samples.data(), coefficients.data(), context);
  return coefficients;
}

/** Returns a source of unchanged coefficients, or of coefficients that are stored as \p storage. */
template <typename TReal>
SourcePointer
SourceOf(std::vector<TReal>       coefficients,
         const ExecutionContext & context,
         CoefficientStorage       storage = CoefficientStorage::Element,
         int                      tableEntries = 0)
{
  const ScalarType type = sizeof(TReal) == 4 ? ScalarType::Float32 : ScalarType::Float64;
  SourceDescriptor descriptor = Describe(type, type, PrefilterMethod::Kind::Coefficients);
  descriptor.storage = storage;
  descriptor.tableEntries = tableEntries;
  return KeepSource(descriptor, std::move(coefficients), context);
}

template <typename TTo, typename TFrom>
std::vector<TTo>
As(const std::vector<TFrom> & values)
{
  return std::vector<TTo>(values.begin(), values.end());
}

/** An evaluation and its method. */
class Evaluation
{
public:
  Evaluation(std::vector<double> points, const ExecutionContext & context)
    : m_Points(std::move(points))
    , m_Context(context)
  {}

  InterpolationDescriptor
  Method(EvaluationMode mode, bool singleCoordinates) const
  {
    return SplineMethodWithin(size, mode, singleCoordinates);
  }

  std::vector<double>
  Values(const SampleSource & source, EvaluationMode mode = EvaluationMode::Exact, bool singleCoordinates = false) const
  {
    return ValuesAt(m_Points, this->Method(mode, singleCoordinates), source, m_Context);
  }

private:
  std::vector<double>      m_Points;
  const ExecutionContext & m_Context;
};

constexpr double range = 2.0;

void
Print(const std::string &         head,
      const std::string &         what,
      double                      bound,
      const std::vector<double> & values,
      const std::vector<double> & expected)
{
  double largest = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const double error = std::abs(values[i] - expected[i]) / range;
    largest = std::max(largest, error);
    squares += error * error;
  }
  std::printf("%s,%s,", head.c_str(), what.c_str());
  if (!std::isnan(bound))
  {
    std::printf("%.2e", bound / range);
  }
  std::printf(",%.2e,%.2e\n", largest, std::sqrt(squares / static_cast<double>(values.size())));
}

void
Measure(const Signal & signal, const Evaluation & evaluation, const ExecutionContext & context)
{
  using Kind = PrefilterMethod::Kind;
  constexpr double    none = std::numeric_limits<double>::quiet_NaN();
  const std::string   head = std::string(NameOf(context.backend)) + "," + signal.name;
  const auto          exact = Coefficients<double>(signal, Kind::Exact, context);
  const auto          single = As<float>(exact);
  const SourcePointer reference = SourceOf(exact, context);
  const auto          expected = evaluation.Values(*reference);
  const auto          print = [&](const std::string & what, double bound, const std::vector<double> & values) {
    Print(head, what, bound, values, expected);
  };

  // A single stage.
  print("stage: prefilter in single precision",
        none,
        evaluation.Values(*SourceOf(As<double>(Coefficients<float>(signal, Kind::Exact, context)), context)));
  print("stage: prefilter with ITK's truncation",
        none,
        evaluation.Values(*SourceOf(Coefficients<double>(signal, Kind::ItkHorizon, context), context)));
  print("stage: prefilter by 15 taps",
        none,
        evaluation.Values(*SourceOf(Coefficients<double>(signal, Kind::Fir, context), context)));
  const SourcePointer rounded = SourceOf(As<double>(single), context);
  const SourcePointer singles = SourceOf(single, context);
  const auto          computed =
    MakeSource(Describe(ScalarType::Float32, ScalarType::Float32, Kind::Exact), signal.samples.data(), context);
  print("stage: storage as float", StorageErrorBound(*computed, context), evaluation.Values(*rounded));
  const auto exactOfSingles = evaluation.Values(*rounded);
  const auto sumOfSingles = evaluation.Values(*singles);
  Print(head, "stage: weights and sum in single precision", none, sumOfSingles, exactOfSingles);
  for (const CoefficientStorage storage : { CoefficientStorage::Half, CoefficientStorage::Int16 })
  {
    const SourcePointer packed = SourceOf(single, context, storage);
    Print(head,
          std::string("stage: storage as ") + NameOf(storage),
          StorageErrorBound(*packed, context),
          evaluation.Values(*packed),
          sumOfSingles);
  }
  print("stage: coordinates in single precision", none, evaluation.Values(*reference, EvaluationMode::Exact, true));

  // A whole mode: prefilter, storage, weights and sum.
  const auto whole = [&](const std::string & what, CoefficientStorage storage, EvaluationMode mode, int entries) {
    SourceDescriptor descriptor = Describe(ScalarType::Float32, ScalarType::Float32, Kind::Exact);
    descriptor.storage = storage;
    descriptor.tableEntries = entries;
    const SourcePointer source = MakeSource(descriptor, signal.samples.data(), context);
    // Storage Element adds no error to the rounding of the prefilter, which the library's bounds do not include.
    const double bound =
      storage == CoefficientStorage::Element ? none : ModeErrorBound(evaluation.Method(mode, false), *source, context);
    print(what, bound, evaluation.Values(*source, mode));
  };
  whole("mode: exact in single precision", CoefficientStorage::Element, EvaluationMode::Exact, 0);
  whole("mode: exact from halves", CoefficientStorage::Half, EvaluationMode::Exact, 0);
  whole("mode: exact from 16-bit integers", CoefficientStorage::Int16, EvaluationMode::Exact, 0);
  whole("mode: texture", CoefficientStorage::Texture, EvaluationMode::Texture, 0);
  whole("mode: texture with a table of 128", CoefficientStorage::Texture, EvaluationMode::TextureTable, SmallestTable);
}
} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    const std::string wanted = argc > 1 ? argv[1] : "cpu";
    if (argc > 2 || (wanted != "cpu" && wanted != "cuda"))
    {
      std::cerr << "usage: CudaSplineEvaluationAccuracy [cpu|cuda]\n";
      return 2;
    }
    const ThreadExecutor threads;
    ExecutionContext     context;
    context.host = &threads;
    if (wanted == "cuda")
    {
      const DeviceChoice choice = SelectDevice("gpu");
      if (!choice)
      {
        std::cerr << "The Cuda backend cannot be measured: " << choice.reason << '\n';
        return 1;
      }
      context.backend = Backend::Cuda;
      context.device = choice.device;
    }
    std::mt19937        random(20240607);
    std::vector<double> points;
    for (std::int64_t i = 0; i < 3 * places; ++i)
    {
      const auto length = static_cast<double>(size[static_cast<std::size_t>(i % 3)]);
      points.push_back(std::uniform_real_distribution<double>(-0.5, length - 0.5)(random));
    }
    const Evaluation evaluation(points, context);
    std::puts("backend,signal,what,bound,largest,rms");
    for (const Signal & signal : MakeSignals(random))
    {
      Measure(signal, evaluation, context);
    }
    return 0;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
