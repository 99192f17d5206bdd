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
#ifndef itkCudaWarpImageFilter_hxx
#define itkCudaWarpImageFilter_hxx

#include "itkCudaWarpImageFilter.h"
#include "itkCudaSpline/itk/InnerResampleImageFilter.h"

namespace itk
{
namespace CudaSplineDetail
{

/** \brief Resamples by a displacement field with the rules of itk::WarpImageFilter. */
template <typename TInputImage, typename TOutputImage, typename TDisplacementField>
class WarpingResampleImageFilter : public InnerResampleImageFilter<TInputImage, TOutputImage>
{
public:
  /** Types of ITK's conventions. */
  ///@{
  using Self = WarpingResampleImageFilter;
  using Superclass = InnerResampleImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  ///@}

  /** Makes an object; for this class no factory is asked. */
  itkCudaSplineFactorylessNewMacro(Self);

  /** The field, and whether its pixels are those of the output's indices. */
  void
  SetField(const TDisplacementField * field, bool isOnOutput)
  {
    m_Field = field;
    m_IsOnOutput = isOnOutput;
  }

protected:
  WarpingResampleImageFilter() = default;
  ~WarpingResampleImageFilter() override = default;

  bool
  DescribeChain(CudaSpline::TransformChain & chain) const override
  {
    this->DescribeGrids(chain);
    CudaSpline::TransformChain::Stage stage;
    stage.kind = CudaSpline::TransformKind::DisplacementField;
    stage.goesOn = true;
    DescribeGrid(m_Field, stage);
    if (m_IsOnOutput)
    {
      // Their geometries are the same within a tolerance: by the output's, every sample is nearest to the pixel of its
      // index.
      stage.nearest = true;
      CudaSpline::TransformChain::Matrix unused{};
      DescribeAxes<TOutputImage::ImageDimension>(this->GetOutput(), stage.origin, unused, stage.pointToIndex);
    }
    // Of the right type: ProvideFields() sets those that are read.
    const void * const host = GetHostPixels(m_Field);
    SetDisplacements<TDisplacementField>(std::shared_ptr<const void>(host, [](const void *) {}), stage);
    chain.stages.push_back(stage);
    return true;
  }

  void
  ProvideFields(const CudaSpline::ExecutionContext & context, CudaSpline::TransformChain & chain) const override
  {
    const auto pixels = std::make_shared<const PixelsToRead>(m_Field, context);
    SetDisplacements<TDisplacementField>(std::shared_ptr<const void>(pixels, pixels->Data()), chain.stages.front());
  }

private:
  const TDisplacementField * m_Field{ nullptr };
  bool                       m_IsOnOutput{ false };
};

} // namespace CudaSplineDetail

template <typename TInputImage, typename TOutputImage, typename TDisplacementField>
void
CudaWarpImageFilter<TInputImage, TOutputImage, TDisplacementField>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
  os << indent << "Precision: " << m_Precision << std::endl;
  itkPrintSelfObjectMacro(SourceCache);
}

template <typename TInputImage, typename TOutputImage, typename TDisplacementField>
void
CudaWarpImageFilter<TInputImage, TOutputImage, TDisplacementField>::GenerateData()
{
  if (!this->WarpByKernels())
  {
    const CudaSplineTrace::Describe describe = [this] {
      return std::string(this->GetNameOfClass()) + " | " +
             CudaSplineDetail::TraceSize(this->GetInput()->GetBufferedRegion().GetSize(), TInputImage::ImageDimension) +
             " -> " +
             CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(),
                                         TOutputImage::ImageDimension) +
             " | " +
             (this->GetInterpolator() != nullptr ? this->GetInterpolator()->GetNameOfClass() : "no interpolator");
    };
    CudaSplineTrace trace(describe);
    CudaSplineDetail::MoveInputsToHost(*this);
    Superclass::GenerateData();
    trace.Finish(m_Backend);
  }
}

template <typename TInputImage, typename TOutputImage, typename TDisplacementField>
bool
CudaWarpImageFilter<TInputImage, TOutputImage, TDisplacementField>::WarpByKernels()
{
  if constexpr (!IsAccelerated)
  {
    m_Backend.RecordSuperclass(
      "only images of 1 to 3 dimensions and of the same number of components per pixel, of types that "
      "the module knows, and fields of float or double vectors are accelerated");
    return false;
  }
  else
  {
    const TDisplacementField * const field = this->GetDisplacementField();
    const auto                       refuse = [this](const char * reason) {
      m_Backend.RecordSuperclass(reason);
      return false;
    };
    if (this->GetInterpolator() == nullptr)
    {
      return refuse("there is no interpolator");
    }
    if (this->m_DefFieldSameInformation &&
        !field->GetBufferedRegion().IsInside(this->GetOutput()->GetRequestedRegion()))
    {
      return refuse("the displacement field does not cover the output");
    }
    if (field->GetBufferedRegion().GetNumberOfPixels() == 0)
    {
      return refuse("the displacement field is empty");
    }
    auto outside = this->GetEdgePaddingValue();
    if constexpr (CudaSplineDetail::ImageTraits<TOutputImage>::IsVectorImage)
    {
      if (outside.GetSize() != this->GetInput()->GetNumberOfComponentsPerPixel())
      {
        outside = typename TOutputImage::PixelType(); // stands for zeros, which ITK takes then
      }
    }
    using Resampler = CudaSplineDetail::WarpingResampleImageFilter<TInputImage, TOutputImage, TDisplacementField>;
    if (m_Resampler == nullptr)
    {
      m_Resampler = Resampler::New();
    }
    auto * const                                   resampler = static_cast<Resampler *>(m_Resampler.GetPointer());
    const CudaSplineDetail::InnerImages<Resampler> images(*resampler);
    resampler->SetInterpolator(this->GetModifiableInterpolator());
    resampler->SetPrecision(m_Precision);
    resampler->SetSourceCache(m_SourceCache);
    resampler->SetField(field, this->m_DefFieldSameInformation);
    resampler->SetImages(this->GetInput(), this->GetOutput(), outside);
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
