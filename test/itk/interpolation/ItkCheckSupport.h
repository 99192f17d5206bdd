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
#ifndef ItkCheckSupport_h
#define ItkCheckSupport_h

#include "itkContinuousIndex.h"
#include "itkImage.h"

#include <gtest/gtest.h>

#include <vector>

/** \file
 * \brief Common functions of the checks of ITK's own interpolator tests. */

namespace CudaSplineTest
{

template <unsigned int D>
using Index = itk::ContinuousIndex<double, D>;

/** Returns an image whose pixels are a function of the index. */
template <typename TImage, typename TFunction>
typename TImage::Pointer
MakeImage(const typename TImage::SizeType &    size,
          const typename TImage::IndexType &   start,
          const typename TImage::SpacingType & spacing,
          const typename TImage::PointType &   origin,
          const TFunction &                    function)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::RegionType(start, size));
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->Allocate();
  for (itk::OffsetValueType i = 0;
       i < static_cast<itk::OffsetValueType>(image->GetBufferedRegion().GetNumberOfPixels());
       ++i)
  {
    const auto index = image->ComputeIndex(i);
    image->SetPixel(index, static_cast<typename TImage::PixelType>(function(index)));
  }
  return image;
}

/** Checks a value at a continuous index, and at the corresponding point. */
template <typename TFunction>
void
ExpectValue(const TFunction *                               function,
            const typename TFunction::ContinuousIndexType & index,
            bool                                            isInside,
            double                                          value,
            double                                          indexTolerance,
            double                                          pointTolerance)
{
  typename TFunction::PointType point;
  function->GetInputImage()->TransformContinuousIndexToPhysicalPoint(index, point);
  EXPECT_EQ(function->IsInsideBuffer(index), isInside) << index;
  EXPECT_EQ(function->IsInsideBuffer(point), isInside) << point;
  if (isInside)
  {
    EXPECT_NEAR(function->EvaluateAtContinuousIndex(index), value, indexTolerance) << index;
    EXPECT_NEAR(function->Evaluate(point), value, pointTolerance) << point;
    EXPECT_NEAR(function->EvaluateAtContinuousIndices({ index }).front(), value, indexTolerance) << index;
    EXPECT_NEAR(
      function->EvaluateAtPoints(std::vector<typename TFunction::PointType>{ point }).front(), value, pointTolerance);
  }
}

/** Returns a continuous index. */
inline Index<3>
At(double x, double y, double z)
{
  Index<3> index;
  index[0] = x;
  index[1] = y;
  index[2] = z;
  return index;
}

} // namespace CudaSplineTest

#endif
