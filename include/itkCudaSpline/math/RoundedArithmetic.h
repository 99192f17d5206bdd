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
#ifndef itkCudaSpline_math_RoundedArithmetic_h
#define itkCudaSpline_math_RoundedArithmetic_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief Arithmetic in which every operation is rounded separately.
 *
 * Coordinates decide ties: whether a point is inside the buffer, and which pixel is nearest. ITK computes them with
 * separately rounded multiplications and additions. By default nvcc contracts a * b + c to one fused operation.
 * Coordinates are therefore computed with these functions, and are bitwise equal to ITK's. The host code of the library
 * is compiled with -ffp-contract=off for the same reason. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief a * b, rounded once. */
CUDASPLINE_HOST_DEVICE inline double
RoundedProduct(double a, double b)
{
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/** \brief a * b, rounded once. */
CUDASPLINE_HOST_DEVICE inline float
RoundedProduct(float a, float b)
{
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

/** \brief a + b, rounded once. */
CUDASPLINE_HOST_DEVICE inline double
RoundedSum(double a, double b)
{
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

/** \brief a + b, rounded once. */
CUDASPLINE_HOST_DEVICE inline float
RoundedSum(float a, float b)
{
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

/** \brief x rounded to single precision.
 *
 * GCC 12 drops the pair of conversions in (double)(float)x when it vectorises straight-line code, at -O2 and -O3: a
 * necessary rounding is hidden from it, or stored to memory. */
CUDASPLINE_HOST_DEVICE inline float
RoundedToSingle(double x)
{
#if defined(__CUDA_ARCH__)
  return __double2float_rn(x);
#elif defined(__GNUC__) && defined(__SSE2__)
  auto rounded = static_cast<float>(x);
  __asm__("" : "+x"(rounded));
  return rounded;
#else
  const volatile float rounded = static_cast<float>(x);
  return rounded;
#endif
}

/** \brief x rounded to TReal.
 *
 * \tparam TReal float or double */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline TReal
RoundedTo(double x)
{
  if constexpr (sizeof(TReal) == sizeof(float))
  {
    return RoundedToSingle(x);
  }
  else
  {
    return x;
  }
}

/** \brief The integer nearest to x, half to even; x within the range of std::int64_t. */
CUDASPLINE_HOST_DEVICE inline std::int64_t
RoundHalfToEven(double x)
{
#if defined(__CUDA_ARCH__)
  return __double2ll_rn(x);
#else
  return static_cast<std::int64_t>(std::llrint(x));
#endif
}

/** \brief The integer nearest to x, half to even; x within the range of std::int64_t. */
CUDASPLINE_HOST_DEVICE inline std::int64_t
RoundHalfToEven(float x)
{
#if defined(__CUDA_ARCH__)
  return __float2ll_rn(x);
#else
  return static_cast<std::int64_t>(std::llrint(x));
#endif
}

/** \brief The nearest integer of itk::Math::RoundHalfIntegerUp for 64-bit indices on x86-64.
 *
 * It is rint(2 x + 1/2) >> 1, with a rounded sum: just below a half the sum may round up to an even tie, and the
 * nearest pixel is then the upper one. floor(x + 1/2) would differ from ITK at such points.
 *
 * \param[in] x continuous index (samples) */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline std::int64_t
NearestIndex(TReal x)
{
  return RoundHalfToEven(RoundedSum(RoundedProduct(TReal(2), x), TReal(0.5))) >> 1;
}

/** \brief The floor of itk::Math::Floor for 64-bit indices on x86-64: rint(2 x - 1/2) >> 1.
 *
 * Just below an integer n the sum may round to the tie 2 n - 1/2 and then to 2 n: the result is then n, not n - 1.
 *
 * \param[in] x continuous index (samples) */
template <typename TReal>
CUDASPLINE_HOST_DEVICE inline std::int64_t
FloorIndex(TReal x)
{
  return RoundHalfToEven(RoundedSum(RoundedProduct(TReal(2), x), TReal(-0.5))) >> 1;
}

/** \brief FloorIndex() of an index within 2^29 of 0, in 32 bits. On a device it needs no conversions, which are slow
 * there: the sum with 3 2^50 is rounded to halves, as FloorIndex() rounds twice the index to integers, and the result
 * is in its low bits. */
CUDASPLINE_HOST_DEVICE inline int
ShortFloorIndex(double x)
{
#if defined(__CUDA_ARCH__)
  return __double2loint(__dadd_rn(__dadd_rn(x, -0.25), 3377699720527872.0)) >> 1;
#else
  return static_cast<int>(FloorIndex(x));
#endif
}

/** \brief The floor of a number within 2^30 of 0, in 32 bits. On a device it needs no conversions: the sum with 3 2^51,
 * rounded down, is an integer whose low bits are the result.
 *
 * \param[in] x the number
 * \param[out] floor the same as a double */
CUDASPLINE_HOST_DEVICE inline int
ShortFloor(double x, double & floor)
{
#if defined(__CUDA_ARCH__)
  constexpr double whole = 6755399441055744.0;
  const double     sum = __dadd_rd(x, whole);
  floor = RoundedSum(sum, -whole); // exact
  return __double2loint(sum);
#else
  floor = std::floor(x);
  return static_cast<int>(floor);
#endif
}

/** \brief The floor of a number: in 64 bits for a magnitude below 2^63, in 32 bits within 2^30 of 0. */
template <typename TIndex>
CUDASPLINE_HOST_DEVICE inline TIndex
FloorOf(double x)
{
  if constexpr (sizeof(TIndex) == sizeof(int))
  {
    double floor;
    return ShortFloor(x, floor);
  }
  else
  {
#if defined(__CUDA_ARCH__)
    return __double2ll_rd(x);
#else
    return static_cast<TIndex>(std::floor(x));
#endif
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
