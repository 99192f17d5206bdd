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
#ifndef CudaSplineProgram_Volume_h
#define CudaSplineProgram_Volume_h

#include "itkCudaSplineSystem.h"

#include "itkImage.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace CudaSplineProgram
{

using itk::CudaSpline::ScalarType;

/** \brief Three coordinates; a 2D image uses the first two. Points are in mm, indices in voxels, both with x first. */
using Coordinates = std::array<double, 3>;

/** \brief Geometry of a 2D or 3D image. The first voxel has index 0. The third spacing, origin and direction of a 2D
 * image are the thickness and the position of its plane, if its file has them. */
struct Grid
{
  unsigned int               dimension{ 3 };
  std::array<std::size_t, 3> size{ 1, 1, 1 };          ///< voxels
  Coordinates                spacing{ 1.0, 1.0, 1.0 }; ///< mm
  Coordinates                origin{ 0.0, 0.0, 0.0 };  ///< centre of the first voxel, mm
  std::array<Coordinates, 3> direction{
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
  }; ///< [row][column]; columns are the axes

  std::size_t
  GetNumberOfVoxels() const
  {
    return size[0] * size[1] * size[2];
  }
};

/** \brief Returns the physical point of a continuous index. */
Coordinates
PointOfIndex(const Grid & grid, const Coordinates & index);

/** \brief Returns the continuous index of a physical point.
 *
 * \exception ProgramError the direction is singular */
Coordinates
IndexOfPoint(const Grid & grid, const Coordinates & point);

/** \brief Returns the continuous index of the centre of the image. */
Coordinates
CentreIndex(const Grid & grid);

/** \brief Returns for example "181 x 217 x 181". */
std::string
SizeText(const Grid & grid);

/** \brief Returns for example "1 x 1 x 0.8 mm". */
std::string
SpacingText(const Grid & grid);

/** \brief An image whose pixel type and dimension are known at run time. Copies share the pixels. */
struct Volume
{
  Grid                  grid;
  ScalarType            type{ ScalarType::Float32 };
  std::shared_ptr<void> pixels; ///< x fastest

  /** Returns a volume with uninitialized memory for its pixels.
   *
   * \exception ProgramError there is not enough memory */
  static Volume
  Allocate(const Grid & grid, ScalarType type);

  std::size_t
  GetNumberOfBytes() const
  {
    return grid.GetNumberOfVoxels() * itk::CudaSpline::SizeOf(type);
  }
};

/** \brief Copies a grid to the geometry of an image: origin, spacing, direction, largest region. */
template <unsigned int VDimension>
void
SetGeometry(const Grid & grid, itk::ImageBase<VDimension> * image)
{
  typename itk::ImageBase<VDimension>::SizeType      size;
  typename itk::ImageBase<VDimension>::SpacingType   spacing;
  typename itk::ImageBase<VDimension>::PointType     origin;
  typename itk::ImageBase<VDimension>::DirectionType direction;
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    size[row] = grid.size[row];
    spacing[row] = grid.spacing[row];
    origin[row] = grid.origin[row];
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      direction[row][column] = grid.direction[row][column];
    }
  }
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
}

/** \brief Returns an ITK image that refers to the pixels of a volume, which has to outlive it. */
template <typename TImage>
typename TImage::Pointer
ViewAsImage(const Volume & volume)
{
  const typename TImage::Pointer image = TImage::New();
  SetGeometry<TImage::ImageDimension>(volume.grid, image);
  image->GetPixelContainer()->SetImportPointer(
    static_cast<typename TImage::PixelType *>(volume.pixels.get()), volume.grid.GetNumberOfVoxels(), false);
  return image;
}

/** \brief Returns a volume that refers to the pixels of an ITK image, with a given geometry. */
template <typename TImage>
Volume
HoldImage(TImage * image, const Grid & grid)
{
  const typename TImage::Pointer owner = image;
  Volume                         volume;
  volume.grid = grid;
  volume.type = itk::CudaSpline::ScalarTypeOf<typename TImage::PixelType>();
  volume.pixels = std::shared_ptr<void>(image->GetBufferPointer(), [owner](void *) {});
  return volume;
}

} // namespace CudaSplineProgram

#endif
