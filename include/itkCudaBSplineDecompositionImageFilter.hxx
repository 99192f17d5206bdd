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
#ifndef itkCudaBSplineDecompositionImageFilter_hxx
#define itkCudaBSplineDecompositionImageFilter_hxx

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSplineImageAccess.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/MemoryPlan.h"
#include "itkCudaSpline/kernels/Prefilter.h"

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  if constexpr (!IsAccelerated)
  {
    m_Backend.RecordSuperclass(
      "only scalar images of 1 to 4 dimensions with float or double coefficients are accelerated");
    Superclass::GenerateData();
  }
  else
  {
    const TInputImage * const input = this->GetInput();
    TOutputImage * const      output = this->GetOutput();
    CudaSplineDetail::CheckNotEmpty(this, input);
    CudaSplineDetail::CheckWhole(this, input);

    output->SetBufferedRegion(output->GetRequestedRegion());
    output->Allocate();

    CudaSpline::SourceDescriptor descriptor = CudaSplineDetail::DescribeSource(input);
    descriptor.element = CudaSpline::ScalarTypeOf<OutputPixelType>();
    descriptor.order = static_cast<unsigned int>(this->GetSplineOrder());

    const void * const           pixels = input->GetBufferPointer();
    void * const                 coefficients = output->GetBufferPointer();
    CudaSplineBackend::Operation operation;
    operation.work = [&descriptor](int) {
      const CudaSpline::OperationWork work = CudaSpline::CountPrefilterWork(descriptor);
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&descriptor](int device) {
      return CudaSpline::PlanSource(descriptor, CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      CudaSpline::Prefilter(descriptor, pixels, coefficients, context);
    };
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
