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
#ifndef itkCudaResampleImageFilterPixels_hxx
#define itkCudaResampleImageFilterPixels_hxx

#include "itkCudaResampleImageFilter.h"

#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkSpecialCoordinatesImage.h"

#include <algorithm>
#include <cstring>
#include <typeinfo>

namespace itk
{

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
bool
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  HasSpecialCoordinates() const
{
  return dynamic_cast<const SpecialCoordinatesImage<InputPixelType, InputDimension> *>(this->GetInput()) != nullptr ||
         dynamic_cast<const SpecialCoordinatesImage<OutputPixelType, OutputDimension> *>(this->GetOutput()) != nullptr;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
const char *
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  WhyNotAccelerated() const
{
  const auto * const extrapolator = this->GetExtrapolator();
  if (extrapolator != nullptr)
  {
    const auto & type = typeid(*extrapolator);
    if (type != typeid(NearestNeighborExtrapolateImageFunction<TInputImage, TInterpolatorPrecisionType>))
    {
      return "only ITK's nearest-neighbour extrapolator is accelerated, and no class derived from it";
    }
  }
  const unsigned int components = this->GetInput()->GetNumberOfComponentsPerPixel();
  if (components == 0 || this->GetOutput()->GetNumberOfComponentsPerPixel() != components)
  {
    return "only images of as many numbers a pixel as the output has are accelerated";
  }
  if constexpr (CudaSplineDetail::ImageTraits<TOutputImage>::IsVectorImage)
  {
    // Without a length it stands for zeros.
    const auto length = static_cast<unsigned int>(this->GetDefaultPixelValue().GetSize());
    if (length != 0 && length != components)
    {
      return "the default pixel has another number of components than the image";
    }
  }
  return nullptr;
}

template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType,
          typename TTransformPrecisionType>
std::vector<std::uint64_t>
CudaResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>::
  DescribeDefaultPixel() const
{
  using Traits = CudaSplineDetail::ImageTraits<TOutputImage>;
  constexpr std::size_t      size = sizeof(typename Traits::ComponentType);
  std::vector<std::uint64_t> bits(std::max(1U, this->GetInput()->GetNumberOfComponentsPerPixel()), 0);
  const OutputPixelType      pixel = this->GetDefaultPixelValue();
  const void *               numbers = &pixel;
  std::size_t                length = Traits::Components;
  if constexpr (Traits::IsVectorImage)
  {
    numbers = pixel.GetDataPointer();
    length = pixel.GetSize();
  }
  for (std::size_t c = 0; c < std::min(length, bits.size()); ++c)
  {
    std::memcpy(&bits[c], static_cast<const char *>(numbers) + c * size, size);
  }
  return bits;
}

} // namespace itk

#endif
