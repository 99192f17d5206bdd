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
#ifndef VectorTestSupport_h
#define VectorTestSupport_h

#include "TransformTestSupport.h"

#include "itkVectorImage.h"

#include <vector>

/** \file
 * \brief Images with several numbers per pixel for the tests of the ITK classes. */

namespace CudaSplineTest
{

/** Returns the numbers of an image, one after the other. */
template <typename TImage>
auto
Numbers(TImage * image)
{
  using Component = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
  const auto * const first = reinterpret_cast<const Component *>(image->GetBufferPointer());
  return std::vector<Component>(
    first, first + image->GetBufferedRegion().GetNumberOfPixels() * image->GetNumberOfComponentsPerPixel());
}

/** Returns an image on the grid of the phantom; each component is another phantom. */
template <typename TImage>
typename TImage::Pointer
MakeVectors(unsigned int components)
{
  using Component = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
  using Phantom = itk::Image<double, TImage::ImageDimension>;
  auto image = TImage::New();
  for (unsigned int c = 0; c < components; ++c)
  {
    const auto phantom = MakePhantom<Phantom>(0.0, 100.0 + 10.0 * c, c + 1);
    if (c == 0)
    {
      image->CopyInformation(phantom);
      image->SetRegions(phantom->GetBufferedRegion());
      image->SetNumberOfComponentsPerPixel(components);
      image->Allocate();
    }
    auto * const first = reinterpret_cast<Component *>(image->GetBufferPointer());
    for (itk::SizeValueType i = 0; i < phantom->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      first[i * components + c] = static_cast<Component>(phantom->GetBufferPointer()[i]);
    }
  }
  return image;
}

/** Returns a component of an image with several numbers per pixel. */
template <typename TImage>
auto
ComponentOf(TImage * image, unsigned int component)
{
  using Component = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
  using Scalars = itk::Image<Component, TImage::ImageDimension>;
  const unsigned int components = image->GetNumberOfComponentsPerPixel();
  const auto         numbers = Numbers(image);
  auto               scalars = Scalars::New();
  scalars->CopyInformation(image);
  scalars->SetRegions(image->GetBufferedRegion());
  scalars->Allocate();
  for (std::size_t i = 0; i < numbers.size() / components; ++i)
  {
    scalars->GetBufferPointer()[i] = numbers[i * components + component];
  }
  return scalars;
}

template <typename TPixel>
TPixel
PixelOf(double first)
{
  TPixel pixel;
  for (unsigned int c = 0; c < itk::CudaSplineDetail::PixelTraits<TPixel>::Components; ++c)
  {
    pixel[c] = static_cast<typename TPixel::ValueType>(first + c);
  }
  return pixel;
}

} // namespace CudaSplineTest

#endif
