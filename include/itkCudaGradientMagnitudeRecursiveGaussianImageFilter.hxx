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
#ifndef itkCudaGradientMagnitudeRecursiveGaussianImageFilter_hxx
#define itkCudaGradientMagnitudeRecursiveGaussianImageFilter_hxx

#include "itkCudaGradientMagnitudeRecursiveGaussianImageFilter.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaGradientMagnitudeRecursiveGaussianImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                        Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
void
CudaGradientMagnitudeRecursiveGaussianImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  // GetSigma() of ITK's class is not const.
  const double                             sigma = this->GetSigma();
  const FixedArray<double, ImageDimension> sigmas(sigma);
  const CudaSplineTrace::Describe          describe = [this, &sigmas] {
    return std::string(this->GetNameOfClass()) + " | " + CudaSplineDetail::TraceGaussian(this->GetInput(), sigmas);
  };
  const auto runSuperclass = [this, &describe](const char * reason) {
    m_Backend.RunSuperclass(reason, describe, [this] { Superclass::GenerateData(); });
  };
  if constexpr (!IsAccelerated)
  {
    runSuperclass("only images of 2 or 3 dimensions of scalars are accelerated");
  }
  else
  {
    const TInputImage * const      input = this->GetInput();
    CudaSpline::GaussianDescriptor descriptor =
      CudaSplineDetail::DescribeGaussian(input, sigmas, this->GetNormalizeAcrossScale());
    descriptor.output = CudaSpline::ScalarType::Float32;
    if (const char * const reason = CudaSplineDetail::WhyNotGaussian(input, descriptor))
    {
      runSuperclass(reason);
      return;
    }
    const void * const pixels = input->GetBufferPointer();
    const auto         count = static_cast<std::int64_t>(input->GetLargestPossibleRegion().GetNumberOfPixels());
    // Not a vector: this thread would write all of it first.
    const std::unique_ptr<float[]> gradients(new float[static_cast<std::size_t>(count) * ImageDimension]);
    auto operation = CudaSplineDetail::MakeGaussianOperation(descriptor, CudaSpline::GaussianOperation::Gradient);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      CudaSpline::MakeGaussianGradient(descriptor, pixels, gradients.get(), context);
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
    this->AllocateOutputs(); // now, because it may overwrite the input
    auto * const output = this->GetOutput()->GetBufferPointer();
    CudaSplineHostExecutor(this->GetMultiThreader()).ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
      {
        float sum = 0.0F; // as ITK keeps it between two components
        for (unsigned int d = 0; d < ImageDimension; ++d)
        {
          const double component = gradients[static_cast<std::size_t>(i * ImageDimension + d)];
          sum = static_cast<float>(sum + component * component);
        }
        output[i] = static_cast<typename TOutputImage::PixelType>(std::sqrt(static_cast<double>(sum)));
      }
    });
  }
}

} // namespace itk

#endif
