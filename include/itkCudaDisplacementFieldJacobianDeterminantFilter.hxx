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
#ifndef itkCudaDisplacementFieldJacobianDeterminantFilter_hxx
#define itkCudaDisplacementFieldJacobianDeterminantFilter_hxx

#include "itkCudaDisplacementFieldJacobianDeterminantFilter.h"

#include <string>
#include <typeinfo>

namespace itk
{

template <typename TInputImage, typename TRealType, typename TOutputImage>
void
CudaDisplacementFieldJacobianDeterminantFilter<TInputImage, TRealType, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                                Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TRealType, typename TOutputImage>
const char *
CudaDisplacementFieldJacobianDeterminantFilter<TInputImage, TRealType, TOutputImage>::Refusal() const
{
  if (!IsAccelerated)
  {
    return "only fields of float or double vectors in 2D and 3D are accelerated";
  }
  if (typeid(*this) != typeid(Self))
  {
    return "classes that derive from this one are not accelerated";
  }
  if (this->GetInput()->GetBufferedRegion() != this->GetOutput()->GetRequestedRegion())
  {
    return "only whole fields are accelerated";
  }
  for (unsigned int d = 0; d < TInputImage::ImageDimension; ++d)
  {
    if (this->GetNeighborhoodRadius()[d] != 1)
    {
      return "only neighbours at a distance of one sample are accelerated";
    }
    if (static_cast<TRealType>(this->GetInput()->GetSpacing()[d]) == TRealType(0))
    {
      return "a spacing of 0 is not supported";
    }
  }
  return nullptr;
}

template <typename TInputImage, typename TRealType, typename TOutputImage>
void
CudaDisplacementFieldJacobianDeterminantFilter<TInputImage, TRealType, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), TInputImage::ImageDimension) +
           " | central differences";
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
    const TInputImage * const    field = this->GetInput();
    TOutputImage * const         output = this->GetOutput();
    CudaSpline::FieldDerivatives derivatives;
    CudaSpline::HostFieldCall    call;
    for (unsigned int d = 0; d < TInputImage::ImageDimension; ++d)
    {
      if (this->GetUseImageSpacing())
      {
        this->m_DerivativeWeights[d] = static_cast<TRealType>(1.0 / static_cast<TRealType>(field->GetSpacing()[d]));
        this->m_HalfDerivativeWeights[d] = 0.5 * this->m_DerivativeWeights[d];
      }
      derivatives.weights[d] = this->m_HalfDerivativeWeights[d];
    }
    if constexpr (CudaSplineDetail::JacobianUsesDirection)
    {
      auto & cosines = derivatives.direction.emplace();
      for (unsigned int row = 0; row < TInputImage::ImageDimension; ++row)
      {
        for (unsigned int column = 0; column < TInputImage::ImageDimension; ++column)
        {
          cosines[row][column] = field->GetDirection()(row, column);
        }
      }
    }
    call.kind = CudaSpline::HostFieldCall::Kind::Jacobian;
    call.shape = CudaSplineDetail::DescribeField(field);
    call.uploadBytes = call.shape.Bytes();
    call.outputBytes = static_cast<std::size_t>(call.shape.grid.Count()) * sizeof(TRealType);
    auto operation = CudaSplineDetail::MakeFieldOperation(call);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead displacements(field, context);
      CudaSplineDetail::PixelsToWrite      result(output, context);
      CudaSpline::FindHostJacobianDeterminants(
        call.shape, displacements.Data(), derivatives, CudaSpline::ScalarTypeOf<TRealType>(), result.Data(), context);
      result.Finish();
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
