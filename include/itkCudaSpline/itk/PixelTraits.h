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
#ifndef itkCudaSpline_itk_PixelTraits_h
#define itkCudaSpline_itk_PixelTraits_h

#include "itkCudaSpline/math/ScalarType.h"

#include "itkFixedArray.h"
#include "itkImage.h"
#include "itkVectorImage.h"

#include <complex>
#include <type_traits>

/** \file
 * \brief The properties of ITK's pixel and image types that the lower layers need. A pixel has one or more components
 * of a scalar type, contiguous in memory. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The components of a pixel. The primary template is for scalars, and for types that the module does not
 * support.
 *
 * \tparam TPixel pixel type of an itk::Image */
template <typename TPixel, typename = void>
struct PixelTraits
{
  /** Type of a component. */
  using ComponentType = TPixel;
  /** Number of components of a pixel. */
  static constexpr unsigned int Components = 1;
};

/** \brief Vector, CovariantVector, RGBPixel, RGBAPixel and all other arrays of fixed length. */
template <typename TPixel>
struct PixelTraits<
  TPixel,
  std::enable_if_t<std::is_base_of<FixedArray<typename TPixel::ValueType, TPixel::Dimension>, TPixel>::value>>
{
  /** Type of a component. */
  using ComponentType = typename TPixel::ValueType;
  /** Number of components of a pixel. */
  static constexpr unsigned int Components = TPixel::Dimension;
};

/** \brief Complex numbers: real and imaginary part. */
template <typename TReal>
struct PixelTraits<std::complex<TReal>>
{
  /** Type of a component. */
  using ComponentType = TReal;
  /** Number of components of a pixel. */
  static constexpr unsigned int Components = 2;
};

/** \brief The components in the buffer of an image, for images whose buffer stores them contiguously: itk::Image,
 * itk::VectorImage and classes derived from them, but not adaptors.
 *
 * \tparam TImage image type */
template <typename TImage>
struct ImageTraits
{
  /** True for itk::VectorImage, whose number of components is known only at run time. */
  static constexpr bool IsVectorImage =
    std::is_base_of<VectorImage<typename TImage::InternalPixelType, TImage::ImageDimension>, TImage>::value;
  /** Type of a component. */
  using ComponentType = typename PixelTraits<
    std::conditional_t<IsVectorImage, typename TImage::InternalPixelType, typename TImage::PixelType>>::ComponentType;
  /** Number of components of a pixel; 0 if it is known only at run time. */
  static constexpr unsigned int Components = IsVectorImage ? 0 : PixelTraits<typename TImage::PixelType>::Components;
  /** True if the lower layers can read the buffer. */
  static constexpr bool IsReadable =
    CudaSpline::IsSupportedScalar<ComponentType> &&
    (IsVectorImage || (std::is_base_of<Image<typename TImage::PixelType, TImage::ImageDimension>, TImage>::value &&
                       sizeof(typename TImage::PixelType) == Components * sizeof(ComponentType)));
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
