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
#ifndef itkCudaSplineDemonsFilter_hxx
#define itkCudaSplineDemonsFilter_hxx

#include "itkCudaSplineDemonsFilter.h"

#include "itkCudaSpline/itk/ResidentImages.h"
#include "itkCudaSpline/device/Device.h"

#include <cstddef>
#include <typeinfo>
#include <utility>

namespace itk
{

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TFilter>
double
CudaSplineDemonsFilter<TFilter>::MeanSquaredSpacing() const
{
  double sum = 0.0;
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    sum += this->GetFixedImage()->GetSpacing()[d] * this->GetFixedImage()->GetSpacing()[d];
  }
  return sum / static_cast<double>(ImageDimension);
}

template <typename TFilter>
template <typename TFunction>
const TFunction *
CudaSplineDemonsFilter<TFilter>::GetKnownFunction() const
{
  const auto * const function = dynamic_cast<const TFunction *>(this->GetDifferenceFunction().GetPointer());
  if (function == nullptr || typeid(*function) != typeid(TFunction))
  {
    return nullptr;
  }
  // ITK's function is not const.
  const auto * const interpolator = const_cast<TFunction *>(function)->GetMovingImageInterpolator();
  const bool         isLinear =
    interpolator != nullptr && typeid(*interpolator) == typeid(typename TFunction::DefaultInterpolatorType);
  return isLinear ? function : nullptr;
}

template <typename TFilter>
std::optional<CudaSpline::FieldSmoothing>
CudaSplineDemonsFilter<TFilter>::MakeSmoothing(const double * deviations) const
{
  const auto                 grid = CudaSplineDetail::DescribeFieldGrid<ImageDimension>(this->GetFixedImage(),
                                                                        this->GetFixedImage()->GetBufferedRegion());
  CudaSpline::FieldSmoothing smoothing;
  smoothing.blends = false; // the border is as the rest
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    const double variance = deviations[d] * deviations[d];
    if (!(variance > 0.0) || this->GetMaximumKernelWidth() == 0)
    {
      return std::nullopt;
    }
    smoothing.weights[d] =
      CudaSpline::MakeFieldSmoothing(grid, variance, this->GetMaximumError(), this->GetMaximumKernelWidth()).weights[d];
  }
  return smoothing;
}

template <typename TFilter>
std::string
CudaSplineDemonsFilter<TFilter>::Describe(CudaSpline::DemonsRules & rules) const
{
  if constexpr (!IsAccelerated)
  {
    return "only two images of float or double pixels of 2 or 3 dimensions and fields of vectors are accelerated";
  }
  else
  {
    const auto * const fixed = this->GetFixedImage();
    const auto * const moving = this->GetMovingImage();
    const auto * const output = this->GetOutput();
    if (this->GetManualReinitialization())
    {
      return "iterations that continue at the next update are not accelerated";
    }
    const auto isWhole = [](const auto * image) {
      return image->GetBufferedRegion() == image->GetLargestPossibleRegion();
    };
    if (fixed == nullptr || moving == nullptr || !isWhole(fixed) || !isWhole(moving) ||
        output->GetRequestedRegion() != fixed->GetBufferedRegion())
    {
      return "only whole images are accelerated";
    }
    const auto gridOf = [&](const auto * image) {
      return CudaSplineDetail::DescribeFieldGrid<ImageDimension>(image, fixed->GetBufferedRegion());
    };
    if (!(gridOf(output) == gridOf(fixed)))
    {
      return "a field on another grid than the fixed image's is not accelerated";
    }
    if (const std::string reason = this->DescribeForce(rules); !reason.empty())
    {
      return reason;
    }
    const auto set = [this](bool smooths, const double * deviations, std::optional<CudaSpline::FieldSmoothing> & to) {
      if (smooths)
      {
        to = this->MakeSmoothing(deviations);
      }
      return !smooths || to.has_value();
    };
    if (!set(this->GetSmoothUpdateField(),
             this->GetUpdateFieldStandardDeviations().GetDataPointer(),
             rules.updateSmoothing) ||
        !set(this->GetSmoothDisplacementField(), this->GetStandardDeviations().GetDataPointer(), rules.fieldSmoothing))
    {
      return "Gaussians of no deviation or no width are not accelerated";
    }
    return std::string();
  }
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::Iterate(const CudaSpline::DemonsRules &      rules,
                                         const CudaSpline::ExecutionContext & context)
{
  m_Context = context;
  const CudaSpline::Residence residence(context);
  CudaSpline::FieldShape      shape;
  shape.grid = CudaSplineDetail::DescribeFieldGrid<ImageDimension>(this->GetFixedImage(),
                                                                   this->GetFixedImage()->GetBufferedRegion());
  shape.element = CudaSpline::ScalarTypeOf<typename DisplacementFieldType::PixelType::ValueType>();
  CudaSpline::SynSide fixed;
  CudaSpline::SynSide moving;
  fixed.image = CudaSplineDetail::MakeResident(this->GetFixedImage(), residence);
  moving.image = CudaSplineDetail::MakeResident(this->GetMovingImage(), residence);
  m_Level = std::make_unique<CudaSpline::DemonsLevel>(shape, std::move(fixed), std::move(moving), rules, residence);
  try
  {
    Superclass::GenerateData();
  }
  catch (...)
  {
    m_Level.reset();
    this->SetStateToUninitialized(); // the next try begins anew
    throw;
  }
  m_Level.reset();
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::GenerateData()
{
  m_Iteration.reset();
  CudaSpline::DemonsRules         rules;
  const std::string               reason = this->Describe(rules);
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), ImageDimension) + " | " +
           std::to_string(this->GetNumberOfIterations());
  };
  if (!reason.empty())
  {
    m_Backend.RunSuperclass(
      reason, describe, [this] { Superclass::GenerateData(); }, this);
    return;
  }
  if constexpr (IsAccelerated)
  {
    using Pixel = typename FixedImageType::PixelType;
    const auto * const fixed = this->GetFixedImage();
    const std::size_t  imageBytes = (fixed->GetBufferedRegion().GetNumberOfPixels() +
                                    this->GetMovingImage()->GetBufferedRegion().GetNumberOfPixels()) *
                                   sizeof(Pixel);
    CudaSpline::FieldShape shape;
    shape.grid = CudaSplineDetail::DescribeFieldGrid<ImageDimension>(fixed, fixed->GetBufferedRegion());
    shape.element = CudaSpline::ScalarTypeOf<typename DisplacementFieldType::PixelType::ValueType>();
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      const auto work = CudaSpline::CountDemonsWork(shape, rules, this->GetNumberOfIterations(), imageBytes);
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanDemonsLevel(
        shape, CudaSpline::ScalarTypeOf<Pixel>(), imageBytes, CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) { this->Iterate(rules, context); };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), nullptr);
  }
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::Initialize()
{
  Superclass::Initialize();
  if constexpr (IsAccelerated)
  {
    if (m_Level != nullptr)
    {
      using Number = typename DisplacementFieldType::PixelType::ValueType;
      m_Level->SetField(this->GetOutput()->GetBufferPointer(), CudaSpline::ScalarTypeOf<Number>());
    }
  }
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::AllocateUpdateBuffer()
{
  if (m_Level == nullptr)
  {
    Superclass::AllocateUpdateBuffer();
  }
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::InitializeIteration()
{
  if (m_Level == nullptr)
  {
    Superclass::InitializeIteration();
  }
}

template <typename TFilter>
auto
CudaSplineDemonsFilter<TFilter>::CalculateChange() -> TimeStepType
{
  if (m_Level == nullptr)
  {
    return Superclass::CalculateChange();
  }
  m_Iteration = m_Level->Iterate(); // with its update
  return TimeStepType(1);
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::ApplyUpdate(const TimeStepType & dt)
{
  if (m_Level == nullptr)
  {
    Superclass::ApplyUpdate(dt);
    return;
  }
  m_RmsChange = m_Iteration->RmsChange();
  this->SetRMSChange(m_RmsChange);
  if (this->HasObserver(IterationEvent()))
  {
    this->ReadField(CudaSpline::ExecutionContext()); // observers read the host's
  }
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::PostProcessOutput()
{
  if (m_Level != nullptr)
  {
    this->ReadField(m_Context);
  }
  Superclass::PostProcessOutput();
}

template <typename TFilter>
void
CudaSplineDemonsFilter<TFilter>::ReadField(const CudaSpline::ExecutionContext & context)
{
  if constexpr (IsAccelerated)
  {
    using Number = typename DisplacementFieldType::PixelType::ValueType;
    CudaSplineDetail::PixelsToWrite field(this->GetOutput(), context);
    m_Level->GetField(field.Data(), CudaSpline::ScalarTypeOf<Number>());
    field.Finish();
    this->GetOutput()->Modified();
  }
}

} // namespace itk

#endif
