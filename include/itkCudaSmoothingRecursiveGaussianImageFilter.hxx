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
#ifndef itkCudaSmoothingRecursiveGaussianImageFilter_hxx
#define itkCudaSmoothingRecursiveGaussianImageFilter_hxx

#include "itkCudaSmoothingRecursiveGaussianImageFilter.h"

#include <string>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaSmoothingRecursiveGaussianImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
void
CudaSmoothingRecursiveGaussianImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceGaussian(this->GetInput(), this->GetSigmaArray());
  };
  const auto runSuperclass = [this, &describe](const char * reason) {
    m_Backend.RunSuperclass(
      reason, describe, [this] { Superclass::GenerateData(); }, this);
  };
  if constexpr (!IsAccelerated)
  {
    runSuperclass("only images of 2 or 3 dimensions of scalars are accelerated");
  }
  else
  {
    const TInputImage * const      input = this->GetInput();
    CudaSpline::GaussianDescriptor descriptor =
      CudaSplineDetail::DescribeGaussian(input, this->GetSigmaArray(), this->GetNormalizeAcrossScale());
    descriptor.output = CudaSpline::ScalarTypeOf<OutputComponentType>();
    if (const char * const reason = CudaSplineDetail::WhyNotGaussian(input, descriptor))
    {
      runSuperclass(reason);
      return;
    }
    this->AllocateOutputs();
    auto operation = CudaSplineDetail::MakeGaussianOperation(descriptor, CudaSpline::GaussianOperation::Smoothing);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead pixels(input, context);
      CudaSplineDetail::PixelsToWrite      output(this->GetOutput(), context);
      CudaSpline::SmoothByGaussian(descriptor, pixels.Data(), output.Data(), context);
      output.Finish();
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
