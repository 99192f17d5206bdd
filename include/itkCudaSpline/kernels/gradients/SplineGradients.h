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
#ifndef itkCudaSpline_kernels_gradients_SplineGradients_h
#define itkCudaSpline_kernels_gradients_SplineGradients_h

#include "itkCudaSpline/kernels/arrays/ArrayInterpolation.h"

#include <array>
#include <cstdint>

/** \file
 * \brief What automatic differentiation of splines takes: derivatives of values at points, their adjoints with respect
 * to coefficients and to points, and the adjoint of the prefilter; for batches of images with channels, in one call.
 *
 * With c the coefficients of an image, x a point and I a list of axes of n derivatives, D(I, c, x) is the derivative of
 * order n of the spline at x along those axes: the value for n = 0. Three operations are closed under differentiation:
 *
 * | operation             | makes                                     | its derivative along       |
 * |-----------------------|-------------------------------------------|----------------------------|
 * | EvaluateDerivatives() | D(I, c, x) for all I of n axes            | c: scatter n; x: contract n |
 * | ScatterDerivatives()  | its transpose: c of numbers g(I) at points | g: evaluate n; x: contract n |
 * | ContractDerivatives() | by axis d, sum over I of g(I) D(Id, c, x) | those of n + 1             |
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Most derivatives n of the operations at points. */
inline constexpr unsigned int MostPointDerivatives = 2;

/** \brief Images of a batch with lists of points, as continuous indices. All arrays are contiguous, of the type
 * \c element, and all in one place.
 *
 * Axes are those of NumPy: the first of an image is the slowest one, and the first number of a point belongs to it.
 * What is outside, and the support of a point, are as in InterpolateArray(): samples of an image need the prefilter of
 * the mode (FilterArray()) for orders 2 to 5, and the modes that are padded there (IsPadded()) take coefficients of
 * what the caller has padded.
 *
 * A point with a NaN has no place: its values are NaN, and ScatterDerivatives() leaves it out. */
struct SplinePoints
{
  unsigned int                dimension{ 3 };                 ///< 1 to 3
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };            ///< of an image, the slowest axis first; 1 or more
  std::int64_t                batches{ 1 };                   ///< images with their points; 0: nothing is done
  std::int64_t                channels{ 1 };                  ///< of an image, which share its points
  std::int64_t                count{ 0 };                     ///< points of an image
  unsigned int                order{ 3 };                     ///< 0 to 5
  ArrayMode                   mode{ ArrayMode::Mirror };      ///< what stands outside
  double                      border{ 0.0 };                  ///< in the modes Constant and GridConstant
  ScalarType                  element{ ScalarType::Float64 }; ///< of all arrays, weights and sums: Float32 or Float64
  unsigned int                derivatives{ 0 };               ///< n, 0 to MostPointDerivatives
  const void *                points{ nullptr };              ///< batches x count x dimension (samples)
  std::int64_t                pointStride{ 0 };        ///< elements to the next image's points; 0: all have the same
  const void *                coefficients{ nullptr }; ///< batches x channels x size; not of ScatterDerivatives()
  std::int64_t coefficientStride{ 0 }; ///< elements to the next image's coefficients; 0: all have the same
  /** Of ScatterDerivatives() and ContractDerivatives(): g, batches x channels x count x dimension^n. Null stands for
   * ones, where n is 0. */
  const void * weights{ nullptr };
  /** What is written. EvaluateDerivatives(): batches x channels x count x dimension^n; ScatterDerivatives(): batches x
   * channels x size; ContractDerivatives(): batches x count x dimension. Apart from what is read. */
  void *     result{ nullptr };
  ArrayPlace place; ///< where all arrays are
};

/** \brief Derivatives of order n of the values at points (per sample^n).
 *
 * \param[in] points what is done
 * \param[in] context backend, device, threads
 *
 * On a device the work is enqueued in the caller's stream.
 * \exception std::invalid_argument an order, dimension, size or address that cannot be
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * as InterpolateArray() for n = 0; a derivative's weights sum up to 2^n in magnitude, and its bound is so much larger.
 * Derivatives of order 1 and 2 of splines of order 1, 2 and 3 jump where a support begins; there they are those of the
 * support. */
void
EvaluateDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief By axis d of each point: the sum over all channels and lists I of n axes of g(I) D(Id, c, x), which is the
 * gradient with respect to x of the sum of g(I) D(I, c, x). As EvaluateDerivatives(). */
void
ContractDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief The transpose of EvaluateDerivatives() as a map of coefficients: adds the numbers of points up in the samples
 * of their supports, with the weights of these ("push", or splatting). What stands outside of an array takes none.
 *
 * Sums are exact sums of numbers in fixed point, so they do not depend on their order: the result has the same bits at
 * every call, whatever the threads of the host or the blocks of a device do, and an image of a batch those that it has
 * by itself. An image and channel with numbers that are not finite has NaN in the supports of their points.
 *
 * On a device the work is enqueued in the caller's stream, and so is the memory that it takes: in a stream whose work
 * is captured into a graph both are a part of the graph.
 *
 * \par Accuracy
 * With m the largest magnitude of g of an image and channel, N its points times dimension^n 2^n: each number that is
 * added has a rounding of its weights of a few units of TReal, and one of N m 2^-60 with Float32 elements; with Float64
 * elements N m 2^-90 for up to 2^24 points. */
void
ScatterDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief The transpose of FilterArray() as a map from samples to coefficients.
 *
 * With the extensions Reflect and GridWrap the prefilter is a symmetric matrix. With Mirror it is W^-1 S with S
 * symmetric and W = diag(1/2, 1, ..., 1, 1/2), since an end has no second image of itself; its transpose is W times the
 * prefilter times W^-1. On a device it is enqueued as ScatterDerivatives() is.
 *
 * \param[in] filter contiguous arrays whose type is its element
 * \param[in] context as for FilterArray()
 * \exception std::invalid_argument see FilterArray(); an array that is not contiguous
 * \exception DeviceError a device that is out of memory or lost */
void
FilterArrayAdjoint(const ArrayFilter & filter, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
