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
#ifndef CudaSplineRegister_SynStage_hxx
#define CudaSplineRegister_SynStage_hxx

#include "SynStage.h"

#include "DeviceWord.h"
#include "StageMetrics.h"
#include "Stopwatch.h"

#include "itkCudaSyNImageRegistrationMethod.h"

#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkObjectToObjectMultiMetricv4.h"
#include "itkShrinkImageFilter.h"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief The registration method of a SyN stage, and what its iterations tell. */
template <typename TPixel, unsigned int VDimension>
class SynStage
{
public:
  using Inputs = FieldInputs<TPixel, VDimension>;
  using ImageType = typename Inputs::ImageType;
  using Metrics = StageMetrics<ImageType>;
  using TransformType = itk::DisplacementFieldTransform<double, VDimension>;
  using FieldType = typename TransformType::DisplacementFieldType;
  using MethodType = itk::CudaSyNImageRegistrationMethod<ImageType, ImageType, TransformType>;
  using AdaptorType = itk::DisplacementFieldTransformParametersAdaptor<TransformType>;

  SynStage(const Inputs & inputs, const RegistrationRequest & request, std::size_t number)
    : m_Inputs(inputs)
    , m_Request(request)
    , m_Number(number)
    , m_Stage(request.options->stages[number])
  {}

  FieldOutcome<VDimension>
  Run()
  {
    const Stopwatch time;
    this->SetUp();
    m_Method->AddObserver(itk::MultiResolutionIterationEvent(), [this](const itk::EventObject &) {
      this->EndLevel();
      m_Levels.emplace_back();
      m_Time = Stopwatch();
    });
    m_Method->AddObserver(itk::IterationEvent(), [this](const itk::EventObject &) { this->Look(); });
    m_Method->Update();
    this->EndLevel();

    FieldOutcome<VDimension> outcome;
    outcome.transform = m_Method->GetModifiableTransform();
    outcome.isStopped = m_IsStopped;
    StageResult & result = outcome.stage;
    result.kind = m_Stage.kind;
    result.levels = m_Levels;
    result.parameters = outcome.transform->GetNumberOfParameters();
    result.seconds = time.GetSeconds();
    result.use = m_Method->GetBackendUse();
    result.backend = result.use.Most();
    result.fallbackReason =
      m_Method->GetLastBackend() == result.backend ? m_Method->GetFallbackReason() : std::string();
    return outcome;
  }

private:
  void
  SetUp()
  {
    // SyN interpolates linearly, whatever the metrics of other stages do.
    Options options = *m_Request.options;
    options.order = 1;
    options.gradient = options.gradient == GradientKind::Filter ? GradientKind::Filter : GradientKind::Differences;
    m_Method = MethodType::New();
    this->SetUpMetrics(options);
    const std::size_t levels = m_Stage.iterations.size();
    m_Method->SetNumberOfLevels(levels);
    typename MethodType::ShrinkFactorsArrayType                   shrink(levels);
    typename MethodType::SmoothingSigmasArrayType                 sigmas(levels);
    typename MethodType::NumberOfIterationsArrayType              iterations(levels);
    typename MethodType::TransformParametersAdaptorsContainerType adaptors;
    for (std::size_t level = 0; level < levels; ++level)
    {
      shrink[level] = m_Stage.shrink[level];
      sigmas[level] = m_Stage.sigmas[level];
      iterations[level] = m_Stage.iterations[level];
      adaptors.push_back(this->MakeAdaptor(m_Stage.shrink[level]).GetPointer());
    }
    m_Method->SetShrinkFactorsPerLevel(shrink);
    m_Method->SetSmoothingSigmasPerLevel(sigmas);
    m_Method->SetSmoothingSigmasAreSpecifiedInPhysicalUnits(m_Stage.sigmasInMm);
    m_Method->SetNumberOfIterationsPerLevel(iterations);
    m_Method->SetTransformParametersAdaptorsPerLevel(adaptors);
    m_Method->SetInitialTransform(this->MakeStart(m_Stage.shrink.front()));
    m_Method->InPlaceOn();
    if (m_Inputs.before.IsNotNull())
    {
      m_Method->SetMovingInitialTransform(m_Inputs.before);
    }
    m_Method->SetLearningRate(m_Stage.learningRate);
    m_Method->SetConvergenceThreshold(m_Stage.convergence);
    m_Method->SetConvergenceWindowSize(convergenceWindow);
    m_Method->SetGaussianSmoothingVarianceForTheUpdateField(m_Stage.updateVariance);
    m_Method->SetGaussianSmoothingVarianceForTheTotalField(m_Stage.totalVariance);
    m_Method->SetDevice(m_Request.options->device);
  }

  /** The images, and the metric: of several pairs their metrics with weights. */
  void
  SetUpMetrics(const Options & options)
  {
    const auto add = [&](std::size_t number, const typename Metrics::Inputs & images) {
      m_Method->SetFixedImage(number, images.fixed);
      m_Method->SetMovingImage(number, images.moving);
      return Metrics::Make(m_Stage.metrics[number].kind, m_Stage, images, options).object;
    };
    const std::size_t count = m_Stage.metrics.size();
    const auto        first = add(0, { m_Inputs.fixed, m_Inputs.moving, m_Inputs.fixedMask, m_Inputs.movingMask });
    if (count == 1)
    {
      m_Method->SetMetric(first);
      return;
    }
    using MultiMetricType = itk::ObjectToObjectMultiMetricv4<VDimension, VDimension, ImageType, double>;
    const auto                                 several = MultiMetricType::New();
    typename MultiMetricType::WeightsArrayType weights(count);
    several->AddMetric(first);
    for (std::size_t number = 1; number < count; ++number)
    {
      const auto & pair = m_Inputs.further[number - 1];
      several->AddMetric(add(number, { pair.fixed, pair.moving, pair.fixedMask, pair.movingMask }));
    }
    for (std::size_t number = 0; number < count; ++number)
    {
      weights[number] = m_Stage.metrics[number].weight;
    }
    several->SetMetricWeights(weights);
    m_Method->SetMetric(several);
  }

  /** The grid of a level, as ITK has it. */
  typename ImageType::Pointer
  MakeGrid(unsigned int factor) const
  {
    const auto shrink = itk::ShrinkImageFilter<ImageType, ImageType>::New();
    shrink->SetShrinkFactors(factor);
    shrink->SetInput(m_Inputs.fixed);
    shrink->UpdateOutputInformation();
    return shrink->GetOutput();
  }

  typename AdaptorType::Pointer
  MakeAdaptor(unsigned int factor) const
  {
    const auto grid = this->MakeGrid(factor);
    const auto adaptor = AdaptorType::New();
    adaptor->SetRequiredSpacing(grid->GetSpacing());
    adaptor->SetRequiredSize(grid->GetLargestPossibleRegion().GetSize());
    adaptor->SetRequiredDirection(grid->GetDirection());
    adaptor->SetRequiredOrigin(grid->GetOrigin());
    return adaptor;
  }

  /** A transform that moves nothing, on the first level's grid: on the image's it would be resampled. */
  typename TransformType::Pointer
  MakeStart(unsigned int factor) const
  {
    const auto grid = this->MakeGrid(factor);
    const auto zero = FieldType::New();
    zero->CopyInformation(grid);
    zero->SetRegions(grid->GetLargestPossibleRegion());
    zero->Allocate(true);
    const auto start = TransformType::New();
    start->SetDisplacementField(zero);
    return start;
  }

  /** An iteration has ended. */
  void
  Look()
  {
    // ITK tells of the beginning of a level, too, which is no iteration.
    LevelResult & level = m_Levels.back();
    level.iterations = static_cast<unsigned int>(m_Method->GetCurrentIteration());
    level.value = m_Method->GetCurrentMetricValue();
    m_Convergence = m_Method->GetCurrentConvergenceValue();
    if (m_Request.progress && level.iterations > 0)
    {
      Iteration iteration;
      iteration.stage = m_Number;
      iteration.level = m_Levels.size() - 1;
      iteration.number = level.iterations;
      iteration.value = level.value;
      iteration.convergence = m_Convergence < std::numeric_limits<double>::max()
                                ? m_Convergence
                                : std::numeric_limits<double>::infinity(); // of too few values
      m_Request.progress(iteration);
    }
    if (IsAskedToStop(m_Request))
    {
      m_IsStopped = true;
      typename MethodType::NumberOfIterationsArrayType none(m_Stage.iterations.size());
      none.Fill(0);
      m_Method->SetNumberOfIterationsPerLevel(none);
    }
  }

  void
  EndLevel()
  {
    if (m_Levels.empty())
    {
      return;
    }
    LevelResult & level = m_Levels.back();
    level.seconds = m_Time.GetSeconds();
    level.stop = DescribeFieldStop(
      m_IsStopped, m_Convergence < m_Stage.convergence && level.iterations > 0, m_Convergence, m_Stage.convergence);
    if (m_Levels.size() == 1)
    {
      const itk::CudaSpline::Backend backend = m_Method->GetLastBackend();
      CheckDeviceDid(backend, m_Method->GetFallbackReason(), m_Request.options->device, "the SyN stage");
      if (backend == itk::CudaSpline::Backend::Superclass && m_Request.note)
      {
        m_Request.note("stage " + std::to_string(m_Number + 1) + " (" + NameOf(m_Stage.kind) +
                       ") is ITK's own, on the CPU, which may take long: " + m_Method->GetFallbackReason());
      }
    }
  }

  const Inputs &               m_Inputs;
  const RegistrationRequest &  m_Request;
  std::size_t                  m_Number;
  const StageOptions &         m_Stage;
  typename MethodType::Pointer m_Method;
  std::vector<LevelResult>     m_Levels;
  Stopwatch                    m_Time; ///< of the level
  double                       m_Convergence{ 0.0 };
  bool                         m_IsStopped{ false };
};

template <typename TPixel, unsigned int VDimension>
FieldOutcome<VDimension>
RunSynStage(const FieldInputs<TPixel, VDimension> & inputs, const RegistrationRequest & request, std::size_t number)
{
  return SynStage<TPixel, VDimension>(inputs, request, number).Run();
}

} // namespace CudaSplineRegister

#endif
