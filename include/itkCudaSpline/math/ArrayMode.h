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
#ifndef itkCudaSpline_math_ArrayMode_h
#define itkCudaSpline_math_ArrayMode_h

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cmath>
#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief How an array is continued beyond its ends, with the names of the interpolating functions of scipy.ndimage
 * (1.6 and later).
 *
 * A mode consists of the extension with which a line is filtered (FilterExtensionOf()), of the fold that is first
 * applied to a coordinate outside (FoldCoordinate()), and of the extension with which the taps of its support are
 * folded (TapExtensionOf()). */
enum class ArrayMode : unsigned char
{
  Mirror,   ///< mirror: Extension::Mirror throughout
  Reflect,  ///< reflect, grid-mirror: Extension::Reflect throughout
  GridWrap, ///< grid-wrap: Extension::GridWrap throughout
  /** Nearest: the array is continued with its end samples, of which ArrayPadding samples are filtered with it. */
  Nearest,
  /** grid-constant: the array is continued with the border value, of which ArrayPadding samples are filtered with it.
   */
  GridConstant,
  Constant, ///< constant: the result is the border value at coordinates outside; inside, taps mirror
  Wrap      ///< wrap: coordinates have the period size - 1; taps mirror
};

/** \brief Number of samples by which arrays are extended on either side before they are filtered in the modes Nearest
 * and GridConstant, as in SciPy. */
inline constexpr std::int64_t ArrayPadding = 12;

/** \brief True for the modes in which arrays are extended before they are filtered.
 *
 * \param[in] mode the mode */
CUDASPLINE_HOST_DEVICE constexpr bool
IsPadded(ArrayMode mode)
{
  return mode == ArrayMode::Nearest || mode == ArrayMode::GridConstant;
}

/** \brief The extension with which lines are filtered to coefficients.
 *
 * \param[in] mode the mode */
CUDASPLINE_HOST_DEVICE constexpr Extension
FilterExtensionOf(ArrayMode mode)
{
  return mode == ArrayMode::GridWrap
           ? Extension::GridWrap
           : (mode == ArrayMode::Reflect || mode == ArrayMode::Nearest ? Extension::Reflect : Extension::Mirror);
}

/** \brief The extension with which the taps of a support are folded, after its coordinate was folded.
 *
 * \param[in] mode the mode */
CUDASPLINE_HOST_DEVICE constexpr Extension
TapExtensionOf(ArrayMode mode)
{
  switch (mode)
  {
    case ArrayMode::Reflect:
      return Extension::Reflect;
    case ArrayMode::GridWrap:
      return Extension::GridWrap;
    case ArrayMode::Nearest:
      return Extension::Nearest;
    case ArrayMode::GridConstant:
      return Extension::GridConstant;
    default:
      return Extension::Mirror;
  }
}

/** \brief Folds a coordinate, with the operations of SciPy, each rounded separately: the nearest of two samples, and
 * whether a point is outside, depend on the last bit.
 *
 * \param[in,out] x coordinate (samples)
 * \param[in] size samples of the axis
 * \param[in] mode the mode
 * \return false if the result is the border value: outside in mode Constant, and in every mode for NaN and magnitudes
 * of 2^53 or more, which do not identify a sample */
CUDASPLINE_HOST_DEVICE inline bool
FoldCoordinate(double & x, std::int64_t size, ArrayMode mode)
{
  const auto last = static_cast<double>(size - 1);
  if (x >= 0.0 && x <= last)
  {
    return true;
  }
  if (mode == ArrayMode::Nearest)
  {
    // Far beyond the end the value no longer changes, and no index is too large.
    constexpr double far = 16.0;
    x = x < -far ? -far : (x > last + far ? last + far : x);
    return x == x;
  }
  if (mode == ArrayMode::Constant || !(x > -0x1p53 && x < 0x1p53))
  {
    return false;
  }
  if (mode == ArrayMode::GridConstant)
  {
    return true;
  }
  if (size <= 1)
  {
    x = 0.0;
    return true;
  }
  const auto length = static_cast<double>(size);
  const bool isBelow = x < 0.0;
  const auto whole = [](double quotient) { return static_cast<double>(static_cast<std::int64_t>(quotient)); };
  switch (mode)
  {
    case ArrayMode::Mirror: {
      const double period = 2.0 * last;
      if (isBelow)
      {
        x = RoundedSum(period * whole(-x / period), x);
        x = x <= -last ? x + period : -x;
      }
      else
      {
        x = RoundedSum(x, -(period * whole(x / period)));
        x = x >= length ? period - x : x;
      }
      return true;
    }
    case ArrayMode::Reflect: {
      const double period = 2.0 * length;
      if (isBelow)
      {
        x = x < -period ? RoundedSum(period * whole(-x / period), x) : x;
        // SciPy keeps a coordinate above -1, where its constant modes begin.
        constexpr double least = 1e-15;
        x = x < -length ? x + period : (x > -least ? least : -x) - 1.0;
      }
      else
      {
        x = RoundedSum(x, -(period * whole(x / period)));
        x = x >= length ? period - x - 1.0 : x;
      }
      return true;
    }
    case ArrayMode::GridWrap:
      x = isBelow ? RoundedSum(x, length * (whole((-1.0 - x) / length) + 1.0))
                  : RoundedSum(x, -(length * whole(x / length)));
      return true;
    default: // Wrap
      x = isBelow ? RoundedSum(x, last * (whole(-x / last) + 1.0)) : RoundedSum(x, -(last * whole(x / last)));
      return true;
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
