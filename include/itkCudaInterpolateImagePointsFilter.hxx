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
#ifndef itkCudaInterpolateImagePointsFilter_hxx
#define itkCudaInterpolateImagePointsFilter_hxx

#include "itkCudaInterpolateImagePointsFilter.h"
#include "itkCudaSpline/itk/InnerResampleImageFilter.h"

#include <array>

namespace itk
{
namespace CudaSplineDetail
{

/** \brief Resamples at continuous indices that images have. */
template <typename TInputImage, typename TOutputImage, typename TCoordinate>
class PointsResampleImageFilter : public InnerResampleImageFilter<TInputImage, TOutputImage, TCoordinate>
{
public:
  /** Types of ITK's conventions. */
  ///@{
  using Self = PointsResampleImageFilter;
  using Superclass = InnerResampleImageFilter<TInputImage, TOutputImage, TCoordinate>;
  using Pointer = SmartPointer<Self>;
  ///@}

  /** Makes an object; for this class no factory is asked. */
  itkCudaSplineFactorylessNewMacro(Self);

  /** Dimension of the images. */
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;

  /** The image of a coordinate. */
  void
  SetCoordinate(unsigned int axis, const TInputImage * image)
  {
    m_Coordinates[axis] = image;
  }

protected:
  PointsResampleImageFilter() = default;
  ~PointsResampleImageFilter() override = default;

  bool
  DescribeChain(CudaSpline::TransformChain &) const override
  {
    return false;
  }

  void
  MapLines(std::int64_t first, std::int64_t lines, double * indices) const override
  {
    const auto &        wanted = this->GetOutput()->GetRequestedRegion();
    const SizeValueType samples = wanted.GetSize(0);
    for (std::int64_t line = first; line < first + lines; ++line)
    {
      const auto index = StartOfLine(wanted, line);
      for (unsigned int d = 0; d < ImageDimension; ++d)
      {
        const auto * const from = m_Coordinates[d]->GetBufferPointer() + m_Coordinates[d]->ComputeOffset(index);
        for (SizeValueType sample = 0; sample < samples; ++sample)
        {
          indices[sample * ImageDimension + d] = static_cast<TCoordinate>(from[sample]);
        }
      }
      indices += samples * ImageDimension;
    }
  }

private:
  std::array<const TInputImage *, ImageDimension> m_Coordinates{};
};

} // namespace CudaSplineDetail

template <typename TInputImage, typename TOutputImage, typename TCoordType, typename TInterpolator>
void
CudaInterpolateImagePointsFilter<TInputImage, TOutputImage, TCoordType, TInterpolator>::PrintSelf(std::ostream & os,
                                                                                                  Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
  itkPrintSelfObjectMacro(SourceCache);
}

template <typename TInputImage, typename TOutputImage, typename TCoordType, typename TInterpolator>
void
CudaInterpolateImagePointsFilter<TInputImage, TOutputImage, TCoordType, TInterpolator>::GenerateData()
{
  if (!this->InterpolateByKernels())
  {
    this->GetInterpolator()->SetInputImage(this->GetInput(0));
    const CudaSplineTrace::Describe describe = [this] {
      return std::string(this->GetNameOfClass()) + " | " +
             CudaSplineDetail::TraceSize(this->GetInput(0)->GetBufferedRegion().GetSize(),
                                         TInputImage::ImageDimension) +
             " -> " +
             CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(),
                                         TOutputImage::ImageDimension) +
             " | " +
             (this->GetInterpolator() != nullptr ? this->GetInterpolator()->GetNameOfClass() : "no interpolator");
    };
    CudaSplineTrace trace(describe);
    Superclass::GenerateData();
    trace.Finish(m_Backend);
  }
}

template <typename TInputImage, typename TOutputImage, typename TCoordType, typename TInterpolator>
bool
CudaInterpolateImagePointsFilter<TInputImage, TOutputImage, TCoordType, TInterpolator>::InterpolateByKernels()
{
  if constexpr (!IsAccelerated)
  {
    m_Backend.RecordSuperclass("only scalar images of 1 to 3 dimensions are accelerated");
    return false;
  }
  else
  {
    const auto refuse = [this](const char * reason) {
      m_Backend.RecordSuperclass(reason);
      return false;
    };
    using Resampler = CudaSplineDetail::PointsResampleImageFilter<TInputImage, TOutputImage, CoordinateType>;
    const auto resampler = Resampler::New();
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      const TInputImage * const coordinate = this->GetInput(d + 1);
      if (!coordinate->GetBufferedRegion().IsInside(this->GetOutput()->GetRequestedRegion()))
      {
        return refuse("an image of coordinates does not cover the output");
      }
      resampler->SetCoordinate(d, coordinate);
    }
    resampler->SetInterpolator(this->GetInterpolator());
    resampler->SetPrecision(m_Precision);
    resampler->SetSourceCache(m_SourceCache);
    resampler->SetImages(this->GetInput(0), this->GetOutput(), this->GetDefaultPixelValue());
    if (const char * const refusal = resampler->GetRefusal())
    {
      return refuse(refusal);
    }
    resampler->RunFor(this, m_Backend);
    return true;
  }
}

} // namespace itk

#endif
