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

/** \brief Maximum order n of the derivatives at points. */
inline constexpr unsigned int MaxPointDerivatives = 2;

/** \brief A batch of images with lists of points, as continuous indices. All arrays are contiguous, of the type \c
 * element, and on the same device.
 *
 * Axes are in the order of NumPy: the first axis of an image is the slowest one, and the first coordinate of a point
 * belongs to it. The extension outside, and the support of a point, are those of InterpolateArray(): for orders 2 to 5
 * the samples of an image need the prefilter of the mode (FilterArray()). For modes with padding (IsPadded()), the
 * coefficients are those of samples that the caller has padded.
 *
 * The values of a point with a NaN are NaN, and ScatterDerivatives() ignores it. */
struct SplinePoints
{
  unsigned int                dimension{ 3 };            ///< 1 to 3
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } };       ///< of an image, slowest axis first; 1 or more
  std::int64_t                batches{ 1 };              ///< number of images, each with its points; 0: no work
  std::int64_t                channels{ 1 };             ///< channels per image, which share its points
  std::int64_t                count{ 0 };                ///< points per image
  unsigned int                order{ 3 };                ///< 0 to 5
  ArrayMode                   mode{ ArrayMode::Mirror }; ///< how images are continued outside
  double                      border{ 0.0 };             ///< value outside in the modes Constant and GridConstant
  /** Type of all arrays, weights and sums: Float32 or Float64. */
  ScalarType   element{ ScalarType::Float64 };
  unsigned int derivatives{ 0 };  ///< order n, 0 to MaxPointDerivatives
  const void * points{ nullptr }; ///< batches x count x dimension (samples)
  /** Distance of the next image's points (elements); 0: all images share them. */
  std::int64_t pointStride{ 0 };
  const void * coefficients{ nullptr }; ///< batches x channels x size; not used by ScatterDerivatives()
  /** Distance of the next image's coefficients (elements); 0: all images share them. */
  std::int64_t coefficientStride{ 0 };
  /** For ScatterDerivatives() and ContractDerivatives(): g, batches x channels x count x dimension^n. Null means ones,
   * for n = 0. */
  const void * weights{ nullptr };
  /** The output. EvaluateDerivatives(): batches x channels x count x dimension^n; ScatterDerivatives(): batches x
   * channels x size; ContractDerivatives(): batches x count x dimension. It must not overlap the inputs. */
  void *     result{ nullptr };
  ArrayPlace place; ///< memory of all arrays
};

/** \brief Derivatives of order n of the values at points (per sample^n).
 *
 * \param[in] points images, points and result
 * \param[in] context backend, device, threads
 *
 * On a device the work is enqueued in the caller's stream.
 * \exception std::invalid_argument an unsupported order or dimension, an invalid size or address
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * As InterpolateArray() for n = 0. The magnitudes of a derivative's weights sum to 2^n, and its bound is larger by that
 * factor. Derivatives of order 1 and 2 of splines of order 1, 2 and 3 are discontinuous where a support begins; there
 * they are those of that support. */
void
EvaluateDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief For each point and axis d, the sum over all channels and lists I of n axes of g(I) D(Id, c, x). It is the
 * gradient with respect to x of the sum of g(I) D(I, c, x). Parameters and exceptions as for EvaluateDerivatives(). */
void
ContractDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief The transpose of EvaluateDerivatives() as a map of coefficients: adds the numbers of points to the samples of
 * their supports, with the weights of these ("push", or splatting). Samples outside an array are ignored.
 *
 * Sums are exact sums of fixed-point numbers, which do not depend on their order: all calls are bitwise equal, for any
 * number of threads or blocks, and an image of a batch has the same result as alone. If an image and channel has
 * non-finite numbers, the supports of their points become NaN.
 *
 * On a device the work, and the memory that it needs, are enqueued in the caller's stream. If the work of the stream is
 * captured into a graph, both become a part of the graph.
 *
 * \par Accuracy
 * Let m be the largest magnitude of g for an image and channel, and N its number of points times dimension^n 2^n. Each
 * added number has a rounding error of its weights of a few units of TReal. In addition it has an error of N m 2^-60
 * with Float32 elements, or N m 2^-90 with Float64 elements for up to 2^24 points. */
void
ScatterDerivatives(const SplinePoints & points, const ExecutionContext & context);

/** \brief The transpose of FilterArray() as a map from samples to coefficients.
 *
 * With the extensions Reflect and GridWrap the prefilter is a symmetric matrix. With Mirror it is W^-1 S with S
 * symmetric and W = diag(1/2, 1, ..., 1, 1/2), because the end samples have no mirror image; its transpose is W times
 * the prefilter times W^-1. On a device it is enqueued like ScatterDerivatives().
 *
 * \param[in] filter contiguous arrays of its element type
 * \param[in] context as for FilterArray()
 * \exception std::invalid_argument see FilterArray(), or an array that is not contiguous
 * \exception DeviceError a device that is out of memory or lost */
void
FilterArrayAdjoint(const ArrayFilter & filter, const ExecutionContext & context);

/** @} */
} // namespace itk::CudaSpline

#endif
