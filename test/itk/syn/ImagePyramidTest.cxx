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
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include "RandomData.h"

#include "itkImage.h"
#include "itkShrinkImageFilter.h"

#include <gtest/gtest.h>

#include <cmath>

/** \file
 * \brief Grids of levels equal those of itk::ShrinkImageFilter: along the axes of space in all bits, otherwise to the
 * rounding of the inverse, which ITK computes by singular values. */

namespace
{

using namespace CudaSplineTest;

template <unsigned int VDimension>
void
Compare(Random & random, bool isOblique)
{
  using Image = itk::Image<float, VDimension>;
  const auto                    image = Image::New();
  typename Image::SizeType      size;
  typename Image::IndexType     start;
  typename Image::SpacingType   spacing;
  typename Image::PointType     origin;
  typename Image::DirectionType direction;
  direction.SetIdentity();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    size[d] = static_cast<itk::SizeValueType>(random.Uniform(3.0, 60.0));
    start[d] = static_cast<itk::IndexValueType>(random.Uniform(-9.0, 9.0));
    spacing[d] = random.Uniform(0.3, 3.0);
    origin[d] = random.Uniform(-100.0, 100.0);
  }
  if (isOblique)
  {
    const double angle = random.Uniform(-3.0, 3.0);
    direction[0][0] = direction[1][1] = std::cos(angle);
    direction[0][1] = -std::sin(angle);
    direction[1][0] = std::sin(angle);
  }
  image->SetRegions({ start, size });
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  const auto grid =
    itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image.GetPointer(), image->GetLargestPossibleRegion());
  for (const unsigned int factor : { 1U, 2U, 3U, 4U, 7U, 8U })
  {
    const auto filter = itk::ShrinkImageFilter<Image, Image>::New();
    filter->SetShrinkFactors(factor);
    filter->SetInput(image);
    filter->UpdateOutputInformation();
    const auto wanted = itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(
      filter->GetOutput(), filter->GetOutput()->GetLargestPossibleRegion());
    const auto found = itk::CudaSpline::ShrinkGrid(grid, factor);
    EXPECT_EQ(found.size, wanted.size);
    EXPECT_EQ(found.start, wanted.start);
    EXPECT_EQ(found.spacing, wanted.spacing);
    if (!isOblique)
    {
      EXPECT_TRUE(found == wanted);
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      EXPECT_NEAR(found.origin[r], wanted.origin[r], 1e-12); // points of some 100 mm
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        EXPECT_NEAR(found.indexToPoint[r][c], wanted.indexToPoint[r][c], 1e-14 * 24.0);
        EXPECT_NEAR(found.pointToIndex[r][c], wanted.pointToIndex[r][c], 1e-14 * 4.0);
      }
    }
  }
}

TEST(ImagePyramidAgainstItk, Grids)
{
  Random random(4711);
  for (int n = 0; n < 20; ++n)
  {
    Compare<2>(random, n % 2 == 0);
    Compare<3>(random, n % 2 == 0);
  }
}

} // namespace
