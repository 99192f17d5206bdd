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
#ifndef CudaSplineRegister_RegistrationTyped_hxx
#define CudaSplineRegister_RegistrationTyped_hxx

#include "CentreOfGravity.h"
#include "DeformableStage.h"
#include "DeviceWord.h"
#include "Error.h"
#include "IterationWatch.h"
#include "LinearStage.h"
#include "Registration.h"
#include "RotationSearch.h"
#include "SplineStage.h"
#include "StageMetrics.h"
#include "StageOptimizer.h"
#include "StageTransforms.h"

#include "itkCudaRegistrationParameterScalesFromPhysicalShift.h"

#include "itkBSplineTransformParametersAdaptor.h"
#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkMersenneTwisterRandomVariateGenerator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace CudaSplineRegister
{

/** \brief The stages of a registration, one after the other. */
template <typename TPixel, unsigned int VDimension>
class StagesOf
{
public:
  using ImageType = itk::Image<TPixel, VDimension>;
  using Transforms = StageTransforms<VDimension>;
  using TransformType = typename Transforms::Base;
  using Metrics = StageMetrics<ImageType>;
  using MetricType = typename Metrics::MetricType;
  using RegistrationType = itk::ImageRegistrationMethodv4<ImageType, ImageType, TransformType>;
  using EstimatorType = itk::CudaRegistrationParameterScalesFromPhysicalShift<MetricType>;
  using MaskType = typename Metrics::MaskType;
  using AdaptorType = itk::BSplineTransformParametersAdaptor<typename Transforms::Spline>;

  explicit StagesOf(const RegistrationRequest & request)
    : m_Request(request)
    , m_Options(*request.options)
    , m_Fixed(ViewAsImage<ImageType>(request.fixed))
    , m_Moving(ViewAsImage<ImageType>(request.moving))
    , m_Inputs{ m_Fixed, m_Moving, MaskOf(request.fixedMask), MaskOf(request.movingMask) }
    , m_Corners(Transforms::Corners(m_Fixed))
  {}

  /** Runs all of them, or until a signal. */
  RegistrationResult
  Run()
  {
    RegistrationResult result;
    this->Initialize();
    result.start = Transforms::Combine(m_Chain).GetPointer();
    if (const double overlap = this->Overlap(result.start);
        overlap == 0.0 && !this->IsAnyInside(result.start, m_Inputs.fixedMask, m_Fixed, m_Moving))
    {
      throw ProgramError(DescribeNoOverlap("where the registration begins", overlap, m_Options));
    }
    for (std::size_t pair = 0; pair < m_Request.further.size(); ++pair)
    {
      const FurtherPair & further = m_Request.further[pair];
      if (!this->IsAnyInside(result.start,
                             MaskOf(further.fixedMask),
                             ViewAsImage<ImageType>(further.fixed),
                             ViewAsImage<ImageType>(further.moving)))
      {
        throw ProgramError("further pair " + std::to_string(pair + 1) + " (--also-fixed, --also-moving): no voxel of " +
                           "the fixed image lies in both of its images where the registration begins");
      }
    }
    for (std::size_t stage = 0; stage < m_Options.stages.size() && !result.isStopped; ++stage)
    {
      result.stages.push_back(this->RunGuarded(stage, result.isStopped));
    }
    result.transform = Transforms::Combine(m_Chain).GetPointer();
    return result;
  }

  /** How alike the images are under a transform. */
  Similarity
  Measure(const itk::TransformBase * transform) const
  {
    const auto valueOf = [&](MetricKind kind) {
      StageOptions stage;
      const auto   metric = Metrics::Make(kind, stage, m_Inputs, m_Options);
      metric.object->SetVirtualDomainFromImage(m_Fixed);
      metric.object->SetMovingTransform(const_cast<TransformType *>(dynamic_cast<const TransformType *>(transform)));
      metric.object->Initialize();
      return metric.object->GetValue();
    };
    Similarity similarity;
    similarity.correlation = std::sqrt(std::max(0.0, -valueOf(MetricKind::Correlation))); // which has its square
    similarity.localCorrelation = -valueOf(MetricKind::LocalCorrelation);
    return similarity;
  }

private:
  static typename MaskType::Pointer
  MaskOf(const std::optional<Volume> & volume)
  {
    if (!volume)
    {
      return nullptr;
    }
    const auto mask = MaskType::New();
    mask->SetImage(ViewAsImage<itk::Image<std::uint8_t, VDimension>>(*volume));
    mask->Update();
    return mask;
  }

  /** Centre of an image's corners. */
  static typename Transforms::Point
  CentreOf(const ImageType * image)
  {
    const auto                 corners = Transforms::Corners(image);
    typename Transforms::Point centre;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      centre[d] = 0.5 * (corners.front()[d] + corners.back()[d]);
    }
    return centre;
  }

  /** The part of the fixed image that lies in the moving one. */
  double
  Overlap(const itk::TransformBase * transform) const
  {
    return MeasureAgreementTyped<TPixel, VDimension>(m_Request, transform).overlap;
  }

  /** Whether any voxel of the fixed image, under the mask of a pair's, lies in both images of the pair: what Overlap()
   * looks at are coarse voxels. */
  bool
  IsAnyInside(const itk::TransformBase *         base,
              const typename MaskType::Pointer & mask,
              const ImageType *                  fixed,
              const ImageType *                  moving) const
  {
    const auto * const                                transform = dynamic_cast<const TransformType *>(base);
    itk::ImageRegionConstIteratorWithIndex<ImageType> voxel(m_Fixed, m_Fixed->GetBufferedRegion());
    for (; !voxel.IsAtEnd(); ++voxel)
    {
      typename Transforms::Point               point;
      itk::ContinuousIndex<double, VDimension> index;
      m_Fixed->TransformIndexToPhysicalPoint(voxel.GetIndex(), point);
      if ((mask.IsNull() || mask->IsInsideInWorldSpace(point)) &&
          (fixed == m_Fixed || fixed->TransformPhysicalPointToContinuousIndex(point, index)) &&
          moving->TransformPhysicalPointToContinuousIndex(transform->TransformPoint(point), index))
      {
        return true;
      }
    }
    return false;
  }

  /** Runs a stage. Where it fails while the images hardly overlap that is why, and ITK's message is of samples. */
  StageResult
  RunGuarded(std::size_t number, bool & isStopped)
  {
    try
    {
      return this->RunStage(number, isStopped);
    }
    catch (const itk::ExceptionObject & exception)
    {
      const double overlap = this->Overlap(Transforms::Combine(m_Chain));
      if (overlap >= leastOverlap)
      {
        throw;
      }
      throw ProgramError(DescribeNoOverlap("where stage " + std::to_string(number + 1) + " (" +
                                             NameOf(m_Options.stages[number].kind) + ") has come to",
                                           overlap,
                                           m_Options) +
                         " (" + TextOf(exception) + ")");
    }
  }

  /** The start: the user's transform, or one centre on the other. */
  void
  Initialize()
  {
    m_Centre = CentreOf(m_Fixed);
    if (m_Request.initial.IsNotNull())
    {
      m_Chain.emplace_back(dynamic_cast<TransformType *>(m_Request.initial.GetPointer()));
    }
    if (m_Options.initialization == InitializationKind::None)
    {
      return;
    }
    auto other = CentreOf(m_Moving);
    if (m_Options.initialization != InitializationKind::Centre)
    {
      m_Centre = CentreOfGravity(m_Fixed.GetPointer(), m_Inputs.fixedMask.GetPointer(), "fixed");
      other = CentreOfGravity(m_Moving.GetPointer(), m_Inputs.movingMask.GetPointer(), "moving");
    }
    const typename Transforms::Linear::Pointer start = Transforms::Rigid::New().GetPointer();
    start->SetCenter(m_Centre);
    start->SetTranslation(other - m_Centre);
    if (m_Options.initialization == InitializationKind::Search)
    {
      SearchRotation<TPixel, VDimension>(
        { m_Fixed, m_Moving, m_Inputs.fixedMask, m_Inputs.movingMask }, m_Request, start);
    }
    m_Chain.emplace_back(start);
    m_Linear = start.GetPointer();
    m_LinearKind =
      m_Options.initialization == InitializationKind::Search ? StageKind::Rigid : StageKind::Translation; // it is one
  }

  /** The transform that a stage optimizes, which becomes the chain's last. A linear one takes the place of the linear
   * one before it, as far as it can hold what that one has found. */
  typename TransformType::Pointer
  ExtendChain(const StageOptions & stage, const std::vector<typename Transforms::Mesh> & meshes)
  {
    if (stage.kind == StageKind::BSpline)
    {
      m_Linear = nullptr;
      m_Chain.emplace_back(Transforms::MakeSpline(m_Fixed, meshes.front()));
      return m_Chain.back();
    }
    const bool goesOn = m_Linear.IsNotNull() && stage.kind >= m_LinearKind;
    const auto linear = Transforms::MakeLinear(stage.kind, goesOn ? m_Linear.GetPointer() : nullptr, m_Centre);
    if (goesOn)
    {
      m_Chain.pop_back();
    }
    m_Linear = linear;
    m_LinearKind = stage.kind;
    m_Chain.emplace_back(linear);
    return m_Chain.back();
  }

  /** The registration method of a stage, but for optimizer, metric and transform. */
  typename RegistrationType::Pointer
  MakeRegistration(const StageOptions & stage) const
  {
    const auto registration = RegistrationType::New();
    registration->SetFixedImage(m_Fixed);
    registration->SetMovingImage(m_Moving);
    const std::size_t levels = stage.iterations.size();
    registration->SetNumberOfLevels(levels);
    typename RegistrationType::ShrinkFactorsArrayType   shrink(levels);
    typename RegistrationType::SmoothingSigmasArrayType sigmas(levels);
    for (std::size_t level = 0; level < levels; ++level)
    {
      shrink[level] = stage.shrink[level];
      sigmas[level] = stage.sigmas[level];
    }
    registration->SetShrinkFactorsPerLevel(shrink);
    registration->SetSmoothingSigmasPerLevel(sigmas);
    registration->SetSmoothingSigmasAreSpecifiedInPhysicalUnits(stage.sigmasInMm);
    if (stage.sampling != SamplingKind::None)
    {
      using Strategy = itk::ImageRegistrationMethodv4Enums::MetricSamplingStrategy;
      registration->SetMetricSamplingStrategy(stage.sampling == SamplingKind::Regular ? Strategy::REGULAR
                                                                                      : Strategy::RANDOM);
      registration->SetMetricSamplingPercentage(stage.fraction);
      registration->MetricSamplingReinitializeSeed(static_cast<int>(m_Options.seed));
    }
    registration->InitializeCenterOfLinearOutputTransformOff();
    registration->InPlaceOn();
    return registration;
  }

  /** Runs a stage. */
  StageResult
  RunStage(std::size_t number, bool & isStopped)
  {
    const Stopwatch      time;
    const StageOptions & stage = m_Options.stages[number];
    if (IsOfFields(stage.kind))
    {
      return this->RunFields(number, isStopped);
    }
    const bool                      isSpline = stage.kind == StageKind::BSpline;
    const auto                      meshes = Transforms::MeshesOf(stage, m_Fixed);
    const auto                      transform = this->ExtendChain(stage, meshes);
    StageInputs<TPixel, VDimension> inputs{
      m_Fixed, m_Moving, m_Inputs.fixedMask, m_Inputs.movingMask, nullptr, transform.GetPointer()
    };
    if (m_Chain.size() > 1)
    {
      inputs.before = Transforms::Combine({ m_Chain.begin(), m_Chain.end() - 1 }).GetPointer();
    }
    if (IsSplineStageOfKernels(inputs, stage, m_Options))
    {
      return RunSplineStage(inputs, m_Request, number, meshes, isStopped);
    }
    if (IsStageOfKernels(inputs, stage, m_Options))
    {
      return RunLinearStage(inputs, m_Request, number, isStopped);
    }
    const auto metric = Metrics::Make(stage.FirstMetric(), stage, m_Inputs, m_Options);
    const auto estimator = EstimatorType::New();
    estimator->SetMetric(metric.object);
    const auto optimizer = MakeOptimizer(stage, estimator);

    const auto registration = this->MakeRegistration(stage);
    registration->SetMetric(metric.object);
    registration->SetOptimizer(optimizer);
    if (m_Chain.size() > 1)
    {
      registration->SetMovingInitialTransform(Transforms::Combine({ m_Chain.begin(), m_Chain.end() - 1 }));
    }
    registration->SetInitialTransform(transform);
    std::vector<typename AdaptorType::Pointer> adaptors(meshes.size());
    if (isSpline)
    {
      adaptors = this->MakeAdaptors(meshes);
      typename RegistrationType::TransformParametersAdaptorsContainerType perLevel(adaptors.begin(), adaptors.end());
      registration->SetTransformParametersAdaptorsPerLevel(perLevel);
    }

    IterationWatch watch(
      optimizer,
      transform,
      m_Request,
      number,
      [this, &transform] { return Transforms::PlacesOf(transform, m_Corners); },
      [&, isFirst = true]() mutable {
        if (std::exchange(isFirst, false))
        {
          this->CheckBackend(number, metric);
        }
      });
    // Scales behind a field or a B-spline are of random places, whose seeds ITK else takes from the clock.
    itk::Statistics::MersenneTwisterRandomVariateGenerator::GetInstance()->SetSeed(m_Options.seed);
    const double voxel = *std::min_element(m_Fixed->GetSpacing().Begin(), m_Fixed->GetSpacing().End());
    registration->AddObserver(itk::MultiResolutionIterationEvent(), [&](const itk::EventObject &) {
      const std::size_t level = registration->GetCurrentLevel();
      watch.EndLevel();
      metric.expect(stage.iterations[level]);
      if (isSpline)
      {
        // The registration does the same behind this event, and finds it done.
        adaptors[level]->SetTransform(static_cast<typename Transforms::Spline *>(transform.GetPointer()));
        adaptors[level]->AdaptTransformParameters();
      }
      const double step = stage.step > 0.0 ? stage.step : voxel * stage.shrink[level];
      SetUpLevel(
        optimizer, stage, level, step, isSpline ? itk::Array<double>() : Transforms::MovementsOf(transform, m_Corners));
      watch.BeginLevel(level, stage.minimumStep > 0.0 ? stage.minimumStep : 1e-3 * voxel);
    });
    try
    {
      registration->Update();
    }
    catch (const StopRequest &)
    {
      transform->SetParametersByValue(watch.GetBest());
      isStopped = true;
    }
    StageResult result;
    result.kind = stage.kind;
    result.levels = watch.TakeLevels();
    result.parameters = transform->GetNumberOfParameters();
    result.seconds = time.GetSeconds();
    result.use = metric.use();
    result.backend = result.use.Most();
    result.fallbackReason = metric.backend() == result.backend ? metric.reason() : std::string();
    return result;
  }

  /** Runs a stage of fields, which stands behind the others. */
  StageResult
  RunFields(std::size_t number, bool & isStopped)
  {
    FieldInputs<TPixel, VDimension> inputs{ m_Fixed, m_Moving, m_Inputs.fixedMask, m_Inputs.movingMask, {}, nullptr };
    for (const FurtherPair & pair : m_Request.further)
    {
      inputs.further.push_back({ ViewAsImage<ImageType>(pair.fixed),
                                 ViewAsImage<ImageType>(pair.moving),
                                 MaskOf(pair.fixedMask),
                                 MaskOf(pair.movingMask) });
    }
    if (!m_Chain.empty())
    {
      inputs.before = Transforms::Combine(m_Chain).GetPointer();
    }
    const FieldOutcome<VDimension> outcome = RunDeformableStage<TPixel, VDimension>(inputs, m_Request, number);
    m_Linear = nullptr;
    m_Chain.emplace_back(outcome.transform.GetPointer());
    isStopped = outcome.isStopped;
    return outcome.stage;
  }

  /** What brings a B-spline to a level's mesh. */
  std::vector<typename AdaptorType::Pointer>
  MakeAdaptors(const std::vector<typename Transforms::Mesh> & meshes) const
  {
    std::vector<typename AdaptorType::Pointer> adaptors;
    for (const auto & mesh : meshes)
    {
      const auto spline = Transforms::MakeSpline(m_Fixed, mesh);
      const auto adaptor = AdaptorType::New();
      adaptor->SetRequiredTransformDomainOrigin(spline->GetTransformDomainOrigin());
      adaptor->SetRequiredTransformDomainDirection(spline->GetTransformDomainDirection());
      adaptor->SetRequiredTransformDomainPhysicalDimensions(spline->GetTransformDomainPhysicalDimensions());
      adaptor->SetRequiredTransformDomainMeshSize(mesh);
      adaptors.push_back(adaptor);
    }
    return adaptors;
  }

  /** With a device asked for by number nothing else will do; that ITK's own metric is at work is said at once. */
  void
  CheckBackend(std::size_t number, const typename Metrics::Metric & metric) const
  {
    const itk::CudaSpline::Backend backend = metric.backend();
    CheckDeviceDid(backend, metric.reason(), m_Options.device, "the metric");
    if (backend == itk::CudaSpline::Backend::Superclass && m_Request.note)
    {
      m_Request.note("stage " + std::to_string(number + 1) + " (" + NameOf(m_Options.stages[number].kind) +
                     ") has ITK's own metric, on the CPU, which may take long: " + metric.reason());
    }
  }

  const RegistrationRequest &                  m_Request;
  const Options &                              m_Options;
  typename ImageType::Pointer                  m_Fixed;
  typename ImageType::Pointer                  m_Moving;
  typename Metrics::Inputs                     m_Inputs;
  std::vector<typename Transforms::Point>      m_Corners;
  typename Transforms::Point                   m_Centre; ///< of linear transforms
  std::vector<typename TransformType::Pointer> m_Chain;  ///< the last is applied first to a point
  typename TransformType::Pointer              m_Linear; ///< the chain's last, where a linear stage may go on from it
  StageKind                                    m_LinearKind{ StageKind::Translation }; ///< the least that it is
};

template <typename TPixel, unsigned int VDimension>
RegistrationResult
RegisterTyped(const RegistrationRequest & request)
{
  return StagesOf<TPixel, VDimension>(request).Run();
}

template <typename TPixel, unsigned int VDimension>
Similarity
MeasureSimilarityTyped(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  return StagesOf<TPixel, VDimension>(request).Measure(transform);
}

} // namespace CudaSplineRegister

#endif
