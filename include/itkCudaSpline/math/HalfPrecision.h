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
#ifndef itkCudaSpline_math_HalfPrecision_h
#define itkCudaSpline_math_HalfPrecision_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>
#include <cstring>

/** \file
 * \brief Numbers of 16 bits for storage: IEEE 754 binary16 \cite{IEEE754}, without a header of CUDA.
 *
 * A sign, five bits of exponent (bias 15) and ten of fraction; the bits are kept in a std::uint16_t. A number x below
 * HalfLargest is stored with an error of at most the larger one of HalfRelativeRounding |x| and half of
 * HalfSmallestSubnormal. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Half the distance of 1 to the next half: the unit of rounding, relative to a normal number. */
inline constexpr double HalfRelativeRounding = 0x1p-11;

/** \brief The smallest positive half, and the distance of neighbours below HalfSmallestNormal. */
inline constexpr double HalfSmallestSubnormal = 0x1p-24;

/** \brief The smallest positive half with a full fraction: below it the relative error grows. */
inline constexpr double HalfSmallestNormal = 0x1p-14;

/** \brief The largest finite half. Numbers of at least 65520, half a unit above, are stored as infinity. */
inline constexpr double HalfLargest = 65504.0;

/** \brief The value of a half: exact. NaN stays NaN.
 *
 * \param[in] half the bits */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
HalfToFloat(std::uint16_t half)
{
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  const std::uint32_t magnitude = half & 0x7fffU;
  // Subnormal halves count units of 2^-24. For the others the exponent's bias becomes 127, and 31, the exponent of
  // infinity and NaN, becomes 255. No intermediate float is subnormal: the result does not depend on a mode that
  // flushes those.
  const float   small = static_cast<float>(magnitude) * 0x1p-24F;
  std::uint32_t smallBits = 0;
  std::memcpy(&smallBits, &small, sizeof(smallBits));
  const std::uint32_t bias = magnitude >= 0x7c00U ? 2U * (112U << 23) : 112U << 23;
  const std::uint32_t bits =
    (magnitude < 0x400U ? smallBits : (magnitude << 13) + bias) | static_cast<std::uint32_t>(half & 0x8000U) << 16;
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
#endif
}

/** \brief The half nearest to a float, ties to the even one; infinity from 65520 on. NaN becomes 0x7fff.
 *
 * \param[in] value the number; on the host in the default rounding mode
 * \return the bits: the same on host and device */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint16_t
                                         FloatToHalf(float value)
{
#if defined(__CUDA_ARCH__)
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Normal: 13 bits of fraction are dropped. Half of the remaining last place, minus one if that place is even, carries
  // into it; from the largest half the carry gives infinity. The magnitude is limited to 2^16, which is infinity.
  const std::uint32_t capped = magnitude < 0x47800000U ? magnitude : 0x47800000U;
  const std::uint32_t normal = (capped - (112U << 23) + 0xfffU + (capped >> 13 & 1U)) >> 13;
  // Subnormal: in [1/2, 1) a float's last place is 2^-24, so that the addition rounds correctly.
  const std::uint32_t low = magnitude < 0x38800000U ? magnitude : 0U;
  float               shifted = 0.0F;
  std::memcpy(&shifted, &low, sizeof(shifted));
  shifted += 0.5F;
  std::uint32_t subnormal = 0;
  std::memcpy(&subnormal, &shifted, sizeof(subnormal));
  subnormal -= 0x3f000000U;
  const std::uint32_t half = magnitude < 0x38800000U ? subnormal : normal;
  return static_cast<std::uint16_t>(magnitude > 0x7f800000U ? 0x7fffU : half | sign);
#endif
}

/** @} */
} // namespace itk::CudaSpline

#endif
