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
#ifndef itkCudaSpline_kernels_metrics_PointForces_h
#define itkCudaSpline_kernels_metrics_PointForces_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <array>
#include <cstddef>
#include <cstdint>

/** \file
 * \brief Metrics of two images on a grid whose force at a sample depends only on its values and gradients: value and
 * derivatives with respect to the displacements of either image. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Options of EvaluatePointForces(). Both images, their masks and the results are on the same grid. */
struct PointForcesDescriptor
{
  FieldGrid grid; ///< grid of all arrays
  /** MeanSquaresPass, DemonsPass or InformationPass: for the derivative with respect to the moving image's
   * displacements, and for the same with the images exchanged. Both are of the same type. */
  std::array<MetricPass, 2> passes;
  ScalarType                pixel{ ScalarType::Float32 };      ///< type of both images: Float32 or Float64
  ScalarType                derivative{ ScalarType::Float32 }; ///< type of the fields: Float32 or Float64
  /** Whether the derivative with respect to an image's displacements uses the gradient of the other image, as
   * itk::DemonsImageToImageMetricv4 does by default. */
  bool exchangesGradients{ false };
};

/** \brief Sums of EvaluatePointForces(), in the memory of the backend. */
struct PointSums
{
  double       squares{ 0.0 }; ///< sum of the squared differences; the value of mean squares and demons is their mean
  std::int64_t count{ 0 };     ///< number of samples that are valid in both images

  /** Adds the sums of other samples. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const PointSums & other)
  {
    squares += other.squares;
    count += other.count;
  }
};

/** \brief Bytes of scratch memory of EvaluatePointForces(): sums of rows and planes. */
std::size_t
CountPointForcesScratch(const FieldGrid & grid);

/** \brief Computes the sums and one or both derivative fields in one call, asynchronously.
 *
 * The derivative is the force of itk::MeanSquaresImageToImageMetricv4, itk::DemonsImageToImageMetricv4 or
 * itk::MattesMutualInformationImageToImageMetricv4 on a displacement field on the grid. It is 0 where a sample is not
 * valid.
 *
 * \param[in] descriptor options
 * \param[in] images the arrays to compare
 * \param[out] sums sums of the differences, in a fixed order, in the memory of the backend; null: not computed
 * \param[out] movingDerivative with respect to the displacements of the moving image; null: not computed
 * \param[out] fixedDerivative the same with the images exchanged; null: not computed
 * \param[out] scratch CountPointForcesScratch() bytes, if sums are computed
 * \param[in] residence memory of the backend, for all arrays
 * \exception std::invalid_argument an invalid pass or type, or missing images
 * \exception DeviceError a step cannot be enqueued */
void
EvaluatePointForces(const PointForcesDescriptor &  descriptor,
                    const LocalCorrelationImages & images,
                    PointSums *                    sums,
                    void *                         movingDerivative,
                    void *                         fixedDerivative,
                    void *                         scratch,
                    const Residence &              residence);

/** @} */
} // namespace itk::CudaSpline

#endif
