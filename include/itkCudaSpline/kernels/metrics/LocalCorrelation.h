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
 * \brief Correlation of two images in a window around each sample of a grid: value and derivatives by the displacements
 * of either image. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Numbers of a window whose sums over windows make exact derivatives of both images. */
inline constexpr int ExactWindowNumbers = 5;

/** \brief What EvaluateLocalCorrelation() is asked for. Both images, their masks and the results are on one grid. */
struct LocalCorrelationDescriptor
{
  FieldGrid          grid;                  ///< of all arrays
  std::array<int, 3> radius{ { 2, 2, 2 } }; ///< windows have 2 radius + 1 samples an axis, cut at the grid's border
  ScalarType         pixel{ ScalarType::Float32 };      ///< of both images: Float32 or Float64
  ScalarType         derivative{ ScalarType::Float32 }; ///< of the fields: Float32 or Float64
  /** Float64: sums and formula are double, and products of float pixels are rounded to float before they are summed,
   * as ITK does. Float32: arithmetic of the speed that the accuracy below allows. */
  ScalarType arithmetic{ ScalarType::Float32 };
  /** Products of variances up to here give a correlation of 1, variances up to here no derivative: that of ITK's
   * computation type. */
  double epsilon{ 0.0 };
  /** Derivatives are what the gradient of the image is multiplied with, a number a sample, and not vectors. */
  bool factorsAlone{ false };
  /** Derivatives are exact: those of all windows that hold a sample, instead of its own window alone. */
  bool isExact{ false };
  /** For exact derivatives: added to the variance of the fixed and of the moving image in each window (squares of
   * values), so that windows of noise have little correlation and little derivative. */
  std::array<double, 2> varianceFloors{ { 0.0, 0.0 } };
};

/** \brief Arrays of EvaluateLocalCorrelation(), in the memory of the residence, x fastest. */
struct LocalCorrelationImages
{
  const void *         fixed{ nullptr };        ///< values on the grid
  const void *         moving{ nullptr };       ///< values on the grid
  const std::uint8_t * fixedInside{ nullptr };  ///< not 0 where \c fixed is valid; null: everywhere
  const std::uint8_t * movingInside{ nullptr }; ///< not 0 where \c moving is valid; null: everywhere
  /** Gradients (a value a mm) on the grid, vectors of the type \c derivative; null: central differences of the image
   * itself, as itk::CentralDifferenceImageFunction has them, 0 along an axis at its ends. */
  const void * fixedGradient{ nullptr };
  const void * movingGradient{ nullptr }; ///< see \c fixedGradient
  /** Central differences are along the axes of the grid, turned to those of space, and 0 along an axis at both of its
   * ends: results do not depend on the order and the direction in which the axes are stored. Otherwise ITK's rule
   * holds: differences over a spacing along the axes of space, and at an end where rounding leaves half a spacing
   * inside. */
  bool gradientsFollowGrid{ false };
};

/** \brief Sums of EvaluateLocalCorrelation(), in the memory of the residence. */
struct LocalCorrelationSums
{
  double       correlation{ 0.0 }; ///< of the squares of the correlations; the value is minus their mean
  std::int64_t count{ 0 };         ///< samples that are valid
  std::int64_t flatWindows{ 0 };   ///< those of them whose variances are noise of the sums or not above epsilon
};

/** \brief The value of a metric: minus the mean of the squares; 0 where no sample is valid. */
inline double
LocalCorrelationValue(const LocalCorrelationSums & sums)
{
  return sums.count > 0 ? -sums.correlation / static_cast<double>(sums.count) : 0.0;
}

/** \brief Bytes of scratch memory of EvaluateLocalCorrelation(): a few sums a block on a device, none on the host; of
 * exact derivatives five numbers a sample, too. */
std::size_t
CountLocalCorrelationScratch(const LocalCorrelationDescriptor & descriptor, const Residence & residence);

/** \brief Value and both derivative fields, or one, in one go; nothing waits.
 *
 * With s_ab the sums of products of the deviations of a and b from the window's means, over the valid samples of the
 * window, a sample's correlation is s_fm^2 / (s_ff s_mm), and its derivative by the displacement of the moving image,
 * as ITK has it, 2 s_fm / (s_ff s_mm) (f - s_fm / s_mm m) grad m, f and m being the centre's deviations: what the
 * displacement changes in the windows of its neighbours is left out. Where a variance is not above what the sums are
 * rounded by (constant patches) the correlation is 1 and the derivative 0; where it is not above epsilon the derivative
 * is 0, and where the product of the variances is not the correlation is 1. Windows that hold a NaN are such windows,
 * as for ITK, and no others are changed by it.
 *
 * Exact derivatives (\c isExact) are those of the sum of the squares: with C, A and B the covariance and the variances,
 * sums over the windows that hold the sample of 2 C / (A B) (f - C / B m) times grad m, where the deviations f and m of
 * the sample are from the means of each window. Flat windows are those whose variances, with the floors, are noise;
 * \c epsilon and \c arithmetic are not used: products are exact, and sums double.
 *
 * \param[in] descriptor what is wanted
 * \param[in] images what is compared
 * \param[out] sums where the value comes from; memory of the residence
 * \param[out] movingDerivative by the displacements of the moving image; null: not wanted
 * \param[out] fixedDerivative the same with the images exchanged; null: not wanted
 * \param[out] scratch CountLocalCorrelationScratch() bytes
 * \param[in] residence where all of it is
 * \exception std::invalid_argument an invalid grid, radius or type
 * \exception DeviceError a step cannot be enqueued; OutOfMemory too where the shared memory of the device has no room
 * for windows of the radius, of which an H100 has for 22 along each axis
 *
 * \par Accuracy
 * Window sums are double, and cost the same for any radius: along an axis a window is a part of one block of 2 radius +
 * 1 samples and a part of the next, each of them sums of their own, so nothing is subtracted, and what lies outside of
 * a window leaves nothing in it. The result is the same bits on any number of threads. With Float64 arithmetic and
 * images without constant patches it agrees with ITK's to 1e-10 (value) and 1e-8 (derivative, L2 norm). */
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
