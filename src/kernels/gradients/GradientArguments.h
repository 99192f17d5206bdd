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

/** \brief Number of axes of a support. If an image has fewer axes, the missing ones come first and have one sample. */
inline constexpr unsigned int PointAxes = 3;

/** \brief Maximum number of elements of an image for which offsets are 32-bit integers. */
inline constexpr std::int64_t MaxShortOffsets = 0x7FFFFFFF;

/** \brief A number of samples as a float, limited to 2^23, because larger floats have no fraction. */
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
FloatBound(std::int64_t size)
{
  constexpr std::int64_t most = INT64_C(1) << 23;
  return static_cast<float>(size < most ? size : most);
}

/** \brief SplinePoints in the form in which the operations at points read it. Passed by value. */
struct PointArguments
{
  unsigned int dimension;
  std::int64_t size[PointAxes];   ///< slowest axis first
  float        bound[PointAxes];  ///< FloatBound() of the sizes
  std::int64_t stride[PointAxes]; ///< in elements
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

/** \brief Fixed-point sums of ScatterDerivatives() in host or device memory, with one plane for each image and
 * channel. */
struct ScatterSums
{
  std::int64_t *        high;    ///< in quanta
  std::int64_t *        low;     ///< remainder in parts of a quantum; only for double, otherwise null
  const std::uint64_t * largest; ///< bits of the largest finite magnitude of g as double, for each image and channel
  const std::uint32_t * broken;  ///< not 0 if there are numbers that are not finite, for each image and channel
  int                   growth;  ///< no sum exceeds 2^growth times the largest magnitude
  int                   parts;   ///< a quantum has 2^parts parts
};

} // namespace itk::CudaSpline

#endif
