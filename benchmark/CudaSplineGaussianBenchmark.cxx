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
 * \brief What surrounds the metric of a registration: recursive Gaussians and the scales of parameters, against ITK's.
 *
 *   Gaussian/name:smoothing/backend:cuda/dimension:3/size:256/precision:single
 *   Scales/name:step/backend:cpu/size:64/cells:24
 *
 * A row is a whole Update() from an image in memory to a new image, or an estimate for a metric whose transform is a
 * cubic B-spline: of the scales of its parameters, or of a step of random numbers. The backend \c itk is ITK's own
 * class, with all threads where it has them.
 *
 * --benchmark_out=FILE writes every repetition as JSON. */

#include "BenchmarkHarness.h"
#include "ItkBenchmark.h"

#include "itkCudaGradientRecursiveGaussianImageFilter.h"
#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"
#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaSpline/device/Device.h"

#include "itkMeanSquaresImageToImageMetricv4.h"

#include <cmath>
#include <cstddef>
#include <exception>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using ImageType = itk::Image<float, 3>;
using MetricType = itk::MeanSquaresImageToImageMetricv4<ImageType, ImageType>;
using SplineType = itk::BSplineTransform<double, 3, 3>;

template <typename TFilter>
void
MeasureFilter(benchmark::State & state, const std::string & backend, std::size_t size)
{
  try
  {
    auto filter = TFilter::New();
    filter->SetInput(RandomImage<ImageType>(size));
    filter->SetSigma(2.0);
    constexpr bool isOurs = std::is_same<TFilter, itk::CudaSmoothingRecursiveGaussianImageFilter<ImageType>>::value ||
                            std::is_same<TFilter, itk::CudaGradientRecursiveGaussianImageFilter<ImageType>>::value;
    if constexpr (isOurs)
    {
      filter->SetDevice(backend == "cuda" ? "gpu" : "cpu");
    }
    filter->Update();
    for (auto _ : state)
    {
      filter->Modified();
      filter->Update();
    }
    if constexpr (isOurs)
    {
      if (filter->GetLastBackend() !=
          (backend == "cuda" ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu))
      {
        state.SkipWithError(("another backend answered: " + filter->GetFallbackReason()).c_str());
      }
    }
  }
  catch (const std::exception & error)
  {
    state.SkipWithError(error.what());
  }
}

template <typename TEstimator>
void
MeasureScales(benchmark::State & state, std::size_t size, unsigned int cells, bool ofStep)
{
  const auto                         image = RandomImage<ImageType>(size);
  auto                               spline = SplineType::New();
  SplineType::PhysicalDimensionsType extent;
  SplineType::MeshSizeType           mesh;
  extent.Fill(static_cast<double>(size) - 1.0);
  mesh.Fill(cells);
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainMeshSize(mesh);
  auto parameters = spline->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 0.7 * std::cos(1.3 * p);
  }
  spline->SetParametersByValue(parameters);
  auto metric = MetricType::New();
  metric->SetFixedImage(image);
  metric->SetMovingImage(image);
  metric->SetMovingTransform(spline);
  metric->SetVirtualDomainFromImage(image);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->Initialize();
  auto estimator = TEstimator::New();
  estimator->SetMetric(metric);
  double                           result = 0.0;
  typename TEstimator::ScalesType  scales;
  std::mt19937                     generator(12345);
  std::normal_distribution<double> noise; // the worst case for steps, because gradients are smoother
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = noise(generator);
  }
  for (auto _ : state)
  {
    if (ofStep)
    {
      result = estimator->EstimateStepScale(parameters);
    }
    else
    {
      estimator->EstimateScales(scales);
      result = scales[0];
    }
  }
  state.counters["value"] = result;
}

template <typename TFilter>
void
RegisterFilter(const std::string & name, const std::string & backend, std::size_t size)
{
  const std::string title =
    "Gaussian/name:" + name + "/backend:" + backend + "/dimension:3/size:" + std::to_string(size) + "/precision:single";
  benchmark::RegisterBenchmark(title.c_str(), MeasureFilter<TFilter>, backend, size)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
}

template <typename TEstimator>
void
RegisterScales(const std::string & backend, std::size_t size, unsigned int cells, bool ofStep)
{
  const std::string title = std::string("Scales/name:") + (ofStep ? "step" : "parameters") + "/backend:" + backend +
                            "/size:" + std::to_string(size) + "/cells:" + std::to_string(cells);
  benchmark::RegisterBenchmark(title.c_str(), MeasureScales<TEstimator>, size, cells, ofStep)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
}

std::string
RegisterAll()
{
  const bool hasDevice = static_cast<bool>(itk::CudaSpline::SelectDevice());
  for (const std::size_t size : { 64, 128, 256, 512 })
  {
    for (const char * const backend : { "cuda", "cpu" })
    {
      if (hasDevice || backend == std::string("cpu"))
      {
        RegisterFilter<itk::CudaSmoothingRecursiveGaussianImageFilter<ImageType>>("smoothing", backend, size);
        RegisterFilter<itk::CudaGradientRecursiveGaussianImageFilter<ImageType>>("gradient", backend, size);
      }
    }
    RegisterFilter<ItkOwn<itk::SmoothingRecursiveGaussianImageFilter<ImageType>>>("smoothing", "itk", size);
    RegisterFilter<ItkOwn<itk::GradientRecursiveGaussianImageFilter<ImageType>>>("gradient", "itk", size);
  }
  using Itks = itk::RegistrationParameterScalesFromPhysicalShift<MetricType>;
  using Own = itk::CudaRegistrationParameterScalesFromPhysicalShift<MetricType>;
  for (const bool ofStep : { false, true })
  {
    RegisterScales<Own>("cpu", 64, 6, ofStep);
    RegisterScales<Itks>("itk", 64, 6, ofStep);
    RegisterScales<Own>("cpu", 256, 24, ofStep);
  }
  RegisterScales<Itks>("itk", 256, 24, true); // ITK needs minutes for the scales of 59049 parameters
  return hasDevice ? "" : "The Cuda backend is not measured.";
}

} // namespace

int
main(int argc, char ** argv)
{
  return RunBenchmarks(argc, argv, RegisterAll);
}
