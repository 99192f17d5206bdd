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

#include "itkImage.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkImageSource.h"

#include <cmath>
#include <vector>

namespace CudaSplineTest
{

/** A source that makes what is requested and nothing more, by a formula of the index. */
class StreamingSource : public itk::ImageSource<itk::Image<float, 3>>
{
public:
  using Image = itk::Image<float, 3>;
  using Self = StreamingSource;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);

  std::vector<Image::RegionType> requests;

  static float
  ValueAt(const Image::IndexType & index)
  {
    return static_cast<float>(std::sin(0.3 * index[0]) * 50.0 + std::cos(0.2 * index[1] + 0.1 * index[2]) * 70.0 +
                              index[2]);
  }

protected:
  void
  GenerateOutputInformation() override
  {
    Image::RegionType region;
    region.SetSize(Image::SizeType{ { 41, 37, 29 } });
    region.SetIndex(Image::IndexType{ { -3, 2, 5 } });
    this->GetOutput()->SetLargestPossibleRegion(region);
    this->GetOutput()->SetSpacing(Image::SpacingType(1.1));
  }

  void
  GenerateData() override
  {
    Image * const output = this->GetOutput();
    requests.push_back(output->GetRequestedRegion());
    output->SetBufferedRegion(output->GetRequestedRegion());
    output->Allocate();
    for (itk::ImageRegionIteratorWithIndex<Image> it(output, output->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(ValueAt(it.GetIndex()));
    }
  }
};

} // namespace CudaSplineTest

#endif
