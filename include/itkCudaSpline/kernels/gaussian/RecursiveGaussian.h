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
 * \brief Recursive Gaussian smoothing and gradients of whole images, as itk::SmoothingRecursiveGaussianImageFilter and
 * itk::GradientRecursiveGaussianImageFilter compute them.
 *
 * An image is filtered axis by axis, every line as a whole by a causal and an anticausal recursion
 * (math/RecursiveGaussian.h) in double precision, and is rounded to float after each axis, whatever its pixels are. All
 * operations are ITK's, in its order and rounded one by one: results have the bits of an ITK that was compiled without
 * fused multiply-adds, on either backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The least samples of a line that the filters take, as in ITK. */
inline constexpr std::int64_t SmallestGaussianLine = 4;

/** \brief An image that is filtered, and the widths of the Gaussians. */
struct GaussianDescriptor
{
  unsigned int                               dimension{ 3 };         ///< 2 to MaximumDimension
  std::array<std::int64_t, MaximumDimension> size{ { 1, 1, 1, 1 } }; ///< samples an axis, x first; 1 above dimension
  std::array<double, MaximumDimension>       spacing{ { 1.0, 1.0, 1.0, 1.0 } }; ///< mm, not 0
  /** Standard deviations (mm), above 0. For smoothing by axis; for gradients the last one is that of the derivative
   * along whichever axis, and the others are those of the other axes in their order, as in ITK. */
  std::array<double, MaximumDimension> sigma{ { 1.0, 1.0, 1.0, 1.0 } };
  /** Of smoothing: the axis along which alone lines are filtered, by \c order; all axes where it is below 0. */
  int           onlyAxis{ -1 };
  GaussianOrder order{ GaussianOrder::Zero };  ///< of the one axis
  bool          normalizeAcrossScale{ false }; ///< derivatives are multiplied by their sigma
  ScalarType    pixel{ ScalarType::Float32 };  ///< type of the image's pixels
  ScalarType    output{ ScalarType::Float32 }; ///< of the result; gradients are real numbers
  /** Of gradients: the matrix, row by row, that the components along the grid's axes are multiplied with; where
   * \c isRotated is set. */
  std::array<double, std::size_t{ MaximumDimension } * MaximumDimension> direction{};
  bool                                                                   isRotated{ false }; ///< whether they are

  /** Number of pixels. */
  std::int64_t
  Count() const
  {
    return size[0] * size[1] * size[2] * size[3];
  }
};

/** \brief Smooths an image along all axes: the last one first, then from the first on, as ITK does; or filters it along
 * one axis (GaussianDescriptor::onlyAxis).
 *
 * \param[in] descriptor image and Gaussians; integers of the output are truncated towards zero, values beyond their
 *   range become the nearest they have
 * \param[in] pixels host image, x fastest
 * \param[out] output host image of as many pixels; may be \p pixels, which then are as they were where an exception is
 *   thrown on the Cuda backend
 * \param[in] context backend, device, threads and progress
 * \exception std::invalid_argument a wrong dimension, a size below SmallestGaussianLine, a sigma that is not above 0,
 *   or a spacing of 0
 * \exception DeviceError the device failed
 * \exception OperationAborted the progress callback stopped it; \p output is incomplete */
void
SmoothByGaussian(const GaussianDescriptor & descriptor,
                 const void *               pixels,
                 void *                     output,
                 const ExecutionContext &   context);

/** \brief The gradient of an image that was smoothed, per mm: the derivative along an axis, then the smoothing along
 * the others in their order, for each component.
 *
 * \param[in] descriptor image and Gaussians; the output is float32 or float64, whose values are floats where
 *   \c isRotated is not set
 * \param[in] pixels host image, x fastest
 * \param[out] gradients host image of \c dimension numbers a pixel, one after the other
 * \param[in] context as above
 * \exception std::invalid_argument as above, and an output that is not real */
void
MakeGaussianGradient(const GaussianDescriptor & descriptor,
                     const void *               pixels,
                     void *                     gradients,
                     const ExecutionContext &   context);

/** \brief The magnitudes of these gradients, as itk::GradientMagnitudeRecursiveGaussianImageFilter computes them.
 *
 * \param[in] descriptor image and Gaussians; \c isRotated is ignored; the output as for SmoothByGaussian()
 * \param[in] pixels host image, x fastest
 * \param[out] output host image of as many pixels; may be \p pixels
 * \param[in] context as above
 * \exception std::invalid_argument,DeviceError,OperationAborted as above */
void
MakeGaussianGradientMagnitude(const GaussianDescriptor & descriptor,
                              const void *               pixels,
                              void *                     output,
                              const ExecutionContext &   context);

/** \brief The same gradients as a source, a plane a component, which stays in the memory of the backend.
 *
 * \param[in] descriptor image and Gaussians; its output is the element of the source
 * \param[in] source what the result says of itself: \c dimension components and as many samples
 * \param[in] pixels host image, x fastest
 * \param[in] context as above
 * \exception std::invalid_argument as above, and where the two descriptors differ */
std::shared_ptr<const SampleSource>
MakeGaussianGradientSource(const GaussianDescriptor & descriptor,
                           const SourceDescriptor &   source,
                           const void *               pixels,
                           const ExecutionContext &   context);

/** \brief Which of the operations. */
enum class GaussianOperation : unsigned char
{
  Smoothing,        ///< SmoothByGaussian()
  Gradient,         ///< MakeGaussianGradient()
  GradientSource,   ///< MakeGaussianGradientSource()
  GradientMagnitude ///< MakeGaussianGradientMagnitude()
};

/** \brief Plans an operation on a device; images are not cut into pieces.
 *
 * \param[in] descriptor what is done
 * \param[in] operation which
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanGaussian(const GaussianDescriptor & descriptor, GaussianOperation operation, std::size_t budget);

/** \brief Work of an operation.
 *
 * \param[in] descriptor what is done
 * \param[in] operation which */
OperationWork
CountGaussianWork(const GaussianDescriptor & descriptor, GaussianOperation operation);

/** @} */
} // namespace itk::CudaSpline

#endif
