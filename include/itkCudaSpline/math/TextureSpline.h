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
#ifndef itkCudaSpline_math_TextureSpline_h
#define itkCudaSpline_math_TextureSpline_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/SplineWeights.h"
#include "itkCudaSpline/math/TextureStorage.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief B-splines with linearly filtered texture fetches.
 *
 * Two neighbouring taps whose weights have the same sign are one linear fetch between them, times the sum of their
 * weights \cite{Sigg2005}; without a lookup table \cite{Ruijters2008a}, with remarks on accuracy \cite{Ruijters2008b}.
 * A spline of order n takes FetchesOf(n) fetches per axis: 2^D instead of 4^D samples for a cubic spline.
 *
 * The coefficients in the texture have a margin of TextureMargin() texels on either side, in which the extension
 * continues them: the addressing modes of textures differ from those of images (ITK's whole-sample mirror does not
 * exist). A coordinate whose support is beyond the margin is folded back first, which the symmetry of the extended
 * coefficients allows. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The coordinate of the same value between the border samples, or at most half a sample outside them.
 *
 * \param[in] x coordinate (samples, from the first one)
 * \param[in] size samples of the line
 * \param[in] extension any except GridConstant */
CUDASPLINE_HOST_DEVICE inline double
FoldCoordinate(double x, std::int64_t size, Extension extension)
{
  const auto count = static_cast<double>(size);
  switch (extension)
  {
    case Extension::Mirror: {
      const double period = 2.0 * count - 2.0;
      const double folded = size > 1 ? fmod(fabs(x), period) : 0.0;
      return folded > count - 1.0 ? period - folded : folded;
    }
    case Extension::Reflect: {
      const double folded = fmod(fabs(x + 0.5), 2.0 * count);
      return (folded > count ? 2.0 * count - folded : folded) - 0.5;
    }
    case Extension::GridWrap: {
      double folded = fmod(x, count);
      folded = folded < 0.0 ? folded + count : folded;
      return folded < count ? folded : 0.0; // the sum of a tiny negative number was rounded
    }
    default:
      return fmin(fmax(x, 0.0), count - 1.0);
  }
}

/** \brief The position of a point along an axis of the texture. */
struct TexturePlace
{
  float base;     ///< texture coordinate of the centre of the support's first tap
  float fraction; ///< position within the polynomial piece, in [0, 1]
};

/** \brief Finds the support of a coordinate in the texture.
 *
 * \param[in] x coordinate (samples, from the first one), at most half a sample outside the border samples
 * \param[in] order 1 to 5 */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TexturePlace
PlaceInTexture(double x, unsigned int order)
{
  const double shifted = order % 2 == 1 ? x : x + 0.5;
  const float  first = static_cast<float>(TextureMargin(order) - static_cast<int>(order / 2)) + 0.5F;
#if defined(__CUDA_ARCH__)
  // The same without conversions, whose throughput on a device is low: the sum with a large number is rounded to an
  // integer, which is in its low bits.
  const double rounded = __dadd_rn(shifted, 6755399441055744.0); // 3 2^51
  double       rest = shifted - __dadd_rn(rounded, -6755399441055744.0);
  const int    nearest = __double2loint(rounded) - (rest < 0.0 ? 1 : 0);
  rest = rest < 0.0 ? rest + 1.0 : rest;
  const float piece = __int_as_float(0x4B400000 + nearest) - 12582912.0F; // 3 2^22; positions are below 2^22
  return { piece + first, static_cast<float>(rest) };
#else
  const double piece = floor(shifted);
  return { static_cast<float>(piece) + first, static_cast<float>(shifted - piece) };
#endif
}

/** \brief A support's taps along an axis as linear fetches: pairs of neighbours, and the single last tap if their
 * number is odd. */
template <unsigned int VFetches>
struct PairedTaps
{
  float offset[VFetches]; ///< texels from the first tap: 2 k + h
  float weight[VFetches]; ///< sum of the pair's weights; they sum to 1
};

/** \brief Quotient of positive numbers that are neither tiny nor huge; on the device fast and within 2 units. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
QuickQuotient(float numerator, float denominator)
{
#if defined(__CUDA_ARCH__)
  return __fdividef(numerator, denominator);
#else
  return numerator / denominator;
#endif
}

/** \brief Paired taps whose weights are computed for each point.
 *
 * \tparam VOrder spline order, 1 to 5 */
template <unsigned int VOrder>
struct PairedWeights
{
  /** Fetches per axis. */
  static constexpr unsigned int Fetches = FetchesOf(VOrder);

  /** Order of the spline. */
  CUDASPLINE_HOST_DEVICE static constexpr unsigned int
  Order()
  {
    return VOrder;
  }

  /** The taps of a fraction in [0, 1]. The sum of a pair is at least 1/120 (order 5), not 0. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE PairedTaps<Fetches>
                                           At(float fraction) const
  {
    PairedTaps<Fetches> taps;
    if constexpr (VOrder == 1) // the weights' sum is 1
    {
      taps.weight[0] = 1.0F;
      taps.offset[0] = fraction;
      return taps;
    }
    float weights[VOrder + 1];
    SplineWeights<VOrder>(VOrder % 2 == 1 ? fraction : fraction - 0.5F, weights);
    for (unsigned int k = 0; k < Fetches; ++k)
    {
      if (2 * k + 1 <= VOrder)
      {
        const float second = weights[2 * k + 1 <= VOrder ? 2 * k + 1 : 0];
        taps.weight[k] = weights[2 * k] + second;
        taps.offset[k] = static_cast<float>(2 * k) + QuickQuotient(second, taps.weight[k]);
      }
      else
      {
        taps.weight[k] = weights[2 * k];
        taps.offset[k] = static_cast<float>(2 * k);
      }
    }
    return taps;
  }
};

/** \brief Paired taps from a lookup table with linear interpolation between its entries.
 *
 * Interpolation is linear, as published: the nearest entry of 128 would have an error of up to 1/256 in each offset,
 * twice that of the texture's own filter. With interpolation the error is 1/127^2 (TextureFractionError()). Float
 * arithmetic is used: a linear texture would read the table itself with 8 bits.
 *
 * \tparam VFetches fetches per axis: 2 for orders 2 and 3, 3 for orders 4 and 5 */
template <unsigned int VFetches>
struct PairedTable
{
  /** Fetches per axis. */
  static constexpr unsigned int Fetches = VFetches;

  const PairedTableEntry<VFetches> * entries; ///< host or device; for fractions from 0 to 1, both included
  int                                last;    ///< number of entries minus 1
  unsigned int                       order;   ///< of the spline

  /** Order of the spline. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE unsigned int
  Order() const
  {
    return order;
  }

  /** The taps of a fraction in [0, 1]. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE PairedTaps<VFetches>
                                           At(float fraction) const
  {
    const float                      place = fraction * static_cast<float>(last);
    const int                        below = static_cast<int>(place) < last ? static_cast<int>(place) : last - 1;
    const float                      rest = place - static_cast<float>(below);
    const PairedTableEntry<VFetches> low = entries[below];
    const PairedTableEntry<VFetches> high = entries[below + 1];
    PairedTaps<VFetches>             taps;
    float                            left = 1.0F;
    for (unsigned int k = 0; k < VFetches; ++k)
    {
      taps.offset[k] = static_cast<float>(2 * k) + (low.offset[k] + rest * (high.offset[k] - low.offset[k]));
      taps.weight[k] = k + 1 < VFetches ? low.weight[k % (VFetches - 1)] +
                                            rest * (high.weight[k % (VFetches - 1)] - low.weight[k % (VFetches - 1)])
                                        : left;
      left -= taps.weight[k];
    }
    return taps;
  }
};

/** \brief Fills a lookup table (host only).
 *
 * \tparam VOrder spline order, 2 to 5
 * \param[out] entries \p count of them
 * \param[in] count at least 2 */
template <unsigned int VOrder>
void
FillPairedTable(PairedTableEntry<FetchesOf(VOrder)> * entries, int count)
{
  constexpr unsigned int fetches = FetchesOf(VOrder);
  for (int i = 0; i < count; ++i)
  {
    const double fraction = static_cast<double>(i) / (count - 1);
    double       weights[VOrder + 1];
    SplineWeights<VOrder>(VOrder % 2 == 1 ? fraction : fraction - 0.5, weights);
    for (unsigned int k = 0; k < fetches; ++k)
    {
      const double second = 2 * k + 1 <= VOrder ? weights[2 * k + 1 <= VOrder ? 2 * k + 1 : 0] : 0.0;
      const double sum = weights[2 * k] + second;
      entries[i].offset[k] = static_cast<float>(second > 0.0 ? second / sum : 0.0);
      if (k + 1 < fetches)
      {
        entries[i].weight[k % (fetches - 1)] = static_cast<float>(sum);
      }
    }
  }
}

/** \brief Sum of the fetches of the axes 0 to VAxis.
 *
 * \param[in] taps taps of each axis, with offsets that are texture coordinates
 * \param[in,out] at texture coordinates along the higher axes
 * \param[in] fetch called with the coordinates of a fetch */
template <unsigned int VAxis, unsigned int VDimension, unsigned int VFetches, typename TFetch>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
SumOfFetches(const PairedTaps<VFetches> (&taps)[VDimension], float (&at)[VDimension], const TFetch & fetch)
{
  float sum = 0.0F;
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (unsigned int k = 0; k < VFetches; ++k)
  {
    at[VAxis] = taps[VAxis].offset[k];
    float value = 0.0F;
    if constexpr (VAxis == 0)
    {
      value = fetch(at);
    }
    else
    {
      value = SumOfFetches<VAxis - 1>(taps, at, fetch);
    }
    sum += taps[VAxis].weight[k] * value;
  }
  return sum;
}

/** \brief Value of a B-spline with linear fetches at a point that needs no folding.
 *
 * \param[in] paired PairedWeights or PairedTable
 * \param[in] x coordinates (samples, from the first one), at most half a sample outside the border samples
 * \param[in] fetch as for TextureSplineValue() */
template <unsigned int VDimension, typename TPaired, typename TFetch>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
TextureSplineValueWithin(const TPaired & paired, const double (&x)[VDimension], const TFetch & fetch)
{
  PairedTaps<TPaired::Fetches> taps[VDimension];
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const TexturePlace place = PlaceInTexture(x[d], paired.Order());
    taps[d] = paired.At(place.fraction);
    for (unsigned int k = 0; k < TPaired::Fetches; ++k)
    {
      taps[d].offset[k] += place.base;
    }
  }
  float at[VDimension];
  return SumOfFetches<VDimension - 1>(taps, at, fetch);
}

/** \brief Value of a B-spline with linear fetches.
 *
 * \param[in] paired PairedWeights or PairedTable
 * \param[in] extent the samples, without the margins
 * \param[in] extension extension of the coefficients along each axis; any except GridConstant
 * \param[in] index continuous index (samples), in the index space of \p extent
 * \param[in] fetch callable with an array of texture coordinates, in texels of the texture with its margins; the centre
 * of texel i is at i + 1/2
 *
 * \par Accuracy
 * TextureErrorBound() */
template <unsigned int VDimension, typename TPaired, typename TFetch>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
TextureSplineValue(const TPaired &                paired,
                   const GridExtent<VDimension> & extent,
                   const Extension (&extension)[VDimension],
                   const double (&index)[VDimension],
                   const TFetch & fetch)
{
  double x[VDimension];
  bool   within = true;
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    x[d] = index[d] - static_cast<double>(extent.start[d]);
    within = within && x[d] >= -0.5 && x[d] <= static_cast<double>(extent.size[d]) - 0.5;
  }
  if (!within)
  {
#if defined(__CUDA_ARCH__)
#  pragma unroll
#endif
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      x[d] = FoldCoordinate(x[d], extent.size[d], extension[d]);
    }
  }
  return TextureSplineValueWithin(paired, x, fetch);
}

/** @} */
} // namespace itk::CudaSpline

#endif
