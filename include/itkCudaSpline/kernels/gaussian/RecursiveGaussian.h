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
#ifndef itkCudaSpline_kernels_gaussian_RecursiveGaussian_h
#define itkCudaSpline_kernels_gaussian_RecursiveGaussian_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/math/RecursiveGaussian.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

/** \file
 * \brief Recursive Gaussian smoothing and gradients of whole images, as in itk::SmoothingRecursiveGaussianImageFilter
 * and itk::GradientRecursiveGaussianImageFilter.
 *
 * An image is filtered axis by axis. Each line is filtered by a causal and an anticausal recursion
 * (math/RecursiveGaussian.h) in double precision, and is rounded to float after each axis, for any type of pixels. All
 * operations are ITK's, in ITK's order and rounded one by one: results are bitwise equal to those of an ITK that was
 * compiled without fused multiply-adds, on either backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Minimum number of samples of a line for the filters, as in ITK. */
inline constexpr std::int64_t SmallestGaussianLine = 4;

/** \brief The image to filter, and the widths of the Gaussians. */
struct GaussianDescriptor
{
  unsigned int                               dimension{ 3 };         ///< 2 to MaximumDimension
  std::array<std::int64_t, MaximumDimension> size{ { 1, 1, 1, 1 } }; ///< samples per axis, x first; 1 for unused axes
  std::array<double, MaximumDimension>       spacing{ { 1.0, 1.0, 1.0, 1.0 } }; ///< mm, not 0
  /** Standard deviations (mm), above 0. For smoothing one per axis. For gradients the last one is that of the
   * derivative along any axis, and the others are those of the other axes in their order, as in ITK. */
  std::array<double, MaximumDimension> sigma{ { 1.0, 1.0, 1.0, 1.0 } };
  /** For smoothing: the only axis whose lines are filtered, with \c order; below 0: all axes. */
  int           onlyAxis{ -1 };
  GaussianOrder order{ GaussianOrder::Zero };  ///< order of the filter along that axis
  bool          normalizeAcrossScale{ false }; ///< derivatives are multiplied by their sigma
  ScalarType    pixel{ ScalarType::Float32 };  ///< type of the image's pixels
  ScalarType    output{ ScalarType::Float32 }; ///< type of the result; real numbers for gradients
  /** For gradients: the matrix, row by row, that multiplies the components along the grid's axes if \c isRotated is
   * set. */
  std::array<double, std::size_t{ MaximumDimension } * MaximumDimension> direction{};
  /** Multiplies gradients with \c direction. */
  bool isRotated{ false };

  /** Number of pixels. */
  std::int64_t
  Count() const
  {
    return size[0] * size[1] * size[2] * size[3];
  }
};

/** \brief Smooths an image along all axes, the last one first and then from the first on, as in ITK. Or filters it
 * along one axis (GaussianDescriptor::onlyAxis).
 *
 * \param[in] descriptor image and Gaussians; integer outputs are truncated towards zero and clamped to their range
 * \param[in] pixels host image, x fastest
 * \param[out] output host image with as many pixels; may be \p pixels, which are then unchanged if the Cuda backend
 * throws an exception
 * \param[in] context backend, device, threads and progress
 * \exception std::invalid_argument an unsupported dimension, a size below SmallestGaussianLine, a sigma that is not
 * above 0, or a spacing of 0
 * \exception DeviceError the device failed
 * \exception OperationAborted the progress callback stopped it; \p output is incomplete */
void
SmoothByGaussian(const GaussianDescriptor & descriptor,
                 const void *               pixels,
                 void *                     output,
                 const ExecutionContext &   context);

/** \brief The gradient of a smoothed image, per mm: for each component the derivative along its axis, then the
 * smoothing along the others in their order.
 *
 * \param[in] descriptor image and Gaussians; the output is float32 or float64, with values rounded to float if \c
 * isRotated is not set
 * \param[in] pixels host image, x fastest
 * \param[out] gradients host image with \c dimension components per pixel, contiguous
 * \param[in] context as for SmoothByGaussian()
 * \exception std::invalid_argument as for SmoothByGaussian(), or an output that is not real */
void
MakeGaussianGradient(const GaussianDescriptor & descriptor,
                     const void *               pixels,
                     void *                     gradients,
                     const ExecutionContext &   context);

/** \brief The magnitudes of these gradients, as in itk::GradientMagnitudeRecursiveGaussianImageFilter.
 *
 * \param[in] descriptor image and Gaussians; \c isRotated is ignored; the output as for SmoothByGaussian()
 * \param[in] pixels host image, x fastest
 * \param[out] output host image with as many pixels; may be \p pixels
 * \param[in] context as for SmoothByGaussian()
 * \exception std::invalid_argument,DeviceError,OperationAborted as for SmoothByGaussian() */
void
MakeGaussianGradientMagnitude(const GaussianDescriptor & descriptor,
                              const void *               pixels,
                              void *                     output,
                              const ExecutionContext &   context);

/** \brief The same gradients as a source with one plane per component, which stays in the memory of the backend.
 *
 * \param[in] descriptor image and Gaussians; its output is the element type of the source
 * \param[in] source description of the result: \c dimension components and as many samples as the image
 * \param[in] pixels host image, x fastest
 * \param[in] context as for SmoothByGaussian()
 * \exception std::invalid_argument as for SmoothByGaussian(), or if the two descriptors do not fit */
std::shared_ptr<const SampleSource>
MakeGaussianGradientSource(const GaussianDescriptor & descriptor,
                           const SourceDescriptor &   source,
                           const void *               pixels,
                           const ExecutionContext &   context);

/** \brief The operations. */
enum class GaussianOperation : unsigned char
{
  Smoothing,        ///< SmoothByGaussian()
  Gradient,         ///< MakeGaussianGradient()
  GradientSource,   ///< MakeGaussianGradientSource()
  GradientMagnitude ///< MakeGaussianGradientMagnitude()
};

/** \brief Plans the memory of an operation on a device; images are not divided into pieces.
 *
 * \param[in] descriptor image and Gaussians
 * \param[in] operation the operation
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanGaussian(const GaussianDescriptor & descriptor, GaussianOperation operation, std::size_t budget);

/** \brief Work of an operation.
 *
 * \param[in] descriptor image and Gaussians
 * \param[in] operation the operation */
OperationWork
CountGaussianWork(const GaussianDescriptor & descriptor, GaussianOperation operation);

/** @} */
} // namespace itk::CudaSpline

#endif
