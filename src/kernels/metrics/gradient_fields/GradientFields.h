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
#ifndef GradientFields_h
#define GradientFields_h

#include "itkCudaSpline/kernels/fields/ResidentImage.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/metrics/PointForces.h"

#include "kernels/metrics/implementation/MetricImplementation.h"
#include "kernels/metrics/images/PixelRange.h"

#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Normalized gradient fields: the squared sine of the angle between the gradients of two images. */

namespace itk::CudaSpline
{

/** \brief The range from 0 to the mean magnitude of the gradients of an image (value per mm), of which edge parameters
 * are fractions. The call waits. Empty if no sample is valid.
 *
 * \param[in] image image in the memory of the backend: Float32 or Float64
 * \param[in] inside one byte per sample, nonzero where it counts; null: all count
 * \param[in] residence memory of the backend */
PixelRange
FindGradientRange(const ResidentImage & image, const std::uint8_t * inside, const Residence & residence);

/** \brief Options of EvaluateGradientFields(). Both images, their masks and the results are on the same grid. */
struct GradientFieldsDescriptor
{
  FieldGrid  grid;                              ///< grid of all arrays
  ScalarType pixel{ ScalarType::Float32 };      ///< type of both images: Float32 or Float64
  ScalarType derivative{ ScalarType::Float32 }; ///< type of the fields: Float32 or Float64
  bool       factorsAlone{ false };             ///< see LocalCorrelationDescriptor
  /** Squares of the edge parameters of the fixed and of the moving image ((value per mm)^2). */
  std::array<double, 2> edgeSquares{ { 0.0, 0.0 } };
};

/** \brief Bytes of scratch memory of EvaluateGradientFields(): four numbers per sample, and sums of rows. */
std::size_t
CountGradientFieldsScratch(const GradientFieldsDescriptor & descriptor);

/** \brief Compares the gradients of two images on a grid, asynchronously.
 *
 * With the gradients a and b of the fixed and the moving image at a sample, and the edge parameters e and h, a sample
 * has the value 1 - (a.b)^2 / ((a.a + e^2) (b.b + h^2)) \cite{HaberModersitzki2006}.
 *
 * Both images are first resampled to the grid: b is the gradient of the warped image, so that a rotation of the moving
 * image rotates b. A gradient consists of the central differences of the sample's neighbours along the axes of the
 * grid, which are orthogonal. If a neighbour is missing, outside a mask, or not finite in one of the images, the
 * difference of both images is that of the sample and the other neighbour, and 0 if both are. A sample counts if both
 * images are finite and under their masks.
 *
 * The derivative with respect to the value of a sample is exact: that of the sum over all samples whose differences use
 * the value. A step along a derivative field lowers the value. The field is the product of this number and the gradient
 * of the image, and 0 where that is not finite.
 *
 * \param[in] descriptor options
 * \param[in] images the arrays to compare; gradients are those that multiply derivatives
 * \param[out] sums sums of the values (PointSums::squares), and number of samples that count, in the memory of the
 * backend
 * \param[out] movingDerivative with respect to the displacements of the moving image; null: not computed
 * \param[out] fixedDerivative with respect to those of the fixed image; null: not computed
 * \param[out] scratch CountGradientFieldsScratch() bytes
 * \param[in] residence memory of the backend, for all arrays
 * \exception std::invalid_argument an invalid grid, type or edge parameter, or missing images
 * \exception DeviceError a step cannot be enqueued
 *
 * \par Accuracy
 * Differences and sums are double; the four numbers of a sample have the type of the pixels. All runs on a backend are
 * bitwise equal. Exchanged images have bitwise the same value. */
void
EvaluateGradientFields(const GradientFieldsDescriptor & descriptor,
                       const LocalCorrelationImages &   images,
                       PointSums *                      sums,
                       void *                           movingDerivative,
                       void *                           fixedDerivative,
                       void *                           scratch,
                       const Residence &                residence);

/** \brief One pass: the moving values of all samples, the weight of each, and the derivative with these weights. */
template <>
MetricOutcome
MetricImplementation<GradientFieldsMetric>::Reduce(const MetricReduce & reduce, const MetricReduction & reduction);

/** \brief Forces with EvaluateGradientFields(). */
///@{
template <>
std::unique_ptr<FieldMetric>
MetricImplementation<GradientFieldsMetric>::MakeFieldMetric(const FieldMetricSetup & setup,
                                                            const Residence &        residence);
template <>
std::size_t
MetricImplementation<GradientFieldsMetric>::CountFieldBytes(const FieldMetricSetup & setup);
///@}

} // namespace itk::CudaSpline

#endif
