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
#ifndef itkCudaSpline_itk_ImageStatistics_h
#define itkCudaSpline_itk_ImageStatistics_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/fields/FieldFolding.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "itkImageMaskSpatialObject.h"
#include "itkMultiThreaderBase.h"
#include "itkPoint.h"

#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include <array>
#include <cstdint>
#include <optional>

/** \file
 * \brief Statistics of ITK's images and fields before and after a registration, on ITK's threads. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief What a field does to volumes. */
using FieldFolding = CudaSpline::FieldFolding;

/** \brief Calls a functor with a context of ITK's threads. */
template <typename TFunctor>
auto
OnItkThreads(const TFunctor & functor)
{
  const CudaSplineHostExecutor host(MultiThreaderBase::New());
  CudaSpline::ExecutionContext context;
  context.host = &host;
  return functor(context);
}

/** \brief CudaSpline::FindQuantiles() of pixels that no image of ITK has. */
inline std::optional<std::array<double, 2>>
FindQuantiles(const void *                  pixels,
              CudaSpline::ScalarType        pixel,
              std::int64_t                  count,
              const std::array<double, 2> & parts)
{
  return OnItkThreads([&](const CudaSpline::ExecutionContext & context) {
    return CudaSpline::FindQuantiles(pixels, pixel, count, parts, context);
  });
}

/** \brief CudaSpline::FindValueScales() of images in host memory. */
inline CudaSpline::ValueScales
FindValueScales(const CudaSpline::MaskedImage & fixed, const CudaSpline::MaskedImage & moving, bool comparesValues)
{
  return OnItkThreads([&](const CudaSpline::ExecutionContext & context) {
    return CudaSpline::FindValueScales(fixed, moving, comparesValues, CudaSpline::Residence(context));
  });
}

/** \brief An image of float or double with its mask, in memory as a whole, for what looks at both on the host.
 *
 * \param[in] image the pixels
 * \param[in] mask null: all pixels count; both outlive what is made of them */
template <typename TImage>
CudaSpline::MaskedImage
DescribeMaskedImage(const TImage * image, const ImageMaskSpatialObject<TImage::ImageDimension> * mask)
{
  const auto gridOf = [](const auto * of) {
    return DescribeFieldGrid<TImage::ImageDimension>(of, of->GetBufferedRegion());
  };
  CudaSpline::MaskedImage described;
  described.grid = gridOf(image);
  described.pixel = CudaSpline::ScalarTypeOf<typename TImage::PixelType>();
  described.pixels = image->GetBufferPointer();
  if (mask != nullptr)
  {
    described.maskGrid = gridOf(mask->GetImage());
    described.mask = mask->GetImage()->GetBufferPointer();
  }
  return described;
}

/** \brief Centre of gravity of an image, of its values above the least.
 *
 * \param[in] image of float or double, in memory as a whole; what is not finite has no weight
 * \param[in] mask null: all pixels count
 * \return the place (mm); nothing where all values are the same */
template <typename TImage>
std::optional<Point<double, TImage::ImageDimension>>
FindCentreOfGravity(const TImage * image, const ImageMaskSpatialObject<TImage::ImageDimension> * mask)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  const auto             from = DescribeMaskedImage(image, mask);
  const auto             centre = OnItkThreads([&from](const CudaSpline::ExecutionContext & context) {
    return CudaSpline::FindCentreOfGravity(from, CudaSpline::Residence(context));
  });
  if (!centre)
  {
    return std::nullopt;
  }
  Point<double, dimension> place;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    place[d] = (*centre)[d];
  }
  return place;
}

/** \brief CudaSpline::MeasureFolding() of a field.
 *
 * \param[in] field an image of vectors of float or double (mm)
 * \param[out] determinants a number of the field's type a pixel; null: not wanted
 * \param[in] isLogarithm their logarithm instead, of 1e-4 at least */
template <typename TField>
FieldFolding
MeasureFolding(const TField * field, void * determinants, bool isLogarithm)
{
  return OnItkThreads([&](const CudaSpline::ExecutionContext & context) {
    return CudaSpline::MeasureFolding(
      DescribeField(field), field->GetBufferPointer(), determinants, isLogarithm, context);
  });
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
