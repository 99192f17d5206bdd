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
#ifndef CudaSplineTest_RandomGeometry_h
#define CudaSplineTest_RandomGeometry_h

#include "itkCudaSpline/math/Geometry.h"

#include "RandomData.h"

#include "itkImage.h"

namespace CudaSplineTest
{

/** \brief Gives an image a random region (start and size), origin, spacing and oblique direction. Allocates nothing. */
template <typename TImage>
void
SetRandomGeometry(TImage * image, Random & random, std::int64_t largestSize = 40)
{
  constexpr unsigned int         dimension = TImage::ImageDimension;
  typename TImage::RegionType    region;
  typename TImage::PointType     origin;
  typename TImage::SpacingType   spacing;
  typename TImage::DirectionType direction;
  const std::vector<double>      rotation = random.Rotation(dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    region.SetIndex(d, random.Integer(-50, 50));
    region.SetSize(d, static_cast<itk::SizeValueType>(random.Integer(1, largestSize)));
    origin[d] = random.Uniform(-300.0, 300.0);
    spacing[d] = random.Uniform(0.2, 5.0);
    for (unsigned int e = 0; e < dimension; ++e)
    {
      direction[d][e] = rotation[d * dimension + e];
    }
  }
  image->SetRegions(region);
  image->SetOrigin(origin);
  image->SetSpacing(spacing);
  image->SetDirection(direction);
}

/** \brief The matrices of an image, which ITK makes available to subclasses only. */
template <unsigned int VDimension>
struct ImageMatrices : public itk::ImageBase<VDimension>
{
  using DirectionType = typename itk::ImageBase<VDimension>::DirectionType;

  static const DirectionType &
  IndexToPoint(const itk::ImageBase<VDimension> & image)
  {
    return image.*(&ImageMatrices::m_IndexToPhysicalPoint);
  }
  static const DirectionType &
  PointToIndex(const itk::ImageBase<VDimension> & image)
  {
    return image.*(&ImageMatrices::m_PhysicalPointToIndex);
  }
};

/** \brief The module's geometry of an ITK image. */
template <typename TImage>
itk::CudaSpline::GridGeometry<TImage::ImageDimension>
GeometryOf(const TImage * image)
{
  constexpr unsigned int                   dimension = TImage::ImageDimension;
  itk::CudaSpline::GridGeometry<dimension> grid;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    grid.extent.start[d] = image->GetLargestPossibleRegion().GetIndex(d);
    grid.extent.size[d] = static_cast<std::int64_t>(image->GetLargestPossibleRegion().GetSize(d));
    grid.origin[d] = image->GetOrigin()[d];
    for (unsigned int e = 0; e < dimension; ++e)
    {
      grid.indexToPoint[d][e] = ImageMatrices<dimension>::IndexToPoint(*image)[d][e];
      grid.pointToIndex[d][e] = ImageMatrices<dimension>::PointToIndex(*image)[d][e];
    }
  }
  return grid;
}

} // namespace CudaSplineTest

#endif
