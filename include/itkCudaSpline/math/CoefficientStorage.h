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
 * \brief B-spline coefficients in 16 bits: a coefficient is offset + scale * stored, with a known error bound.
 *
 * The weights of a B-spline are non-negative and sum to 1: the error of a value is at most that of its coefficients.
 * The magnitudes of the weights of a derivative along an axis sum to at most 2: its error is at most twice as large. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief How the coefficients of a source are stored. All storages except Element are for single precision. */
enum class CoefficientStorage : unsigned char
{
  Element, ///< in the type in which they were computed, float or double
  Half,    ///< IEEE binary16 times a power of two, for order 3
  Int16,   ///< 16-bit integers with scale and offset, for order 3
  Texture  ///< float, with a margin that continues them, in a texture (on the host: in the same layout)
};

/** \brief Name of a storage in messages. */
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

/** \brief Conversion of 16 bits to a coefficient: offset + scale * stored. */
struct StorageScale
{
  float scale{ 1.0F };  ///< for Half a power of two; for Int16 the quantum
  float offset{ 0.0F }; ///< for Half 0
  /** Of a finite coefficient, and thus of a value; twice as large for a derivative along an axis. */
  double errorBound{ 0.0 };

  /** Stores a coefficient. On the host in the default rounding mode; the bits are the same on host and device.
   *
   * \param[in] coefficient the coefficient; for Half any number, where NaN and infinity are preserved; for Int16 within
   * the range for which the scale was computed
   * \param[out] stored the stored coefficient */
  ///@{
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(float coefficient, HalfCoefficient & stored) const
  {
    stored = HalfCoefficient(coefficient * (1.0F / scale)); // powers of two: exact except below the smallest float
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
 * With the largest finite magnitude m, the scale is the power of two that brings m into [2^14, 2^15): no coefficient
 * overflows for any m, and the loss below the normal halves is at most 2^-29 m. In that range the distance of
 * neighbours is at most 2^4: the error is at most 2^3 times the scale, which is at most 2^-11 m. Only if m is below
 * 2^-111 the scale is 2^-125, so that it and its inverse are normal floats, and the error is at most 2^-11 m + 2^-25
 * scale.
 *
 * \param[in] coefficients extremes of the finite coefficients */
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
 * The offset is the middle of the range. The quantum is the smallest float of which 32767 reach either end. The error
 * of a coefficient is at most half the quantum, (maximum - minimum) / 131068, except for the rounding of the offset.
 * Equal coefficients are stored exactly. The subtraction, division and rounding in double add at most 2^-36 quanta.
 *
 * \param[in] coefficients extremes; all are finite */
inline StorageScale
ScaleOfIntegers(const CoefficientStatistics<float> & coefficients)
{
  StorageScale made;
  made.scale = 0.0F;
  if (!(coefficients.minimum <= coefficients.maximum))
  {
    return made; // there are no coefficients
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
