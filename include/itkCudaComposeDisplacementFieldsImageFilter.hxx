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
#ifndef itkCudaComposeDisplacementFieldsImageFilter_hxx
#define itkCudaComposeDisplacementFieldsImageFilter_hxx

#include "itkCudaComposeDisplacementFieldsImageFilter.h"

#include "itkVectorLinearInterpolateImageFunction.h"

#include <string>
#include <typeinfo>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaComposeDisplacementFieldsImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
const char *
CudaComposeDisplacementFieldsImageFilter<TInputImage, TOutputImage>::Refusal() const
{
  if (!IsAccelerated)
  {
    return "only fields of float or double vectors in 2D and 3D are accelerated";
  }
  using Linear = VectorLinearInterpolateImageFunction<TInputImage, typename Superclass::RealType>;
  // ITK's getters are not const.
  auto * const       self = const_cast<Self *>(this);
  const auto * const interpolator = self->GetModifiableInterpolator();
  const auto * const displacement = self->GetDisplacementField();
  const auto * const warping = self->GetWarpingField();
  if (interpolator == nullptr || typeid(*interpolator) != typeid(Linear) ||
      interpolator->GetInputImage() != displacement || displacement == nullptr || warping == nullptr)
  {
    return "only itk::VectorLinearInterpolateImageFunction of the displacement field is accelerated";
  }
  if (warping->GetBufferedRegion() != this->GetOutput()->GetRequestedRegion())
  {
    return "only whole fields are accelerated";
  }
  return nullptr;
}

template <typename TInputImage, typename TOutputImage>
void
CudaComposeDisplacementFieldsImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), TInputImage::ImageDimension) +
           " | " + this->GetInterpolator()->GetNameOfClass();
  };
  if (const char * const refusal = this->Refusal())
  {
    m_Backend.RunSuperclass(
      refusal, describe, [this] { Superclass::GenerateData(); }, this);
    return;
  }
  if constexpr (IsAccelerated)
  {
    this->AllocateOutputs();
    const TInputImage * const    displacement = this->GetDisplacementField();
    const TInputImage * const    warping = this->GetWarpingField();
    TOutputImage * const         output = this->GetOutput();
    const CudaSpline::FieldShape displacementShape = CudaSplineDetail::DescribeField(displacement);
    const CudaSpline::FieldShape shape = CudaSplineDetail::DescribeField(warping);
    CudaSpline::HostFieldCall    call;
    call.kind = CudaSpline::HostFieldCall::Kind::Compose;
    call.shape = shape;
    call.uploadBytes = displacementShape.Bytes() + shape.Bytes();
    call.outputBytes = shape.Bytes();
    auto operation = CudaSplineDetail::MakeFieldOperation(call);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead first(displacement, context);
      const CudaSplineDetail::PixelsToRead second(warping, context);
      CudaSplineDetail::PixelsToWrite      result(output, context);
      CudaSpline::ComposeHostFields(displacementShape, first.Data(), shape, second.Data(), result.Data(), context);
      result.Finish();
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
