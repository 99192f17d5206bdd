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
#ifndef itkCudaSpline_itk_SingleEvaluation_h
#define itkCudaSpline_itk_SingleEvaluation_h

#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/SplineEvaluation.h"

#include "itkContinuousIndex.h"
#include "itkDefaultConvertPixelTraits.h"
#include "itkNumericTraits.h"
#include "itkSymmetricSecondRankTensor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

/** \file
 * \brief Functions that the interpolators share to evaluate single points: they read the image, and convert derivatives
 * to physical space. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The buffered region of an image.
 *
 * \param[in] image the image; its pixels are not read */
template <typename TImage>
CudaSpline::GridExtent<TImage::ImageDimension>
ExtentOf(const TImage * image)
{
  CudaSpline::GridExtent<TImage::ImageDimension> extent;
  const auto &                                   region = image->GetBufferedRegion();
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    extent.start[d] = region.GetIndex(d);
    extent.size[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  return extent;
}

/** \brief Copies a continuous index into an array.
 *
 * \param[in] index continuous index (samples)
 * \param[out] at copy of the index
 * \return false if a component is NaN or has a magnitude of 2^62 or more. ITK's behaviour is undefined for such an
 * index; the module's interpolators return NaN */
template <typename TContinuousIndex, unsigned int VDimension, typename TCoordinate>
bool
CopyIndex(const TContinuousIndex & index, TCoordinate (&at)[VDimension])
{
  bool isPlace = true;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    at[d] = index[d];
    isPlace = isPlace && std::abs(static_cast<double>(at[d])) < 0x1p62;
  }
  return isPlace;
}

/** \brief A jet whose values are NaN. */
template <unsigned int VDimension>
CudaSpline::Jet<VDimension, double>
JetOfNaN()
{
  constexpr double                    nan = std::numeric_limits<double>::quiet_NaN();
  CudaSpline::Jet<VDimension, double> jet;
  jet.value = nan;
  std::fill(std::begin(jet.gradient), std::end(jet.gradient), nan);
  std::fill(std::begin(jet.hessian), std::end(jet.hessian), nan);
  return jet;
}

/** \brief A pixel of an image, or of an image adaptor.
 *
 * \param[in] image the image
 * \param[in] offset elements from the first pixel of the buffered region, x fastest */
template <typename TImage>
typename TImage::PixelType
PixelAt(const TImage * image, std::int64_t offset)
{
  if constexpr (ImageTraits<TImage>::IsReadable && !ImageTraits<TImage>::IsVectorImage)
  {
    return image->GetBufferPointer()[offset];
  }
  else
  {
    return image->GetPixel(image->ComputeIndex(static_cast<OffsetValueType>(offset)));
  }
}

/** \brief The nearest pixel in the buffered region, with ITK's rounding of halves up.
 *
 * Just below a half ITK's rounding may go up, as at 0.49999999999999994. Next to the last pixel of an axis, ITK's
 * interpolator then reads outside the buffer. This function returns the last pixel.
 *
 * \param[in] function image function that rounds the index
 * \param[in] index continuous index (samples), inside the buffer
 * \param[in] end index of the last pixel of each axis */
template <typename TFunction>
typename TFunction::IndexType
NearestPixelInside(const TFunction *                               function,
                   const typename TFunction::ContinuousIndexType & index,
                   const typename TFunction::IndexType &           end)
{
  typename TFunction::IndexType nearest;
  function->ConvertContinuousIndexToNearestIndex(index, nearest);
  for (unsigned int d = 0; d < TFunction::IndexType::Dimension; ++d)
  {
    nearest[d] = std::min(nearest[d], end[d]);
  }
  return nearest;
}

/** \brief Number of samples of a support: VTaps to the power of VDimension. */
template <unsigned int VDimension, unsigned int VTaps>
constexpr unsigned int
SupportSize()
{
  unsigned int count = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    count *= VTaps;
  }
  return count;
}

/** \brief Reads the samples of a support, with each index folded into the buffered region.
 *
 * \tparam VTaps samples per axis
 * \param[in] image the image
 * \param[in] start first index of the support, relative to the buffered region (samples)
 * \param[in] extension extension of the image along each axis
 * \param[in] set called with the number of a sample in the support (x fastest) and the offset of its pixel, or -1 for
 * the border value */
template <unsigned int VTaps, typename TImage, typename TSet>
void
ForEachOfSupport(const TImage * image,
                 const std::int64_t (&start)[TImage::ImageDimension],
                 const CudaSpline::Extension (&extension)[TImage::ImageDimension],
                 const TSet & set)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  std::int64_t           offset[dimension][VTaps];
  std::int64_t           stride = 1;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    const auto size = static_cast<std::int64_t>(image->GetBufferedRegion().GetSize(d));
    for (unsigned int k = 0; k < VTaps; ++k)
    {
      const std::int64_t folded = CudaSpline::FoldIndex(start[d] + k, size, extension[d]);
      offset[d][k] = folded < 0 ? CudaSpline::OffsetOutside : folded * stride;
    }
    stride *= size;
  }
  for (unsigned int place = 0; place < SupportSize<dimension, VTaps>(); ++place)
  {
    std::int64_t sum = 0;
    unsigned int rest = place;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      sum += offset[d][rest % VTaps];
      rest /= VTaps;
    }
    set(place, sum < 0 ? std::int64_t{ -1 } : sum);
  }
}

/** \brief The samples of a support, copied to a grid that begins at the support's first index.
 *
 * It supports pixels of any type and any border value: a grid over the image itself would round the border value to the
 * pixel's type. */
template <unsigned int VDimension, unsigned int VTaps>
struct GatheredSupport
{
  double samples[SupportSize<VDimension, VTaps>()]; ///< x fastest

  /** \param[in] image scalar image
   * \param[in] start first index of the support, relative to the buffered region (samples)
   * \param[in] extension extension of the image along each axis
   * \param[in] border value of samples outside with GridConstant */
  template <typename TImage>
  GatheredSupport(const TImage * image,
                  const std::int64_t (&start)[VDimension],
                  const CudaSpline::Extension (&extension)[VDimension],
                  double border)
  {
    ForEachOfSupport<VTaps>(image, start, extension, [&](unsigned int place, std::int64_t offset) {
      samples[place] = offset < 0 ? border : static_cast<double>(PixelAt(image, offset));
    });
  }
};

/** \brief Offsets of a support's taps in pixels with several components: CudaSpline::FoldedTaps with a border value
 * that is not rounded to the type of the components. */
template <unsigned int VDimension, unsigned int VTaps, typename TStored>
struct ComponentTaps
{
  const TStored * data;                      ///< the component of the first pixel
  double          border;                    ///< value for CudaSpline::OffsetOutside
  std::int64_t    offset[VDimension][VTaps]; ///< folded index times stride (components), or CudaSpline::OffsetOutside

  /** The part of the offset that a tap of an axis contributes (components). */
  std::int64_t
  Offset(unsigned int axis, unsigned int tap) const
  {
    return offset[axis][tap];
  }
  /** The component at a tap along x, or the border value.
   *
   * \param[in] at offset from the axes above x (components)
   * \param[in] tap tap along x */
  template <typename TReal>
  TReal
  Load(std::int64_t at, unsigned int tap) const
  {
    const std::int64_t element = at + offset[0][tap];
    return element < 0 ? static_cast<TReal>(border) : static_cast<TReal>(data[element]);
  }
};

/** \brief Interpolates pixels with several components at a continuous index. Each component is interpolated as
 * CudaSpline::EvaluateOnGrid() would in an image of that component.
 *
 * \tparam TPixel Vector, CovariantVector, RGBPixel, RGBAPixel, complex or VariableLengthVector of double
 * \param[in] basis SplineBasis or CubicConvolutionBasis
 * \param[in] data the first pixel; the components of a pixel are contiguous
 * \param[in] components number of components of a pixel
 * \param[in] extent the pixels in memory
 * \param[in] extension extension outside them along each axis
 * \param[in] border value of samples outside with GridConstant
 * \param[in] index continuous index (samples); if CopyIndex() returns false for it all components are NaN */
template <typename TPixel, typename TBasis, unsigned int VDimension, typename TStored, typename TCoordinate>
TPixel
EvaluatePixel(const TBasis &                             basis,
              const TStored *                            data,
              unsigned int                               components,
              const CudaSpline::GridExtent<VDimension> & extent,
              const CudaSpline::Extension (&extension)[VDimension],
              double                                           border,
              const ContinuousIndex<TCoordinate, VDimension> & index)
{
  using Convert = DefaultConvertPixelTraits<TPixel>;
  using CudaSpline::Derivatives;
  TPixel pixel;
  NumericTraits<TPixel>::SetLength(pixel, components);
  TCoordinate at[VDimension];
  const bool  isPlace = CopyIndex(index, at);
  if (!isPlace)
  {
    std::fill(std::begin(at), std::end(at), TCoordinate(0));
  }
  const CudaSpline::BasisSupport<TBasis, VDimension, double>                     support(at, extent);
  CudaSpline::TensorWeights<VDimension, TBasis::Taps, Derivatives::None, double> weights;
  CudaSpline::FillWeights(basis, support.position, weights);
  ComponentTaps<VDimension, TBasis::Taps, TStored> taps;
  taps.border = border;
  std::int64_t stride = components;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (unsigned int k = 0; k < TBasis::Taps; ++k)
    {
      const std::int64_t folded = CudaSpline::FoldIndex(support.start[d] + k, extent.size[d], extension[d]);
      taps.offset[d][k] = folded < 0 ? CudaSpline::OffsetOutside : folded * stride;
    }
    stride *= extent.size[d];
  }
  for (unsigned int c = 0; c < components; ++c)
  {
    CudaSpline::Jet<VDimension, double> jet;
    taps.data = data + c;
    CudaSpline::TensorProductSum(taps, weights, jet);
    const double value = isPlace ? jet.value : std::numeric_limits<double>::quiet_NaN();
    Convert::SetNthComponent(static_cast<int>(c), pixel, static_cast<typename Convert::ComponentType>(value));
  }
  return pixel;
}

/** \brief First derivative in physical space (per mm).
 *
 * \tparam TVector CovariantVector
 * \param[in] jet derivatives per sample
 * \param[in] image provides spacing and direction
 * \param[in] useDirection whether the gradient is rotated by the image's direction, as with ITK's UseImageDirection */
template <typename TVector, unsigned int VDimension, typename TImage>
TVector
GradientOf(const CudaSpline::Jet<VDimension, double> & jet, const TImage * image, bool useDirection)
{
  TVector gradient;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    gradient[d] = static_cast<typename TVector::ValueType>(jet.gradient[d] / image->GetSpacing()[d]);
  }
  return useDirection ? image->TransformLocalVectorToPhysicalVector(gradient) : gradient;
}

/** \brief Second derivatives in physical space (per mm squared); see GradientOf(). */
template <unsigned int VDimension, typename TImage>
SymmetricSecondRankTensor<double, VDimension>
HessianOf(const CudaSpline::Jet<VDimension, double> & jet, const TImage * image, bool useDirection)
{
  double local[VDimension][VDimension];
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = r; c < VDimension; ++c)
    {
      local[r][c] =
        jet.hessian[CudaSpline::SymmetricEntry(r, c, VDimension)] / (image->GetSpacing()[r] * image->GetSpacing()[c]);
      local[c][r] = local[r][c];
    }
  }
  SymmetricSecondRankTensor<double, VDimension> hessian;
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = r; c < VDimension; ++c)
    {
      double sum = useDirection ? 0.0 : local[r][c];
      for (unsigned int i = 0; i < VDimension && useDirection; ++i)
      {
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          sum += image->GetDirection()[r][i] * local[i][k] * image->GetDirection()[c][k];
        }
      }
      hessian(r, c) = sum;
    }
  }
  return hessian;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
