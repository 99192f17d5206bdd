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
#ifndef itkCudaSpline_itk_ImageAccess_h
#define itkCudaSpline_itk_ImageAccess_h

#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "itkImageBase.h"
#include "itkMacro.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace itk
{
/** \namespace itk::CudaSplineDetail
 * \brief Functions with which the ITK classes of the module read ITK images. */
namespace CudaSplineDetail
{

/** \brief Describes the buffered region and the pixel type of an image as a source of unchanged pixels.
 *
 * \tparam TImage image of at most CudaSpline::MaximumDimension dimensions for which ImageTraits::IsReadable is true
 * \param[in] image its buffered region is described; the pixels need not be allocated */
template <typename TImage>
CudaSpline::SourceDescriptor
DescribeSource(const TImage * image)
{
  CudaSpline::SourceDescriptor descriptor;
  const auto &                 region = image->GetBufferedRegion();
  descriptor.dimension = TImage::ImageDimension;
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    descriptor.start[d] = region.GetIndex(d);
    descriptor.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  descriptor.pixel = CudaSpline::ScalarTypeOf<typename ImageTraits<TImage>::ComponentType>();
  descriptor.components = image->GetNumberOfComponentsPerPixel();
  descriptor.element = descriptor.pixel;
  return descriptor;
}

/** \brief The bits of a pixel: one number per component.
 *
 * \tparam TImage type of the image
 * \param[in] pixel the pixel; a pixel of length 0 means zeros
 * \param[in] components number of components of the image's pixels */
template <typename TImage>
std::vector<std::uint64_t>
DescribePixel(const typename TImage::PixelType & pixel, unsigned int components)
{
  using Traits = ImageTraits<TImage>;
  constexpr std::size_t      size = sizeof(typename Traits::ComponentType);
  std::vector<std::uint64_t> bits(std::max(1U, components), 0);
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

/** \brief The geometry of an image's grid, with the matrices that itk::ImageBase computes and keeps protected.
 *
 * \tparam VDimension 1 to 3
 * \param[in] image the image
 * \param[out] origin point of index 0 (mm)
 * \param[out] indexToPoint direction times spacing (mm per index)
 * \param[out] pointToIndex its inverse (indices per mm) */
template <unsigned int VDimension>
void
DescribeAxes(const ImageBase<VDimension> *        image,
             CudaSpline::TransformChain::Vector & origin,
             CudaSpline::TransformChain::Matrix & indexToPoint,
             CudaSpline::TransformChain::Matrix & pointToIndex)
{
  typename ImageBase<VDimension>::DirectionType matrix = image->GetDirection();
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      matrix[r][c] *= image->GetSpacing()[c];
    }
  }
  const typename ImageBase<VDimension>::DirectionType inverse(matrix.GetInverse());
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    origin[r] = image->GetOrigin()[r];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      indexToPoint[r][c] = matrix[r][c];
      pointToIndex[r][c] = inverse[r][c];
    }
  }
}

/** \brief Throws for an image without pixels.
 *
 * \param[in] self the object whose class is named in the message
 * \param[in] image the image
 * \exception ExceptionObject the buffered region is empty or not allocated */
template <typename TObject, typename TImage>
void
CheckNotEmpty(const TObject * self, const TImage * image)
{
  if (image->GetBufferedRegion().GetNumberOfPixels() == 0 || !HasPixels(image))
  {
    itkGenericExceptionMacro(<< self->GetNameOfClass() << ": the input image is empty, its size is "
                             << image->GetBufferedRegion().GetSize() << "; at least one pixel is needed.");
  }
}

/** \brief Throws for an image that is only partly in memory: coefficients of a part would mirror at its edges.
 *
 * \param[in] self the object whose class is named in the message
 * \param[in] image the image
 * \exception ExceptionObject the buffered region is not the largest possible one */
template <typename TObject, typename TImage>
void
CheckWhole(const TObject * self, const TImage * image)
{
  if (image->GetBufferedRegion() != image->GetLargestPossibleRegion())
  {
    itkGenericExceptionMacro(
      << self->GetNameOfClass()
      << ": B-spline coefficients depend on the whole image, so it must be in memory. The buffered region has index "
      << image->GetBufferedRegion().GetIndex() << " and size " << image->GetBufferedRegion().GetSize()
      << "; the largest possible one has index " << image->GetLargestPossibleRegion().GetIndex() << " and size "
      << image->GetLargestPossibleRegion().GetSize() << ".");
  }
}

} // namespace CudaSplineDetail
} // namespace itk

#endif
