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
#ifndef ItkBenchmark_h
#define ItkBenchmark_h

#include "itkObjectFactory.h"

#include <cstddef>
#include <random>

/** \file
 * \brief Common functions of the benchmarks that compare with ITK's classes. */

/** A class of ITK itself. Its own New() would use the object factory, which may return a class of the module. */
template <typename TBase>
class ItkOwn : public TBase
{
public:
  using Self = ItkOwn;
  using Superclass = TBase;
  using Pointer = itk::SmartPointer<Self>;
  itkFactorylessNewMacro(Self);
};

/** Returns uniform values in [-1000, 1000), the same in every run. The last image is cached, because consecutive cells
 * use the same one. */
template <typename TImage>
typename TImage::Pointer
RandomImage(std::size_t size)
{
  static typename TImage::Pointer image;
  if (!image || image->GetBufferedRegion().GetSize()[0] != size)
  {
    image = nullptr; // freed before the next one is allocated
    typename TImage::SizeType sizes;
    sizes.Fill(size);
    image = TImage::New();
    image->SetRegions(sizes);
    image->Allocate();
    using T = typename TImage::PixelType;
    std::mt19937_64                   generator(12345);
    std::uniform_real_distribution<T> distribution(T(-1000), T(1000));
    T * const                         pixels = image->GetBufferPointer();
    for (std::size_t i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      pixels[i] = distribution(generator);
    }
  }
  return image;
}

#endif
