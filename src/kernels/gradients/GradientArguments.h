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
#ifndef GradientArguments_h
#define GradientArguments_h

#include "itkCudaSpline/kernels/gradients/SplineGradients.h"
#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief Axes of a support: those that an image lacks come first and have one sample. */
inline constexpr unsigned int PointAxes = 3;

/** \brief Elements of an image whose offsets are integers of 32 bits. */
inline constexpr std::int64_t MaxShortOffsets = 0x7FFFFFFF;

/** \brief A number of samples as a float, or what is before it: from 2^23 on a float has no fraction. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
FloatBound(std::int64_t size)
{
  constexpr std::int64_t most = INT64_C(1) << 23;
  return static_cast<float>(size < most ? size : most);
}

/** \brief What the bodies of the operations at points read: SplinePoints for them. Passed by value. */
struct PointArguments
{
  unsigned int dimension;
  std::int64_t size[PointAxes];   ///< slowest first
  float        bound[PointAxes];  ///< FloatBound() of the sizes
  std::int64_t stride[PointAxes]; ///< elements
  std::int64_t plane;             ///< elements of a channel
  std::int64_t batches;
  std::int64_t channels;
  std::int64_t count;
  unsigned int order;
  ArrayMode    mode;
  double       border;
  unsigned int derivatives;
  unsigned int components; ///< dimension^n
  std::int64_t numbers;    ///< count x components: numbers of an image and channel
  const void * points;
  std::int64_t pointStride;
  const void * coefficients;
  std::int64_t coefficientStride;
  const void * weights;
  void *       result;

  /** First axis that the image has. */
  CUDASPLINE_HOST_DEVICE unsigned int
  FirstAxis() const
  {
    return PointAxes - dimension;
  }
};

/** \brief Sums of ScatterDerivatives() in fixed point, host or device memory: of each image and channel its plane. */
struct ScatterSums
{
  std::int64_t *        high;    ///< in quanta
  std::int64_t *        low;     ///< what that leaves, in parts of a quantum; of double alone, else null
  const std::uint64_t * largest; ///< bits of the largest finite magnitude of g as double, by image and channel
  const std::uint32_t * broken;  ///< not 0 where there are numbers that are not finite, by image and channel
  int                   growth;  ///< no sum exceeds 2^growth times the largest magnitude
  int                   parts;   ///< 2^parts parts of a quantum
};

} // namespace itk::CudaSpline

#endif
