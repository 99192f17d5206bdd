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
#ifndef itkCudaSpline_kernels_metrics_LocalCorrelation_h
#define itkCudaSpline_kernels_metrics_LocalCorrelation_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Correlation of two images in a window around each sample of a grid: value and derivatives with respect to the
 * displacements of either image. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Numbers per window whose sums over windows give the exact derivatives of both images. */
inline constexpr int ExactWindowNumbers = 5;

/** \brief Options of EvaluateLocalCorrelation(). Both images, their masks and the results are on the same grid. */
struct LocalCorrelationDescriptor
{
  FieldGrid          grid; ///< grid of all arrays
  std::array<int, 3> radius{
    { 2, 2, 2 }
  };                                       ///< windows have 2 radius + 1 samples per axis, cropped at the grid's border
  ScalarType pixel{ ScalarType::Float32 }; ///< type of both images: Float32 or Float64
  ScalarType derivative{ ScalarType::Float32 }; ///< type of the fields: Float32 or Float64
  /** Float64: sums and formula are double, and products of float pixels are rounded to float before they are summed, as
   * in ITK. Float32: the fastest arithmetic with the accuracy documented below. */
  ScalarType arithmetic{ ScalarType::Float32 };
  /** If the product of the variances is not above this number, the correlation is 1. If a variance is not above it, the
   * derivative is 0. ITK uses the epsilon of its computation type. */
  double epsilon{ 0.0 };
  /** Whether derivatives are not vectors but one number per sample, which is to be multiplied with the gradient of the
   * image. */
  bool factorsAlone{ false };
  /** Whether derivatives are exact: those of all windows that contain a sample, instead of only its own window. */
  bool isExact{ false };
  /** For exact derivatives: added to the variance of the fixed and of the moving image in each window (squares of
   * values), so that windows of noise have a small correlation and a small derivative. */
  std::array<double, 2> varianceFloors{ { 0.0, 0.0 } };
};

/** \brief Arrays of EvaluateLocalCorrelation(), in the memory of the backend, x fastest. */
struct LocalCorrelationImages
{
  const void *         fixed{ nullptr };        ///< values on the grid
  const void *         moving{ nullptr };       ///< values on the grid
  const std::uint8_t * fixedInside{ nullptr };  ///< nonzero where \c fixed is valid; null: everywhere
  const std::uint8_t * movingInside{ nullptr }; ///< nonzero where \c moving is valid; null: everywhere
  /** Gradients (value per mm) on the grid, vectors of the type \c derivative. Null: central differences of the image
   * itself, as in itk::CentralDifferenceImageFunction, which are 0 along an axis at its ends. */
  const void * fixedGradient{ nullptr };
  const void * movingGradient{ nullptr }; ///< see \c fixedGradient
  /** Whether central differences are computed along the axes of the grid and rotated to physical space. They are 0
   * along an axis at both of its ends: results do not depend on the order and the direction in which the axes are
   * stored. Otherwise ITK's rule holds: differences over one spacing along the axes of physical space, also at an end
   * if half a spacing is inside after rounding. */
  bool gradientsFollowGrid{ false };
};

/** \brief Sums of EvaluateLocalCorrelation(), in the memory of the backend. */
struct LocalCorrelationSums
{
  double       correlation{ 0.0 }; ///< sum of the squared correlations; the value is minus their mean
  std::int64_t count{ 0 };         ///< number of valid samples
  /** Valid samples whose variances are not above epsilon, or not above the rounding errors of the sums. */
  std::int64_t flatWindows{ 0 };
};

/** \brief The value of a metric: minus the mean of the squared correlations; 0 if no sample is valid. */
inline double
LocalCorrelationValue(const LocalCorrelationSums & sums)
{
  return sums.count > 0 ? -sums.correlation / static_cast<double>(sums.count) : 0.0;
}

/** \brief Bytes of scratch memory of EvaluateLocalCorrelation(): a few sums per block on a device, none on the host.
 * Exact derivatives need five additional numbers per sample. */
std::size_t
CountLocalCorrelationScratch(const LocalCorrelationDescriptor & descriptor, const Residence & residence);

/** \brief Computes the value and one or both derivative fields in one call, asynchronously.
 *
 * s_ab is the sum over the valid samples of a window of products of the deviations of a and b from the window's means.
 * The correlation of a sample is s_fm^2 / (s_ff s_mm). Its derivative with respect to the displacement of the moving
 * image is, as in ITK, 2 s_fm / (s_ff s_mm) (f - s_fm / s_mm m) grad m, where f and m are the centre's deviations. It
 * neglects how the displacement changes the windows of the neighbours. If a variance is not above the rounding errors
 * of the sums (constant patches), the correlation is 1 and the derivative is 0. If a variance is not above epsilon the
 * derivative is 0. If the product of the variances is not above epsilon the correlation is 1. Windows with a NaN are
 * treated in this way, as in ITK, and no other windows are affected by it.
 *
 * Exact derivatives (\c isExact) are those of the sum of the squares. With the covariance C and the variances A and B,
 * they are sums over the windows that contain the sample of 2 C / (A B) (f - C / B m) times grad m, where f and m are
 * the sample's deviations from the means of each window. Flat windows are those whose variances, including the floors,
 * are not above the rounding errors. \c epsilon and \c arithmetic are not used: products are exact, and sums double.
 * For float pixels the factors of windows, and on a device their sums along x, are floats.
 *
 * \param[in] descriptor options
 * \param[in] images the arrays to compare
 * \param[out] sums sums from which the value is computed, in the memory of the backend
 * \param[out] movingDerivative with respect to the displacements of the moving image; null: not computed
 * \param[out] fixedDerivative the same with the images exchanged; null: not computed
 * \param[out] scratch CountLocalCorrelationScratch() bytes
 * \param[in] residence memory of the backend, for all arrays
 * \exception std::invalid_argument an invalid grid, radius or type
 * \exception DeviceError a step cannot be enqueued; OutOfMemory also if the windows do not fit into the shared memory
 * of the device. An H100 supports a radius of up to 22 along each axis
 *
 * \par Accuracy
 * Window sums are double, and their cost does not depend on the radius. Along an axis a window consists of a part of
 * one block of 2 radius + 1 samples and a part of the next block, which are summed separately. Nothing is subtracted:
 * samples outside a window do not affect it. The result is bitwise equal for any number of threads. With Float64
 * arithmetic and images without constant patches it agrees with ITK's to 1e-10 (value) and 1e-8 (derivative, L2
 * norm). */
void
EvaluateLocalCorrelation(const LocalCorrelationDescriptor & descriptor,
                         const LocalCorrelationImages &     images,
                         LocalCorrelationSums *             sums,
                         void *                             movingDerivative,
                         void *                             fixedDerivative,
                         void *                             scratch,
                         const Residence &                  residence);

/** @} */
} // namespace itk::CudaSpline

#endif
