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
 * \brief Metrics of two images on a grid whose force at a sample depends on the values and gradients there alone: value
 * and derivatives by the displacements of either image. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What EvaluatePointForces() is asked for. Both images, their masks and the results are on one grid.
 *
 * The first of each pair of numbers is that of the derivative by the moving image's displacements, the second that of
 * the same with the images exchanged. */
struct PointForcesDescriptor
{
  FieldGrid  grid;                              ///< of all arrays
  MetricPass pass{ MetricPass::MeanSquares };   ///< MeanSquares, Demons or Information
  ScalarType pixel{ ScalarType::Float32 };      ///< of both images: Float32 or Float64
  ScalarType derivative{ ScalarType::Float32 }; ///< of the fields: Float32 or Float64
  /** Whether the derivative by an image's displacements has the gradient of the other image:
   * itk::DemonsImageToImageMetricv4 by default. */
  bool                          exchangesGradients{ false };
  std::array<double, 2>         normalizer{ { 1.0, 1.0 } };    ///< of Demons; see MetricParameters
  double                        differenceThreshold{ 0.0 };    ///< of Demons
  double                        denominatorThreshold{ 0.0 };   ///< of Demons
  std::array<ParzenBins, 2>     bins;                          ///< of Information
  std::array<const double *, 2> table{ { nullptr, nullptr } }; ///< of Information: a number a bin, in the residence
};

/** \brief Sums of EvaluatePointForces(), in the memory of the residence. */
struct PointSums
{
  double       squares{ 0.0 }; ///< of the differences; the value of mean squares and demons is their mean
  std::int64_t count{ 0 };     ///< samples that are valid in both images

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

/** \brief Sums and both derivative fields, or one, in one go; nothing waits.
 *
 * The derivative is the force of itk::MeanSquaresImageToImageMetricv4, itk::DemonsImageToImageMetricv4 or
 * itk::MattesMutualInformationImageToImageMetricv4 by a displacement field on the grid, 0 where a sample is not valid.
 *
 * \param[in] descriptor what is wanted
 * \param[in] images what is compared
 * \param[out] sums of the differences, in one order; memory of the residence; null: not wanted
 * \param[out] movingDerivative by the displacements of the moving image; null: not wanted
 * \param[out] fixedDerivative the same with the images exchanged; null: not wanted
 * \param[out] scratch CountPointForcesScratch() bytes, where sums are wanted
 * \param[in] residence where all of it is
 * \exception std::invalid_argument an invalid pass or type, or images that are missing
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
