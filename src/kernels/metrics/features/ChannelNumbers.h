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
#ifndef ChannelNumbers_h
#define ChannelNumbers_h

#include "itkCudaSpline/math/HostDevice.h"

/** \file
 * \brief Channels of a sample that are read and written together. */

namespace itk::CudaSpline
{

/** \brief The numbers of consecutive channels: one, or four that are aligned to 16 bytes in memory. */
template <int VWidth>
struct ChannelNumbers
{
  static_assert(VWidth == 1 || VWidth == 4);

  float numbers[VWidth];

  ChannelNumbers() = default;
  /** Reads the numbers. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE explicit ChannelNumbers(const float * data)
  {
#if defined(__CUDA_ARCH__)
    if constexpr (VWidth == 4)
    {
      const float4 four = *reinterpret_cast<const float4 *>(data);
      numbers[0] = four.x;
      numbers[1] = four.y;
      numbers[2] = four.z;
      numbers[3] = four.w;
    }
    else
#endif
    {
      for (int n = 0; n < VWidth; ++n)
      {
        numbers[n] = data[n];
      }
    }
  }

  /** Writes the numbers. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(float * data) const
  {
#if defined(__CUDA_ARCH__)
    if constexpr (VWidth == 4)
    {
      *reinterpret_cast<float4 *>(data) = make_float4(numbers[0], numbers[1], numbers[2], numbers[3]);
    }
    else
#endif
    {
      for (int n = 0; n < VWidth; ++n)
      {
        data[n] = numbers[n];
      }
    }
  }
};

} // namespace itk::CudaSpline

#endif
