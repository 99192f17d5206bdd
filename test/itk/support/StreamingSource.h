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
#ifndef StreamingSource_h
#define StreamingSource_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkImage.h"
#include "itkImageSource.h"

#include <vector>

namespace CudaSplineTest
{

/** \brief A source that streams: it copies the requested pixels of an image, and records the requests. */
template <typename TImage>
class StreamingSource : public itk::ImageSource<TImage>
{
public:
  using Self = StreamingSource;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);

  void
  SetImage(const TImage * image)
  {
    m_Image = image;
    this->Modified();
  }

  /** Makes the source violate ITK's contract: it buffers the requested region without its last row. */
  void
  SetTooLittle(bool tooLittle)
  {
    m_TooLittle = tooLittle;
    this->Modified();
  }

  const std::vector<typename TImage::RegionType> &
  GetRequests() const
  {
    return m_Requests;
  }

protected:
  void
  GenerateOutputInformation() override
  {
    this->GetOutput()->CopyInformation(m_Image);
    this->GetOutput()->SetLargestPossibleRegion(m_Image->GetBufferedRegion());
  }

  void
  GenerateData() override
  {
    TImage * const output = this->GetOutput();
    auto           region = output->GetRequestedRegion();
    m_Requests.push_back(region);
    if (m_TooLittle)
    {
      constexpr unsigned int last = TImage::ImageDimension - 1;
      region.SetSize(last, region.GetSize(last) - 1);
    }
    output->SetBufferedRegion(region);
    output->Allocate();
    for (std::size_t i = 0; i < output->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      output->GetBufferPointer()[i] = m_Image->GetPixel(output->ComputeIndex(static_cast<itk::OffsetValueType>(i)));
    }
  }

private:
  typename TImage::ConstPointer            m_Image;
  bool                                     m_TooLittle{ false };
  std::vector<typename TImage::RegionType> m_Requests;
};

} // namespace CudaSplineTest

#endif
