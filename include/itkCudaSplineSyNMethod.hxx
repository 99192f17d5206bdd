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
#ifndef itkCudaSplineSyNMethod_hxx
#define itkCudaSplineSyNMethod_hxx

#include "itkCudaSplineSyNMethod.h"

#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/FitPlaces.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "itkComposeDisplacementFieldsImageFilter.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkIterationReporter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace itk
{

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::PrintSelf(std::ostream & os, Indent indent) const
{
  this->ProvideTransforms();
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
}

template <typename TMethod>
auto
CudaSplineSyNMethod<TMethod>::MakeField() const -> typename DisplacementFieldType::Pointer
{
  const auto domain = const_cast<Self *>(this)->GetCurrentLevelVirtualDomainImage(); // ITK's function is not const
  auto       field = DisplacementFieldType::New();
  field->CopyInformation(domain);
  field->SetRegions(domain->GetBufferedRegion());
  field->Allocate();
  return field;
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::ReadFields() const
{
  if (m_TransformsAreCurrent || m_Resident == nullptr)
  {
    return;
  }
  const auto get = [this](CudaSpline::SynField which) {
    const auto field = this->MakeField();
    m_Resident->GetField(which, field->GetBufferPointer(), CudaSpline::ScalarTypeOf<RealType>());
    return field;
  };
  const auto fixed = get(CudaSpline::SynField::FixedToMiddle);
  const auto fixedInverse = get(CudaSpline::SynField::FixedToMiddleInverse);
  const auto moving = get(CudaSpline::SynField::MovingToMiddle);
  const auto movingInverse = get(CudaSpline::SynField::MovingToMiddleInverse);
  this->m_FixedToMiddleTransform->SetDisplacementField(fixed);
  this->m_FixedToMiddleTransform->SetInverseDisplacementField(fixedInverse);
  this->m_MovingToMiddleTransform->SetDisplacementField(moving);
  this->m_MovingToMiddleTransform->SetInverseDisplacementField(movingInverse);
  m_TransformsAreCurrent = true;
  m_AdaptorsWait = false; // these are the level's own
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::ProvideTransforms() const
{
  try
  {
    this->ReadFields();
  }
  catch (const CudaSpline::DeviceError & error)
  {
    itkExceptionMacro(<< error.what());
  }
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::InitializeRegistrationAtEachLevel(const SizeValueType level)
{
  // ITK smooths and adapts on the host: it gets settings without smoothing and without a change of fields.
  const auto sigma = this->m_SmoothingSigmasPerLevel[level];
  const auto adaptor = this->m_TransformParametersAdaptorsPerLevel[level];
  m_AdaptorsWait = level > 0 && adaptor.IsNotNull();
  const auto restore = [&] {
    this->m_SmoothingSigmasPerLevel[level] = sigma;
    this->m_TransformParametersAdaptorsPerLevel[level] = adaptor;
  };
  this->m_SmoothingSigmasPerLevel[level] = 0;
  if (m_AdaptorsWait)
  {
    this->m_TransformParametersAdaptorsPerLevel[level] = nullptr;
  }
  try
  {
    Superclass::InitializeRegistrationAtEachLevel(level);
  }
  catch (...)
  {
    restore();
    throw;
  }
  restore();
  m_WaitingSigma = sigma;
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::SmoothImages()
{
  if (!(m_WaitingSigma > 0.0))
  {
    return;
  }
  const auto smooth = [this](auto image) {
    using ImageType = std::remove_const_t<std::remove_pointer_t<decltype(image)>>;
    const auto filter = CudaSmoothingRecursiveGaussianImageFilter<ImageType, ImageType>::New();
    filter->SetSigmaArray(this->GetWaitingSigma().Of(static_cast<const ImageBase<ImageDimension> *>(image)));
    filter->SetInput(image);
    filter->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());
    filter->SetDevice(this->GetDevice());
    filter->Update();
    typename ImageType::Pointer output = filter->GetOutput();
    output->DisconnectPipeline();
    return output;
  };
  for (SizeValueType n = 0; n < this->m_NumberOfMetrics; ++n)
  {
    if (this->m_FixedSmoothImages[n].IsNotNull())
    {
      this->m_FixedSmoothImages[n] = smooth(this->GetFixedImage(n));
      this->m_MovingSmoothImages[n] = smooth(this->GetMovingImage(n));
    }
  }
  m_WaitingSigma = 0.0;
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::AdaptTransforms()
{
  if (m_AdaptorsWait)
  {
    const auto adaptor = this->m_TransformParametersAdaptorsPerLevel[this->m_CurrentLevel];
    for (OutputTransformType * transform : { this->m_OutputTransform.GetPointer(),
                                             this->m_MovingToMiddleTransform.GetPointer(),
                                             this->m_FixedToMiddleTransform.GetPointer() })
    {
      adaptor->SetTransform(transform);
      adaptor->AdaptTransformParameters();
    }
    m_AdaptorsWait = false;
  }
}

template <typename TMethod>
std::string
CudaSplineSyNMethod<TMethod>::Describe(Level & level) const
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
    if (const std::string reason = Level::Metrics::List(this->m_Metric, metrics, weights); !reason.empty())
    {
      return reason;
    }
    const auto domain = const_cast<Self *>(this)->GetCurrentLevelVirtualDomainImage();
    level.domain = domain;
    level.shape.grid =
      CudaSplineDetail::DescribeFieldGrid<ImageDimension>(domain.GetPointer(), domain->GetBufferedRegion());
    const bool isDouble =
      m_Precision == CudaSplinePrecision::Double || (m_Precision == CudaSplinePrecision::Automatic &&
                                                     std::is_same<typename FixedImageType::PixelType, double>::value);
    level.shape.element = isDouble ? CudaSpline::ScalarType::Float64 : CudaSpline::ScalarType::Float32;
    const auto * const fixedInitial = this->GetFixedInitialTransform();
    using Describer = CudaSplineDetail::TransformDescriber<ImageDimension, RealType>;
    if ((fixedInitial != nullptr && !Describer::Append(fixedInitial, level.fixedChain)) ||
        !Describer::Append(this->m_CompositeTransform.GetPointer(), level.movingChain))
    {
      return "initial transforms other than linear, B-spline, displacement field and composite are not accelerated";
    }
    if (std::max(level.fixedChain.stages.size(), level.movingChain.stages.size()) >= CudaSpline::MaximumWarpStages)
    {
      return "an initial transform has more parts than are accelerated";
    }
    level.sigma = this->GetWaitingSigma();
    level.comparesOriginals = !this->m_DownsampleImagesForMetricDerivatives;
    level.samplesPoints = this->m_MetricSamplingStrategy != Superclass::MetricSamplingStrategyEnum::NONE;
    for (std::size_t n = 0; n < metrics.size(); ++n)
    {
      const std::string reason = level.Append(metrics[n],
                                              weights[n],
                                              this->m_FixedSmoothImages[n],
                                              this->m_MovingSmoothImages[n],
                                              this->m_FixedImageMasks[n],
                                              this->m_MovingImageMasks[n]);
      if (!reason.empty())
      {
        return reason;
      }
    }
    if (const std::string reason = this->DescribeSmoothing(level.rules); !reason.empty())
    {
      return reason;
    }
    if (m_AdaptorsWait)
    {
      using AdaptorType = DisplacementFieldTransformParametersAdaptor<OutputTransformType>;
      const auto * const adaptor = dynamic_cast<const AdaptorType *>(
        this->m_TransformParametersAdaptorsPerLevel[this->m_CurrentLevel].GetPointer());
      // What it makes is to be the virtual domain, where the kernels have their fields.
      if (adaptor == nullptr || adaptor->GetRequiredSize() != domain->GetBufferedRegion().GetSize() ||
          adaptor->GetRequiredOrigin() != domain->GetOrigin() ||
          adaptor->GetRequiredSpacing() != domain->GetSpacing() ||
          adaptor->GetRequiredDirection() != domain->GetDirection())
      {
        return "an adaptor makes other fields than the level's virtual domain has";
      }
    }
    return std::string();
  }
}

template <typename TMethod>
CudaSpline::SynRules
CudaSplineSyNMethod<TMethod>::MakeRules() const
{
  CudaSpline::SynRules rules;
  rules.learningRate = this->m_LearningRate;
  rules.averagesMidpointGradients = this->m_AverageMidPointGradients;
  if (!this->m_OptimizerWeightsAreIdentity && this->m_OptimizerWeights.Size() == ImageDimension)
  {
    std::copy_n(this->m_OptimizerWeights.begin(), ImageDimension, rules.weights.begin());
  }
  const std::string reason = this->DescribeSmoothing(rules);
  if (!reason.empty()) // an observer changed it in the middle of a level
  {
    itkExceptionMacro(<< reason);
  }
  return rules;
}

template <typename TMethod>
std::unique_ptr<CudaSpline::SynLevel>
CudaSplineSyNMethod<TMethod>::MakeResident(const Level & level, const CudaSpline::Residence & residence)
{
  auto coarser = m_Resident != nullptr ? m_Resident->GetFields() : nullptr;
  m_Resident.reset(); // before the next level, the largest so far
  auto resident =
    std::make_unique<CudaSpline::SynLevel>(level.shape, level.MakeTerms(m_Originals, residence), residence);
  if (coarser != nullptr)
  {
    try
    {
      resident->AdaptFrom(*coarser);
    }
    catch (const CudaSpline::DeviceError &)
    {
      if (residence.IsOnDevice())
      {
        throw;
      }
      coarser.reset(); // their device was lost after the previous level, whose fields the transforms hold
    }
  }
  if (coarser == nullptr)
  {
    this->AdaptTransforms();
    const auto set = [&](CudaSpline::SynField which, const DisplacementFieldType * field) {
      if (CudaSplineDetail::DescribeFieldGrid<ImageDimension>(field, field->GetBufferedRegion()).size !=
          level.shape.grid.size)
      {
        itkExceptionMacro("A field of the state is not on the virtual domain of level " << this->m_CurrentLevel << '.');
      }
      resident->SetField(which, field->GetBufferPointer(), CudaSpline::ScalarTypeOf<RealType>());
    };
    set(CudaSpline::SynField::FixedToMiddle, this->m_FixedToMiddleTransform->GetDisplacementField());
    set(CudaSpline::SynField::FixedToMiddleInverse, this->m_FixedToMiddleTransform->GetInverseDisplacementField());
    set(CudaSpline::SynField::MovingToMiddle, this->m_MovingToMiddleTransform->GetDisplacementField());
    set(CudaSpline::SynField::MovingToMiddleInverse, this->m_MovingToMiddleTransform->GetInverseDisplacementField());
  }
  return resident;
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::Iterate(Level & level, const CudaSpline::ExecutionContext & context)
{
  CudaSpline::ExecutionContext lasting = context;
  if (m_Executor == nullptr)
  {
    m_Executor = std::make_unique<CudaSplineHostExecutor>(this->GetMultiThreader());
  }
  lasting.host = m_Executor.get(); // fields are asked for when the operation has ended, too
  const CudaSpline::Residence residence(lasting);
  m_Resident = this->MakeResident(level, residence);
  m_TransformsAreCurrent = false;

  CudaSplineDetail::FitPlaces  fitPlaces;
  std::shared_ptr<const float> places;
  if (level.rules.SmoothsBySplines() && level.shape.element == CudaSpline::ScalarType::Float64)
  {
    fitPlaces = CudaSplineDetail::MakeFitPlaces<DisplacementFieldType>(
      this->GetCurrentLevelVirtualDomainImage().GetPointer(), CudaSplineHostExecutor(this->GetMultiThreader()));
    const auto array = std::make_shared<CudaSpline::ResidentArray>(fitPlaces.numbers.size() * sizeof(float), residence);
    CudaSpline::Upload(array->Data(), fitPlaces.numbers.data(), array->Bytes(), residence);
    places = std::shared_ptr<const float>(array, array->template As<float>());
  }

  if (!level.monitoring)
  {
    level.monitoring.emplace(this->m_ConvergenceWindowSize);
    level.finished = 0;
    this->m_IsConverged = false;
  }
  this->m_CurrentIteration = level.finished;
  IterationReporter reporter(this, 0, 1);
  while (this->m_CurrentIteration++ < this->m_NumberOfIterationsPerLevel[this->m_CurrentLevel] && !this->m_IsConverged)
  {
    CudaSpline::SynRules rules = this->MakeRules();
    for (auto * const spline : { &rules.updateSpline, &rules.totalSpline })
    {
      if (*spline)
      {
        (*spline)->places = places;
        (*spline)->placesAreByAxis = fitPlaces.areByAxis;
      }
    }
    const CudaSpline::SynIteration iteration = m_Resident->Iterate(rules);
    m_TransformsAreCurrent = false;
    m_LastInversions = iteration.inversions;
    this->m_CurrentMetricValue = static_cast<RealType>(iteration.Value());
    level.monitoring->Add(this->m_CurrentMetricValue);
    this->m_CurrentConvergenceValue = level.monitoring->GetValue();
    this->m_IsConverged = this->m_CurrentConvergenceValue < this->m_ConvergenceThreshold;
    level.finished = this->m_CurrentIteration;
    reporter.CompletedStep();
    if (this->GetAbortGenerateData())
    {
      throw ProcessAborted(__FILE__, __LINE__); // ITK's class continues
    }
  }
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::KeepWhatIsThere() const
{
  try
  {
    this->ReadFields();
  }
  catch (const CudaSpline::DeviceError &)
  {
    // Then the transforms have the fields of the level before, or those that were asked for last.
  }
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::LeaveDevice(Level & level)
{
  // Before the first iteration has ended there is nothing to keep: a level that is made of the one before is that
  // again.
  bool isKept = level.finished > 0 && m_Resident != nullptr && m_Resident->HasWholeFields();
  try
  {
    if (isKept)
    {
      this->ReadFields();
    }
  }
  catch (const CudaSpline::DeviceError &)
  {
    isKept = false; // transforms are changed when all fields are there
  }
  if (!isKept)
  {
    level.monitoring.reset();
    level.finished = 0;
  }
  m_Resident.reset();
  m_TransformsAreCurrent = true;
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::StartOptimization()
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
    this->ProvideTransforms();
    m_Resident.reset();
    m_LastInversions = {};
    this->SmoothImages();
    this->AdaptTransforms();
    m_Backend.RunSuperclass(reason, describe, [this] { Superclass::StartOptimization(); });
    return;
  }
  if constexpr (IsAccelerated)
  {
    const std::size_t            imageBytes = level.CountImageBytes();
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      const auto work = CudaSpline::CountSynWork(level.shape,
                                                 level.rules,
                                                 this->m_NumberOfIterationsPerLevel[this->m_CurrentLevel],
                                                 imageBytes,
                                                 level.pairs.size());
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanSynLevel(level.shape,
                                      level.GetMetrics(),
                                      level.rules,
                                      CudaSpline::ScalarTypeOf<typename FixedImageType::PixelType>(),
                                      imageBytes,
                                      CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      try
      {
        this->Iterate(level, context);
        this->ReadFields();
      }
      catch (const CudaSpline::DeviceError &)
      {
        this->LeaveDevice(level); // for the next backend
        throw;
      }
      catch (...)
      {
        this->KeepWhatIsThere();
        throw;
      }
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), nullptr);
  }
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::GenerateData()
{
  m_Resident.reset();
  m_Originals.Clear();
  m_Executor.reset();
  m_TransformsAreCurrent = true;
  this->AllocateOutputs();
  for (this->m_CurrentLevel = 0; this->m_CurrentLevel < this->m_NumberOfLevels; this->m_CurrentLevel++)
  {
    this->InitializeRegistrationAtEachLevel(this->m_CurrentLevel);
    // ITK's class optimizes the transform separately, after the others.
    this->m_CompositeTransform->RemoveTransform();
    this->StartOptimization();
    this->m_CompositeTransform->AddTransform(this->m_OutputTransform);
  }
  this->ComposeWhole();
  m_Resident.reset();
  m_Originals.Clear();
  this->GetTransformOutput()->Set(this->m_OutputTransform);
}

template <typename TMethod>
void
CudaSplineSyNMethod<TMethod>::ComposeWhole()
{
  if (m_Resident != nullptr)
  {
    try
    {
      const auto forward = this->MakeField();
      const auto backward = this->MakeField();
      m_Resident->GetTotalFields(
        forward->GetBufferPointer(), backward->GetBufferPointer(), CudaSpline::ScalarTypeOf<RealType>());
      this->m_OutputTransform->SetDisplacementField(forward);
      this->m_OutputTransform->SetInverseDisplacementField(backward);
      return;
    }
    catch (const CudaSpline::DeviceError &)
    {
      // The transforms of the state have the fields: the host composes these.
    }
  }
  const auto compose = [](const DisplacementFieldType * displacement, const DisplacementFieldType * warping) {
    const auto composer = ComposeDisplacementFieldsImageFilter<DisplacementFieldType, DisplacementFieldType>::New();
    composer->SetDisplacementField(displacement);
    composer->SetWarpingField(warping);
    composer->Update();
    typename DisplacementFieldType::Pointer whole = composer->GetOutput();
    whole->DisconnectPipeline();
    return whole;
  };
  const auto forward = compose(this->m_MovingToMiddleTransform->GetInverseDisplacementField(),
                               this->m_FixedToMiddleTransform->GetDisplacementField());
  const auto backward = compose(this->m_FixedToMiddleTransform->GetInverseDisplacementField(),
                                this->m_MovingToMiddleTransform->GetDisplacementField());
  this->m_OutputTransform->SetDisplacementField(forward);
  this->m_OutputTransform->SetInverseDisplacementField(backward);
}

} // namespace itk

#endif
