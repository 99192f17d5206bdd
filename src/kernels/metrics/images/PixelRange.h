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
#ifndef PixelRange_h
#define PixelRange_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstdint>
#include <limits>

/** \file
 * \brief Lowest and highest pixel of an image in the memory of a backend. */

namespace itk::CudaSpline
{

/** \brief A range of values; the lowest is above the highest for an empty range. */
struct PixelRange
{
  double lowest{ std::numeric_limits<double>::max() };
  double highest{ std::numeric_limits<double>::lowest() };

  /** Adds a value; NaN is ignored. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(double value)
  {
    lowest = value < lowest ? value : lowest;
    highest = value > highest ? value : highest;
  }
  /** Adds those of another range. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const PixelRange & other)
  {
    lowest = other.lowest < lowest ? other.lowest : lowest;
    highest = other.highest > highest ? other.highest : highest;
  }
};

/** \brief The square of a fraction of a range; 0 if the range is empty. */
inline double
SquareOfPart(const PixelRange & range, double part)
{
  const double length = part * (range.highest - range.lowest);
  return range.lowest < range.highest ? length * length : 0.0;
}

/** \brief The range of an image's pixels. The call waits.
 *
 * \param[in] pixels in the memory of the backend
 * \param[in] type Float32 or Float64
 * \param[in] inside one byte per pixel, nonzero where it counts; null: all count
 * \param[in] count number of pixels */
PixelRange
FindPixelRange(const void *         pixels,
               ScalarType           type,
               const std::uint8_t * inside,
               std::int64_t         count,
               const Residence &    residence);

/** \brief FindPixelRange() on a device; not available without the CUDA Toolkit. */
PixelRange
FindPixelRangeOnCuda(const void *         pixels,
                     ScalarType           type,
                     const std::uint8_t * inside,
                     std::int64_t         count,
                     const Residence &    residence);

} // namespace itk::CudaSpline

#endif
