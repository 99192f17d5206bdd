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
#ifndef LabelTestSupport_h
#define LabelTestSupport_h

#include "InterpolationTestSupport.h"

#include <algorithm>
#include <map>
#include <vector>

/** \file
 * \brief Label images, and the label that wins, for the tests of label interpolators. */

namespace CudaSplineTest
{

/** Returns an image of \p labels values, in blobs, from \p first on. */
template <typename TImage>
typename TImage::Pointer
Labels(const std::vector<std::int64_t> & size,
       Random &                          random,
       int                               labels,
       typename TImage::PixelType        first,
       bool                              atZero)
{
  const auto image = NoiseImage<TImage>(size, random);
  if (atZero)
  {
    auto region = image->GetBufferedRegion();
    region.SetIndex(typename TImage::IndexType());
    image->SetRegions(region);
  }
  typename TImage::PixelType label = first;
  for (std::size_t i = 0; i < Count(image.GetPointer()); ++i)
  {
    if (random.Integer(0, 2) == 0)
    {
      label = static_cast<typename TImage::PixelType>(
        first + static_cast<typename TImage::PixelType>(random.Integer(0, labels - 1)));
    }
    image->GetBufferPointer()[i] = label;
  }
  return image;
}

/** The label that wins at an index, and its margin. */
template <typename TImage>
struct Winner
{
  typename TImage::PixelType label{};
  long double                margin{ 0 };

  explicit Winner(const std::map<typename TImage::PixelType, long double> & values)
  {
    long double largest = 0;
    long double second = 0;
    for (const auto & entry : values)
    {
      if (entry.second > largest)
      {
        second = largest;
        largest = entry.second;
        label = entry.first;
      }
      else
      {
        second = std::max(second, entry.second);
      }
    }
    margin = largest - second;
  }
};

} // namespace CudaSplineTest

#endif
