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
 * \brief Whole registrations by itk::ImageRegistrationMethodv4 with Mattes' metric: the time of each step, and the
 * overlap of the images afterwards.
 *
 *   Registration/transform:affine/backend:cuda/size:256/iterations:all
 *   Registration/transform:bspline24/backend:itk/size:64/iterations:few
 *
 * 50 bins, every voxel, shrink factors 4, 2, 1, smoothing 2, 1, 0 mm (voxels), gradients by central differences, 100,
 * 100 and 50 iterations of RegularStepGradientDescentOptimizerv4, none of which ends early: a row whose iterations were
 * not all executed is an error. Steps of the affine transform are scaled by ITK's
 * RegistrationParameterScalesFromPhysicalShift. The B-spline has 6, 12 and 24 cells an axis. Images are in memory; a
 * row is a registration from new objects to its transform. \c few are 3, 3 and 2 iterations: \c whole_s is an estimate
 * for all iterations. It scales the time of the evaluations by their number at each level; the other times are as
 * measured. ITK's own metric takes hours for them. The backend \c itk is ITK's metric and smoothing, on all threads.
 *
 * Seconds by part: \c pyramid smoothing and shrinking, \c initialize the metric's Initialize() (uploads, samples),
 * \c scales of parameters, \c evaluate values and derivatives, \c step between them and the update (the optimizer, the
 * length of the first step), \c update of the transform. Result: \c overlap (Dice, mean of 5 labels), \c
 * overlap_before, \c distance_mm from the known transform inside the brain (RMS), \c distance_before_mm.
 *
 * --benchmark_out=FILE writes every repetition as JSON. */

#include "BenchmarkHarness.h"
#include "RegistrationPhantom.h"

#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSplineFactory.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransformParametersAdaptor.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

using namespace RegistrationBenchmark;
using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

/** Parts of the time of a registration. Each ends when the next one begins. */
enum Part
{
  Pyramid,
  Initialize,
  Scales,
  Evaluate,
  Step,
  Update,
  Rest,
  PartCount
};

/** Seconds of each part. */
class Timeline
{
public:
  void
  Begin(Part part)
  {
    const auto now = Clock::now();
    m_Seconds[m_Part] += Seconds(now - m_Begin).count();
    m_Begin = now;
    m_Part = part;
  }
  double
  operator[](Part part) const
  {
    return m_Seconds[part];
  }

private:
  std::array<double, PartCount> m_Seconds{};
  Part                          m_Part{ Rest };
  Clock::time_point             m_Begin{ Clock::now() };
};

/** A metric that reports its calls to a timeline. */
template <typename TMetric>
class TimedMetric : public TMetric
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(TimedMetric);
  using Self = TimedMetric;
  using Superclass = TMetric;
  using Pointer = itk::SmartPointer<Self>;
  using ConstPointer = itk::SmartPointer<const Self>;
  itkSimpleNewMacro(Self);

  void
  Initialize() override
  {
    timeline->Begin(Part::Initialize);
    Superclass::Initialize();
    timeline->Begin(Scales);
  }
  void
  GetValueAndDerivative(typename Superclass::MeasureType &    value,
                        typename Superclass::DerivativeType & derivative) const override
  {
    timeline->Begin(Evaluate);
    Superclass::GetValueAndDerivative(value, derivative);
    timeline->Begin(Step);
    ++evaluations;
  }
  void
  UpdateTransformParameters(const typename Superclass::DerivativeType & derivative, double factor) override
  {
    timeline->Begin(Update);
    Superclass::UpdateTransformParameters(derivative, factor);
    timeline->Begin(Step);
  }

  Timeline *  timeline{ nullptr };
  mutable int evaluations{ 0 };

protected:
  TimedMetric() = default;
  ~TimedMetric() override = default;
};

/** The registration of a row. */
struct Row
{
  std::string  backend;
  bool         isSpline{ false };
  unsigned int size{ 256 };
  bool         isFew{ false };
};

using Registration = itk::ImageRegistrationMethodv4<ImageType, ImageType, TransformType>;
using Optimizer = itk::RegularStepGradientDescentOptimizerv4<double>;
constexpr unsigned int            levels = 3;
constexpr std::array<unsigned, 3> shrinkFactors{ 4, 2, 1 };
constexpr std::array<double, 3>   smoothing{ 2.0, 1.0, 0.0 };
constexpr std::array<unsigned, 3> allIterations{ 100, 100, 50 };
constexpr std::array<unsigned, 3> fewIterations{ 3, 3, 2 };
constexpr std::array<unsigned, 3> splineCells{ 6, 12, 24 };

/** Returns the registration without its metric and optimizer; \p transform receives the result. */
Registration::Pointer
MakeRegistration(const Row & row, const Phantom & phantom, TransformType::Pointer & transform)
{
  auto registration = Registration::New();
  registration->SetFixedImage(phantom.fixed);
  registration->SetMovingImage(phantom.moving);
  registration->SetNumberOfLevels(levels);
  Registration::ShrinkFactorsArrayType   shrink(levels);
  Registration::SmoothingSigmasArrayType sigmas(levels);
  for (unsigned int level = 0; level < levels; ++level)
  {
    shrink[level] = shrinkFactors[level];
    sigmas[level] = smoothing[level];
  }
  registration->SetShrinkFactorsPerLevel(shrink);
  registration->SetSmoothingSigmasPerLevel(sigmas);
  if (row.isSpline)
  {
    using Adaptor = itk::BSplineTransformParametersAdaptor<SplineType>;
    Registration::TransformParametersAdaptorsContainerType adaptors;
    for (const unsigned int cells : splineCells)
    {
      const auto spline = MakeSpline(row.size, cells);
      auto       adaptor = Adaptor::New();
      adaptor->SetRequiredTransformDomainOrigin(spline->GetTransformDomainOrigin());
      adaptor->SetRequiredTransformDomainDirection(spline->GetTransformDomainDirection());
      adaptor->SetRequiredTransformDomainPhysicalDimensions(spline->GetTransformDomainPhysicalDimensions());
      adaptor->SetRequiredTransformDomainMeshSize(spline->GetTransformDomainMeshSize());
      adaptors.emplace_back(adaptor.GetPointer());
    }
    registration->SetTransformParametersAdaptorsPerLevel(adaptors);
    transform = MakeSpline(row.size, splineCells.front()).GetPointer();
  }
  else
  {
    auto                  affine = itk::AffineTransform<double, 3>::New();
    itk::Point<double, 3> centre;
    centre.Fill(0.5 * (row.size - 1.0));
    affine->SetCenter(centre);
    transform = affine.GetPointer();
  }
  registration->SetInitialTransform(transform);
  registration->InitializeCenterOfLinearOutputTransformOff();
  registration->InPlaceOn();
  return registration;
}

Optimizer::Pointer
MakeOptimizer()
{
  auto optimizer = Optimizer::New();
  optimizer->SetMinimumStepLength(0.0);
  optimizer->SetGradientMagnitudeTolerance(std::numeric_limits<double>::min());
  optimizer->SetRelaxationFactor(0.7);
  optimizer->SetDoEstimateLearningRateAtEachIteration(false);
  return optimizer;
}

/** Runs the row once and returns its seconds. */
template <typename TMetric>
double
RegisterOnce(benchmark::State & state, const Row & row)
{
  const Phantom & phantom = GetPhantom(row.size, row.isSpline);
  const auto &    iterations = row.isFew ? fewIterations : allIterations;
  const auto      begin = Clock::now();
  Timeline        timeline;
  auto            metric = TimedMetric<TMetric>::New();
  metric->timeline = &timeline;
  metric->SetNumberOfHistogramBins(50);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  if constexpr (std::is_base_of<itk::CudaSplineImageMetric<typename TMetric::Superclass::Superclass>, TMetric>::value)
  {
    metric->SetGPUEnabled(row.backend == "cuda");
  }
  TransformType::Pointer transform;
  const auto             registration = MakeRegistration(row, phantom, transform);
  const auto             optimizer = MakeOptimizer();
  using MetricBase = itk::ImageToImageMetricv4<ImageType, ImageType>;
  using ItkEstimator = itk::RegistrationParameterScalesFromPhysicalShift<MetricBase>;
  ItkEstimator::Pointer estimator;
  if (row.backend == "itk")
  {
    itk::CudaSplineFactory::UnRegisterOneFactory();
    estimator = ItkEstimator::New();
  }
  else
  {
    itk::CudaSplineFactory::RegisterOneFactory(); // the registration's smoothing
    estimator = itk::CudaRegistrationParameterScalesFromPhysicalShift<MetricBase>::New().GetPointer();
  }
  estimator->SetMetric(metric);
  optimizer->SetDoEstimateLearningRateOnce(!row.isSpline);
  optimizer->SetDoEstimateScales(!row.isSpline);
  if (!row.isSpline)
  {
    optimizer->SetScalesEstimator(estimator);
  }
  registration->SetMetric(metric);
  registration->SetOptimizer(optimizer);
  unsigned int        executed = 0;
  std::vector<double> evaluating; // seconds, for each level
  optimizer->AddObserver(itk::IterationEvent(), [&executed](const itk::EventObject &) { ++executed; });
  registration->AddObserver(itk::MultiResolutionIterationEvent(), [&](const itk::EventObject &) {
    timeline.Begin(Pyramid);
    evaluating.push_back(timeline[Evaluate]);
    const auto level = registration->GetCurrentLevel();
    optimizer->SetNumberOfIterations(iterations[level]);
    if (row.isSpline)
    {
      // All coefficients are in mm. The step is their root mean square, a tenth of a voxel of the level.
      const double parameters = 3.0 * std::pow(splineCells[level] + 3.0, 3.0);
      optimizer->SetLearningRate(0.1 * shrinkFactors[level] * std::sqrt(parameters));
    }
  });
  registration->Update();
  timeline.Begin(Rest);
  const double seconds = Seconds(Clock::now() - begin).count();
  evaluating.push_back(timeline[Evaluate]);
  double whole = seconds - timeline[Evaluate];
  for (unsigned int level = 0; level < levels; ++level)
  {
    whole += (evaluating[level + 1] - evaluating[level]) * allIterations[level] / iterations[level];
  }

  if constexpr (std::is_base_of<itk::CudaSplineImageMetric<typename TMetric::Superclass::Superclass>, TMetric>::value)
  {
    const auto wanted = row.backend == "cuda" ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu;
    if (metric->GetLastBackend() != wanted)
    {
      state.SkipWithError(("another backend answered: " + metric->GetFallbackReason()).c_str());
    }
  }
  if (executed != iterations[0] + iterations[1] + iterations[2])
  {
    state.SkipWithError(("only " + std::to_string(executed) + " iterations were executed").c_str());
  }
  constexpr std::array<const char *, PartCount> names{ "pyramid_s", "initialize_s", "scales_s", "evaluate_s",
                                                       "step_s",    "update_s",     "rest_s" };
  for (unsigned int part = 0; part < PartCount; ++part)
  {
    state.counters[names[part]] = timeline[static_cast<Part>(part)];
  }
  state.counters["whole_s"] = whole;
  state.counters["evaluations"] = metric->evaluations;
  state.counters["overlap_before"] = OverlapOf(phantom, itk::AffineTransform<double, 3>::New());
  state.counters["overlap"] = OverlapOf(phantom, transform);
  state.counters["distance_before_mm"] = DistanceOf(phantom, itk::AffineTransform<double, 3>::New());
  state.counters["distance_mm"] = DistanceOf(phantom, transform);
  return seconds;
}

template <typename TMetric>
void
Measure(benchmark::State & state, const Row & row)
{
  GetPhantom(row.size, row.isSpline); // made before the clock starts
  for (auto _ : state)
  {
    state.SetIterationTime(RegisterOnce<TMetric>(state, row));
  }
}

/** The row, with the module's metric or ITK's. */
void
Add(const Row & row)
{
  using Ours = itk::CudaMattesMutualInformationImageToImageMetricv4<ImageType, ImageType>;
  using Itk = itk::MattesMutualInformationImageToImageMetricv4<ImageType, ImageType>;
  const std::string title = std::string("Registration/transform:") + (row.isSpline ? "bspline24" : "affine") +
                            "/backend:" + row.backend + "/size:" + std::to_string(row.size) +
                            "/iterations:" + (row.isFew ? "few" : "all");
  auto * const added =
    benchmark::RegisterBenchmark(title.c_str(), row.backend == "itk" ? Measure<Itk> : Measure<Ours>, row);
  added->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(1);
}

} // namespace

int
main(int argc, char ** argv)
{
  std::vector<std::string> backends{ "cpu", "itk" };
  if (itk::CudaSpline::DeviceCount() > 0)
  {
    backends.insert(backends.begin(), "cuda");
  }
  for (const std::string & backend : backends)
  {
    for (const bool isSpline : { false, true })
    {
      for (const unsigned int size : { 64U, 96U, 128U, 256U })
      {
        // ITK's mutual information stores a derivative of each bin by each parameter, and needs hours.
        const bool isTooMuch = backend == "itk" && isSpline && size > 96;
        for (const bool isFew : { false, true })
        {
          if (!isTooMuch && !(backend == "cuda" && isFew))
          {
            Add({ backend, isSpline, size, isFew });
          }
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
  {
    return 1;
  }
  return RunCells();
}
