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
#ifndef itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4_hxx
#define itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4_hxx

#include "itkCudaTimeVaryingVelocityFieldImageRegistrationMethodv4.h"

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/fields/VelocityIntegration.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"

#include "itkIterationReporter.h"

#include <algorithm>
#include <typeinfo>
#include <vector>

namespace itk
{

/** The class with its template parameters, in this file. */
#define CUDASPLINE_VELOCITY_METHOD                                                                                     \
  template <typename TFixedImage,                                                                                      \
            typename TMovingImage,                                                                                     \
            typename TOutputTransform,                                                                                 \
            typename TVirtualImage,                                                                                    \
            typename TPointSet>
#define CUDASPLINE_VELOCITY_METHOD_CLASS                                                                               \
  CudaTimeVaryingVelocityFieldImageRegistrationMethodv4<TFixedImage,                                                   \
                                                        TMovingImage,                                                  \
                                                        TOutputTransform,                                              \
                                                        TVirtualImage,                                                 \
                                                        TPointSet>

CUDASPLINE_VELOCITY_METHOD
void
CUDASPLINE_VELOCITY_METHOD_CLASS::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
}

CUDASPLINE_VELOCITY_METHOD
std::string
CUDASPLINE_VELOCITY_METHOD_CLASS::DescribeTransform(Level & level) const
{
  const auto * const output = this->m_OutputTransform.GetPointer();
  const auto * const transform = dynamic_cast<const Transform *>(output);
  if (transform == nullptr || typeid(*output) != typeid(Transform))
  {
    return "only GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform is accelerated";
  }
  const auto * const velocity = transform->GetVelocityField();
  const auto         region = velocity->GetBufferedRegion();
  bool               isOnDomain = region == velocity->GetLargestPossibleRegion();
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    isOnDomain = isOnDomain && region.GetIndex()[r] == 0 && level.shape.grid.start[r] == 0 &&
                 static_cast<SizeValueType>(level.shape.grid.size[r]) == region.GetSize()[r] &&
                 velocity->GetOrigin()[r] == level.domain->GetOrigin()[r] &&
                 velocity->GetSpacing()[r] == level.domain->GetSpacing()[r] &&
                 velocity->GetDirection()[r][ImageDimension] == 0.0 &&
                 velocity->GetDirection()[ImageDimension][r] == 0.0;
    for (unsigned int c = 0; c < ImageDimension; ++c)
    {
      isOnDomain = isOnDomain && velocity->GetDirection()[r][c] == level.domain->GetDirection()[r][c];
    }
  }
  if (!isOnDomain)
  {
    return "only velocity fields on the virtual domain of the level are accelerated";
  }
  const SizeValueType timePoints = region.GetSize()[ImageDimension];
  if (timePoints < 2 || timePoints > CudaSpline::MaxTimePoints || region.GetIndex()[ImageDimension] != 0 ||
      velocity->GetOrigin()[ImageDimension] != 0.0 || velocity->GetSpacing()[ImageDimension] != 1.0 ||
      velocity->GetDirection()[ImageDimension][ImageDimension] != 1.0)
  {
    return "only velocity fields with 2 to " + std::to_string(CudaSpline::MaxTimePoints) +
           " time points from time 0 with spacing 1 are accelerated";
  }
  level.velocity.timePoints = static_cast<unsigned int>(timePoints);
  level.velocity.updateTimeVariance = transform->GetGaussianTemporalSmoothingVarianceForTheUpdateField();
  level.velocity.totalTimeVariance = transform->GetGaussianTemporalSmoothingVarianceForTheTotalField();
  level.rules.updateVariance = transform->GetGaussianSpatialSmoothingVarianceForTheUpdateField();
  level.rules.totalVariance = transform->GetGaussianSpatialSmoothingVarianceForTheTotalField();
  level.rules.learningRate = this->GetLearningRate();
  if (!this->m_OptimizerWeightsAreIdentity && this->m_OptimizerWeights.Size() == ImageDimension)
  {
    std::copy_n(this->m_OptimizerWeights.begin(), ImageDimension, level.rules.weights.begin());
  }
  const double variances[] = { level.velocity.updateTimeVariance,
                               level.velocity.totalTimeVariance,
                               level.rules.updateVariance,
                               level.rules.totalVariance };
  return std::all_of(std::begin(variances), std::end(variances), [](double variance) { return variance >= 0.0; })
           ? ""
           : "negative variances are not accelerated";
}

CUDASPLINE_VELOCITY_METHOD
std::string
CUDASPLINE_VELOCITY_METHOD_CLASS::Describe(Level & level) const
{
  if constexpr (!IsAccelerated)
  {
    return "only images of float or double pixels of 2 or 3 dimensions and fields of float or double vectors are "
           "accelerated";
  }
  else
  {
    std::vector<const typename Level::ImageMetricType *> metrics;
    std::vector<double>                                  weights;
    if (std::string reason = Level::Metrics::List(this->m_Metric, metrics, weights); !reason.empty())
    {
      return reason;
    }
    const auto domain = const_cast<Self *>(this)->GetCurrentLevelVirtualDomainImage(); // ITK's function is not const
    level.domain = domain;
    level.shape.grid =
      CudaSplineDetail::DescribeFieldGrid<ImageDimension>(domain.GetPointer(), domain->GetBufferedRegion());
    const bool isDouble =
      m_Precision == CudaSplinePrecision::Double ||
      (m_Precision == CudaSplinePrecision::Automatic && std::is_same<typename TFixedImage::PixelType, double>::value);
    level.shape.element = isDouble ? CudaSpline::ScalarType::Float64 : CudaSpline::ScalarType::Float32;
    if (std::string reason = this->DescribeTransform(level); !reason.empty())
    {
      return reason;
    }
    using Describer = CudaSplineDetail::TransformDescriber<ImageDimension, RealType>;
    if (this->GetFixedInitialTransform() != nullptr ||
        !Describer::Append(this->m_CompositeTransform.GetPointer(), level.movingChain))
    {
      return "only moving initial transforms that are linear, B-spline, displacement field and composite are "
             "accelerated";
    }
    if (level.movingChain.stages.size() >= CudaSpline::MaximumWarpStages)
    {
      return "an initial transform has more stages than are accelerated";
    }
    level.samplesPoints = this->m_MetricSamplingStrategy != Superclass::MetricSamplingStrategyEnum::NONE;
    for (std::size_t n = 0; n < metrics.size(); ++n)
    {
      if (this->m_FixedImageMasks[n].IsNotNull() || this->m_MovingImageMasks[n].IsNotNull())
      {
        return "masks are not accelerated, as ITK's class does not move them";
      }
      std::string reason = level.Append(
        metrics[n], weights[n], this->m_FixedSmoothImages[n], this->m_MovingSmoothImages[n], nullptr, nullptr);
      if (!reason.empty())
      {
        return reason;
      }
    }
    return std::string();
  }
}

CUDASPLINE_VELOCITY_METHOD
void
CUDASPLINE_VELOCITY_METHOD_CLASS::SetFields(const Level & level, CudaSpline::VelocityLevel & resident)
{
  const auto makeField = [&level] {
    auto field = DisplacementFieldType::New();
    field->CopyInformation(level.domain);
    field->SetRegions(level.domain->GetBufferedRegion());
    field->Allocate();
    return field;
  };
  constexpr CudaSpline::ScalarType element = CudaSpline::ScalarTypeOf<RealType>();
  const auto                       forward = makeField();
  const auto                       backward = makeField();
  auto * const                     velocity = this->m_OutputTransform->GetModifiableVelocityField();
  resident.GetTotalFields(forward->GetBufferPointer(), backward->GetBufferPointer(), element);
  resident.GetVelocity(velocity->GetBufferPointer(), element);
  velocity->Modified();
  this->m_OutputTransform->SetLowerTimeBound(0.0);
  this->m_OutputTransform->SetUpperTimeBound(1.0);
  this->m_OutputTransform->SetNumberOfIntegrationSteps(level.velocity.timePoints + 2);
  this->m_OutputTransform->SetDisplacementField(forward);
  this->m_OutputTransform->SetInverseDisplacementField(backward);
}

CUDASPLINE_VELOCITY_METHOD
void
CUDASPLINE_VELOCITY_METHOD_CLASS::Iterate(const Level & level, const CudaSpline::ExecutionContext & context)
{
  const CudaSpline::Residence         residence(context);
  CudaSplineDetail::ResidentOriginals originals;
  CudaSpline::VelocityLevel           resident(
    level.shape, level.MakeTerms(originals, residence), level.velocity, residence, CudaSpline::VelocityMethod::Itk);
  resident.SetVelocity(this->m_OutputTransform->GetModifiableVelocityField()->GetBufferPointer(),
                       CudaSpline::ScalarTypeOf<RealType>());
  const SizeValueType           iterations = this->GetNumberOfIterationsPerLevel()[this->m_CurrentLevel];
  CudaSpline::ConvergenceWindow monitoring(this->GetConvergenceWindowSize());
  IterationReporter             reporter(this, 0, 1);
  this->m_IsConverged = false;
  this->m_CurrentIteration = 0;
  while (this->m_CurrentIteration++ < iterations && !this->m_IsConverged)
  {
    this->m_CurrentMetricValue = static_cast<RealType>(resident.Iterate(level.rules).Value());
    monitoring.Add(this->m_CurrentMetricValue);
    this->m_CurrentConvergenceValue = monitoring.GetValue();
    this->m_IsConverged = this->m_CurrentConvergenceValue < this->GetConvergenceThreshold();
    reporter.CompletedStep();
    if (this->GetAbortGenerateData())
    {
      throw ProcessAborted(__FILE__, __LINE__); // ITK's class continues
    }
  }
  if (iterations > 0)
  {
    this->SetFields(level, resident);
  }
}

CUDASPLINE_VELOCITY_METHOD
void
CUDASPLINE_VELOCITY_METHOD_CLASS::StartOptimization()
{
  Level                           level;
  const std::string               reason = this->Describe(level);
  const CudaSplineTrace::Describe describe = [this] {
    const auto domain = this->GetCurrentLevelVirtualDomainImage();
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(domain->GetBufferedRegion().GetSize(), ImageDimension) + " | level " +
           std::to_string(this->m_CurrentLevel);
  };
  if (!reason.empty())
  {
    m_Backend.RunSuperclass(reason, describe, [this] { Superclass::StartOptimization(); });
    return;
  }
  if constexpr (IsAccelerated)
  {
    const std::size_t            imageBytes = level.CountImageBytes();
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      const auto work = CudaSpline::CountVelocityWork(level.shape,
                                                      level.velocity,
                                                      this->GetNumberOfIterationsPerLevel()[this->m_CurrentLevel],
                                                      imageBytes,
                                                      level.pairs.size());
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanVelocityLevel(level.shape,
                                           level.GetMetrics(),
                                           level.rules,
                                           level.velocity,
                                           CudaSpline::ScalarTypeOf<typename TFixedImage::PixelType>(),
                                           imageBytes,
                                           CudaSpline::AvailableDeviceMemory(device),
                                           CudaSpline::VelocityMethod::Itk);
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) { this->Iterate(level, context); };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), nullptr);
  }
}

#undef CUDASPLINE_VELOCITY_METHOD
#undef CUDASPLINE_VELOCITY_METHOD_CLASS

} // namespace itk

#endif
