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
#ifndef itkCudaSpline_kernels_gradients_LocalCorrelationLoss_h
#define itkCudaSpline_kernels_gradients_LocalCorrelationLoss_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include <array>
#include <cstdint>

/** \file
 * \brief Local correlation of pairs of images with its exact gradients with respect to both, for automatic
 * differentiation. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** C / (A B) (m - mean m) - 2 C^2 / (A^2 B) (f - mean f).
 *
 * A gradient is therefore computed from sums of three numbers per window, over the windows that contain a sample: again
 * window sums. It includes all effects of a sample, unlike EvaluateLocalCorrelation(), whose derivatives are only those
 * of the centre. If the variance of a window is not above the rounding errors of sums or pixels, the correlation is 1
 * and the gradient is 0.
 *
 * All calls are bitwise equal for any number of threads. On a device the work, and the memory that it needs, are
 * enqueued in the caller's stream. One gradient needs three arrays of the size of an image, both need five.
 *
 * \param[in] pairs pairs and results
 * \param[in] context backend, device, threads
 * \exception std::invalid_argument an unsupported dimension, an invalid size, radius or address
 * \exception DeviceError a device that is out of memory or lost; OutOfMemory also if the windows do not fit into its
 * shared memory. An H100 supports a radius of up to 16 along each axis
 *
 * \par Accuracy
 * Images are centred by their means and sums are double: a large offset does not reduce the accuracy. With Float64
 * elements the relative error is about 1e-12. With Float32 elements centred values and a window's numbers are rounded
 * once to float. */
struct LocalCorrelationPairs
{
  unsigned int                dimension{ 3 };                 ///< 1 to 3
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };            ///< size of an image; 1 or more
  std::array<std::int64_t, 3> radius{ { 2, 2, 2 } };          ///< windows have 2 radius + 1 samples per axis; 0 or more
  std::int64_t                images{ 1 };                    ///< number of pairs; 0: no work
  ScalarType                  element{ ScalarType::Float32 }; ///< type of all numbers: Float32 or Float64
  const void *                fixed{ nullptr };               ///< images x size
  const void *                moving{ nullptr };              ///< images x size
  /** Images x size, nonzero where samples count; null: everywhere. */
  const std::uint8_t * mask{ nullptr };
  /** Distance of the next pair's mask (samples); 0: all pairs share it. */
  std::int64_t maskStride{ 0 };
  void *       sums{ nullptr }; ///< images: sums of the squared correlations
  /** Gradient of a pair's sum with respect to its fixed image; null: not computed. */
  void *     fixedGradient{ nullptr };
  void *     movingGradient{ nullptr }; ///< the same with respect to the moving image
  ArrayPlace place;                     ///< memory of all arrays
};

/** \brief For each pair, computes the sum over its samples of the squared correlation in the window around each sample,
 * and the gradients of that sum with respect to the values of either image.
 *
 * Windows are cropped at the images' ends. Samples outside the mask are in no window, and have none. With the sums A, B
 * and C over a window of products of the deviations from the window's means (fixed, moving, both), the squared
 * correlation is C^2 / (A B). Its derivative with respect to the fixed value f at a sample of the window with the
 * moving value m is
 */
void
EvaluateLocalCorrelationLoss(const LocalCorrelationPairs & pairs, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
