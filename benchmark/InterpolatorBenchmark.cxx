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
#include "InterpolatorBenchmark.h"

#include "BenchmarkHarness.h"
#include "ItkBenchmark.h"

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaLabelImageGaussianInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"
#include "itkCudaWindowedSincInterpolateImageFunction.h"

#include "itkBSplineDecompositionImageFilter.h"
#include "itkEuler3DTransform.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace
{
using Image = itk::Image<float, 3>;
using Index = itk::ContinuousIndex<double, 3>;

using ItkSpline = ItkOwn<itk::BSplineInterpolateImageFunction<Image, double, double>>;
using OwnSpline = itk::CudaBSplineInterpolateImageFunction<Image, double, double>;

double
Seconds(const std::function<void()> & run)
{
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/** Returns uniform indices inside the image. */
std::vector<Index>
RandomIndices(std::size_t count, std::size_t size)
{
  std::mt19937                           generator(54321);
  std::uniform_real_distribution<double> distribution(0.0, static_cast<double>(size) - 1.001);
  std::vector<Index>                     indices(count);
  for (Index & index : indices)
  {
    std::generate_n(index.Begin(), 3, [&] { return distribution(generator); });
  }
  return indices;
}

/** Runs a pair in each repetition, and measures its times. */
void
MeasurePair(benchmark::State & state, const std::function<void()> & own, const std::function<double()> & itk)
{
  double owns = 0.0;
  double itks = 0.0;
  for (auto _ : state)
  {
    itks += itk();
    const double seconds = Seconds(own);
    state.SetIterationTime(seconds);
    owns += seconds;
  }
  state.counters["itk_ms"] = 1000.0 * itks / static_cast<double>(state.iterations());
  state.counters["ratio"] = itks / owns;
}

void
RegisterRow(const std::string & name, const std::function<void(benchmark::State &)> & run)
{
  WithQuartiles(benchmark::RegisterBenchmark(name.c_str(),
                                             [run](benchmark::State & state) {
                                               try
                                               {
                                                 run(state);
                                               }
                                               catch (const std::exception & error)
                                               {
                                                 state.SkipWithError(error.what());
                                               }
                                             }))
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
}

/** One thread evaluates one point after the other, as ITK's filters do. */
template <typename TOwn, typename TItk>
void
RegisterSingles(const std::string &                 name,
                const std::function<void(TOwn *)> & setOwn = {},
                const std::function<void(TItk *)> & setItk = {})
{
  RegisterRow("Single/interpolator:" + name + "/points:200000", [setOwn, setItk](benchmark::State & state) {
    const auto image = RandomImage<Image>(64);
    const auto indices = RandomIndices(200000, 64);
    const auto own = TOwn::New();
    const auto itk = TItk::New();
    if (setOwn)
    {
      setOwn(own.GetPointer());
      setItk(itk.GetPointer());
    }
    own->SetInputImage(image);
    itk->SetInputImage(image);
    // As in filters, which only know the base class. If the compiler knew the class, the call would not be virtual.
    const auto sum = [&](const itk::InterpolateImageFunction<Image> * function) {
      benchmark::DoNotOptimize(function);
      double total = 0.0;
      for (const Index & index : indices)
      {
        total += function->EvaluateAtContinuousIndex(index);
      }
      benchmark::DoNotOptimize(total);
    };
    sum(own);
    MeasurePair(
      state, [&] { sum(own); }, [&] { return Seconds([&] { sum(itk); }); });
  });
}

void
RegisterSingles()
{
  RegisterSingles<itk::CudaNearestNeighborInterpolateImageFunction<Image>,
                  ItkOwn<itk::NearestNeighborInterpolateImageFunction<Image>>>("nearest");
  RegisterSingles<itk::CudaLinearInterpolateImageFunction<Image>, ItkOwn<itk::LinearInterpolateImageFunction<Image>>>(
    "linear");
  for (unsigned int order = 0; order <= 5; ++order)
  {
    RegisterSingles<OwnSpline, ItkSpline>(
      "bspline" + std::to_string(order),
      [order](auto * function) { function->SetSplineOrder(order); },
      [order](auto * function) { function->SetSplineOrder(order); });
  }
  using Window = itk::Function::HammingWindowFunction<3>;
  RegisterSingles<itk::CudaWindowedSincInterpolateImageFunction<Image, 3, Window>,
                  ItkOwn<itk::WindowedSincInterpolateImageFunction<Image, 3, Window>>>("hamming3");
  RegisterSingles<itk::CudaLabelImageGaussianInterpolateImageFunction<Image>,
                  ItkOwn<itk::LabelImageGaussianInterpolateImageFunction<Image>>>("label-gaussian");
}

/** Measures values and gradients of cubic B-splines at scattered points: a batch, and ITK with as many threads. */
void
RegisterPoints(itk::CudaSpline::Backend backend)
{
  constexpr std::size_t count = 10000000;
  const bool            onDevice = backend == itk::CudaSpline::Backend::Cuda;
  const std::string     name = std::string("Points/backend:") + (onDevice ? "cuda" : "cpu");
  RegisterRow(name + "/size:256/order:3/gradient/points:10000000", [onDevice, backend](benchmark::State & state) {
    const auto image = RandomImage<Image>(256);
    const auto indices = RandomIndices(count, 256);
    const auto own = OwnSpline::New();
    const auto itk = ItkSpline::New();
    own->SetDevice(onDevice ? "gpu" : "cpu");
    own->SetInputImage(image);
    itk->SetInputImage(image);
    std::vector<double>                 values(count);
    std::vector<double>                 gradients(3 * count);
    itk::CudaSplineBatchResults<double> results;
    results.values = values.data();
    results.gradients = gradients.data();
    const auto evaluate = [&] { own->EvaluateAtContinuousIndices(indices, results); };
    evaluate();
    if (own->GetLastBackend() != backend)
    {
      state.SkipWithError(("another backend ran: " + own->GetFallbackReason()).c_str());
      return;
    }
    std::vector<double> itkValues(count);
    const auto          threader = itk::MultiThreaderBase::New();
    constexpr int       parts = 400;
    const auto          evaluateItk = [&] {
      threader->ParallelizeArray(
        0,
        parts,
        [&](itk::SizeValueType part) {
          for (std::size_t i = part * (count / parts); i < (part + 1) * (count / parts); ++i)
          {
            double                                  value = 0.0;
            typename ItkSpline::CovariantVectorType gradient;
            itk->EvaluateValueAndDerivativeAtContinuousIndex(indices[i], value, gradient);
            itkValues[i] = value + 0.0 * gradient[0];
          }
        },
        nullptr);
    };
    MeasurePair(state, evaluate, [&] { return Seconds(evaluateItk); });
    double difference = 0.0;
    for (std::size_t i = 0; i < count; ++i)
    {
      difference = std::max(difference, std::abs(values[i] - itkValues[i]));
    }
    state.counters["largest_difference"] = difference / 1000.0;
  });
}

/** Measures a cubic resampling without the prefilter: with a kept source, and ITK's filter minus the decomposition of
 * its interpolator. */
void
RegisterEvaluation(std::size_t size)
{
  RegisterRow("Evaluation/backend:cpu/size:" + std::to_string(size) + "/order:3", [size](benchmark::State & state) {
    const auto image = RandomImage<Image>(size);
    const auto transform = itk::Euler3DTransform<double>::New();
    transform->SetCenter(itk::Point<double, 3>(static_cast<double>(size) / 2.0));
    transform->SetRotation(0.17, 0.26, 0.35);
    const auto prepare = [&](const auto & filter, const auto & interpolator) {
      filter->SetInput(image);
      filter->SetTransform(transform);
      filter->SetInterpolator(interpolator);
      filter->SetReferenceImage(image);
      filter->UseReferenceImageOn();
    };
    const auto own = itk::CudaResampleImageFilter<Image, Image>::New();
    prepare(own, OwnSpline::New());
    own->SetDevice("cpu");
    own->SetPrecision(itk::CudaSplinePrecision::Double); // as in ITK
    own->KeepSourceOn();
    own->Update();
    const auto itk = ItkOwn<itk::ResampleImageFilter<Image, Image>>::New();
    const auto spline = ItkSpline::New();
    prepare(itk, spline);
    const auto again = [](const auto & filter) {
      filter->Modified();
      filter->Update();
    };
    MeasurePair(
      state,
      [&] { again(own); },
      [&] {
        const auto decomposition = ItkOwn<itk::BSplineDecompositionImageFilter<Image, itk::Image<double, 3>>>::New();
        decomposition->SetInput(image);
        decomposition->SetSplineOrder(3);
        const double prefilter = Seconds([&] { decomposition->Update(); });
        image->Modified(); // otherwise the interpolator may reuse its coefficients
        return Seconds([&] { again(itk); }) - prefilter;
      });
    state.counters["reused"] = own->GetSourceReused() ? 1 : 0;
    double difference = 0.0;
    for (std::size_t i = 0; i < size * size * size; ++i)
    {
      difference = std::max(
        difference,
        std::abs(double(own->GetOutput()->GetBufferPointer()[i]) - double(itk->GetOutput()->GetBufferPointer()[i])));
    }
    state.counters["largest_difference"] = difference / 1000.0;
  });
}

} // namespace

void
RegisterInterpolators(itk::CudaSpline::Backend backend)
{
  RegisterPoints(backend);
  if (backend == itk::CudaSpline::Backend::Cpu)
  {
    RegisterSingles();
    for (const std::size_t size : { 128, 256, 512 })
    {
      RegisterEvaluation(size);
    }
  }
}
