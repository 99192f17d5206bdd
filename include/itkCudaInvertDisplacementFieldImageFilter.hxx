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
#ifndef itkCudaInvertDisplacementFieldImageFilter_hxx
#define itkCudaInvertDisplacementFieldImageFilter_hxx

#include "itkCudaInvertDisplacementFieldImageFilter.h"

#include <algorithm>
#include <limits>
#include <string>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaInvertDisplacementFieldImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
const char *
CudaInvertDisplacementFieldImageFilter<TInputImage, TOutputImage>::Refusal() const
{
  if (!IsAccelerated)
  {
    return "only fields of float or double vectors in 2D and 3D are accelerated";
  }
  const auto * const field = this->GetInput();
  if (field->GetBufferedRegion() != this->GetOutput()->GetRequestedRegion())
  {
    return "only whole fields are accelerated";
  }
  const auto * const estimate = const_cast<Self *>(this)->GetInverseFieldInitialEstimate(); // not const in ITK
  if (estimate != nullptr &&
      (estimate->GetBufferedRegion() != field->GetBufferedRegion() || estimate->GetOrigin() != field->GetOrigin() ||
       estimate->GetSpacing() != field->GetSpacing() || estimate->GetDirection() != field->GetDirection()))
  {
    return "only an initial estimate on the grid of the field is accelerated";
  }
  return nullptr;
}

template <typename TInputImage, typename TOutputImage>
void
CudaInvertDisplacementFieldImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), TInputImage::ImageDimension) +
           " | at most " + std::to_string(this->GetMaximumNumberOfIterations()) + " iterations";
  };
  if (const char * const refusal = this->Refusal())
  {
    m_HasRun = false;
    m_Backend.RunSuperclass(
      refusal, describe, [this] { Superclass::GenerateData(); }, this);
    return;
  }
  if constexpr (IsAccelerated)
  {
    this->AllocateOutputs();
    const TInputImage * const  field = this->GetInput();
    const auto * const         estimate = this->GetInverseFieldInitialEstimate();
    TOutputImage * const       output = this->GetOutput();
    CudaSpline::FieldInversion rules;
    CudaSpline::HostFieldCall  call;
    rules.maximumIterations = static_cast<int>(std::min<unsigned int>(
      this->GetMaximumNumberOfIterations(), static_cast<unsigned int>(std::numeric_limits<int>::max())));
    rules.meanTolerance = static_cast<double>(this->GetMeanErrorToleranceThreshold());
    rules.maximumTolerance = static_cast<double>(this->GetMaxErrorToleranceThreshold());
    rules.enforcesBoundary = this->GetEnforceBoundaryCondition();
    call.kind = CudaSpline::HostFieldCall::Kind::Invert;
    call.shape = CudaSplineDetail::DescribeField(field);
    call.uploadBytes = 2 * call.shape.Bytes();
    call.outputBytes = call.shape.Bytes();
    call.scratchBytes = CudaSpline::CountInversionScratch(call.shape);
    call.repeats = std::max(1, rules.maximumIterations);
    auto operation = CudaSplineDetail::MakeFieldOperation(call);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead displacements(field, context);
      const CudaSplineDetail::PixelsToRead first(estimate != nullptr ? estimate : field, context);
      CudaSplineDetail::PixelsToWrite      inverse(output, context);
      m_State = CudaSpline::InvertHostField(
        call.shape, displacements.Data(), estimate != nullptr ? first.Data() : nullptr, inverse.Data(), rules, context);
      inverse.Finish();
      if (rules.maximumIterations == 0)
      {
        m_State.meanError = m_State.maximumError =
          static_cast<double>(std::numeric_limits<RealType>::max()); // as in ITK
      }
      m_HasRun = true;
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
