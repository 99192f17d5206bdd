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
 * \brief Local correlation of pairs of images with its true gradients by both, for automatic differentiation. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Pairs of images of a batch, each of which is compared by itself. All arrays are contiguous, and all in one
 * place; axes are those of NumPy, the slowest one first. */
struct LocalCorrelationPairs
{
  unsigned int                dimension{ 3 };                 ///< 1 to 3
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };            ///< of an image; 1 or more
  std::array<std::int64_t, 3> radius{ { 2, 2, 2 } };          ///< windows have 2 radius + 1 samples an axis; 0 or more
  std::int64_t                images{ 1 };                    ///< pairs; 0: nothing is done
  ScalarType                  element{ ScalarType::Float32 }; ///< of all numbers: Float32 or Float64
  const void *                fixed{ nullptr };               ///< images x size
  const void *                moving{ nullptr };              ///< images x size
  const std::uint8_t *        mask{ nullptr };           ///< images x size, not 0 where samples count; null: everywhere
  std::int64_t                maskStride{ 0 };           ///< samples to the next pair's mask; 0: all have the same
  void *                      sums{ nullptr };           ///< of the squares of the correlations; images
  void *                      fixedGradient{ nullptr };  ///< of a pair's sum by its fixed image; null: not wanted
  void *                      movingGradient{ nullptr }; ///< the same by the moving one
  ArrayPlace                  place;                     ///< where all arrays are
};

/** \brief By pair, the sum over its samples of the square of the correlation in the window about each, and the
 * gradients of that sum by the values of either image.
 *
 * Windows are cut at the images' ends, and what the mask leaves out is in none, nor has one. With A, B and C the sums
 * of the products of the deviations from a window's means (fixed, moving, both), its correlation squared is C^2 / (A
 * B), whose derivative by the fixed value f at a sample of the window with the moving value m is
 *
 *     2 C / (A B) (m - mean m) - 2 C^2 / (A^2 B) (f - mean f).
 *
 * So a gradient is made of sums of three numbers of each window, over the windows that hold a sample: again window
 * sums. It has all that a sample changes, unlike EvaluateLocalCorrelation(), whose derivatives are those of the centre
 * alone. A window whose variance is noise of sums or pixels has the correlation 1 and no gradient.
 *
 * The same bits at every call, whatever the threads of the host do. On a device it is enqueued in the caller's stream,
 * with the memory that it takes: of a gradient three arrays like an image, of both five.
 *
 * \param[in] pairs what is done
 * \param[in] context backend, device, threads
 * \exception std::invalid_argument a dimension, size, radius or address that cannot be
 * \exception DeviceError a device that is out of memory or lost; OutOfMemory too where its shared memory has no room
 * for windows of the radius, of which an H100 has for 16 along each axis
 *
 * \par Accuracy
 * Images are centred by their means and sums are double, so a large offset costs nothing: with Float64 elements it is
 * that of the formula to 1e-12. With Float32 elements centred values and a window's numbers are rounded once to floats.
 */
void
EvaluateLocalCorrelationLoss(const LocalCorrelationPairs & pairs, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
