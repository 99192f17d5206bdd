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
#ifndef itkCudaSpline_math_CoefficientStorage_h
#define itkCudaSpline_math_CoefficientStorage_h

#include "itkCudaSpline/math/CoefficientStatistics.h"
#include "itkCudaSpline/math/HalfPrecision.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief B-spline coefficients in 16 bits: a coefficient is offset + scale * stored, with an error that is known.
 *
 * The weights of a B-spline are non-negative and sum to 1, so a value errs by no more than its coefficients do; those
 * of a derivative along an axis have magnitudes that sum to at most 2, so it errs by no more than twice that. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief How the coefficients of a source are stored. All but Element are for single precision. */
enum class CoefficientStorage : unsigned char
{
  Element, ///< as they were computed, float or double
  Half,    ///< IEEE binary16 times a power of two, for order 3
  Int16,   ///< 16-bit integers with scale and offset, for order 3
  Texture  ///< float, with a margin that continues them, in a texture (on the host: in the same layout)
};

/** \brief Name of a storage as in messages. */
constexpr const char *
NameOf(CoefficientStorage storage)
{
  switch (storage)
  {
    case CoefficientStorage::Element:
      return "Element";
    case CoefficientStorage::Half:
      return "Half";
    case CoefficientStorage::Int16:
      return "Int16";
    default:
      return "Texture";
  }
}

/** \brief True for storages of 16 bits. */
constexpr bool
IsPacked(CoefficientStorage storage)
{
  return storage == CoefficientStorage::Half || storage == CoefficientStorage::Int16;
}

/** \brief A coefficient in half precision, before its scale. */
struct HalfCoefficient
{
  std::uint16_t bits{ 0 }; ///< IEEE binary16

  /** No coefficient. */
  HalfCoefficient() = default;

  /** The half nearest to a number. */
  CUDASPLINE_HOST_DEVICE explicit CUDASPLINE_INLINE
  HalfCoefficient(float value)
    : bits(FloatToHalf(value))
  {}

  /** The number: exact. */
  CUDASPLINE_HOST_DEVICE explicit CUDASPLINE_INLINE operator float() const { return HalfToFloat(bits); }
};

/** \brief A coefficient as a 16-bit integer, before its scale and offset. */
struct Int16Coefficient
{
  std::int16_t number{ 0 }; ///< from -Int16Largest to Int16Largest

  /** No coefficient. */
  Int16Coefficient() = default;

  /** The nearest integer, ties to the even one; clamped. */
  CUDASPLINE_HOST_DEVICE explicit CUDASPLINE_INLINE
  Int16Coefficient(double value)
    : number(static_cast<std::int16_t>(fmin(fmax(rint(value), -32767.0), 32767.0)))
  {}

  /** The number: exact. */
  CUDASPLINE_HOST_DEVICE explicit CUDASPLINE_INLINE operator float() const { return static_cast<float>(number); }
};

/** \brief How 16 bits become a coefficient: offset + scale * stored. */
struct StorageScale
{
  float  scale{ 1.0F };     ///< of Half a power of two; of Int16 the quantum
  float  offset{ 0.0F };    ///< of Half 0
  double errorBound{ 0.0 }; ///< of a finite coefficient, and so of a value; of a derivative along an axis half

  /** Stores a coefficient. On the host in the default rounding mode; the bits are the same on host and device.
   *
   * \param[in] coefficient the coefficient; for Half any number, NaN or infinity, which stay what they are; for Int16
   *   within the range that the scale was made for
   * \param[out] stored what it becomes */
  ///@{
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(float coefficient, HalfCoefficient & stored) const
  {
    stored = HalfCoefficient(coefficient * (1.0F / scale)); // powers of two: exact but below the smallest float
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(float coefficient, Int16Coefficient & stored) const
  {
    const double relative = static_cast<double>(coefficient) - static_cast<double>(offset);
    stored = Int16Coefficient(scale > 0.0F ? relative / static_cast<double>(scale) : 0.0);
  }
  ///@}
};

/** \brief The scale of halves for coefficients of given extremes (host only).
 *
 * With m the largest finite magnitude, the scale is the power of two that brings m into [2^14, 2^15): nothing overflows
 * whatever m is, and what is lost below the normal halves is at most 2^-29 of m. From there on neighbours are 2^4 apart
 * at most: the error is at most 2^3 times the scale, which is at most 2^-11 m. Only where m is below 2^-111 the scale
 * stays 2^-125, so that it and its inverse are normal floats, and the error is at most 2^-11 m + 2^-25 scale.
 *
 * \param[in] coefficients extremes of the finite ones */
inline StorageScale
ScaleOfHalves(const CoefficientStatistics<float> & coefficients)
{
  constexpr int smallest = -125;
  StorageScale  made;
  const double  largest = coefficients.Largest();
  if (largest > 0.0)
  {
    const int exponent = std::ilogb(largest); // of m: [2^exponent, 2^(exponent + 1))
    const int shift = exponent - 14 < smallest ? smallest : exponent - 14;
    made.scale = std::ldexp(1.0F, shift);
    made.errorBound = shift > smallest
                        ? std::ldexp(8.0, shift)
                        : std::ldexp(1.0, exponent - 11) + std::ldexp(HalfSmallestSubnormal / 2.0, shift);
  }
  return made;
}

/** \brief The scale and offset of 16-bit integers for coefficients of given extremes (host only).
 *
 * The offset is the middle of the range and the quantum the least float of which 32767 reach either end: a coefficient
 * errs by at most half the quantum, (maximum - minimum) / 131068, except for the rounding of the offset. Where all are
 * the same they are kept exactly. The subtraction, division and rounding in double add 2^-36 quanta at most.
 *
 * \param[in] coefficients extremes; all are finite */
inline StorageScale
ScaleOfIntegers(const CoefficientStatistics<float> & coefficients)
{
  StorageScale made;
  made.scale = 0.0F;
  if (!(coefficients.minimum <= coefficients.maximum))
  {
    return made; // there are none
  }
  const auto low = static_cast<double>(coefficients.minimum);
  const auto high = static_cast<double>(coefficients.maximum);
  made.offset = static_cast<float>(0.5 * (low + high));
  const auto   middle = static_cast<double>(made.offset);
  const double reach = high - middle > middle - low ? high - middle : middle - low;
  made.scale = static_cast<float>(reach / 32767.0);
  while (static_cast<double>(made.scale) * 32767.0 < reach)
  {
    made.scale = std::nextafter(made.scale, HUGE_VALF);
  }
  made.errorBound = static_cast<double>(made.scale) * (0.5 + 0x1p-36);
  return made;
}

/** @} */
} // namespace itk::CudaSpline

#endif
