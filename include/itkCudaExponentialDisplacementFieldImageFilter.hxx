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
#ifndef itkCudaExponentialDisplacementFieldImageFilter_hxx
#define itkCudaExponentialDisplacementFieldImageFilter_hxx

#include "itkCudaExponentialDisplacementFieldImageFilter.h"

#include "itkMath.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os,
                                                                                  Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
const char *
CudaExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>::Refusal() const
{
  if (!IsAccelerated)
  {
    return "only fields of float or double vectors in 2D and 3D are accelerated";
  }
  if (this->GetInput()->GetBufferedRegion() != this->GetOutput()->GetRequestedRegion())
  {
    return "only whole fields are accelerated";
  }
  if (this->GetMaximumNumberOfIterations() > 30) // powers of 2 in ITK are int
  {
    return "more than 30 iterations are not accelerated";
  }
  return nullptr;
}

template <typename TInputImage, typename TOutputImage>
unsigned int
CudaExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>::CountSquarings() const
{
  const unsigned int most = this->GetMaximumNumberOfIterations();
  if (!this->GetAutomaticNumberOfIterations())
  {
    return most;
  }
  const TInputImage * const field = this->GetInput();
  double                    spacing = field->GetSpacing()[0];
  for (unsigned int d = 1; d < TInputImage::ImageDimension; ++d)
  {
    spacing = std::min<double>(spacing, field->GetSpacing()[d]);
  }
  const double largest = this->FindLargestSquaredNorm() / (spacing * spacing);
  if (!(largest > 0.0))
  {
    return CudaSplineDetail::ExponentialRoundsSquaringsUp ? 0 : std::min(1U, most);
  }
  const double count = 2.0 + 0.5 * std::log(largest) / Math::ln2;
  const double rounded = CudaSplineDetail::ExponentialRoundsSquaringsUp ? std::ceil(count) : std::floor(count + 1.0);
  return count >= 0.0 ? static_cast<unsigned int>(std::min(rounded, static_cast<double>(most))) : 0;
}

template <typename TInputImage, typename TOutputImage>
double
CudaExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>::FindLargestSquaredNorm() const
{
  const TInputImage * const field = this->GetInput();
  const auto * const        pixels = dynamic_cast<const CudaSplineDetail::DevicePixels *>(field);
  if (const auto memory = pixels != nullptr ? pixels->GetDeviceMemory() : nullptr)
  {
    try
    {
      const double norm = CudaSplineDetail::FindLargestNorm(CudaSplineDetail::DescribeField(field), *memory);
      return norm * norm;
    }
    catch (const CudaSpline::DeviceError &)
    {
      // The iterators below copy the field to the host, or report why they cannot.
    }
  }
  std::mutex mutex;
  double     largest = 0.0;
  const_cast<Self *>(this)->GetMultiThreader()->template ParallelizeImageRegion<TInputImage::ImageDimension>(
    field->GetBufferedRegion(),
    [&](const typename TInputImage::RegionType & part) {
      double mine = 0.0;
      for (ImageRegionConstIterator<TInputImage> it(field, part); !it.IsAtEnd(); ++it)
      {
        const double norm = it.Get().GetSquaredNorm();
        mine = norm > mine ? norm : mine;
      }
      const std::lock_guard<std::mutex> lock(mutex);
      largest = std::max(largest, mine);
    },
    nullptr);
  return largest;
}

template <typename TInputImage, typename TOutputImage>
void
CudaExponentialDisplacementFieldImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), TInputImage::ImageDimension) +
           " | at most " + std::to_string(this->GetMaximumNumberOfIterations()) + " squarings";
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
    const TInputImage * const field = this->GetInput();
    TOutputImage * const      output = this->GetOutput();
    const unsigned int        squarings = this->CountSquarings();
    CudaSpline::HostFieldCall call;
    call.kind = CudaSpline::HostFieldCall::Kind::Exponential;
    call.shape = CudaSplineDetail::DescribeField(field);
    call.uploadBytes = call.shape.Bytes();
    call.outputBytes = call.shape.Bytes();
    call.scratchBytes = squarings > 0 ? call.shape.Bytes() : 0;
    call.repeats = static_cast<int>(squarings) + 1;
    auto operation = CudaSplineDetail::MakeFieldOperation(call);
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead velocity(field, context);
      CudaSplineDetail::PixelsToWrite      result(output, context);
      CudaSpline::ExponentiateHostField(
        call.shape, velocity.Data(), squarings, this->GetComputeInverse(), result.Data(), context);
      result.Finish();
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
