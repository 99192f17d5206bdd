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
 * \brief Joint histograms of two images with cubic windows along both axes, and their derivatives with respect to the
 * images' values: for mutual information with automatic differentiation. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Minimum number of bins for an image. */
inline constexpr std::int64_t MinJointBins = 5;
/** \brief Maximum number of bins for an image. */
inline constexpr std::int64_t MaxJointBins = 4096;

/** \brief Samples of two images, and their histogram. All arrays are contiguous, and on the same device.
 *
 * The position of a value v in the histogram is (v - least) (bins - 5) / (most - least) + 2, where least and most are
 * the ends of the image's range. Values beyond the ends are clamped to them. If both ends are equal all positions are
 * 2. A sample is spread by cubic B-splines over 4 x 4 bins. A NaN sample is in no bin, and its gradients are NaN. */
struct JointSamples
{
  std::int64_t         count{ 0 };                     ///< number of samples; may be 0
  std::int64_t         bins{ 32 };                     ///< bins for each image
  ScalarType           element{ ScalarType::Float32 }; ///< type of all numbers: Float32 or Float64
  const void *         fixed{ nullptr };               ///< count
  const void *         moving{ nullptr };              ///< count
  const std::uint8_t * mask{ nullptr };                ///< count, nonzero where samples count; null: everywhere
  /** Smallest and largest value of the fixed image, then of the moving one. */
  const void * ends{ nullptr };
  ArrayPlace   place; ///< memory of all arrays
};

/** \brief Computes the histogram: the number of samples in each bin.
 *
 * Sums are of integers, as in the histograms of metrics: they do not depend on their order, and all calls are bitwise
 * equal.
 *
 * \param[in] samples the samples
 * \param[out] joint bins x bins, indexed by the fixed image's bin first
 * \param[in] context backend, device, threads
 * \exception std::invalid_argument an unsupported number of bins, an invalid count or address
 * \exception DeviceError a device that is out of memory or lost
 *
 * On a device the work, and the memory that it needs, are enqueued in the caller's stream.
 *
 * \par Accuracy
 * On the host the weights of a sample are rounded to a unit of 2^-62 times the number of samples, rounded up to a power
 * of two: 2^-38 for 2^24. On a device they are rounded as ParzenWeight is in double precision: to 2^-38, and those
 * below 2^-19 to 2^-57. With Float32 elements the weights are floats. */
void
AccumulateJointHistogram(const JointSamples & samples, void * joint, const ExecutionContext & context);

/** \brief Gradients with respect to the images' values of the sum of weights times the histogram. The ends have no
 * gradient.
 *
 * \param[in] samples the samples
 * \param[in] weights weights of the bins, bins x bins
 * \param[out] fixedGradient, movingGradient count; null: not computed
 * \param[in] context as for AccumulateJointHistogram()
 * \exception std::invalid_argument an unsupported number of bins, an invalid count or address
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
