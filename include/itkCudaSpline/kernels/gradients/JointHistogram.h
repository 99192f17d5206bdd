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
#ifndef itkCudaSpline_kernels_gradients_JointHistogram_h
#define itkCudaSpline_kernels_gradients_JointHistogram_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include <cstdint>

/** \file
 * \brief Joint histograms of two images with cubic windows along both axes, and their derivatives by the images'
 * values: what mutual information is made of, for automatic differentiation. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Fewest bins of an image. */
inline constexpr std::int64_t LeastJointBins = 5;
/** \brief Most bins of an image. */
inline constexpr std::int64_t MostJointBins = 4096;

/** \brief Samples of two images, and their histogram. All arrays are contiguous, and all in one place.
 *
 * A value v of an image is at (v - least) (bins - 5) / (most - least) + 2 in the histogram, values beyond the ends at
 * them; where the ends are the same all are at 2. A sample is spread by cubic B-splines over 4 x 4 bins. One that is
 * NaN has no place: it is in no bin, and its gradients are NaN. */
struct JointSamples
{
  std::int64_t         count{ 0 };                     ///< samples; may be 0
  std::int64_t         bins{ 32 };                     ///< of each image
  ScalarType           element{ ScalarType::Float32 }; ///< of all numbers: Float32 or Float64
  const void *         fixed{ nullptr };               ///< count
  const void *         moving{ nullptr };              ///< count
  const std::uint8_t * mask{ nullptr };                ///< count, not 0 where samples count; null: everywhere
  const void *         ends{ nullptr };                ///< least and most of the fixed image, then of the moving one
  ArrayPlace           place;                          ///< where all arrays are
};

/** \brief Makes the histogram: how many samples are in each bin.
 *
 * Sums are of integers, as in the histograms of metrics: they do not depend on their order, and the bits are the same
 * at every call.
 *
 * \param[in] samples what is sorted
 * \param[out] joint bins x bins, by the fixed image's bin first
 * \param[in] context backend, device, threads
 * \exception std::invalid_argument bins, a count or an address that cannot be
 * \exception DeviceError a device that is out of memory or lost
 *
 * On a device it is enqueued in the caller's stream, with the memory that it takes.
 *
 * \par Accuracy
 * On the host the weights of a sample are rounded to a unit of 2^-62 times the number of samples, as a power of two:
 * 2^-38 for 2^24. On a device they are rounded as ParzenWeight does in double precision: to 2^-38, and those below 2^-19
 * to 2^-57. With Float32 elements the weights are floats. */
void
AccumulateJointHistogram(const JointSamples & samples, void * joint, const ExecutionContext & context);

/** \brief Gradients by the images' values of the sum of weights times the histogram. The ends have none.
 *
 * \param[in] samples what is sorted
 * \param[in] weights of the bins, bins x bins
 * \param[out] fixedGradient, movingGradient count; null: not wanted
 * \param[in] context as for AccumulateJointHistogram()
 * \exception std::invalid_argument bins, a count or an address that cannot be
 * \exception DeviceError a device that is lost */
void
DifferentiateJointHistogram(const JointSamples &     samples,
                            const void *             weights,
                            void *                   fixedGradient,
                            void *                   movingGradient,
                            const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
